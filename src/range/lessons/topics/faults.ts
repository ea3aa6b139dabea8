import { createPolicy, listClaims, listPolicies, readPolicy, readTopic, registerClaim } from '../calls.ts';
import { type Entry, isReplayed, jsonOf, methodOf } from '../entry.ts';
import type { History } from '../history.ts';
import type { EndedAttempt, LessonTopic, Verdict } from '../lesson.ts';
import { bringsNews, heldBack, isRead, positionOf, readBefore, sentEventId, sentStreamHeader } from '../topic-reads.ts';

/*
 * What goes wrong between a client and a service, switched on by drills, and how a client gets over it.
 */

/** Milliseconds by which a pause may be short, since timers and the log are rounded. */
const tolerance = 50;

/** By how much a pause must be longer than the one before. */
const growth = 1.2;

/** Milliseconds after which one may ask a proxy again. */
const moment = 1000;

/** The status in the log of a call that was cut before its answer began. */
const neverAnswered = 499;

/** Milliseconds that a caller may wait for a late answer. */
const patience = 10_000;

/** Milliseconds in which an answer may come that is not late. */
const usual = 100;

const succeeded = ({ kind, status, end }: Entry) => kind === 'call' && status < 400 && end === 'answered';

const isSame = (one: Entry, other: Entry) =>
  one.call === other.call &&
  one.path === other.path &&
  one.sent.text === other.sent.text &&
  String(one.query) === String(other.query);

/** The latest try of the same call that went wrong so. */
const failedTry = (entry: Entry, history: History, went: (each: Entry) => boolean) =>
  history.last((each) => went(each) && isSame(each, entry));

const seconds = (milliseconds: number) => (milliseconds < 50 ? 'no time' : `${(milliseconds / 1000).toFixed(1)} s`);

/** Tells whether it is a read in place of one that failed so, which is to be repeated. */
function isOtherThanFailed(entry: Entry, history: History, went: (each: Entry) => boolean): boolean {
  const failed = history.last((each) => went(each) && isGet(each));
  return failed !== undefined && isGet(entry) && !isSame(failed, entry);
}

const mayChange = ({ call }: Entry) => !/^(?:GET|HEAD|OPTIONS) /.test(call);

const isGet = ({ call }: Entry) => call.startsWith('GET ');

/** The tries of the same call that were refused with 503, one after the other, right before `entry`. */
function refusedTries(entry: Entry, history: History): Entry[] {
  const before = history.last((each) => each.status !== 503 && isSame(each, entry));
  const tries = before ? history.since(before) : history.all(({ status }) => status === 503);
  return tries.filter((each) => isSame(each, entry));
}

const isRefused = ({ kind, status }: Entry) => kind === 'call' && status === 503;

/** What is wrong with the pause after each of these tries. The last one was before `entry`. */
function pauseFaults(tries: readonly Entry[], entry: Entry): (string | undefined)[] {
  const pauses = tries.map(({ endedAt }, at) => (tries[at + 1] ?? entry).at - endedAt);
  return pauses.map((pause, at) => {
    const asked = Number(tries[at]?.answer.headers['retry-after'] ?? 0) * 1000;
    if (pause < asked - tolerance) return `You waited ${seconds(pause)}, and Retry-After asked for ${asked / 1000} s.`;
    const before = pauses[at - 1] ?? 0;
    if (pause >= before * growth) return undefined;
    return `You waited ${seconds(before)} and then ${seconds(pause)}. Let each pause be clearly longer than the one before, for example by half.`;
  });
}

/** All tries in a row count, so one wrong pause is too much. */
const newTries = (fault: string): EndedAttempt => ({
  beginAgain: `${fault} Begin again: end the drill, let the call succeed once, and have it refused anew.`,
});

/** Tells whether the call right before was refused as well, and was another one. */
function areDifferent(entry: Entry, history: History): boolean {
  const [before] = history.latest(1);
  return before !== undefined && isRefused(before) && !isSame(before, entry);
}

