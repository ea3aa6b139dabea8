import { excerpt } from '../../../text/excerpt.ts';
import { createPolicy, headOfPolicies, listPolicies, readPolicy } from '../calls.ts';
import { type Entry, isFiltered, isReplayed } from '../entry.ts';
import type { History } from '../history.ts';
import type { LessonTopic, Verdict } from '../lesson.ts';
import { onlyHead } from '../other-methods.ts';

/*
 * Lists that come in pages, and change while somebody reads them.
 */

const leastPages = 3;
const usualSize = 20;

const pageOf = ({ query }: Entry) => Number(query.get('page') ?? 1);
const sizeOf = ({ query }: Entry) => Number(query.get('pageSize') ?? usualSize);

/** Tells whether it is a page with policies on it, as a whole, of the list of all. */
const isPage = (entry: Entry) =>
  entry.call === listPolicies && entry.end === 'answered' && entry.ids.length > 0 && !isFiltered(entry);

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

/** Tells whether it created a policy, and did not only repeat the answer to a request that did so before. */
const isNew = (entry: Entry) => entry.call === createPolicy && entry.status === 201 && !isReplayed(entry);

const byHead = ({ call, status }: Entry): string | false =>
  call === headOfPolicies && status === 200 && onlyHead('the policies');

function onlySo(entry: Entry, pages: number): string {
  const only = pages === 1 ? 'one page' : `${pages} pages`;
  return sizeOf(entry) === 1
    ? `You have too few policies: with one on each, the list has only ${only}. It has to take at least three.`
    : `With this pageSize the list has only ${only}. It has to take at least three.`;
}

/** Explains a list that was asked for in the way of another interface. */
const byOffset = ({ call, query }: Entry): string | false =>
  call === listPolicies &&
  !query.has('page') &&
  (query.has('offset') || query.has('limit')) &&
  'The list has no offset and no limit. Choose page and pageSize.';

/** Explains a page that is not there. Who reads on until a page is empty has read the last one before. */
function behindLast(entry: Entry): string | false {
  const last = lastKnown(entry);
  const isBehind = entry.call === listPolicies && entry.status === 200 && last >= leastPages && pageOf(entry) > last;
  return isBehind && `Page ${pageOf(entry)} comes after the last one, which is ${last}.`;
}

/** Explains a page of another size than the one before: it begins at another policy. */
function ofAnotherSize(entry: Entry, history: History): string | false {
  const before = history.last(isPage);
  if (entry.call !== listPolicies || entry.status !== 200 || !before) return false;
  const [from, to] = [sizeOf(before), sizeOf(entry)];
  const isChanged = from !== to && pageOf(entry) > 1 && pageOf(entry) === pageOf(before) + 1;
  const isReadOn = history.has((each) => isPageOf(each, pageOf(entry) - 1, entry));
  if (!isChanged || isReadOn) return false;
  return `You changed the pageSize from ${from} to ${to}, and with ${to} you have not read page ${pageOf(entry) - 1}.`;
}

/** Explains a first page of another size than the page before. */
function begunAnew(entry: Entry, history: History): string | false {
  const before = history.last(isPage);
  const isAnew = isPage(entry) && pageOf(entry) === 1 && before !== undefined && sizeOf(before) !== sizeOf(entry);
  return isAnew && `You began again, with pageSize=${sizeOf(entry)}. Read on with this one to the last page.`;
}

/** Explains a page after which one was left out, once the first page was read. */
function withGap(entry: Entry, history: History): string | false {
  const before = history.last(isPage);
  if (!isPage(entry) || !before || sizeOf(before) !== sizeOf(entry)) return false;
  const [from, to] = [pageOf(before), pageOf(entry)];
  const isGap = to > from + 1 && history.has((each) => isPageOf(each, 1, entry));
  const isReadOn = history.has((each) => isPageOf(each, to - 1, entry));
  if (!isGap || isReadOn) return false;
  return `From page ${from} you went to page ${to}. Go back to page ${from + 1}, and read on from there.`;
}

const leftOut = (last: Entry, page: number, history: History) =>
  history.has((each) => isPageOf(each, page, last))
    ? `You read page ${page} only after page ${page + 1}. Begin with page 1, and read the pages in their order.`
    : `You read the last page, but before it you did not read page ${page} with pageSize=${sizeOf(last)}. Begin with page 1, and keep the pageSize.`;

