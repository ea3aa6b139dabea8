import { asStored } from '../../../http/requests/changed-since.ts';
import { policyStatuses } from '../../../insurer/index.ts';
import { day, minute, second } from '../../../time/units.ts';
import { keptBody } from '../../exchanges/call.ts';
import {
  cancelPolicy,
  createPolicy,
  headOfPolicy,
  listClaims,
  listPolicies,
  readPolicy,
  updatePolicy,
} from '../calls.ts';
import { type Entry, isReplayed, jsonOf, ownTime } from '../entry.ts';
import type { History } from '../history.ts';
import type { LessonTopic, Verdict } from '../lesson.ts';
import { byPatch, onlyHead } from '../other-methods.ts';

/*
 * A copy of the policies in another system, and how it stays the same: by what changed since, and by totals.
 */

/** Milliseconds by which a run looks back before its watermark: less may lose a change, more reads all again. */
const leastOverlap = minute;
const mostOverlap = 10 * minute;

/** Policies of a first read, so that some are known when it is made again. */
const leastKnown = 4;

const isList = ({ call, status, end }: Entry) => call === listPolicies && status === 200 && end === 'answered';

/** A page of all policies, or of all that changed since an instant. */
const isPage = (entry: Entry) => isList(entry) && !entry.query.has('status') && !entry.query.has('regNumber');

const isOfChanges = (entry: Entry) => isPage(entry) && entry.query.has('updatedSince');

/** The instant that changes were asked from: milliseconds since 1970. */
const sinceOf = ({ query }: Entry) => Date.parse(asStored(query.get('updatedSince') as string));

const pageOf = ({ query }: Entry) => Number(query.get('page') ?? 1);

const isLast = ({ answer }: Entry) => !answer.headers.link?.includes('rel="next"');

const tooLong = `The log keeps ${keptBody / 1024} KiB of an answer, and a page was longer. Begin again with smaller pages: pageSize=25.`;

const nothingThere = 'No policy of yours changed since then. Insure some vehicles, or begin earlier.';

const isCut = ({ answer }: Entry) => answer.bytes > keptBody;

/** The last instant on a page of changes: milliseconds since 1970. Not a number where the log does not have it. */
const newestOn = ({ page }: Entry) => Date.parse(page?.lastUpdatedAt ?? '');

/** Where a page stands in the read that it belongs to: from a page 1 on, page after page. */
interface Place {
  /** The pages of this read, later ones included. */
  readonly all: Entry[];
  /** How many of them there are up to this one, and how many policies are on these. */
  readonly pages: number;
  readonly policies: number;
  readonly ids: Set<string>;
  /** The instant that changes were asked from. */
  readonly from: number;
}

/** By all exchanges of a judgement, since each of them is looked at by several steps. */
const places = new WeakMap<readonly Entry[], ReadonlyMap<Entry, Place>>();

/** In one pass, since each page depends on the one before. */
function placesOf(entries: readonly Entry[]): ReadonlyMap<Entry, Place> {
  const found = new Map<Entry, Place>();
  const latest = new Map<boolean, Entry>();
  for (const entry of entries) {
    if (!isPage(entry)) continue;
    const from = isOfChanges(entry) ? sinceOf(entry) : 0;
    const before = latest.get(isOfChanges(entry));
    const read = before && found.get(before);
    const isOn = before && read && goesOn(entry, from, before, read);
    const { all, ids } = isOn ? read : { all: [] as Entry[], ids: new Set<string>() };
    all.push(entry);
    for (const id of entry.ids) ids.add(id);
    found.set(entry, { all, ids, from, pages: all.length, policies: ids.size });
    latest.set(isOfChanges(entry), entry);
  }
  return found;
}

/** Tells whether a page goes on where the one before it ended: by its number, or from the last instant on it. */
function goesOn(entry: Entry, from: number, before: Entry, read: Place): boolean {
  if (isLast(before)) return false;
  return pageOf(entry) > 1 ? from === read.from : isOfChanges(entry) && from === newestOn(before);
}

/** The place of a page that is among the exchanges of this history, or follows them. */
function placeOf(page: Entry, { entries }: History): Place {
  const known = places.get(entries) ?? placesOf(entries);
  places.set(entries, known);
  return known.get(page) as Place;
}