function refusedInARow(entry: Entry, history: History): Verdict {
  const tries = refusedTries(entry, history);
  if (isRefused(entry)) {
    const faults = pauseFaults(tries, entry);
    const latest = faults.at(-1);
    if (latest) return newTries(latest);
    if (tries.length >= 2 && faults.every((fault) => fault === undefined)) return true;
    return areDifferent(entry, history) && 'These refusals were of different calls. Repeat one and the same call.';
  }
  if (!succeeded(entry) || tries.length >= 3) return false;
  if (!tries.some(isRefused)) return isGet(entry) && 'This call was not refused with 503. Is the drill unavailable on?';
  return `The call succeeded after it was refused only ${tries.length === 1 ? 'once' : 'twice'}. Let the drill be on for three refusals in a row.`;
}

function retried(entry: Entry, history: History): Verdict {
  if (isRefused(entry)) {
    const fault = pauseFaults(refusedTries(entry, history), entry).at(-1);
    return fault !== undefined && newTries(fault);
  }
  if (!succeeded(entry)) return false;
  const tries = refusedTries(entry, history);
  if (tries.length < 3) {
    const before = history.last(() => true);
    return (
      before !== undefined &&
      isOtherThanFailed(entry, history, isRefused) &&
      refusedTries(before, history.before(before)).length >= 2 &&
      'This is another call than the one that was refused. Send the same one again.'
    );
  }
  const faults = pauseFaults(tries, entry);
  const first = faults.find((each) => each !== undefined);
  if (first === undefined) return true;
  // An earlier pause may have been minutes ago.
  const fault = faults.at(-1) ?? `The call succeeded, but a pause before was wrong. ${first}`;
  return { beginAgain: `${fault} Begin again: have the call refused anew.` };
}

const isDelayed = ({ kind, drills }: Entry) => kind === 'call' && drills.includes('delay');

/** The caller hung up, and no other drill. */
const isGivenUp = (entry: Entry) =>
  entry.end === 'cut' && isDelayed(entry) && !entry.drills.includes('cut-connections');

/** Tells whether the answer may come late without any drill. */
const waitsItself = ({ query }: Entry) => Number(query.get('wait')) > 0;

const isHungUp = (entry: Entry) =>
  isGivenUp(entry) && !waitsItself(entry) && lasted(entry) >= usual && lasted(entry) <= patience;

const lasted = ({ at, endedAt }: Entry) => endedAt - at;

function gaveUp(entry: Entry): Verdict {
  if (!isDelayed(entry)) return isGet(entry) && succeeded(entry) && 'The drill delay did not hit this call. Is it on?';
  if (isGivenUp(entry)) {
    if (mayChange(entry))
      return 'You gave up on a call that may change something, so you can’t know whether it did. Ask for a list, which is safe to repeat.';
    if (!isGet(entry))
      return `You gave up on a ${methodOf(entry)}. Make this call with GET, which has an answer to wait for.`;
    if (waitsItself(entry))
      return 'This call waits for events by itself, also without the drill. Give up on one that only reads what is there.';
    return isHungUp(entry) || `You gave up after ${seconds(lasted(entry))}. Give up after a few seconds.`;
  }
  if (!isGet(entry) || !succeeded(entry) || lasted(entry) > patience) return false;
  return `The answer came after ${seconds(lasted(entry))}, so there was no reason to give up. Let the drill delay it for longer.`;
}

function gotAfterDelay(entry: Entry, history: History): Verdict {
  if (!isGet(entry)) return otherThanSame(entry, history);
  if (!succeeded(entry)) return false;
  if (isDelayed(entry) && lasted(entry) > patience)
    return `You waited ${seconds(lasted(entry))} for the answer. Hang up after a few seconds, and try again.`;
  if (failedTry(entry, history, isHungUp)) return true;
  if (!isOtherThanFailed(entry, history, isHungUp)) return false;
  return 'This is another call than the one that you gave up on. Send the same one again.';
}

