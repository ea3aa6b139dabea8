import {
  cancelPolicy,
  createPolicy,
  eraseHolder,
  headOfFile,
  listPolicies,
  makeStatement,
  readErasure,
  readFile,
  readStatement,
  updatePolicy,
} from '../calls.ts';
import { type Entry, isFiltered, isReplayed, jsonOf } from '../entry.ts';
import type { History } from '../history.ts';
import { type LessonTopic, plainAnswer, type Question, textOf, type Verdict } from '../lesson.ts';
import { byPatch, onlyHead } from '../other-methods.ts';

/*
 * What goes wrong with files, with money and with the names of people.
 */

/* Files that end early. */

/** The statement that a call is about. */
const statementOf = ({ path }: Entry) => path.split('/')[4];

/** It ended early by the drill, and the log has what was sent. */
const isShort = ({ call, status, drills, file }: Entry) =>
  call === readFile && status === 200 && drills.includes('short-file') && file !== undefined;

/** Says why the log can't tell what is in a file. */
function unseen({ answer }: Entry): string {
  return answer.headers['content-encoding'] === 'gzip'
    ? 'It came packed, and nobody can go on in the middle of that. Send Accept-Encoding: identity.'
    : 'So long a file is not in the log as a whole. Take a month in which fewer of your policies are covered.';
}

function isCutOff(entry: Entry): Verdict {
  const { call, status, problem, drills } = entry;
  if (call === headOfFile) return onlyHead('where the file ends');
  if (call !== readFile) return false;
  if (problem === 'statement-not-ready')
    return 'It has no file yet. Ask for the statement after the seconds of Retry-After, until it is completed.';
  if (status === 206) return 'A part that you ask for comes as it is. First ask without Range.';
  if (status !== 200) return false;
  if (!drills.includes('short-file')) return 'This file came whole. Start the drill short-file, and fetch it then.';
  return isShort(entry) || unseen(entry);
}

/** The file that had ended early before this call, of the same statement. */
const cutBefore = (entry: Entry, history: History) =>
  history.last((each) => isShort(each) && statementOf(each) === statementOf(entry));

const otherFile = 'That is the file of another statement. Stay with the one that ended early.';

function isSeenWhole(entry: Entry, history: History): Verdict {
  const { call, status, file, drills } = entry;
  if (call === makeStatement && status === 202)
    return (
      history.has(isShort) && 'A new statement is another file. The one that ended early is still there: fetch that.'
    );
  if (call !== readFile || status >= 300) return false;
  if (!cutBefore(entry, history)) return history.has(isShort) && otherFile;
  if (drills.includes('short-file'))
    return 'It ended early again: the drill hits each file that is asked for as a whole. End it, or ask for the rest.';
  if (!file) return unseen(entry);
  if (file.rows === undefined) return 'This part has no trailer, so it is not the end of the file.';
  return file.rows > 0 || 'No policy of yours is covered in that month, so no row can be lacking. Take another month.';
}

const lackingRows: Question = {
  step: 'Send how many rows it lacked',
  question:
    'How many policies have no whole row in the part that came first? Send a number: one whose row was cut in its middle counts.',
  answerType: 'number',
  check(answer, history) {
    const entry = history.last((each) => isSeenWhole(each, history.before(each)) === true);
    const short = entry && cutBefore(entry, history.before(entry));
    if (!entry?.file || !short?.file)
      return 'Your log has no file that ended early, and then its end. Fetch it with the drill short-file, and then whole.';
    if (typeof answer === 'object' || !/^\d+$/.test(String(answer))) return 'Send a plain number.';
    const all = entry.file.rows as number;
    const hasHeader = short.answer.headers['content-type']?.startsWith('text/csv');
    const came = Math.max(0, short.file.ends - (hasHeader ? 1 : 0));
    const told = Number(answer);
    if (told === all - came) return { entry };
    if (told === all) return 'That is what the trailer counts. Take off the rows that had come.';
    if (told === came) return 'That is how many had come. Send how many had not.';
    if (told === all - came - 1) return 'The row that was cut in its middle has come to nothing, too.';
    if (told === all - came + 1) return 'Count rows of policies only: neither the header nor the trailer is one.';
    return `That is not their number. Compare the whole rows of ${short.id} with the trailer of ${entry.id}.`;
  },
};

/* Going on where it broke off. */

