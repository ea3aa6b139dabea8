import { ping } from '../calls.ts';
import { type Entry, shownPath } from '../entry.ts';
import type { History } from '../history.ts';
import type { LessonTopic, Verdict } from '../lesson.ts';

/*
 * How many calls there may be, and how to live with that.
 */

/** Seconds that a timer may be too early. */
const grace = 0.1;

/** Seconds that a wait may be longer than asked for: somebody types. */
const maxLonger = 10;

/** Seconds that have to be asked for: a shorter wait happens by chance. */
const leastAsked = 5;

/** Seconds from which on a call after a refusal is one that somebody waited with: those of a loop come at once. */
const leastWaited = 1;

/** Seconds in which several refusals count as one: somebody who provokes them is not at once aware of the first. */
const burst = 5;

/** Calls to be paced, and the milliseconds that they may take. */
const pacedCalls = 10;
const pacedWithin = 3 * 60_000;

/** The limit that a call counts against: the probe or an interface, and how many calls a minute it takes. Undefined for no limit. */
function limitOf({ call, path, answer }: Entry): string | undefined {
  const calls = answer.headers['ratelimit-limit'];
  return calls && `${call === ping ? call : path.split('/', 2)[1]} ${calls}`;
}

const limitPerMinute = ({ answer }: Entry) => Number(answer.headers['ratelimit-limit']);

/** Tells whether few calls are allowed: by the probe, or where somebody gave himself a limit. The general limit is met by chance. */
const isScarce = (entry: Entry) => entry.call === ping || limitPerMinute(entry) < pacedCalls;

/** The latest calls in a row with the limit of `entry` that fit, newest first. */
function row(entry: Entry, history: History, fits: (entry: Entry) => boolean): Entry[] {
  const limit = limitOf(entry);
  const found: Entry[] = [];
  for (let left = history; ; ) {
    const latest = left.last((each) => limitOf(each) === limit);
    if (!latest || !fits(latest)) return found;
    found.push(latest);
    left = left.before(latest);
  }
}

/** Judges the first call after a refusal: whether it came when it was to. */
function waited(entry: Entry, history: History): Verdict {
  const refusals = row(entry, history, isRefused);
  const [refused] = refusals;
  if (!refused) return false;
  const asked = Number(refused.answer.headers['retry-after']);
  const seconds = (entry.at - refused.endedAt) / 1000;
  const since = (entry.at - (refusals.at(-1) as Entry).at) / 1000;
  const inWords = `You waited ${Math.floor(seconds)} s, ${asked} were asked for.`;
  if (seconds < asked - grace) {
    if (since > burst) return { beginAgain: `${inWords} ${again}` };
    if (seconds >= leastWaited) return `${inWords} The last refusal says how long to wait now.`;
    // The others of a loop have been told.
    return refusals.length === 1 && 'You were refused, and called again at once. Stop at the first refusal, and wait.';
  }
  if (!(asked >= leastAsked)) {
    const hasWaited = seconds <= asked + maxLonger && !isRefused(entry);
    if (!hasWaited) return false;
    return `Retry-After was only ${asked} s, which is too short for this lesson. Use up your calls at once, so that you have to wait longer.`;
  }
  if (seconds > asked + maxLonger)
    return { beginAgain: `${inWords} More than ${maxLonger} s longer is too late. ${again}` };
  if (isRefused(entry)) {
    return {
      beginAgain: `You waited long enough, but calls that don’t count as yours had used up the limit. ${again}`,
    };
  }
  if (refused.at - (refusals.at(-1) as Entry).at <= burst * 1000) return true;
  return { beginAgain: `You were refused ${refusals.length} times before you waited long enough. ${again}` };
}

const again = 'Begin again: call the probe until it accepts a call and then refuses one, and wait.';

/** Explains a call for which somebody waited as asked, but which counts against another limit. */
function elsewhere(entry: Entry, history: History): Verdict {
  const refused = history.last(() => true);
  if (!refused || !isRefused(refused) || !isScarce(refused)) return false;
  const asked = Number(refused.answer.headers['retry-after']);
  const seconds = (entry.at - refused.endedAt) / 1000;
  const isOther = entry.call.startsWith('GET /insurer/') && entry.path !== refused.path;
  const isInTime = asked >= leastAsked && seconds >= asked - grace && seconds <= asked + maxLonger;
  if (!isOther || !isInTime) return false;
  return `You waited as long as asked, but for another call. Make the one that was refused: ${shownPath(refused.path)}.`;
}

/** Tells whether a call was refused, with so long a wait that it counts, and not long after others were. */
function isRefusedAnew(entry: Entry, history: History): boolean {
  if (!isRefused(entry) || !(Number(entry.answer.headers['retry-after']) >= leastAsked)) return false;
  const first = row(entry, history, isRefused).at(-1);
  return !first || entry.at - first.at <= burst * 1000;
}

/** How many calls there are in a row with this one, none refused, within the time for ten. Undefined where many are allowed. */
function inRow(entry: Entry, history: History): readonly Entry[] | undefined {
  if (!(limitPerMinute(entry) < pacedCalls)) return undefined;
  return row(entry, history, (each) => !isRefused(each) && entry.at - each.at <= pacedWithin);
}