/** The pages of the read that ends with this one, from its first page on. */
function readTo(last: Entry, history: History): readonly Entry[] {
  const { all, pages } = placeOf(last, history);
  return all.slice(0, pages);
}

/** The instant that the read of a page began from. */
const begunFrom = (page: Entry, history: History) => sinceOf(placeOf(page, history).all[0] as Entry);

const idsOf = (pages: readonly Entry[]) => new Set(pages.flatMap(({ ids }) => ids));

/** Tells whether a read has come to its end with all policies that it began with. */
function isWhole(last: Entry, history: History): boolean {
  if (!isLast(last)) return false;
  const { all, policies } = placeOf(last, history);
  return policies >= (all[0]?.page?.totalItems ?? Number.POSITIVE_INFINITY);
}

const isEndOfChanges = (entry: Entry, history: History) =>
  isOfChanges(entry) && entry.page !== undefined && entry.ids.length > 0 && isWhole(entry, history);

/** The last read of changes that was whole. */
const endOfChanges = (history: History) => history.last((each) => isEndOfChanges(each, history));

/** It changed a policy, or made one. To cancel again changes nothing. */
const isWrite = (entry: Entry) =>
  !isReplayed(entry) &&
  ((entry.call === createPolicy && entry.status === 201) ||
    ([updatePolicy, cancelPolicy].includes(entry.call) && entry.status === 200));

const policyOf = ({ answer }: Entry): { id: string; status?: string; endDate?: string; updatedAt?: string } =>
  jsonOf(answer) ?? {};

/** Tells whether it changed a policy after the last instant on a page: the policy is then behind all on it. */
const isLater = (write: Entry, page: Entry) => (policyOf(write).updatedAt ?? '') > (page.page?.lastUpdatedAt ?? '');

/** Explains a list that is none of what changed. */
function notOfChanges(entry: Entry): string | false {
  if (entry.call === listClaims)
    return entry.query.has('updatedSince') && 'Those were claims. Do the same with policies.';
  if (!isList(entry)) return false;
  if (!entry.query.has('updatedSince')) return 'That list is not of changes. Ask with updatedSince, and an instant.';
  return isPage(entry) ? false : 'That was not all that changed. Leave status and regNumber out.';
}

/** A read of what changed, to its end: whether it has all, and at least so many. */
function areChangesRead(entry: Entry, history: History, least = 1): Verdict {
  if (!isOfChanges(entry)) return notOfChanges(entry);
  if (isCut(entry)) return tooLong;
  if (entry.ids.length === 0)
    return pageOf(entry) > 1 ? 'There is nothing on this page: the one before was the last.' : nothingThere;
  if (!isLast(entry)) return false;
  const pages = readTo(entry, history);
  if (!isWhole(entry, history)) return notAll(pages);
  const { size } = idsOf(pages);
  return (
    size >= least || `You have only ${size} of them, and the lesson needs at least ${least}. Insure more vehicles.`
  );
}

function notAll(pages: readonly Entry[]): string {
  if (pages.some(isCut)) return tooLong;
  const [first] = pages as [Entry];
  const begin = 'Begin with page 1, and read each page with the same pageSize.';
  if (pageOf(first) > 1) return `You read the last page, but not those before it. ${begin}`;
  return `You read ${idsOf(pages).size} of ${first.page?.totalItems} policies up to the last page. ${begin}`;
}

/** A write after the last whole read. */
function isChangedAfterwards(entry: Entry, history: History): Verdict {
  if (!isWrite(entry)) return byPatch(entry);
  const read = endOfChanges(history);
  if (!read && entry.call === createPolicy) return false;
  if (!read) return 'You changed it before you had read what changed, to the end. Read that first.';
  return isLater(entry, read) || 'That policy was cancelled already, so nothing changed.';
}

/** The last change after a whole read, and that read. */
function changeAfterRead(history: History): { write: Entry; read: Entry } | undefined {
  for (const read of history.all((each) => isEndOfChanges(each, history)).reverse()) {
    const write = history.since(read).findLast((each) => isWrite(each) && isLater(each, read));
    if (write) return { write, read };
  }
  return undefined;
}