function isRest(entry: Entry, history: History): Verdict {
  const { call, status, problem, sent, answer } = entry;
  if (call !== readFile) return false;
  const short = cutBefore(entry, history);
  if (!short) return history.has(isShort) && status < 300 && otherFile;
  if (problem === 'range-not-satisfiable')
    return 'That range begins behind the end of the file. It is to begin at the first byte that you lack.';
  if (status === 200) return isWholeAgain(sent.headers);
  if (status !== 206) return false;
  const [, first, last, size] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(answer.headers['content-range'] ?? '') ?? [];
  const bytes = short.file?.bytes ?? 0;
  if (Number(first) !== bytes)
    return `You have ${bytes} bytes, and this part begins ${Number(first) < bytes ? 'before their end' : 'behind a gap'}: at byte ${first}. The first byte of a file is byte 0.`;
  if (Number(last) + 1 !== Number(size)) return 'That is not all of the rest. Leave the end of the range open.';
  if (!sent.headers['if-range'])
    return 'It fits, but nothing would have told you of another file. Send If-Range with the ETag of your part.';
  return entry.file !== undefined || unseen(entry);
}

function isWholeAgain(headers: Readonly<Record<string, string>>): string {
  if (headers.range === undefined) return 'You asked for the whole file again. Ask with Range for what you lack.';
  return headers['if-range'] === undefined
    ? 'That is no range of bytes that the service knows, so the whole file was sent. Its form is bytes=FIRST-.'
    : 'If-Range has not the ETag of your part, or Range is no range, so the whole file was sent.';
}

const brokenLine: Question = {
  step: 'Send the line that was cut',
  question:
    'Put the second part behind the first, and see that its SHA-256 is that of Repr-Digest. Which line of it is in both parts? Send all of that line, as it stands in the file; if the cut was between two lines, the second one.',
  check(answer, history) {
    const rest = history.last((each) => isRest(each, history.before(each)) === true);
    const short = rest && cutBefore(rest, history.before(rest));
    if (!rest?.file || !short?.file)
      return 'Your log has no file that ended early, and then the rest of it. Fetch both parts first.';
    const [begin, end] = [short.file.tail, rest.file.first];
    const told = textOf(plainAnswer(answer)).trim();
    if (told === (begin + end).trim()) return { entry: rest };
    if (told === begin.trim()) return 'That is where the first part ends. The line goes on in the second one.';
    if (told === end.trim()) return 'That is where the second part begins. The line begins in the first one.';
    return 'That is not the line. Both parts together have to have the digest, so no byte is missing, and none comes twice. Then it is the line that holds the last byte of the first part.';
  },
};

/* Forgetting a name. */

const isErasure = ({ call, status }: Entry) => call === eraseHolder && status === 202;

const reportOf = ({ answer }: Entry): { status?: string; touched?: { what: string; count: number }[] } =>
  jsonOf(answer) ?? {};

const touchedIn = (entry: Entry, isMeant: (what: string) => boolean) =>
  (reportOf(entry).touched ?? []).reduce((sum, { what, count }) => sum + (isMeant(what) ? count : 0), 0);

const policiesTouched = (entry: Entry) => touchedIn(entry, (what) => what === 'policies');

/** Policies that an erasure has to find. */
const leastPolicies = 2;

function isAsked(entry: Entry): Verdict {
  if (isErasure(entry)) return !isReplayed(entry);
  if (entry.call === cancelPolicy && entry.status === 200)
    return 'A cancelled policy keeps its holder. Ask for an erasure of the name.';
  if (entry.call === updatePolicy && entry.status === 200)
    return 'That changes the holder of one policy, and your log has the old name still. Ask for an erasure.';
  return byPatch(entry);
}

const isCompleted = (entry: Entry) =>
  entry.call === readErasure && entry.status === 200 && reportOf(entry).status === 'completed';

function isForgotten(entry: Entry): Verdict {
  if (!isCompleted(entry)) return false;
  const policies = policiesTouched(entry);
  if (policies === 0)
    return 'No policy had that name. It must be the holder to the letter: capitals, accents and spaces between words count.';
  return (
    policies >= leastPolicies || `It was the holder of one policy. The lesson needs ${leastPolicies} of one holder.`
  );
}

const isForgottenBefore = (history: History) => history.last((each) => isForgotten(each) === true);

