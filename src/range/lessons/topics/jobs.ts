import { createPolicy, headOfRows, listImports, readImport, readRows, startImport } from '../calls.ts';
import { type Entry, isReplayed, jsonOf, methodOf, ownTime, shownPath } from '../entry.ts';
import type { History } from '../history.ts';
import type { LessonTopic, Verdict } from '../lesson.ts';
import { onlyHead } from '../other-methods.ts';

/*
 * Work that is accepted at once and done later: imports of policies.
 */

/** Seconds that a timer may be too early. */
const grace = 0.1;

/** Creates, one after the other, of which an import would be one call. */
const oneByOne = 10;

/** The pageSize of who names none. */
const usualSize = 20;

/** Rows of an import that take more than one page of the usual size. */
const leastRows = usualSize + 1;

/** An import was accepted, and not one from before answered again. */
const isStart = (entry: Entry) => entry.call === startImport && entry.status === 202 && !isReplayed(entry);

const isRead = ({ call, status }: Entry) => call === readImport && status === 200;

const jobOf = ({ answer }: Entry) => jsonOf(answer) ?? {};

/** The import that a call started or asked for. */
const importOf = (entry: Entry): unknown => (entry.call === startImport ? jobOf(entry).id : entry.path.split('/')[4]);

const isCompleted = (entry: Entry) => isRead(entry) && jobOf(entry).status === 'completed';

const isSlow = ({ drills }: Entry) => drills.includes('slow-imports');

/** The seconds that an answer about an import said; 0 for any other. */
const askedIn = ({ call, answer }: Entry) =>
  call === startImport || call === readImport ? Number(answer.headers['retry-after'] ?? 0) : 0;

/** By the clock of the client. */
const seconds = (from: Entry, to: Entry) => (ownTime(to) - ownTime(from) - (from.endedAt - from.at)) / 1000;

const startOf = (entry: Entry, history: History) =>
  history.last((each) => isStart(each) && importOf(each) === importOf(entry));

const seenCompleted = (entry: Entry, history: History) =>
  history.has((each) => isCompleted(each) && importOf(each) === importOf(entry));

/** The last import, unless it was seen completed. */
function openImport(history: History): Entry | undefined {
  const last = history.last(isStart);
  return last && !seenCompleted(last, history) ? last : undefined;
}

const asArray =
  'An array is one JSON text. NDJSON has an object on each line, without brackets around and commas between.';

function isSlowStart(entry: Entry, history: History): Verdict {
  const { call, path, status, problem, sent } = entry;
  if (call.endsWith(' (none)')) {
    const isMeant = path.startsWith('/insurer/') && /import|bulk|batch/i.test(path);
    if (!isMeant) return false;
    return status === 405
      ? `The path ${shownPath(path)} does not take ${methodOf(entry)}. The reference has the method and the path for imports.`
      : `Nothing has the path ${shownPath(path)}. The reference has the one for imports.`;
  }
  if (call === createPolicy) {
    if (problem === 'unsupported-media-type' && sent.headers['content-type']?.includes('ndjson'))
      return 'This path takes one policy, as JSON. The reference has another one for imports.';
    const attempt = history.last((each) => each.call === startImport);
    const creates = attempt ? history.since(attempt).filter((each) => each.call === createPolicy).length : 0;
    return creates === oneByOne - 1 && 'You create policies one by one again. Send all of them in one import.';
  }
  if (call !== startImport) return false;
  const isArray = sent.text.trimStart().startsWith('[');
  if (problem === 'unsupported-media-type')
    return isArray ? asArray : 'Nobody looked at the lines: the Content-Type is not application/x-ndjson.';
  if (!isStart(entry)) return false;
  if (isArray) return asArray;
  return isSlow(entry) || 'Nothing makes this import slow. Start the drill slow-imports, then an import.';
}

