/** Where the interface is. */
export const base = '/range/v1';

/** The tokens that an endpoint takes: any token of a client, or the one of the trainer. */
export const ofClient = [{ oauth2: [] }, { bearer: [] }];
export const ofTrainer = [{ trainer: [] }];

/** The text of each list that succeeds. */
export const onePage = 'One page. A page after the last one has no items.';

/** The example of the header `Link` of the list at a path. */
export const nextPage = (path: string) => ({ Link: `<${base}${path}?page=2&pageSize=20>; rel="next"` });