/** The list after the erasure: all of it, and no part. */
function isLookedFor(entry: Entry, history: History): Verdict {
  if (entry.call !== listPolicies || entry.status !== 200) return false;
  const erased = isForgottenBefore(history);
  if (!erased)
    return history.has(isErasure) && 'You looked before you had seen the erasure completed. Read it until it is.';
  if (isFiltered(entry)) return 'That was a part of your policies. Read them all, without a filter.';
  if (!entry.page) return 'The log keeps the ids alone of so long a page. Read smaller ones: pageSize=25.';
  const pages = [...history.since(erased).filter((each) => each.call === listPolicies && !isFiltered(each)), entry];
  const seen = new Set(pages.flatMap(({ ids }) => ids)).size;
  const { totalItems } = entry.page;
  if (seen >= totalItems) return true;
  return !entry.answer.headers.link?.includes('rel="next"') && `You have read ${seen} of ${totalItems} policies since.`;
}

const otherPlaces: Question = {
  step: 'Send in how many rows elsewhere it stood',
  question:
    'By the report of the erasure, how many rows that are no policies had the name? Add up all that was touched but the policies, and send a number.',
  answerType: 'number',
  check(answer, history) {
    const entry = isForgottenBefore(history);
    if (!entry) return 'Your log has no erasure that you saw completed, and that found the name in policies.';
    if (typeof answer === 'object' || !/^\d+$/.test(String(answer))) return 'Send a plain number.';
    const told = Number(answer);
    const [others, policies] = [touchedIn(entry, (what) => what !== 'policies'), policiesTouched(entry)];
    if (told === others) return { entry };
    if (told === others + policies) return 'That is all that was touched. Leave the policies out.';
    if (told === policies) return 'That is how many policies had it. Add up the others.';
    return `That is not their sum. Add up each count in touched of ${entry.id}, but for policies.`;
  },
};

const send = `-H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json"`;

/** Three policies of March 2025, and a statement of June. */
const newStatement = `\`curl -s $ROOT/range/v1/me/fleet ${send} -d '{"policies":[{"regNumber":"FILE-1","startDate":"2025-03-01"},{"regNumber":"FILE-2","startDate":"2025-03-01"},{"regNumber":"FILE-3","startDate":"2025-03-01"}]}'\`, \`STATEMENT=$ROOT/insurer/v1/statements/$(curl -s $ROOT/insurer/v1/statements ${send} -d '{"month":"2025-06","format":"csv"}' | sed 's/.*"id":"\\([^"]*\\).*/\\1/')\`, \`sleep 2\``;

const shortFile = `\`curl -s $ROOT/range/v1/me/drills ${send} -d '{"name":"short-file"}'\``;

const past = 'It may be a month that is over: POST /range/v1/me/fleet takes policies with a startDate of then.';