function isFirstOfSeveral(entry: Entry): Verdict {
  const other = byOffset(entry) || byHead(entry);
  if (other || entry.call !== listPolicies || entry.status !== 200 || isFiltered(entry) || pageOf(entry) !== 1)
    return other;
  if (entry.ids.length === 0) return 'Your list is empty. It has to take at least three pages.';
  return isPage(entry) && (lastKnown(entry) >= leastPages || onlySo(entry, Math.max(1, lastKnown(entry))));
}

/** Explains a page of a list that is not the whole one. */
const ofFiltered = (entry: Entry): string | false =>
  entry.call === listPolicies &&
  entry.status === 200 &&
  isFiltered(entry) &&
  'With a filter it is not the whole list. Leave status, regNumber and updatedSince out.';

/** Explains a walk whose pages are not of one and the same list. */
function ofTwoLists(walk: readonly Entry[], history: History): string | false {
  const [first] = walk as [Entry];
  const size = sizeOf(first);
  const between = history.since(first).find((each) => isPage(each) && pageOf(each) === 1 && sizeOf(each) !== size);
  if (between)
    return `After page 1 with pageSize=${size} you read page 1 with pageSize=${sizeOf(between)}. Begin with page 1 again, and keep the pageSize.`;
  const end = walk.slice(0, -1).find(isLast);
  if (end === undefined) return false;
  return `When you read page ${pageOf(end)}, it was the last one: your list has grown since. Begin with page 1.`;
}

function isLastOfAll(entry: Entry, history: History): Verdict {
  const unseen = ofFiltered(entry) || byHead(entry);
  if (unseen) return unseen;
  if (!isLast(entry)) {
    const other =
      byOffset(entry) ||
      ofAnotherSize(entry, history) ||
      begunAnew(entry, history) ||
      behindLast(entry) ||
      withGap(entry, history);
    if (other) return other;
    const before = history.last(isPage);
    const isAgain = isPageOf(entry, 1, entry) && before !== undefined && isPageOf(before, 1, entry);
    return isAgain && 'You got page 1 again. The answer says in a header where the next page is.';
  }
  const walk = walkTo(entry, history);
  if (typeof walk === 'number') return ofAnotherSize(entry, history) || leftOut(entry, walk, history);
  if (walk.length < leastPages) return byOffset(entry) || onlySo(entry, walk.length);
  return ofTwoLists(walk, history) || true;
}

/** Tells whether somebody has read the first of several pages, but not yet the last one. */
const isBegun = (history: History) =>
  history.has(
    (first) =>
      isPage(first) &&
      pageOf(first) === 1 &&
      lastKnown(first) >= leastPages - 1 &&
      !history.since(first).some((each) => isPageOf(each, lastKnown(first), first)),
  );

/** Tells whether it is the page with this number of the list that another page is of. */
const isPageOf = (entry: Entry, page: number, other: Entry) =>
  isPage(entry) && pageOf(entry) === page && sizeOf(entry) === sizeOf(other);

function isCreatedMeanwhile(entry: Entry, history: History): Verdict {
  if (isPage(entry) && pageOf(entry) === 1 && lastKnown(entry) > 1) return withRoom(entry);
  if (entry.call !== createPolicy || entry.status !== 201 || !isBegun(history)) return byHead(entry);
  if (!isNew(entry)) return 'You only got the answer to an earlier create again, so the list did not grow.';
  const first = history.last((each) => isPage(each) && pageOf(each) === 1);
  return (first !== undefined && withRoom(first)) || true;
}

/** Explains a size with which the last page is not full. */
const withRoom = (first: Entry): string | false =>
  first.page !== undefined && first.page.totalItems % sizeOf(first) > 0 && ofRoom(first.page.totalItems, sizeOf(first));

const ofRoom = (policies: number, size: number) =>
  `With ${policies} policies and a pageSize of ${size} the last page has room for a new one. Begin again with pages that are all full: after a reset, a practice fleet gives you 75 policies.`;