/** An import that is completed, and was not asked for before it was time. */
function isAwaited(entry: Entry, history: History): Verdict {
  if (isStart(entry)) return isSentTwice(entry, history);
  if (entry.call !== listImports && entry.call !== readImport) return false;
  const open = openImport(history);
  if (entry.call === listImports && open)
    return 'That is the list of all your imports. Ask for yours, at the address of Location.';
  if (entry.status === 404 && open)
    return 'You have no import with this id. The answer to your import has its address in the header Location.';
  const begun = startOf(entry, history);
  if (!isRead(entry) || !begun || !isSlow(begun)) return false;
  const before = history.last((each) => askedIn(each) > 0 && each.status < 300 && importOf(each) === importOf(entry));
  const asked = before ? askedIn(before) : 0;
  if (before && seconds(before, entry) < asked - grace) {
    const toDo = isCompleted(entry) ? 'It is completed: import others, and wait' : 'Wait';
    return `You waited ${Math.floor(seconds(before, entry))} s, and Retry-After said ${asked}. ${toDo} as long as the last answer says.`;
  }
  if (!isCompleted(entry)) return false;
  return jobOf(entry).created > 0 || 'It is completed, but no row became a policy: its rows say why. Import others.';
}

function isSentTwice(entry: Entry, history: History): Verdict {
  const open = openImport(history);
  return (
    open !== undefined &&
    open.sent.text !== '' &&
    open.sent.text === entry.sent.text &&
    'You sent the same import again, so there are two. With an Idempotency-Key the second one would be the first one again.'
  );
}

function areRowsRead(entry: Entry, history: History): Verdict {
  const begun = startOf(entry, history);
  if (entry.call === headOfRows) return begun !== undefined && isSlow(begun) && onlyHead('the rows');
  if (entry.call !== readRows || entry.status !== 200 || !begun || !isSlow(begun)) return false;
  if (!seenCompleted(entry, history)) return tooEarly;
  return history.has(
    (each) => isCompleted(each) && importOf(each) === importOf(entry) && isAwaited(each, history.before(each)) === true,
  );
}

const tooEarly =
  'You read the rows before you saw the import completed: those that wait are not done. Read the import first.';

/** An import of which rows are to be sent again, and how far they were read. */
interface Left {
  readonly id: unknown;
  readonly total: number;
  readonly refused: number;
  /** `SIZE/PAGE` of its rows. */
  readonly pages: Set<string>;
  /** Of refused rows that need no other vehicle, as far as the log has the pages. */
  readonly vehicles: Set<unknown>;
  /** All pages were, or there is nothing to find in them, since every row was refused again. */
  isRead: boolean;
}

/** What an attempt has come to. */
interface State {
  readonly sent: Map<unknown, Sent>;
  left?: Left;
}

/** An import that was sent. */
interface Sent {
  readonly total: number;
  /** Its rows are those that were left, all of them. */
  readonly isRest: boolean;
  /** Among them are some that had become policies. */
  readonly hasOthers: boolean;
  /** Why the attempt can't succeed any more once rows of it become policies. */
  readonly beginAgain: string | undefined;
}

/** In one pass, since each import that is sent again depends on the one before. */
function stateAfter(history: History): State {
  const state: State = { sent: new Map() };
  for (const entry of history.all(({ path }) => path.startsWith('/insurer/v1/policy-imports'))) {
    const { left, sent } = state;
    if (isStart(entry)) {
      const { total } = jobOf(entry);
      sent.set(importOf(entry), {
        total,
        isRest: left?.isRead === true && left.refused === total && !lacksRefused(entry, left),
        hasOthers: hasOthers(entry, left, history),
        beginAgain: left && spoiltBy(entry, left, history),
      });
    } else if (isCompleted(entry)) {
      const known = sent.get(importOf(entry));
      const { total, refused } = jobOf(entry);
      const isNew = left?.id !== importOf(entry);
      const isRead = known?.isRest === true && refused === total;
      if (known && isNew && refused > 0 && (known.isRest || (isMixed(entry) && !known.hasOthers)))
        state.left = { id: importOf(entry), total, refused, pages: new Set(), vehicles: new Set(), isRead };
    } else if (left && isRowsOf(left, entry)) {
      left.pages.add(pageKey(entry));
      for (const vehicle of refusedIn(entry, history)) left.vehicles.add(vehicle);
      left.isRead ||= missingPage(left, entry) === undefined;
    }
  }
  return state;
}