/** A read from a minute before the watermark, which has to bring the change. */
function isAskedAgain(entry: Entry, history: History): Verdict {
  if (!isOfChanges(entry)) return endOfChanges(history) !== undefined && notOfChanges(entry);
  const found = changeAfterRead(history);
  const [first] = readTo(entry, history) as [Entry];
  if (!found) return endOfChanges(history) !== undefined && isNear(entry, history);
  const { write, read } = found;
  const overlap = newestOn(read) - sinceOf(first);
  const later = endOfChanges(history.before(first));
  const isRight = overlap >= leastOverlap && overlap <= mostOverlap;
  if (!isRight && later && later !== read && (overlap < 0 || newestOn(later) - sinceOf(first) >= leastOverlap))
    return isNear(first, history);
  if (overlap < 0)
    return 'You asked from later than the newest updatedAt that you had read. Take it from there, not from a clock: yours and that of the service differ.';
  if (overlap < leastOverlap)
    return `You looked back ${Math.floor(overlap / second)} s. A change bears the instant at which its call began, and may become visible later. Look back a minute.`;
  if (overlap > mostOverlap)
    return 'You asked from far before the newest updatedAt that you had read, so nearly all came again. Begin a minute before it.';
  if (entry.ids.includes(policyOf(write).id)) return true;
  return isLast(entry) && 'Your change is not on this page, and there is none after it. Read from page 1.';
}

/** Tells who asks again, and has changed nothing. */
function isNear(entry: Entry, history: History): Verdict {
  const read = endOfChanges(history);
  return (
    read !== undefined &&
    newestOn(read) - sinceOf(entry) <= mostOverlap &&
    'Nothing has changed since you read it all. Change a policy first, then ask again.'
  );
}

/** A read that was made again, and what came between. */
interface Repeated {
  readonly last: Entry;
  /** The policies of each. */
  readonly before: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
  /** Those of the first that were changed since. */
  readonly changed: ReadonlySet<string>;
}

const isFirstRead = (entry: Entry, history: History) => areChangesRead(entry, history, leastKnown) === true;

/** The latest whole read of policies enough to which it applies, by what was written after it. */
function firstRead(
  history: History,
  applies: (first: Entry, writes: readonly Entry[]) => boolean = () => true,
): Entry | undefined {
  const writes: Entry[] = [];
  return history.last((each) => {
    if (isWrite(each)) writes.push(each);
    return isFirstRead(each, history) && applies(each, writes);
  });
}

const isNew = (entry: Entry) => isWrite(entry) && entry.call === createPolicy;

const isCreated = (writes: readonly Entry[]) => writes.some(isNew);

/** The policies of a read that were changed after it. */
function changedOf(first: Entry, writes: readonly Entry[], history: History): ReadonlySet<string> {
  const ids = idsOf(readTo(first, history));
  const changes = writes.filter((each) => each.call !== createPolicy && isLater(each, first));
  return new Set(changes.map((each) => policyOf(each).id).filter((id) => ids.has(id)));
}

function repeated(last: Entry, history: History): Repeated | undefined {
  if (!isEndOfChanges(last, history)) return undefined;
  const pages = readTo(last, history);
  const from = begunFrom(last, history);
  const first = firstRead(
    history.before(pages[0] as Entry),
    (each, writes) =>
      begunFrom(each, history) === from && isCreated(writes) && changedOf(each, writes, history).size > 0,
  );
  if (!first) return undefined;
  const changed = changedOf(first, history.since(first).filter(isWrite), history);
  return { last, before: idsOf(readTo(first, history)), after: idsOf(pages), changed };
}

function isKnownChanged(entry: Entry, history: History): Verdict {
  if (!isWrite(entry)) return byPatch(entry);
  if (entry.call === createPolicy) return false;
  const first = firstRead(history);
  if (!first) return 'You changed it before you had read what changed, to the end. Read that first.';
  if (!idsOf(readTo(first, history)).has(policyOf(entry).id))
    return 'You changed a policy that was not among those that you read. Change one of them.';
  return isLater(entry, first) || 'That policy was cancelled already, so nothing changed.';
}