/** The last page of a list that grew while it was read: whether what is new stands on a page of its own. */
function isGrownAndRead(entry: Entry, history: History): Verdict {
  if (!isLast(entry))
    return ofAnotherSize(entry, history) || begunAnew(entry, history) || behindLast(entry) || byHead(entry);
  const walk = walkTo(entry, history);
  if (typeof walk === 'number') return ofAnotherSize(entry, history) || leftOut(entry, walk, history);
  const [first] = walk as [Entry];
  const since = history.since(first);
  const created = since.filter(isNew).length;
  if (walk.length === 1 && created === 0 && lastKnown(entry) <= 1)
    return sizeOf(entry) === 1
      ? onlySo(entry, 1)
      : 'The whole list fits on this one page, so nothing can come while you read on. Choose a pageSize that makes two full pages of it or more.';
  if (created === 0)
    return (
      wasCreatedBefore(first, history) ||
      'No policy was created while you read. Create one before you read the last page, by POST /insurer/v1/policies.'
    );
  if (walk.length < leastPages) return onlySo(entry, walk.length);
  if (pageOf(entry) > lastKnown(first)) {
    const lastThen = since.findIndex(({ id }) =>
      walk.some((page) => page.id === id && pageOf(page) === lastKnown(first)),
    );
    if (since.findIndex(isNew) < lastThen) return true;
    const beginAgain =
      'You created the policy after you had read the page that was the last one then. Begin again: create one before you read that page, so that its Link has rel="next".';
    return { beginAgain };
  }
  const size = sizeOf(entry);
  const had = (pageOf(entry) - 1) * size + entry.ids.length - created;
  return { beginAgain: ofRoom(had, size) };
}

/** Who has read the whole list before, created a policy and reads the list again, may have meant to do so meanwhile. */
function wasCreatedBefore(first: Entry, history: History): Verdict {
  const before = history.before(first);
  const lastRead = before.last((each) => isLast(each) && pageOf(each) >= leastPages - 1);
  if (lastRead === undefined || !before.since(lastRead).some(isNew)) return false;
  return 'You created the policy before you read page 1, so it was in the list from the beginning. Create one while you read.';
}

/** Names of parameters that the list knows. Others do not filter it. */
const known: ReadonlySet<string> = new Set(['page', 'pageSize', 'status', 'regNumber', 'updatedSince']);

const hasMore = (entry: Entry) => isPage(entry) && !isLast(entry);

function isNotTheLast(entry: Entry): Verdict {
  if (!isPage(entry)) return byHead(entry);
  if (hasMore(entry)) return true;
  return pageOf(entry) === 1
    ? 'Your list has only this page, so it is the last one. Have more policies, or smaller pages.'
    : 'This is the last page. Read one before it.';
}

/** One policy that was found by its vehicle, and does not stand on the first page; where that was not read, on none that was. */
function isFound(entry: Entry, history: History): Verdict {
  const pages = history.all(isPage);
  const first = pages.findLast((each) => hasMore(each) && pageOf(each) === 1);
  if (entry.call !== listPolicies || entry.status !== 200)
    return (isFiltered(entry) && byHead(entry)) || isRefusedFilter(entry) || isByPath(entry);
  if (!entry.query.has('regNumber')) {
    const other = [...entry.query.keys()].find((name) => !known.has(name));
    if (byOffset(entry)) return false;
    if (entry.query.has('status')) return 'That found the policies with one status. Find those of one vehicle.';
    if (isFiltered(entry)) return 'That found what changed since then. Find the policies of one vehicle.';
    if (other === undefined)
      return (
        pages.some(hasMore) &&
        'You read a page of the whole list. A parameter in the query names the vehicle, on whatever page its policy stands.'
      );
    return `The list knows no parameter ${excerpt(other)}, so it was not filtered: the header L-Plate-Ignored of the answer says so.`;
  }
  if (entry.ids.length === 0) {
    if (pageOf(entry) > 1) return 'What is found stands on page 1, so there is nothing on this one. Leave page out.';
    return 'Nothing was found for that vehicle. Take the registration number of a policy of yours, and leave other filters out.';
  }
  if (!pages.some(hasMore))
    return 'It was found, but nothing shows that it was needed: first read a page of your list that is not the last one.';
  return (
    !(first ? [first] : pages.filter(hasMore)).some(({ ids }) => ids.some((id) => entry.ids.includes(id))) ||
    'That policy stands on the page that you read. Find one that does not: the newest is the last of the list.'
  );
}

/** Its value, or its name, which is nearly the right one. */
const isRefusedFilter = (entry: Entry): Verdict =>
  entry.call === listPolicies &&
  entry.status === 400 &&
  [...entry.query.keys()].some((name) => /reg|plate|stat/i.test(name)) &&
  'The filter was refused, so nothing was looked for. The problem names what is wrong with it.';