export const files: LessonTopic = {
  id: 'files',
  title: 'Files, money and people’s data',
  lessons: [
    {
      id: 'file-ended-early',
      title: 'A file that ended early',
      level: 2,
      goal: 'Make a statement of a month in which you had policies, and wait until it is completed. Start the drill `short-file`, and fetch the file from `…/content`: fewer bytes come than `Content-Length` says, and no trailer. Get it whole. Then send how many policies have no whole row in the part that came first.',
      why: 'Half a file looks like a file: each of its rows is right, and only its end tells that others are missing.',
      hints: [
        `Whole rows are lines that have their end. The last line of a whole file counts them: TRAILER, or the member trailer. ${past}`,
        'A program sees it by an error when the connection closes, by Content-Length, or by the missing trailer. While the drill is on, each file that is asked for as a whole ends early: end the drill with DELETE /range/v1/me/drills/short-file.',
        `${newStatement}, ${shortFile}, \`curl -o first.csv $STATEMENT/content -H "Authorization: Bearer $TOKEN"\`. Then \`curl -s -X DELETE $ROOT/range/v1/me/drills/short-file -H "Authorization: Bearer $TOKEN"\` and the same to whole.csv. \`wc -l first.csv\` counts whole lines, the header too; \`tail -1 whole.csv\` has the trailer.`,
      ],
      sections: ['The range', 'RFC 4180'],
      buildsOn: ['import-job'],
      remember: 'Count the bytes, then the rows, against what was promised. Without a trailer book nothing.',
      without:
        'The connection breaks at night, the program loads what it has, and half of the customers are told that they are not insured any more.',
      shortestWay: 3,
      way: [createPolicy, makeStatement, readStatement, readFile],
      steps: [
        { title: 'Fetch the file of a statement that ends early by the drill', judge: isCutOff },
        { title: 'Get the same file to its end', judge: isSeenWhole },
      ],
      asks: lackingRows,
    },
    {
      id: 'download-resumed',
      title: 'Go on where it broke off',
      level: 3,
      goal: 'Fetch the file of a statement with the drill `short-file`, which lets it end early. Then fetch only what you lack: `Range` from the first missing byte on, and `If-Range` with the `ETag` of your part. Put both together, compare the SHA-256 with `Repr-Digest`, and send the line that was cut.',
      why: 'Large files break off as often as small ones per minute, and whoever always begins anew may never come to the end.',
      hints: [
        `Bytes count from 0. So with 512 of them the next one is byte 512: as many as your part has. ${past}`,
        'Range: bytes=512- asks for all from there on, and the answer is 206. If the file has become another one, If-Range gets it whole, with 200. A packed file can’t go on so: send Accept-Encoding: identity if your program asks for gzip by itself.',
        `${newStatement}, ${shortFile}, \`curl -o part.csv -D headers.txt $STATEMENT/content -H "Authorization: Bearer $TOKEN"\`, \`LINE=$(($(wc -l < part.csv) + 1))\`, \`curl -C - -o part.csv $STATEMENT/content -H "Authorization: Bearer $TOKEN" -H "If-Range: $(sed -n 's/^etag: //ip' headers.txt | tr -d '\\r')"\`. \`openssl dgst -sha256 -binary part.csv | openssl base64\` is the digest, and \`sed -n \${LINE}p part.csv\` the line.`,
      ],
      sections: ['The range', 'RFC 9110, section 14', 'RFC 9530'],
      buildsOn: ['file-ended-early'],
      remember:
        'Go on at the first byte that you lack, with `If-Range`. The digest of all of it says whether both parts fit.',
      without:
        'A file of 4 GB begins anew after each break, every night. Or the end of today’s file is put behind the beginning of yesterday’s.',
      shortestWay: 2,
      way: [createPolicy, makeStatement, readStatement, readFile],
      steps: [
        { title: 'Fetch the file of a statement that ends early by the drill', judge: isCutOff },
        { title: 'Fetch the rest, from the first byte that you lack', judge: isRest },
      ],
      asks: brokenLine,
    },
    {
      id: 'forget-holder',
      title: 'Forget this person',
      level: 2,
      goal: `Create ${leastPolicies} policies or more with one \`holder\`, who wants to be forgotten. Ask for an erasure of that name, and read it until it is completed. Then read all your policies, and find the name nowhere. Send how many rows elsewhere had it, by the report.`,
      why: 'A name stands in more places than the one where somebody looks, and in the EU a person can ask to be erased from all.',
      hints: [
        'There is an endpoint for erasures. It takes the name to the letter, works in the background, and its report counts what it touched.',
        'POST /insurer/v1/erasures takes `{"holder":"Ada Example"}` and answers 202: Location says where to ask, Retry-After when. Create both policies with the same holder before; a vehicle can have one policy in force only.',
        `\`for n in 1 2; do curl -s $ROOT/insurer/v1/policies -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d '{"regNumber":"ER-'$RANDOM$RANDOM'","holder":"Ada Example"}'; done\`, \`ERASURE=$(curl -s $ROOT/insurer/v1/erasures -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d '{"holder":"Ada Example"}' | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')\`, \`sleep 3\`, \`curl $ROOT/insurer/v1/erasures/$ERASURE -H "Authorization: Bearer $TOKEN"\`, and at last \`curl "$ROOT/insurer/v1/policies?pageSize=25" -H "Authorization: Bearer $TOKEN"\` to its last page.`,
      ],
      sections: ['Policy', 'RFC 9110, section 15.3.3'],
      buildsOn: ['update-policy', 'import-job', 'all-pages'],
      remember:
        'To erase is to reach logs, kept answers and imports, too. It is done when the report says so, not at the 202.',
      without:
        'The customer is deleted from the list, and a year later their name is found in a log, in a backup of it, and on the desk of a lawyer.',
      shortestWay: 5,
      way: [createPolicy, eraseHolder, readErasure, listPolicies],
      steps: [
        { title: 'Ask for an erasure of a holder', judge: isAsked },
        { title: `See it completed, with ${leastPolicies} policies or more touched`, judge: isForgotten },
        { title: 'Read all your policies afterwards', judge: isLookedFor },
      ],
      asks: otherPlaces,
    },
  ],
};
