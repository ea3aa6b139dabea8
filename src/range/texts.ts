/** Where the interface is. */
export const base = '/range/v1';

/** Any token of a client; the trainer's own. */
export const ofClient = [{ oauth2: [] }, { bearer: [] }];
export const ofTrainer = [{ trainer: [] }];

/** Of a list. */
export const onePage = 'One page. A page after the last one has no items.';

/** The example of the header `Link` of the list at a path. */
export const nextPage = (path: string) => ({ Link: `<${base}${path}?page=2&pageSize=20>; rel="next"` });