const vehiclesOf = (text: string): unknown[] =>
  [...text.matchAll(/"regNumber"\s*:\s*"([^"]*)"/g)].map(([, plate = '']) => plate.replaceAll('-', '').toUpperCase());

/** None of an import that was too long to be kept. */
const vehiclesIn = ({ sent }: Entry) => new Set(vehiclesOf(sent.text));

/** The vehicles of rows on this page that were refused, but not because of the vehicle. */
function refusedIn(page: Entry, history: History): unknown[] {
  const lines = startOf(page, history)?.sent.text.split('\n') ?? [];
  const rows: { line: number; problem?: { errors?: { pointer?: string }[] } }[] = jsonOf(page.answer)?.items ?? [];
  return rows
    .filter(({ problem }) => problem?.errors?.every(({ pointer }) => pointer && pointer !== '/regNumber'))
    .flatMap(({ line }) => vehiclesOf(lines[line - 1] ?? ''));
}

/** Tells whether a row that was refused is certainly not in this import. */
function lacksRefused(entry: Entry, { vehicles }: Left): boolean {
  const sent = vehiclesIn(entry);
  return sent.size > 0 && !vehicles.isSubsetOf(sent);
}

/** The vehicles of the import of which rows are left. */
const vehiclesBefore = (left: Left | undefined, history: History) => {
  const before = left && history.last((each) => isStart(each) && importOf(each) === left.id);
  return before ? vehiclesIn(before) : new Set();
};

/** Tells whether rows were sent again that had become policies: more of the same vehicles than were refused. */
const hasOthers = (entry: Entry, left: Left | undefined, history: History) =>
  left !== undefined && vehiclesBefore(left, history).intersection(vehiclesIn(entry)).size > left.refused;

/** A refused row that became a policy can't be sent again, and so not all of them together. */
function spoiltBy(entry: Entry, left: Left, history: History): string | undefined {
  if (hasOthers(entry, left, history))
    return 'This import also had rows that were policies already. Begin again with other vehicles, and send only the refused rows again.';
  const vehicles = vehiclesIn(entry);
  const isPart = vehicles.size > 0 && vehicles.isSubsetOf(vehiclesBefore(left, history));
  if (!isPart) return undefined;
  if (!left.isRead)
    return 'You sent refused rows again before you had read all rows of their import, and some are policies now. Begin again with other vehicles, and read the rows first.';
  if (jobOf(entry).total >= left.refused) return undefined;
  return 'Some of the refused rows are policies now, but they were to be sent all together. Begin again with other vehicles, and send all refused rows in one import.';
}

const isMixed = (entry: Entry) => {
  const { total, created, refused } = jobOf(entry);
  return created > 0 && refused > 0 && total >= leastRows;
};

/** Those that were refused can be read alone. */
const isRowsOf = ({ id }: Left, entry: Entry) =>
  entry.call === readRows &&
  entry.status === 200 &&
  importOf(entry) === id &&
  [null, 'refused'].includes(entry.query.get('status'));

const pageOf = ({ query }: Entry) => Number(query.get('page') ?? 1);

const sizeOf = ({ query }: Entry) => Number(query.get('pageSize') ?? usualSize);

const lastPage = ({ total, refused }: Left, entry: Entry) =>
  Math.ceil((entry.query.has('status') ? refused : total) / sizeOf(entry));

const pageKey = (entry: Entry, page = pageOf(entry)) => `${entry.query.get('status')}/${sizeOf(entry)}/${page}`;

/** The first page beside this one that was not read, of its size. */
function missingPage(left: Left, entry: Entry): number | undefined {
  for (let page = 1; page <= lastPage(left, entry); page += 1)
    if (page !== pageOf(entry) && !left.pages.has(pageKey(entry, page))) return page;
  return undefined;
}