/** Explains the tenth call, if one was refused in between, or the ten took too long. */
function notYet(entry: Entry, history: History, before: readonly Entry[]): Verdict {
  if (row(entry, history, (each) => !isRefused(each)).length + 1 >= pacedCalls)
    return `Ten calls in a row were not refused, but they took too long: ${before.length + 1} of them were within three minutes.`;
  const recent = row(entry, history, ({ at }) => entry.at - at <= pacedWithin);
  const accepted = recent.filter((each) => !isRefused(each));
  if (accepted.length + 1 !== pacedCalls) return false;
  return `A call was refused in between, so the count began again after it: this call is number ${before.length + 1}.`;
}

/** Judges the calls of somebody who is not to be refused. */
function paced(entry: Entry, history: History): Verdict {
  const before = inRow(entry, history);
  if (!before) return false;
  if (!isRefused(entry)) return before.length + 1 >= pacedCalls || notYet(entry, history, before);
  if (before.length === 0) return false;
  const beginAgain = `The call after ${before.length} in a row was refused. When RateLimit-Remaining is 0, wait for RateLimit-Reset seconds. Begin again: the next call that is accepted is the first one.`;
  return { beginAgain };
}

const isRefused = ({ status }: Entry) => status === 429;

export const limits: LessonTopic = {
  id: 'limits',
  title: 'Limits',
  lessons: [
    {
      id: 'retry-after',
      title: 'Wait as long as you are told',
      level: 2,
      goal: 'Call the probe, GET /insurer/v1/limited/ping, until you are refused with 429. Read in the header `Retry-After` how many seconds to wait, and make the next call when they are over: not before, and at most 10 seconds later. Begin the path with /for/ and your `client_id`, so that the call counts as yours.',
      why: 'A program that calls too early is refused again, and one that always waits a minute wastes most of that minute.',
      hints: [
        'The probe takes five calls a minute. Use them up at once, so that you have to wait for long, and stop as soon as one is refused.',
        'curl -i shows the headers. The next call after the refusal is the one that counts, so make none in between.',
        '`for i in 1 2 3 4 5 6; do curl -i $ROOT/for/$CLIENT_ID/insurer/v1/limited/ping; done`. Then, with the Retry-After of the last answer as `SECONDS_TO_WAIT`: `sleep $SECONDS_TO_WAIT; curl -i $ROOT/for/$CLIENT_ID/insurer/v1/limited/ping`.',
      ],
      sections: ['Limits, Probe rate', 'Limits, General rate', 'Endpoints, 9', 'Endpoints, rule 6', 'Errors, 1'],
      buildsOn: ['coverage-options'],
      remember: '429 means: too many calls. `Retry-After` says how many seconds to wait.',
      without:
        'The program calls on and is refused each time, so its partner blocks it. Or it always waits far too long, and the night is over before the work is done.',
      shortestWay: 3,
      way: [ping, `${ping} 429`],
      needsNoToken: true,
      steps: [
        {
          title: 'Call the probe until you are refused with 429',
          judge: (entry, history) => isScarce(entry) && isRefusedAnew(entry, history),
        },
        {
          title: 'Make the next call when Retry-After is over',
          judge: (entry, history) => (isScarce(entry) ? waited(entry, history) : elsewhere(entry, history)),
        },
      ],
    },
    {
      id: 'paced-calls',
      title: 'Ten calls, none refused',
      level: 2,
      goal: 'Call the probe, GET /insurer/v1/limited/ping, ten times within three minutes, so that none of the ten is refused. It takes only five calls in any minute: the `RateLimit-` headers of each answer say when you can make the next one. Begin the path with /for/ and your `client_id`, so that the call counts as yours.',
      why: 'A program that looks at what it has left never needs to be refused, so its work has no gaps and no repeated calls.',
      hints: [
        'RateLimit-Remaining is how many calls you have left now, RateLimit-Reset in how many seconds there will be one more.',
        'While calls remain, call. When none does, wait for RateLimit-Reset seconds first. After a refused call the count begins again.',
        'Do others share your address and take your calls? Give yourself a limit of your own: `POST /range/v1/me/drills` with `{"name":"small-rate-limit","parameters":{"limit":5},"minutes":5}`, and call `GET /policies` ten times in the same way, with the same waits.',
      ],
      sections: ['Limits, Probe rate', 'Limits, General rate', 'Endpoints, 9'],
      buildsOn: ['retry-after'],
      remember:
        '`RateLimit-Remaining` says how many calls are left, `RateLimit-Reset` when there are more. Wait before you are refused.',
      without: 'A nightly job uses up the limit in a minute. The people at the counter then get 429, too.',
      shortestWay: 10,
      way: [ping, `${ping} 429`],
      needsNoToken: true,
      steps: [
        {
          title: 'Make more calls than one minute takes, none of them refused',
          judge(entry, history) {
            const before = inRow(entry, history);
            return before !== undefined && !isRefused(entry) && before.length >= limitPerMinute(entry);
          },
        },
        { title: 'Make ten calls in a row within three minutes, none of them refused', judge: paced },
      ],
    },
  ],
};