const isCreatedSince = (entry: Entry, history: History): Verdict => isNew(entry) && firstRead(history) !== undefined;

function isReadAgain(entry: Entry, history: History): Verdict {
  const latest = firstRead(history);
  if (!latest || !isOfChanges(entry)) return latest !== undefined && notOfChanges(entry);
  if (repeated(entry, history)) return true;
  const isChanged = (first: Entry, writes: readonly Entry[]) => changedOf(first, writes, history).size > 0;
  const first = firstRead(history, (each, writes) => isCreated(writes) && isChanged(each, writes));
  if (first) {
    if (begunFrom(entry, history) !== begunFrom(first, history))
      return 'You read from another instant than the first time. Send the same updatedSince.';
    return isCut(entry) ? tooLong : isLast(entry) && notAll(readTo(entry, history));
  }
  if (firstRead(history, isChanged))
    return 'You changed a policy, but created none. Do that, too, and then read again.';
  return (
    isCreated(history.since(latest)) && 'You created a policy, but changed none of those that you read. Do that, too.'
  );
}

function checkKnown(answer: unknown, history: History): { entry: Entry } | string {
  const last = history.last((each) => repeated(each, history) !== undefined);
  const found = last && repeated(last, history);
  if (!found) return 'Your log has no second read to count in. Read, change one, create one, and read the same again.';
  const known = found.after.intersection(found.before).difference(found.changed).size;
  const { size: all } = found.after;
  if (typeof answer === 'object' || !/^\d+$/.test(String(answer))) return 'Send a plain number.';
  const told = Number(answer);
  if (told === known) return { entry: found.last };
  if (told === found.after.intersection(found.before).size)
    return 'By its id alone each of them is known, and so a change would be lost. Compare its updatedAt as well.';
  if (told === all) return 'That is how many there are. Leave out those that are new or have another updatedAt.';
  if (told === all - known) return 'That is how many are to be applied. Send how many are not.';
  return `That is not their number. Compare id and updatedAt with your first read. It is asked for the exchange ${found.last.id}.`;
}

/** The first page of several. */
const isBeginning = (entry: Entry) => isOfChanges(entry) && pageOf(entry) === 1 && !isLast(entry) && !isCut(entry);

function isFirstPage(entry: Entry): Verdict {
  if (!isOfChanges(entry)) return notOfChanges(entry);
  if (isCut(entry)) return tooLong;
  if (entry.ids.length === 0) return nothingThere;
  return (
    isBeginning(entry) ||
    (pageOf(entry) === 1 && 'All fits on this one page, so nothing can move while you read. Choose a smaller pageSize.')
  );
}

/** The read that is on: its pages, from the first one on, none of which was the last. */
function openRead(history: History): readonly Entry[] | undefined {
  const last = history.last(isOfChanges);
  if (!last || isLast(last)) return undefined;
  const pages = readTo(last, history);
  return isBeginning(pages[0] as Entry) ? pages : undefined;
}

function isMovedMeanwhile(entry: Entry, history: History): Verdict {
  if (!isWrite(entry)) return byPatch(entry);
  const pages = openRead(history);
  if (!pages)
    return (
      entry.call !== createPolicy &&
      history.has(isBeginning) &&
      'You had read to the last page. Begin again, and change one before that.'
    );
  if (entry.call === createPolicy)
    return 'A new policy comes at the end, and moves no other. Change one that you read.';
  const stood = pages.find(({ ids }) => ids.includes(policyOf(entry).id));
  if (!stood) return 'You have not read that policy yet, so you will. Change one of a page that you have.';
  return isLater(entry, stood) || 'That policy was cancelled already, so nothing changed and it stays where it is.';
}