function areSomeRefused(entry: Entry, history: History): Verdict {
  if (!isCompleted(entry)) return false;
  const { left, sent } = stateAfter(history);
  const known = sent.get(importOf(entry));
  if (!known || known.hasOthers) return false;
  const { total, created, refused } = jobOf(entry);
  if (isMixed(entry)) return true;
  if (created > 0 && refused > 0)
    return `Some rows were refused, but all ${total} of them are on one page. Import ${leastRows} or more.`;
  if (!(total >= leastRows)) return false;
  if (refused === 0) return 'No row was refused. Import some that can’t become policies, beside others.';
  // Those of an import that was sent again are refused as a whole.
  return created === 0 && !left && 'All rows were refused. Import some that can become policies as well.';
}

function isReadToTheEnd(entry: Entry, history: History): Verdict {
  if (![readRows, headOfRows].includes(entry.call) || entry.status !== 200) return false;
  const { left, sent } = stateAfter(history);
  if (entry.call === headOfRows) return left?.id === importOf(entry) && onlyHead('the rows');
  if (left && isRowsOf(left, entry)) {
    const missing = missingPage(left, entry);
    if (missing === undefined) return true;
    if (pageOf(entry) !== lastPage(left, entry)) return false;
    return `You read the last page of the rows, but not page ${missing} with the same pageSize. Read that one, too.`;
  }
  const { total = 0 } = sent.get(importOf(entry)) ?? {};
  return total >= leastRows && !seenCompleted(entry, history) && tooEarly;
}

function isRestCreated(entry: Entry, history: History): Verdict {
  if (![startImport, createPolicy, readImport].includes(entry.call)) return false;
  const { left, sent } = stateAfter(history);
  if (isStart(entry)) return isOtherThanRest(entry, left, history) || isAfterOpen(history);
  if (entry.call === createPolicy) {
    if (!left || entry.status !== 201) return false;
    const beginAgain =
      'A refused row is a policy of its own now, but all were to be sent in one import. Begin again with other vehicles.';
    if (vehiclesIn(entry).isSubsetOf(left.vehicles)) return { beginAgain };
    return 'You sent one policy alone, not in an import. Send the refused rows again in a second import.';
  }
  const known = sent.get(importOf(entry));
  if (!isCompleted(entry) || !known) return false;
  const { total, created, refused } = jobOf(entry);
  const { beginAgain } = known;
  if (beginAgain !== undefined && created > 0) return { beginAgain };
  if (!known.isRest) return false;
  if (refused === 0) return true;
  if (refused === total)
    return 'All of them were refused. The problem of each row says what to put right in it before it is sent again.';
  return `Rows in this import: ${total}. Rows that were refused again: ${refused}. Read its rows, and then send only the refused ones again.`;
}

/** Explains rows that are not those that were refused. */
function isOtherThanRest(entry: Entry, left: Left | undefined, history: History): Verdict {
  if (!left) return false;
  const { total } = jobOf(entry);
  // The whole file, or others.
  if (total >= left.total) return hasOthers(entry, left, history) && otherCount(total, left);
  if (!left.isRead) {
    return left.total >= leastRows
      ? 'Some rows of your import were refused, and you sent another one before you had read all pages. On the others more may be refused.'
      : 'Some rows that you sent again were refused, and you sent more before you had read the rows of that import.';
  }
  if (total !== left.refused) return otherCount(total, left);
  if (!lacksRefused(entry, left)) return false;
  return 'A vehicle whose row was refused is not in this import. Send the refused rows again, put right.';
}

const otherCount = (total: number, { refused }: Left) =>
  `Rows in this import: ${total}. Rows that were refused: ${refused}. Send all of those again, and no others.`;

function isAfterOpen(history: History): Verdict {
  const open = openImport(history);
  return (
    open !== undefined &&
    jobOf(open).total >= leastRows &&
    'You sent more before you saw the last import completed. 202 says that it was accepted, not that it is done.'
  );
}

