import Type, { type Static, type TSchema } from 'typebox';

/** Items that a page can have. */
export const maxPageSize = 500;

/** The query parameters of every list. */
export const PageQuery = Type.Object({
  page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1, description: 'Which page, from 1 to 1,000,000.' }),
  pageSize: Type.Integer({
    minimum: 1,
    maximum: maxPageSize,
    default: 20,
    description: `Items on a page, from 1 to ${maxPageSize}.`,
  }),
});

/** Both may be left out. */
export const OptionalPageQuery = Type.Partial(PageQuery);

export interface Page {
  page: number;
  pageSize: number;
}

export function pageOf({ page = 1, pageSize = 20 }: Static<typeof OptionalPageQuery>): Page {
  return { page, pageSize };
}

/** The schema of a list of `item`. */
export function PageOf<Item extends TSchema>(item: Item, id: string, order = 'Oldest first.') {
  return Type.Object(
    {
      items: Type.Array(item, { description: order }),
      page: Type.Integer({ description: 'The number of this page.', examples: [1] }),
      pageSize: Type.Integer({ description: 'The most items that one page has.', examples: [20] }),
      totalItems: Type.Integer({ description: 'How many items all pages have together.', examples: [75] }),
      totalPages: Type.Integer({ description: 'How many pages there are; 0 if there are no items.', examples: [4] }),
    },
    { $id: id },
  );
}

export function asPage<Item>(items: Item[], totalItems: number, { page, pageSize }: Page) {
  return { items, page, pageSize, totalItems, totalPages: Math.ceil(totalItems / pageSize) };
}

/**
 * The `Link` header (RFC 8288): `first` and `last` always, `prev` and `next` where there is such a page. `url` is
 * that of the list; `filters` are its other query parameters, which the links keep.
 */
export function links(
  url: string,
  { page, pageSize }: Page,
  totalItems: number,
  filters: Record<string, string> = {},
): string {
  const last = Math.max(1, Math.ceil(totalItems / pageSize));
  const targets = { first: 1, prev: Math.min(page - 1, last), next: page < last ? page + 1 : 0, last };
  return Object.entries(targets)
    .filter(([, target]) => target >= 1)
    .map(([relation, target]) => {
      const query = new URLSearchParams({ ...filters, page: String(target), pageSize: String(pageSize) });
      return `<${url}?${query}>; rel="${relation}"`;
    })
    .join(', ');
}