/** Explains a call after one that was given up, which is no GET. */
function otherThanSame(entry: Entry, history: History): Verdict {
  if (entry.kind !== 'call' || entry.end !== 'answered') return false;
  const before = history.last(() => true);
  if (before === undefined || !isGivenUp(before)) return false;
  if (mayChange(entry) && isSame(before, entry))
    return 'You repeated a call that may change something. Give up on one that only reads, and repeat that.';
  const isOther = isGet(before) && isHungUp(before) && before.path === entry.path;
  return isOther && `You gave up on a GET, and this was a ${methodOf(entry)}. Send the same call again.`;
}

const isHtml = ({ kind, status }: Entry) => kind === 'call' && status === 502;

const cameAsHtml = (entry: Entry): Verdict =>
  isHtml(entry) ||
  (isGet(entry) && succeeded(entry) && 'This answer was no page in HTML. Is the drill html-from-a-proxy on?');

/** A write that was refused for what there is now: it may have been done before. */
const isConflict = (entry: Entry) => entry.kind === 'call' && !isGet(entry) && [409, 412].includes(entry.status);

/** Tells whether somebody sends what HTML answered with another body. */
function isOtherBody(entry: Entry, history: History): boolean {
  const html = history.last(isHtml);
  return (
    succeeded(entry) &&
    html !== undefined &&
    html.call === entry.call &&
    html.path === entry.path &&
    html.sent.text !== entry.sent.text
  );
}

function gotAfterHtml(entry: Entry, history: History): Verdict {
  if (entry.kind !== 'call' || (entry.end !== 'answered' && !isHtml(entry))) return false;
  const before = failedTry(entry, history, isHtml);
  if (isConflict(entry)) {
    if (before === undefined) return false;
    return `The call was refused with ${entry.status}. That can mean that the first try was done, although HTML answered it. Take a call that only reads.`;
  }
  if (!before) {
    if (isOtherBody(entry, history))
      return 'The body is another one than that of the call that HTML answered. Send the same call again.';
    return (
      (succeeded(entry) || isHtml(entry)) &&
      isOtherThanFailed(entry, history, isHtml) &&
      'This is another call than the one that HTML answered. Send the same one again.'
    );
  }
  if (!succeeded(entry) && !isHtml(entry))
    return `HTML is gone, but now the call was refused with ${entry.status}. It has to succeed.`;
  const pause = entry.at - before.endedAt;
  if (pause < moment - tolerance)
    return `You asked again after ${seconds(pause)}. A proxy that lost its server needs a moment: wait a second or more.`;
  return succeeded(entry) || 'HTML came again, since the drill is still on. End it, or wait until it is over.';
}

const isCutByDrill = ({ end, drills }: Entry) => end === 'cut' && drills.includes('cut-connections');

/** Tells whether what was cut is a create that may have been done. */
const isCut = (entry: Entry) => entry.call === createPolicy && isCutByDrill(entry) && !isRefusal(entry);

const isRefusal = ({ status }: Entry) => status >= 400 && status < neverAnswered;

const withoutKey =
  'The create that was cut had nothing by which the service knows it again, so no repeat of it is safe. That has to be in the first try.';

/** Cut when the work was done, and safe to repeat. */
function cutInTheMiddle(entry: Entry): Verdict {
  const { call, status, sent } = entry;
  if (call !== createPolicy)
    return isCutByDrill(entry) && 'It was another call that was cut. Let it be the create of a policy.';
  if (!isCutByDrill(entry)) {
    const isDone = status < 300 || entry.end === 'cut';
    return isDone && 'This create was not cut by the drill cut-connections. Is it on?';
  }
  if (isRefusal(entry))
    return `What was cut was a refusal with ${status}, so no policy was created. Your log says why.`;
  if (sent.headers['idempotency-key'] === undefined) return withoutKey;
  return (
    status < 300 ||
    (status === neverAnswered &&
      'The create was cut before it was done, and a repeat would be the first. Let the drill cut in the middle.')
  );
}