export const jobs: LessonTopic = {
  id: 'jobs',
  title: 'Jobs in the background',
  lessons: [
    {
      id: 'import-job',
      title: 'A job that takes its time',
      level: 2,
      goal: 'Start the drill `slow-imports`. Then import policies with one call, a JSON object on each line. The answer is 202, since the work is still to be done. Ask for the import at the address of its `Location`, each time only after the seconds of `Retry-After`. When it is completed, read its rows.',
      why: 'Whatever takes longer than a call may is done afterwards, and who asks all the time makes it slower for everybody.',
      hints: [
        'The reference has an endpoint for imports. Its lines are what a create takes as its body, and its Content-Type is application/x-ndjson.',
        '202 has two headers: Location says where to ask, Retry-After when. Each answer has a new Retry-After, until the status is completed. The same address with /rows has what became of each line.',
        `\`printf '{"regNumber":"JOB-%s"}\\n' $RANDOM$RANDOM $RANDOM$RANDOM | curl -i $ROOT/insurer/v1/policy-imports -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/x-ndjson" --data-binary @-\`, then wait, and \`curl -i $LOCATION -H "Authorization: Bearer $TOKEN"\`, where \`LOCATION\` is the address in Location, and at last the same with /rows.`,
      ],
      sections: ['The range', 'RFC 9110, section 15.3.3'],
      buildsOn: ['create-policy', 'retry-after'],
      remember: '202 means accepted, not done. Ask at the `Location`, and only after the seconds of `Retry-After`.',
      without:
        'The program tells the customer “insured” at the 202, and the row is refused a minute later. Or a hundred programs ask each second, and the job gets slower still.',
      shortestWay: 3,
      way: [readImport, readRows, startImport],
      steps: [
        { title: 'Start an import that the drill makes slow', judge: isSlowStart },
        { title: 'Wait as long as each answer says, until it is completed', judge: isAwaited },
        { title: 'Read what became of its rows', judge: areRowsRead },
      ],
    },
    {
      id: 'import-rows',
      title: 'Some rows failed',
      level: 3,
      goal: `Import ${leastRows} policies or more with one call, so that some rows are refused and others not: with a coverage option that does not exist, for example. When it is completed, read its rows, page by page, to find the refused ones. Then send only those again, put right, in a second import, and see that all of them were created.`,
      why: 'In a large file something is always wrong, and neither may the rest wait for it nor may the right rows be done twice.',
      hints: [
        'The import tells how many rows were refused, and its rows which ones and why. They come in pages.',
        'A refused row has its line, from 1, and the problem that a single create would have had. Take these lines out of what you sent, correct them, and import them alone.',
        `\`for n in $(seq 25); do echo '{"regNumber":"ROW-'$RANDOM$RANDOM'","coverageOption":"MTPL-'$((n % 20 == 4 ? 2 : 3))'M"}'; done > rows.txt\` makes 25 lines, of which 4 and 24 are refused. Send them with \`--data-binary @rows.txt\`, read \`/rows?page=1\` and \`/rows?page=2\`, and send \`sed -n '4p;24p' rows.txt | sed s/MTPL-2M/MTPL-3M/\`.`,
      ],
      sections: ['Endpoints, 4', 'The range'],
      buildsOn: ['import-job', 'all-pages'],
      remember: 'A completed import can have refused rows. Read all of them, and send only those again, put right.',
      without:
        'Somebody sends the whole file again, and then nobody knows what is there twice. Or only the first page of errors was read, and the rest is never insured.',
      shortestWay: 6,
      way: [readImport, readRows, startImport],
      steps: [
        { title: `See that of ${leastRows} rows or more some were refused`, judge: areSomeRefused },
        { title: 'Read its rows to the last page', judge: isReadToTheEnd },
        { title: 'Send only the refused ones again, and see all created', judge: isRestCreated },
      ],
    },
  ],
};