/** A read on after a policy moved: whether all that there were have been read, the moved one anew. */
function isNothingLost(entry: Entry, history: History): Verdict {
  if (!isOfChanges(entry)) return false;
  const moved = history.last((each) => isMovedMeanwhile(each, history.before(each)) === true);
  const [first] = (moved && openRead(history.before(moved))) ?? [];
  if (!moved || !first) return false;
  const pages = [...history.since(first), entry].filter((each) => isOfChanges(each) && sinceOf(each) >= sinceOf(first));
  if (pages.some(isCut)) return tooLong;
  const created = new Set(
    history
      .since(first)
      .filter(isNew)
      .map((each) => policyOf(each).id),
  );
  const read = idsOf([first, ...pages]).difference(created);
  const total = first.page?.totalItems ?? Number.POSITIVE_INFINITY;
  const after = [...history.since(moved).filter((each) => pages.includes(each)), entry];
  if (!after.some(isLast)) return false;
  if (!after.some(({ ids }) => ids.includes(policyOf(moved).id)))
    return 'You have not read the policy again that changed. It stands at the end now.';
  return (
    read.size >= total ||
    `You have read to the end, but only ${read.size} of ${total} policies. The one that changed moved to the end and the others up, so one was passed over. Find it.`
  );
}

/** The day by the clock of the client. */
const dayOf = (entry: Entry) => Math.floor(ownTime(entry) / day);

const isCopied = (entry: Entry, history: History): boolean =>
  isPage(entry) && !isOfChanges(entry) && entry.ids.length > 0 && isWhole(entry, history);

/** The copy: the last whole read before the clock came to the day of a call. */
const copyBefore = (entry: Entry, history: History) =>
  history.last((each) => dayOf(each) < dayOf(entry) && isCopied(each, history));

function isCopyRead(entry: Entry, history: History): Verdict {
  if (!isPage(entry)) return isList(entry) && 'That is a part of your policies. Read the whole list, without a filter.';
  if (isOfChanges(entry)) return 'That may be a part of your policies. Read the whole list, without a filter.';
  if (isCut(entry)) return tooLong;
  if (entry.ids.length === 0) return pageOf(entry) === 1 && 'You have no policies. Insure some vehicles first.';
  return isCopied(entry, history) || (isLast(entry) && notAll(readTo(entry, history)));
}

function isNightRun(entry: Entry, history: History): Verdict {
  if (!isOfChanges(entry)) return false;
  const copy = copyBefore(entry, history);
  if (!copy)
    return (
      history.has((each) => isCopied(each, history)) &&
      'It is still the day of your copy, so nothing has expired since. Move your clock first.'
    );
  if (sinceOf(entry) > ownTime(copy))
    return 'You asked from later than your copy. What changed in between would be lost.';
  const total = copy.page?.totalItems ?? 0;
  if (entry.page && entry.page.totalItems >= total)
    return 'All your policies came again. Ask only from the newest updatedAt in your copy.';
  return true;
}

const isTotal = (entry: Entry) =>
  isList(entry) && entry.query.has('status') && !entry.query.has('updatedSince') && !entry.query.has('regNumber');

/** The statuses whose totals were not asked for on the day of a call, this call included. */
function lacksTotals(entry: Entry, history: History) {
  const totals = [...history.all((each) => dayOf(each) === dayOf(entry)), entry].filter(isTotal);
  const seen = new Set(totals.map(({ query }) => query.get('status')));
  return policyStatuses.filter((status) => !seen.has(status));
}

function areTotalsRead(entry: Entry, history: History): Verdict {
  return isTotal(entry) && copyBefore(entry, history) !== undefined && lacksTotals(entry, history).length === 0;
}

function isDifferentRead(entry: Entry, history: History): Verdict {
  if (![readPolicy, headOfPolicy].includes(entry.call) || entry.status !== 200) return false;
  const copy = copyBefore(entry, history);
  if (!copy) return false;
  if (entry.call === headOfPolicy) return onlyHead('the policy');
  const { status, endDate = '' } = policyOf(entry);
  if (status !== 'expired') return `This one is ${status}. The totals tell which status has more than your copy.`;
  if (Date.parse(endDate) / day < dayOf(copy))
    return 'This one had expired before you made your copy. Find one that has since.';
  if (!history.has((each) => dayOf(each) === dayOf(entry) && isNightRun(each, history.before(each)) === true))
    return 'It differs. But first ask what changed since your copy, to see that no such list tells of it.';
  const lacking = lacksTotals(entry, history);
  return lacking.length === 0 || `It differs. But first ask for the total of each status. Left: ${lacking.join(', ')}.`;
}

const fleet = 'POST /range/v1/me/fleet gives you 75';