/** What anybody may do who tries out ids. */
const isByPath = ({ call, problem }: Entry): Verdict =>
  call === readPolicy &&
  problem === 'policy-not-found' &&
  'That is the address of one policy, which needs its id. Look for the vehicle in the list.';

export const lists: LessonTopic = {
  id: 'lists',
  title: 'Lists',
  lessons: [
    {
      id: 'all-pages',
      title: 'Every page',
      level: 2,
      goal: 'Read the whole list of your policies, page by page from the first to the last, with the same `pageSize`. It has to take at least three pages: POST /range/v1/me/fleet gives you 75 policies.',
      why: 'A program that reads only the first page works in the test and loses customers in production.',
      hints: [
        'Each answer says whether there is a next page, and where, in a header.',
        'Start with `GET /policies?pageSize=25`. As long as the header Link has `rel="next"`, call the address that stands before it.',
        '`curl -i "$ROOT/insurer/v1/policies?page=1&pageSize=25" -H "Authorization: Bearer $TOKEN"`, then the same with page=2, with page=3, and so on, until Link has no `rel="next"` any more.',
      ],
      sections: ['Endpoints, 5', 'Endpoints, rule 3', 'RFC 8288'],
      buildsOn: ['create-policy'],
      remember: 'A list comes in pages. Follow the link with `rel="next"` until there is none.',
      without:
        'The report has 20 customers, always exactly 20. All others are missing in the bill, and there is no error anywhere.',
      shortestWay: 3,
      way: [listPolicies],
      steps: [
        { title: 'Read the first of at least three pages', judge: isFirstOfSeveral },
        { title: 'Read on, page by page, to the last one', judge: isLastOfAll },
      ],
    },
    {
      id: 'pages-while-creating',
      title: 'The list grows while you read it',
      level: 2,
      goal: 'Read all pages of your policies, with a `pageSize` of which `totalItems` is a multiple, so that every page is full. Before you read the last page, create a policy, as another program would. The new policy then stands on a page of its own: read that page, too. With it there have to be at least three pages.',
      why: 'Lists change while they are read, and a program that takes the number of pages from the first answer misses what is new.',
      hints: [
        'The list is ordered by age, so what is new comes at its end. It may be on a page that was not there when you began.',
        '75 policies are a good number: `POST /range/v1/me/reset` removes what you own, and `POST /range/v1/me/fleet` gives you 75. With `pageSize=25` there are three pages. A policy created after you read page 2 makes a fourth.',
        'Read pages 1 and 2, send `POST /policies`, and go on with page 3. Its Link has `rel="next"` now: read page 4 as well.',
      ],
      sections: ['Endpoints, 5', 'Endpoints, 4', 'RFC 8288'],
      buildsOn: ['all-pages'],
      remember:
        'A list can grow while you read it. Each answer says whether there is a next page, so look at the last one you got.',
      without:
        'The program counts the pages at the beginning. What was created during the run is missed, a few records each night.',
      shortestWay: 5,
      way: [listPolicies, createPolicy],
      steps: [
        { title: 'Begin to read, and create a policy before the last page', judge: isCreatedMeanwhile },
        { title: 'Read on, until no page is left', judge: isGrownAndRead },
      ],
    },
    {
      id: 'find-one',
      title: 'Find the one you need',
      level: 1,
      goal: 'Read the first page of your policies; there must be more of them (POST /range/v1/me/fleet gives you 75). Then find the policy of one vehicle that is not on that page, with one call and without its id.',
      why: 'A program that reads all pages to find one record is slow, uses up its calls, and gets slower with every new customer.',
      hints: [
        'The list takes more parameters than page and pageSize. Its description names them.',
        'Insure a vehicle: its policy is the last of the list. Then look for its registration number.',
        '`curl "$ROOT/insurer/v1/policies" -H "Authorization: Bearer $TOKEN"`, then the same with `?regNumber=` and the registration number.',
      ],
      sections: ['Endpoints, 5'],
      buildsOn: ['create-policy'],
      remember: 'Let the service look for a record. With a filter, totals and links are of what was found.',
      without:
        'The program reads all pages to find one customer. With a thousand policies that is fifty calls, and the limit is 60 a minute.',
      shortestWay: 3,
      way: [listPolicies, createPolicy],
      steps: [
        { title: 'Read a page of your list that is not the last one', judge: isNotTheLast },
        { title: 'Find the policy of one vehicle that is not on it', judge: isFound },
      ],
    },
  ],
};
