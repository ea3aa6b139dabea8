import { asStored } from '../../../http/requests/changed-since.ts';
import { quotient } from '../../../insurer/index.ts';
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
import { type Entry, isReplayed, jsonOf } from '../entry.ts';
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
    if (told === all - came - 1) return 'A row that was cut in its middle is lacking, too.';
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

/* Amounts. */

interface Amounts {
  readonly premium: number;
  readonly commission: number;
}

/** What the rows of a file have, in the smallest unit of its currency; none of a file that was too long to be kept. */
function amountsIn({ answer }: Entry): Amounts[] {
  const units = (amount = '') => Number(amount.replace(/[.,]/, ''));
  return answer.text.split('\n').flatMap((line) => {
    const [premium, commission] = line.startsWith('{"policyNumber"')
      ? [...line.matchAll(/"amount":"([^"]*)"/g)].map(([, amount]) => amount)
      : line.split(line.includes(';') ? ';' : ',').slice(5, 7);
    return /^(?:pol-|\{"policyNumber")/.test(line) ? [{ premium: units(premium), commission: units(commission) }] : [];
  });
}

const sumOf = (rows: readonly Amounts[], figure: (row: Amounts) => number) =>
  rows.reduce((sum, row) => sum + figure(row), 0);

/** Why a call is no whole file whose rows the log has; undefined if it is one. */
function notRead(entry: Entry): string | false | undefined {
  if (entry.call === headOfFile) return onlyHead('the rows');
  if (entry.call !== readFile || entry.status !== 200) return false;
  if (entry.file?.rows === undefined)
    return isShort(entry) ? 'It ended early. End the drill short-file.' : unseen(entry);
  if (entry.file.rows === 0) return 'No policy of yours is covered in that month. Take another month.';
  return entry.answer.text === '' ? unseen(entry) : undefined;
}

/** A tenth of each premium, summed: rounded as it is to be, and in other ways. */
function tenths(rows: readonly Amounts[]) {
  const of = (round: (premium: number) => number) => sumOf(rows, ({ premium }) => round(premium));
  return {
    even: of((premium) => quotient(premium, 10)),
    up: of((premium) => Math.round(premium / 10)),
    down: of((premium) => Math.floor(premium / 10)),
    atEnd: quotient(
      sumOf(rows, ({ premium }) => premium),
      10,
    ),
  };
}

function showsRounding(entry: Entry): Verdict {
  const fault = notRead(entry);
  if (fault !== undefined) return fault;
  if (!/[,;"]KWD/.test(entry.answer.text)) return 'These amounts are in another currency. Make a statement in KWD.';
  return (
    new Set(Object.values(tenths(amountsIn(entry)))).size === 4 ||
    'Here some ways of rounding come to the same. Have two policies of 12 months and one of 6, of vehicles that the registry does not know.'
  );
}

const shareOf: Question = {
  step: 'Send what the second partner gets',
  question:
    'How much are 10 % of each premium of your file in KWD together, each rounded to three decimals, a half to the even neighbour? Send a text with three decimals.',
  check(answer, history) {
    const entry = history.last((each) => showsRounding(each) === true);
    if (!entry) return 'Your log has no file in KWD in which it matters how one rounds. Fetch one first.';
    const text = textOf(plainAnswer(answer));
    if (!/^\d{1,12}\.\d{3}$/.test(text)) return 'Send digits, a point and the three decimals of KWD: 0.125.';
    const told = Number(text.replace('.', ''));
    const rows = amountsIn(entry);
    const { even, up, down, atEnd } = tenths(rows);
    const toTwo = sumOf(rows, ({ premium }) => 10 * quotient(premium, 100));
    if (told === even) return { entry };
    if (told === up) return 'Your halves went up. They go to the even neighbour, and with a float a half is none.';
    if (told === down) return 'You cut off what stands behind the third decimal. Round it.';
    if (told === atEnd) return 'You rounded the sum. Round each row, and then add.';
    if (told === toTwo) return 'You rounded to two decimals. KWD has three.';
    if (told === sumOf(rows, ({ commission }) => commission)) return 'Those are the commissions, 12.5 %. Take 10 %.';
    return `That is not the sum. Take 10 % of each premium of ${entry.id}, without the trailer, and count by whole fils.`;
  },
};

/** Premiums less commissions: as they are, and as others read them. */
function remainders(rows: readonly Amounts[], decimals: number) {
  const whole = (units: number) => Math.floor(units / 10 ** decimals);
  return {
    right: sumOf(rows, ({ premium, commission }) => premium - commission),
    whole: sumOf(rows, ({ premium, commission }) => whole(premium) - whole(commission)) * 10 ** decimals,
  };
}

const decimalsOf = ({ answer }: Entry) => /;\d+,(\d+)[;\r]/.exec(answer.text)?.[1]?.length ?? 0;

function hasCommas(entry: Entry): Verdict {
  const fault = notRead(entry);
  if (fault !== undefined) return fault;
  if (!entry.answer.headers['content-type']?.includes('windows-1252'))
    return 'That is another format. Make a statement in the format csv-1252.';
  return decimalsOf(entry) > 0 || 'JPY has no decimals, and so no commas. Take another currency.';
}

const remainder: Question = {
  step: 'Send what is left of the premiums',
  question:
    'What is left of all premiums of your file once the commissions are taken off? Send a text with a decimal point, and with as many decimals as the file has.',
  check(answer, history) {
    const entry = history.last((each) => hasCommas(each) === true);
    if (!entry) return 'Your log has no file of the format csv-1252. Fetch one first.';
    const text = textOf(plainAnswer(answer));
    const decimals = decimalsOf(entry);
    const [, digits = '', places = ''] = /^(\d{1,12})(?:\.(\d{1,3}))?$/.exec(text) ?? [];
    if (digits === '') return 'Send digits and a decimal point, without a currency.';
    const told = Number(digits + places.padEnd(decimals, '0')) * (places.length > decimals ? Number.NaN : 1);
    const rows = amountsIn(entry);
    const { right, whole } = remainders(rows, decimals);
    if (told === right) return { entry };
    if (told === right * 10 ** decimals) return 'You dropped the commas. What stands behind them is a part of one.';
    if (told === whole) return 'You stopped reading at the commas. What stands behind them belongs to the amount.';
    if (told === 2 * right) return 'You counted the trailer, too. It is no row.';
    if (told === sumOf(rows, ({ premium }) => premium)) return 'Those are the premiums. Take the commissions off.';
    return `That is not it. Fields end at semicolons, and amounts have a decimal comma. It is asked for ${entry.id}.`;
  },
};

/* Forgetting a name. */

const isErasure = ({ call, status }: Entry) => call === eraseHolder && status === 202;

const reportOf = ({
  answer,
}: Entry): { status?: string; createdAt?: string; touched?: { what: string; count: number }[] } => jsonOf(answer) ?? {};

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

const isPart = ({ query }: Entry) => query.has('status') || query.has('regNumber');

const sinceOf = ({ query }: Entry) => query.get('updatedSince');

/** The list after the erasure: all of it, or all that changed since it was asked for. */
function isLookedFor(entry: Entry, history: History): Verdict {
  if (entry.call !== listPolicies || entry.status !== 200) return false;
  const erased = isForgottenBefore(history);
  if (!erased)
    return history.has(isErasure) && 'You looked before you had seen the erasure completed. Read it until it is.';
  if (isPart(entry)) return 'That was a part of your policies. Leave status and regNumber out.';
  const since = sinceOf(entry);
  if (since !== null && Date.parse(asStored(since)) > Date.parse(reportOf(erased).createdAt ?? ''))
    return 'The erasure may have changed policies before that. Read from createdAt of its report.';
  if (!entry.page) return 'The log keeps the ids alone of so long a page. Read smaller ones: pageSize=25.';
  const pages = history.since(erased).filter((each) => each.call === listPolicies && !isPart(each));
  const same = [...pages.filter((each) => sinceOf(each) === since), entry];
  const seen = new Set(same.flatMap(({ ids }) => ids)).size;
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

const layouts = { csv: '"format":"csv"', kwd: '"format":"csv","currency":"KWD"', commas: '"format":"csv-1252"' };

/** Three policies of March 2025, and a statement of June. */
const newStatement = (layout: keyof typeof layouts) =>
  `\`curl -s $ROOT/range/v1/me/fleet ${send} -d '{"policies":[{"regNumber":"FILE-1","startDate":"2025-03-01"},{"regNumber":"FILE-2","startDate":"2025-03-01"},{"regNumber":"FILE-3","startDate":"2025-03-01","coverageOption":"MTPL-6M"}]}'\`, \`STATEMENT=$ROOT/insurer/v1/statements/$(curl -s $ROOT/insurer/v1/statements ${send} -d '{"month":"2025-06",${layouts[layout]}}' | sed 's/.*"id":"\\([^"]*\\).*/\\1/')\`, \`sleep 2\``;

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
        `${newStatement('csv')}, ${shortFile}, \`curl -o first.csv $STATEMENT/content -H "Authorization: Bearer $TOKEN"\`. Then \`curl -s -X DELETE $ROOT/range/v1/me/drills/short-file -H "Authorization: Bearer $TOKEN"\` and the same to whole.csv. \`wc -l first.csv\` counts whole lines, the header too; \`tail -1 whole.csv\` has the trailer.`,
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
      why: 'The longer a download takes, the more often it breaks off, and whoever always begins anew may never come to its end.',
      hints: [
        `Bytes count from 0. So with 512 of them the next one is byte 512: as many as your part has. ${past}`,
        'Range: bytes=512- asks for all from there on, and the answer is 206. If the file has become another one, If-Range gets it whole, with 200. A packed file can’t go on so: send Accept-Encoding: identity if your program asks for gzip by itself.',
        `${newStatement('csv')}, ${shortFile}, \`curl -o part.csv -D headers.txt $STATEMENT/content -H "Authorization: Bearer $TOKEN"\`, \`LINE=$(($(wc -l < part.csv) + 1))\`, \`curl -C - -o part.csv $STATEMENT/content -H "Authorization: Bearer $TOKEN" -H "If-Range: $(sed -n 's/^etag: //ip' headers.txt | tr -d '\\r')"\`. \`openssl dgst -sha256 -binary part.csv | openssl base64\` is the digest, and \`sed -n \${LINE}p part.csv\` the line.`,
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
      id: 'cents-no-floats',
      title: 'Cents are no floats',
      level: 3,
      goal: 'Have three policies or more (at most 15) of vehicles that the registry does not know, with different coverages, and fetch the file of a statement of them in KWD, which has three decimals. A second partner gets 10 % of each premium. Round it row by row, a half to the even neighbour, and send the sum.',
      why: 'A sum of money is right or wrong to the last digit, and the other side computes it, too.',
      hints: [
        'Count in the smallest unit, by whole numbers: 11.725 KWD are 11725 fils. Or use the decimals of your language, such as BigDecimal.',
        `A tenth of 11725 fils is 1172.5: a half, whose neighbours are 1172 and 1173. The even one is 1172. Round each row, and then add. ${past}`,
        `${newStatement('kwd')}, \`curl -o kwd.csv $STATEMENT/content -H "Authorization: Bearer $TOKEN"\`. Then \`awk -F, '/^pol-/ { sub(/[.]/, "", $6); n = int($6 / 10); r = $6 % 10; sum += n + (r > 5 || (r == 5 && n % 2)) } END { printf "%d.%03d\\n", sum / 1000, sum % 1000 }' kwd.csv\` has the sum.`,
      ],
      sections: ['RFC 4180'],
      buildsOn: ['file-ended-early'],
      remember:
        'Read money as a decimal or in its smallest unit, never as a float. Round each row, a half to the even one.',
      without:
        'Each month both sums differ by some cents. Somebody looks for them for a day, books the difference as “rounding”, and a real mistake goes with it.',
      shortestWay: 1,
      way: [createPolicy, makeStatement, readStatement, readFile],
      steps: [{ title: 'Fetch a file in KWD in which rounding matters', judge: showsRounding }],
      asks: shareOf,
    },
    {
      id: 'decimal-commas',
      title: 'Semicolons and decimal commas',
      level: 2,
      goal: 'Make a statement in the format `csv-1252`, of at most 15 policies, and fetch its file. Read it as its `Content-Type` says: windows-1252, fields that end at semicolons, amounts with a decimal comma. Send what is left of the premiums once the commissions are taken off.',
      why: 'Files of partners look as their spreadsheets do, and a program that guesses reads them, and is wrong by a factor of 100.',
      hints: [
        `The file says its charset in Content-Type. Separator and decimal comma stand nowhere: the page on the statement tells them. ${past}`,
        'Split each line at semicolons, take premium and commission, and only then make a point of the comma. The header and the trailer are no rows. The same month as csv must come to the same.',
        `${newStatement('commas')}, \`curl -o commas.csv $STATEMENT/content -H "Authorization: Bearer $TOKEN"\`. Then \`iconv -f windows-1252 -t utf-8 commas.csv | awk -F';' '/^pol-/ { sub(/,/, "", $6); sub(/,/, "", $7); sum += $6 - $7 } END { printf "%d.%02d\\n", sum / 100, sum % 100 }'\` has what is left.`,
      ],
      sections: ['RFC 4180'],
      buildsOn: ['file-ended-early'],
      remember:
        'The charset stands in Content-Type, the rest is agreed on. Never let the language of a machine decide.',
      without:
        'On the developer’s machine 31,00 is 31. On the server it is 3100, or 31 with a field of 00 behind it, and Jürgen has lost his ü in each letter.',
      shortestWay: 1,
      way: [createPolicy, makeStatement, readStatement, readFile],
      steps: [{ title: 'Fetch a file of the format csv-1252', judge: hasCommas }],
      asks: remainder,
    },
    {
      id: 'forget-holder',
      title: 'Forget this person',
      level: 2,
      goal: `Create ${leastPolicies} policies or more with one \`holder\`, who wants to be forgotten. Ask for an erasure of that name, and read it until it is completed. Then read all your policies, or those that changed since its createdAt, and find the name nowhere. Send how many rows elsewhere had it, by the report.`,
      why: 'A name stands in more places than the one where somebody looks, and in the EU a person can ask that it goes from all that need not keep it.',
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
        { title: 'Read all your policies afterwards, or those that changed', judge: isLookedFor },
      ],
      asks: otherPlaces,
    },
  ],
};