export const sync: LessonTopic = {
  id: 'sync',
  title: 'Keeping two systems the same',
  lessons: [
    {
      id: 'watermark',
      title: 'A watermark that loses nothing',
      level: 2,
      goal: 'Read what changed since the year 2000, with `updatedSince` and to the last page, and keep the newest `updatedAt`: your watermark. Then change or create a policy, as another program would. Read what changed since a minute before your watermark, until you have that change.',
      why: 'A copy is fetched every night, and what one run passes over no later run will ever ask for again.',
      hints: [
        'Such a list is in the order of the changes, so its last item has the newest updatedAt. The watermark comes from there, never from your own clock.',
        `Read \`GET /policies?updatedSince=2000-01-01T00:00:00Z&pageSize=25\`, and as long as Link has \`rel="next"\`, the address before it. If you have no policies, ${fleet}. A minute before 10:15:30.123Z is 10:14:30.123Z.`,
        '`curl "$ROOT/insurer/v1/policies?updatedSince=2000-01-01T00:00:00Z&pageSize=25" -H "Authorization: Bearer $TOKEN"` up to its last page. Create a policy. Then `curl "$ROOT/insurer/v1/policies?updatedSince=$WATERMARK" -H "Authorization: Bearer $TOKEN"`, where `WATERMARK` is the last updatedAt that you got, less a minute.',
      ],
      sections: ['Endpoints, 5', 'Policy', 'RFC 3339'],
      buildsOn: ['all-pages', 'update-policy'],
      remember:
        'Take the watermark from the answers, and begin the next run a minute before it. What comes twice costs little.',
      without:
        'The program asks since “the time of my last run”. Its clock is two minutes ahead, and what changed in these two minutes is never fetched.',
      shortestWay: 3,
      way: [listPolicies, createPolicy, updatePolicy, cancelPolicy],
      steps: [
        {
          title: 'Read what changed since long ago, to the last page',
          judge: (entry, history) => areChangesRead(entry, history),
        },
        { title: 'Change or create a policy', judge: isChangedAfterwards },
        { title: 'Read from a minute before your watermark, until you have the change', judge: isAskedAgain },
      ],
    },
    {
      id: 'known-changes',
      title: 'The same again costs nothing',
      level: 2,
      goal: `Read what changed since the year 2000, with \`updatedSince\` and to the last page: at least ${leastKnown} policies. Change one of them, and create another. Then read the same again, with the same \`updatedSince\`. Send how many policies of the second read you have already, as they are, so that your program has nothing to do for them.`,
      why: 'A run that looks back, or is started again after a crash, gets what it got before, and must not do the work twice.',
      hints: [
        'An id alone says which policy it is, not how new. Another member of it does.',
        `Keep id and updatedAt of each policy of the first read. In the second one, both are the same where nothing is to be done. If you have no policies, ${fleet}; read them with \`pageSize=25\`.`,
        `With up to 40 policies: \`curl -s "$ROOT/insurer/v1/policies?updatedSince=2000-01-01T00:00:00Z&pageSize=40" -H "Authorization: Bearer $TOKEN" | grep -oE '"(id|updatedAt)":"[^"]*"' | paste - - | sort > first.txt\`. Write the second read to second.txt in the same way, and \`comm -12 first.txt second.txt\` shows what both have.`,
      ],
      sections: ['Endpoints, 5', 'Policy'],
      buildsOn: ['watermark'],
      remember: 'Know what you have by its `id` and `updatedAt`. Then the same again changes nothing.',
      without:
        'The job is started again after a crash, and every customer of that night gets a second letter. Nobody dares to start it again the next time.',
      shortestWay: 4,
      way: [listPolicies, createPolicy, updatePolicy, cancelPolicy],
      steps: [
        {
          title: 'Read what changed since long ago, to the last page',
          judge: (entry, history) => areChangesRead(entry, history, leastKnown),
        },
        { title: 'Change one of the policies that you read', judge: isKnownChanged },
        { title: 'Create another one', judge: isCreatedSince },
        { title: 'Read the same again, to the last page', judge: isReadAgain },
      ],
      asks: {
        step: 'Send how many you have already, as they are',
        question:
          'How many policies of your second read have the same id and the same updatedAt as in your first? Send a number.',
        answerType: 'number',
        check: checkKnown,
      },
    },
    {
      id: 'moved-row',
      title: 'The row that changed while you read',
      level: 3,
      goal: `Read the first page of what changed since the year 2000, with \`updatedSince\`; there must be more pages (${fleet}; \`pageSize=25\`). Before you read on, change a policy that stands on it, as another program would. Then read on to the end so that you have every policy, the changed one too, and none is passed over.`,
      why: 'A row that changes moves to the end, so all behind it move up, and pages by number leave one out.',
      hints: [
        'Write down the last policy of page 1 and the first of page 2, with a change in between: the one that stood between them is on page 1 now.',
        'Don’t ask for the next page. Begin again where the page ended: its last updatedAt is the next updatedSince, and that instant is included.',
        `With the id of a policy on page 1 that is active as \`POLICY_ID\`: \`curl -X PUT $ROOT/insurer/v1/policies/$POLICY_ID -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d '{"holder":"Ada Example"}'\`. Then \`curl "$ROOT/insurer/v1/policies?updatedSince=$LAST_SEEN&pageSize=25" -H "Authorization: Bearer $TOKEN"\`, where \`LAST_SEEN\` is the last updatedAt of page 1, and so on after each full page.`,
      ],
      sections: ['Endpoints, 5', 'Endpoints, 7', 'RFC 8288'],
      buildsOn: ['watermark', 'pages-while-creating'],
      remember: 'A list by changes moves while you read it. After a full page, begin again at its last `updatedAt`.',
      without:
        'On a busy night one policy in a thousand is missing in the copy. Nobody can repeat it, since the next night it is another one.',
      shortestWay: 3,
      way: [listPolicies, createPolicy, updatePolicy, cancelPolicy],
      steps: [
        { title: 'Read the first of several pages of changes', judge: isFirstPage },
        { title: 'Change a policy that you have read, before the last page', judge: isMovedMeanwhile },
        { title: 'Read on until no policy is passed over', judge: isNothingLost },
      ],
    },
    {
      id: 'totals-first',
      title: 'Totals before rows',
      level: 3,
      goal: 'Read your whole list: your copy. Move your clock until a policy expires (`MTPL-1M` covers a month), and see that no list of changes since your copy tells of it. Compare `totalItems` of each status with your copy, and then read by its id a policy that differs.',
      why: 'Some things change without a write, and totals find out with four calls what rows would take a night to show.',
      hints: [
        'A policy ends by the calendar, and nobody changes its updatedAt. The list takes the filter status; the totals are of what was found.',
        'Insure some vehicles, one with `"coverageOption":"MTPL-1M"`, and read `GET /policies`. `POST /range/v1/me/clock` with `{"advance":"P40D"}` moves your clock; get a new token. Read with updatedSince from the newest updatedAt in your copy, then with `?status=active`, `updated`, `cancelled` and `expired`.',
        '`curl "$ROOT/insurer/v1/policies?status=expired&pageSize=1" -H "Authorization: Bearer $TOKEN"` tells a total. Where it is not that of your copy, read the rows: one of them your copy has as active. `curl $ROOT/insurer/v1/policies/$POLICY_ID -H "Authorization: Bearer $TOKEN"`, where `POLICY_ID` is its id.',
      ],
      sections: ['Endpoints, 5', 'States and transitions, Policy', 'The range'],
      buildsOn: ['watermark', 'expired-policy'],
      remember:
        'Compare totals each night, and rows only where totals differ. A list of changes tells what was written, not what ended.',
      without:
        'Both systems say “all synchronised” for a year. Then somebody counts, and 300 policies that have ended are still in force in one of them.',
      shortestWay: 8,
      way: [listPolicies, readPolicy, createPolicy],
      steps: [
        { title: 'Read your whole list: your copy', judge: isCopyRead },
        { title: 'Move your clock, and ask what changed since your copy', judge: isNightRun },
        { title: 'Ask for the total of each status', judge: areTotalsRead },
        { title: 'Read a policy that has expired since, by its id', judge: isDifferentRead },
      ],
    },
  ],
};
