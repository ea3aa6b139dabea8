import type { Entry } from '../entry.ts';
import type { History } from '../history.ts';
import type { Topic } from '../lesson.ts';

/*
 * Lists that come in pages, and change while somebody reads them.
 */

const list = 'GET /insurer/v1/policies';

const leastPages = 3;

const pageOf = ({ query }: Entry) => Number(query.get('page') ?? 1);
const sizeOf = ({ query }: Entry) => Number(query.get('pageSize') ?? 20);

/** Tells whether it is a page with policies on it, as a whole. */
const isPage = ({ call, end, ids }: Entry) => call === list && end === 'answered' && ids.length > 0;

const isLast = (entry: Entry) => isPage(entry) && !entry.answer.headers.link?.includes('rel="next"');

/**
 * The walk through the list that ends with this page: the pages from the first one on, each read after the one before,
 * or the number of one that was not.
 */
function walkTo(last: Entry, history: History): readonly Entry[] | number {
  const walk = [last];
  let before = history;
  for (let page = pageOf(last) - 1; page >= 1; page -= 1) {
    const found = before.last((entry) => isPage(entry) && pageOf(entry) === page && sizeOf(entry) === sizeOf(last));
    if (!found) return page;
    walk.unshift(found);
    before = history.before(found);
  }
  return walk;
}

/** The number of the last page, as the answer to another one said it. */
function lastKnown({ answer }: Entry): number {
  return Number(/[?&]page=(\d+)[^>]*>; rel="last"/.exec(answer.headers.link ?? '')?.[1] ?? 0);
}

/** Tells whether it looks as if somebody walks: the page that was read last is one in between. */
function isWalking(last: Entry, history: History): boolean {
  const previous = history.last(isPage);
  return previous !== undefined && pageOf(previous) > 1 && pageOf(previous) < pageOf(last);
}

export const lists: Topic = {
  id: 'lists',
  title: 'Lists',
  lessons: [
    {
      id: 'all-pages',
      title: 'Every page',
      level: 2,
      goal: 'Read the whole list of your policies, page by page from the first to the last, with the same pageSize. It has to take at least three pages: POST /range/v1/me/fleet gives you 75 policies.',
      why: 'A program that reads only the first page works in the test and loses customers in production.',
      hints: [
        'Each answer says whether there is a next page, and where, in a header.',
        'Start with `GET /policies?pageSize=25`. As long as the header Link has `rel="next"`, call the address that stands before it.',
        '`curl -i "$ROOT/insurer/v1/policies?page=1&pageSize=25" -H "Authorization: Bearer $TOKEN"`, then the same with page=2, with page=3, and so on, until Link has no `rel="next"` any more.',
      ],
      sections: ['Endpoints, 5', 'Endpoints, rule 3', 'RFC 8288'],
      buildsOn: ['create-policy'],
      steps: [
        {
          title: 'Every page',
          judge(entry, history) {
            if (!isLast(entry)) return false;
            const walk = walkTo(entry, history);
            if (typeof walk !== 'number') return walk.length >= leastPages;
            if (!isWalking(entry, history)) return false;
            return `The last page is read, but page ${walk} was not read in its turn with pageSize=${sizeOf(entry)}. Begin with page 1, and keep the pageSize.`;
          },
        },
      ],
    },
    {
      id: 'pages-while-creating',
      title: 'The list grows while you read it',
      level: 2,
      goal: 'Read all pages of your policies, at least three, with a pageSize that divides their number (totalItems) exactly. Create a policy, as a second program would, before you read the page that is the last one until then. The new policy stands on a page of its own: read that one, too.',
      why: 'Lists change while they are read, and a program that takes the number of pages from the first answer misses what is new.',
      hints: [
        'The list is ordered by age, so what is new comes at its end. It may be on a page that was not there when you began.',
        '75 policies are a good number: `POST /range/v1/me/reset` removes what you own, and `POST /range/v1/me/fleet` gives you 75. With `pageSize=25` there are three pages. A policy created after you read page 2 makes a fourth.',
        'Read pages 1 and 2, send `POST /policies`, and go on with page 3. Its Link has `rel="next"` now: read page 4 as well.',
      ],
      sections: ['Endpoints, 5', 'Endpoints, 4', 'RFC 8288'],
      buildsOn: ['all-pages'],
      steps: [
        {
          title: 'The list grows while you read it',
          judge(entry, history) {
            if (!isLast(entry)) return false;
            const walk = walkTo(entry, history);
            if (typeof walk === 'number' || walk.length < leastPages) return false;
            const [first] = walk as [Entry];
            const since = history.since(first);
            const created = since.filter(isNew).length;
            if (created === 0) return false;
            if (pageOf(entry) > lastKnown(first)) {
              const lastThen = since.findIndex(({ id }) =>
                walk.some((page) => page.id === id && pageOf(page) === lastKnown(first)),
              );
              if (since.findIndex(isNew) < lastThen) return true;
              return 'You created the policy after you had read the page that was the last one until then. Create it before you read that page: then its Link has rel="next".';
            }
            const size = sizeOf(entry);
            const had = (pageOf(entry) - 1) * size + entry.ids.length - created;
            return `You had ${had} policies and a pageSize of ${size}, so the last page had room for the new one. Take a pageSize that divides ${had} exactly, or begin with 75 policies and a pageSize of 25.`;
          },
        },
      ],
    },
  ],
};

/** Tells whether it created a policy, and did not only repeat the answer to a request that did so before. */
const isNew = ({ call, status, answer }: Entry) =>
  call === 'POST /insurer/v1/policies' && status === 201 && answer.headers['idempotency-replayed'] === undefined;