/** The list, first thing after a create that can be repeated was cut. */
function listAfterCut(entry: Entry, history: History): Verdict {
  const before = history.last(({ call }) => call === createPolicy || call === listPolicies);
  return (
    succeeded(entry) &&
    before !== undefined &&
    cutInTheMiddle(before) === true &&
    'You looked for the policy in the list. The goal is the answer of the first try, so repeat the create.'
  );
}

function createdOnce(entry: Entry, history: History): Verdict {
  if (entry.call === listPolicies) return listAfterCut(entry, history);
  if (entry.call !== createPolicy) return false;
  const key = entry.sent.headers['idempotency-key'];
  if (entry.problem === 'idempotency-key-reused') {
    const isTried = (each: Entry) => isCut(each) && each.sent.headers['idempotency-key'] === key;
    if (!history.has(isTried)) return false;
    return 'The key is that of the create that was cut, but the body is another one. Repeat both.';
  }
  const cut = history.last((each) => isCut(each) && each.sent.text === entry.sent.text);
  if (!cut) {
    const before = history.last(({ call }) => call === createPolicy);
    if (before && cutInTheMiddle(before) === true && entry.end === 'answered')
      return 'The body is another one than that of the create that was cut. Repeat that create.';
    if (!isReplayed(entry) || !history.has(({ drills }) => drills.includes('cut-connections'))) return false;
    return 'The first answer to this create was not cut. Start the drill before the create.';
  }
  if (entry.end !== 'answered') {
    return entry.drills.includes('cut-connections')
      ? 'The repeat was cut as well, since the drill is still on. End it first.'
      : false;
  }
  if (key === undefined || cut.sent.headers['idempotency-key'] !== key) {
    if (cut.sent.headers['idempotency-key'] === undefined) return withoutKey;
    const isLookedAt = entry.status === 201 || entry.problem === 'duplicate-policy';
    if (!isLookedAt) return false;
    return 'You repeated the create without the Idempotency-Key of the first try, so it was taken for a new one. You did not get the answer of the first try.';
  }
  if (isReplayed(entry)) return true;
  return entry.status === 201
    ? 'The create that was cut had not been done, so this one was the first. Let the drill cut in the middle.'
    : false;
}

/** A create that was done, and whose answer could not be read. */
const isUnreadable = ({ status, drills }: Entry) => status === 201 && drills.includes('bad-json');

function createdUnreadably(entry: Entry): Verdict {
  if (entry.call !== createPolicy || entry.status !== 201) return false;
  if (isUnreadable(entry)) return true;
  return 'This answer could be read. Start the drill before the create.';
}

/** The latest create, if its answer could not be read and all that came since looked for the policy. */
function soughtAfter(history: History): Entry | undefined {
  const created = history.last(({ call }) => call === createPolicy);
  if (!created || !isUnreadable(created)) return undefined;
  return history.since(created).every(({ call }) => call === readPolicy || call === listPolicies) ? created : undefined;
}

function found(entry: Entry, history: History): Verdict {
  const { call, status, path, answer, sent } = entry;
  if (call === readPolicy) {
    const isFound = (each: Entry) => isUnreadable(each) && each.answer.headers.location?.endsWith(path) === true;
    if (!history.has(isFound)) {
      const sought = soughtAfter(history);
      if (sought === undefined || (status !== 200 && status !== 404)) return false;
      return path.endsWith(`/${jsonOf(sought.sent)?.regNumber}`)
        ? 'The path has the registration number of the policy. It needs the id.'
        : 'That is another policy than the one whose answer could not be read.';
    }
    if (jsonOf(answer)?.id !== undefined) return true;
    return 'That is the policy, but this answer can’t be read either: the drill is still on. End it, and read again.';
  }
  if (call === listPolicies) {
    const id = soughtAfter(history)?.answer.headers.location?.split('/').at(-1);
    return id !== undefined && entry.ids.includes(id) && 'It is in this list. Now read it by its id.';
  }
  if (call !== createPolicy) return false;
  const isRepeated = history.has((each) => isUnreadable(each) && each.sent.text === sent.text);
  if (isRepeated && status === 409)
    return 'The policy was there already: the status of the first try was 201. Look at the rest of that answer.';
  if (isRepeated && isReplayed(entry))
    return 'The key of the first try got you its answer again. Now read the policy that it names.';
  if (status !== 201 || soughtAfter(history) === undefined) return false;
  return 'You created another policy. The status of the first try was 201, so that one is there, and you can find it.';
}

const wasCut = (entry: Entry | undefined) => entry?.stream?.end === 'drill' && entry.events.length > 0;

function cutWithEvents(entry: Entry): Verdict {
  if (wasCut(entry)) return true;
  if (entry.stream?.end === 'drill')
    return 'The stream was cut before it had brought an event. Let a claim change first, so that it brings some.';
  if (!isRead(entry)) return false;
  if (entry.kind !== 'stream') return 'This was a batch, which the drill does not cut. Open a stream.';
  return closedItself(entry);
}

const closedItself = ({ stream }: Entry) =>
  stream?.end === 'caller-gone' &&
  'You closed this stream yourself. Leave it open until the drill cut-streams cuts it.';

function goneOn(entry: Entry, history: History): Verdict {
  const before = readBefore(entry, history);
  if (isRead(entry) && before) {
    if (!wasCut(before)) return false;
    if (entry.events.some(({ eventId }) => before.events.some((each) => each.eventId === eventId)))
      return 'You went on after an earlier event, so some came again. Go on after the last one that you got.';
    if (bringsNews(entry, before)) return true;
    return (
      entry.end !== 'open' &&
      entry.events.length === 0 &&
      (heldBack(entry) ||
        'You went on at the right place, but nothing has happened since. Let a claim change, and read on from there again.')
    );
  }
  return begunElsewhere(entry, history);
}

/** A read after the cut that is from no place where another one ended. */
function begunElsewhere(entry: Entry, history: History): string | false {
  if (!history.has(wasCut)) return false;
  if (!isRead(entry)) return sentEventId(entry, history);
  const position = positionOf(entry) ?? 'earliest';
  return (
    sentStreamHeader(entry) ||
    (['earliest', 'latest'].includes(position) &&
      `You began at ${position} again after the cut. Go on after the last event that you got: each has an id.`)
  );
}

export const faults: LessonTopic = {
  id: 'faults',
  title: 'When things break',
  lessons: [
    {
      id: 'retry-unavailable',
      title: 'Patience that grows',
      level: 3,
      goal: 'Switch the drill `unavailable` on, and repeat one and the same call until it has been refused with 503 at least three times in a row. Wait clearly longer before each new try, and never less than `Retry-After` says. End the drill, and go on in the same way until the call succeeds.',
      why: 'When a service comes back, thousands of clients that ask every second would bring it down again.',
      hints: [
        '`POST /range/v1/me/drills` starts a drill, `DELETE /range/v1/me/drills/{name}` ends it.',
        'Each pause is longer than the one before, for example by half. The first is as long as Retry-After says.',
        '`curl $ROOT/range/v1/me/drills -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d \'{"name":"unavailable","parameters":{"retryAfter":1}}\'` starts it. `curl -i $ROOT/claims/v1/claims -H "Authorization: Bearer $TOKEN"`, wait 1 s, call, wait 2 s, call, wait 4 s, end the drill with `curl -X DELETE $ROOT/range/v1/me/drills/unavailable -H "Authorization: Bearer $TOKEN"`, call.',
      ],
      sections: ['Errors, 1', 'The range'],
      buildsOn: ['token-by-json'],
      remember: '503 means: not now. Wait as long as `Retry-After` says, and longer each time.',
      without: 'The service comes back, and a thousand clients call in the same second. It goes down again, for hours.',
      shortestWay: 4,
      way: [listClaims, 'any 503'],
      steps: [
        { title: 'Be refused three times in a row, with pauses that grow', judge: refusedInARow },
        { title: 'Let the pauses grow until the call succeeds', judge: retried },
      ],
    },
    {
      id: 'late-answer',
      title: 'The answer does not come',
      level: 3,
      goal: 'Switch the drill `delay` on with the parameters `{"fromMs":20000}`. Make a call that only reads, such as a list of your claims, give up after a few seconds, and end the drill. Then get its answer with the same call.',
      why: 'A program without a timeout may never stop waiting, and all who wait for it wait as well.',
      hints: [
        'Every client for HTTP has a timeout; many have none unless you set it.',
        'The drill takes fromMs, in milliseconds. curl has -m with seconds.',
        '`curl $ROOT/range/v1/me/drills -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d \'{"name":"delay","parameters":{"fromMs":20000}}\'` starts it. Then `curl -m 3 $ROOT/claims/v1/claims -H "Authorization: Bearer $TOKEN"`. End the drill with `curl -X DELETE $ROOT/range/v1/me/drills/delay -H "Authorization: Bearer $TOKEN"`, and send the same call again.',
      ],
      sections: ['The range'],
      buildsOn: ['token-by-json'],
      remember: 'Set a timeout for every call. A call that you gave up may still have been done.',
      without: 'One slow service holds all your threads. Your own system is down, too, and its log shows no error.',
      shortestWay: 2,
      way: [listClaims, 'any 499'],
      steps: [
        { title: 'Give up on an answer that does not come', judge: gaveUp },
        { title: 'Get the answer with the same call', judge: gotAfterDelay },
      ],
    },
    {
      id: 'retry-html',
      title: 'HTML in place of JSON',
      level: 3,
      goal: 'Switch the drill `html-from-a-proxy` on, so that a page in HTML answers a call. End the drill, and make the same call again, a second later or more, until it succeeds.',
      why: 'Between you and a service are proxies that do not know its descriptions. A program that reads their pages as JSON fails.',
      hints: [
        'Look at the status and at Content-Type before you parse a body.',
        '502 says that a proxy got no answer. That is often over soon, so wait a moment, and then ask again.',
        '`curl $ROOT/range/v1/me/drills -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d \'{"name":"html-from-a-proxy"}\'` starts it. Then `curl -i $ROOT/claims/v1/claims -H "Authorization: Bearer $TOKEN"`. End the drill with `curl -X DELETE $ROOT/range/v1/me/drills/html-from-a-proxy -H "Authorization: Bearer $TOKEN"`, wait a second, and send the same call again.',
      ],
      sections: ['Errors, 1', 'The range'],
      buildsOn: ['retry-unavailable'],
      remember: 'Look at the status and the `Content-Type` first. Parse only what says that it is JSON.',
      without: 'The log says “unexpected token <”. People look for a mistake in the JSON, and it was the proxy.',
      shortestWay: 2,
      way: [listClaims, 'any 502'],
      steps: [
        { title: 'Have a call answered by a page in HTML', judge: cameAsHtml },
        { title: 'Get the answer with the same call, a second later or more', judge: gotAfterHtml },
      ],
    },
    {
      id: 'retry-cut',
      countsReplays: true,
      title: 'Cut, and still one policy',
      level: 3,
      goal: 'Switch the drill `cut-connections` on with the parameters `{"when":"middle"}`, and create a policy: the answer is cut. Repeat the create in such a way that there is one policy in the end, and you get the answer of the first try.',
      why: 'When a connection breaks, you can’t know whether the work was done; only a request that is safe to repeat gets you out.',
      hints: [
        'A header of the request tells the service that two requests are the same one.',
        'Idempotency-Key: any text of your own, the same on both tries. The drill must be over for the second one.',
        '`curl $ROOT/range/v1/me/drills -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d \'{"name":"cut-connections","parameters":{"when":"middle"}}\'` starts it. `PLATE=LP-$RANDOM$RANDOM` makes up a number. Then `curl -i $ROOT/insurer/v1/policies -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -H "Idempotency-Key: my-first-try" -d \'{"regNumber":"\'$PLATE\'"}\'`. End the drill with `curl -X DELETE $ROOT/range/v1/me/drills/cut-connections -H "Authorization: Bearer $TOKEN"`, and send exactly the same again: the answer has `Idempotency-Replayed: true`.',
      ],
      sections: ['Endpoints, 4', 'Endpoints, rule 1', 'The range'],
      buildsOn: ['token-by-json'],
      remember:
        'After a cut connection you don’t know what was done. Repeat with the same `Idempotency-Key`, and you will know.',
      without:
        'The program sends the create again as a new one. Now there are two contracts, or a 409 that looks like a failure.',
      shortestWay: 2,
      way: [createPolicy],
      steps: [
        { title: 'Have the answer to a create cut, in such a way that you can repeat it', judge: cutInTheMiddle },
        { title: 'Repeat it, and get the answer of the first try', judge: createdOnce },
      ],
    },
    {
      id: 'unreadable-answer',
      title: 'Created, but what?',
      level: 3,
      goal: 'Switch the drill `bad-json` on, and create a policy: the body of the answer can’t be read. Find the policy without creating another one, and read it.',
      why: 'The status says what was done, even if the body is broken. A program that takes a broken body for a failure does the work twice.',
      hints: [
        'Is the status of the answer that of a success?',
        'The headers of the answer are whole. One of them says where the new policy is.',
        'curl -i shows Location. End the drill with `curl -X DELETE $ROOT/range/v1/me/drills/bad-json -H "Authorization: Bearer $TOKEN"`. Then `curl $LOCATION -H "Authorization: Bearer $TOKEN"`, where `LOCATION` is that address.',
      ],
      sections: ['Endpoints, 4', 'Endpoints, 6', 'The range'],
      buildsOn: ['token-by-json'],
      remember:
        'The status says whether it was done, even if the body is broken. `Location` says where the new thing is.',
      without:
        'The program takes a broken body for a failure and creates again. The customer gets two policies and two bills.',
      shortestWay: 2,
      way: [listPolicies, readPolicy, createPolicy],
      steps: [
        { title: 'Create a policy, and get an answer that can’t be read', judge: createdUnreadably },
        { title: 'Find that policy, and read it', judge: found },
      ],
    },
    {
      id: 'stream-cut',
      title: 'The stream that breaks',
      level: 3,
      goal: 'Switch the drill `cut-streams` on, and open a stream of events: it brings some, and is cut. Go on after the last event that you got, and receive what came after it.',
      why: 'Every connection ends some day, so a consumer of a stream needs a way back into it.',
      hints: [
        'Each event of a stream has an id. Keep the last one.',
        'A header takes it when you connect again: Last-Event-ID. Make sure that there is something new, for example by moving your clock on while a claim is open.',
        '`curl $ROOT/range/v1/me/drills -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d \'{"name":"cut-streams","parameters":{"seconds":3}}\'` starts it. `curl -N $ROOT/claims/v1/topics/claims.status-changed -H "Accept: text/event-stream" -H "Authorization: Bearer $TOKEN"` is cut after 3 s. Move your clock, then `curl -N $ROOT/claims/v1/topics/claims.status-changed -H "Accept: text/event-stream" -H "Last-Event-ID: $LAST_ID" -H "Authorization: Bearer $TOKEN"`, where `LAST_ID` is the last id that you got.',
      ],
      sections: ['Events, delivery rule 1', 'The range'],
      buildsOn: ['event-stream', 'events-resumed'],
      remember: 'Every stream breaks some day. Connect again with the last id that you got as `Last-Event-ID`.',
      without:
        'A router is restarted at night, and the consumer never comes back. In the morning a night of events is missing.',
      shortestWay: 4,
      way: [readTopic, registerClaim, createPolicy],
      steps: [
        { title: 'Have a stream cut when it has brought events', judge: cutWithEvents },
        { title: 'Go on after the last event, and receive what came after it', judge: goneOn },
      ],
    },
  ],
};
