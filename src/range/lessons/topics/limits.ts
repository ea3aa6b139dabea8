import type { Entry } from '../entry.ts';
import type { History } from '../history.ts';
import type { Topic, Verdict } from '../lesson.ts';

/*
 * How many calls there may be, and how to live with that.
 */

const probe = 'GET /insurer/v1/limited/ping';

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

/** Seconds after which a call is no attempt to wait any more. */
const longestWait = 300;

/** Calls to be paced, and the milliseconds that they may take. */
const pacedCalls = 10;
const pacedWithin = 3 * 60_000;

/** Milliseconds between two calls from which on somebody meant to wait. */
const triedToWait = 5000;

/** The limit that a call counts against: the probe or an interface, and how many calls a minute it takes. Undefined for no limit. */
function limitOf({ call, path, answer }: Entry): string | undefined {
  const calls = answer.headers['ratelimit-limit'];
  return calls && `${call === probe ? call : path.split('/', 2)[1]} ${calls}`;
}

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

/** Explains the tenth call, if one was refused in between: it is not the tenth in a row. */
function interrupted(entry: Entry, history: History, before: readonly Entry[]): Verdict {
  const recent = row(entry, history, ({ at }) => entry.at - at <= pacedWithin);
  const accepted = recent.filter((each) => !isRefused(each));
  if (accepted.length + 1 !== pacedCalls) return false;
  return `A call was refused in between, so the count began anew after it: you have ${before.length + 1} in a row now.`;
}

const isRefused = ({ status }: Entry) => status === 429;

export const limits: Topic = {
  id: 'limits',
  title: 'Limits',
  lessons: [
    {
      id: 'retry-after',
      title: 'Wait as long as you are told',
      level: 2,
      goal: 'Call the probe, GET /limited/ping, until you are refused with 429. Read in the header Retry-After how many seconds to wait, and make the next call when they are over: not before, and at most 10 seconds later. Send your token, or begin the path with /for/ and your client_id, so that the calls count as yours.',
      why: 'A program that calls too early is refused again, and one that always waits a minute wastes most of it.',
      hints: [
        'The probe takes five calls a minute. Use them up at once, so that you have to wait for long, and stop as soon as one is refused.',
        'curl -i shows the headers. Begin each path with /for/ and your client_id, so that L-Plate knows whose call it is.',
        '`for i in 1 2 3 4 5 6; do curl -i $ROOT/for/$CLIENT_ID/insurer/v1/limited/ping; done`. Then, with the Retry-After of the last answer as `SECONDS_TO_WAIT`: `sleep $SECONDS_TO_WAIT; curl -i $ROOT/for/$CLIENT_ID/insurer/v1/limited/ping`.',
      ],
      sections: ['Limits, Probe rate', 'Limits, General rate', 'Endpoints, 9', 'Endpoints, rule 6', 'Errors, 1'],
      buildsOn: ['coverage-options'],
      steps: [
        {
          title: 'Wait as long as you are told',
          judge(entry, history) {
            const refusals = row(entry, history, isRefused);
            const [refused] = refusals;
            if (!refused) return false;
            const asked = Number(refused.answer.headers['retry-after']);
            const waited = (entry.at - refused.endedAt) / 1000;
            if (waited < asked - grace) {
              return waited >= leastWaited && `You waited ${Math.floor(waited)} s, ${asked} were asked for.`;
            }
            if (!(asked >= leastAsked)) {
              const hasWaited = waited <= asked + maxLonger && !isRefused(entry);
              return (
                hasWaited &&
                `Only ${asked} s were asked for, which is too short to count. Use up your calls at once and wait for the long one.`
              );
            }
            if (waited > longestWait) return false;
            if (waited > asked + maxLonger) return `You waited ${Math.round(waited)} s, ${asked} were asked for.`;
            // Others may call from the same address.
            if (isRefused(entry)) return false;
            if (refused.at - (refusals.at(-1) as Entry).at <= burst * 1000) return true;
            return `You were refused ${refusals.length} times before you waited long enough. Be refused, and wait at once.`;
          },
        },
      ],
    },
    {
      id: 'paced-calls',
      title: 'Ten calls, none refused',
      level: 2,
      goal: 'Call the probe, GET /limited/ping, ten times within three minutes, so that none of the ten is refused. It takes only five calls in any minute: let the RateLimit- headers of each answer say when the next call can be made. Send your token, so that the calls count as yours.',
      why: 'A program that looks at what it has left never needs to be refused, so its work has no gaps and no repeated calls.',
      hints: [
        'RateLimit-Remaining is how many calls you have left now, RateLimit-Reset in how many seconds there will be one more.',
        'While calls remain, call. When none does, wait for RateLimit-Reset seconds first. A refused call begins the count anew.',
        'Do others share your address and take your calls? Give yourself a limit of your own: `POST /range/v1/me/drills` with `{"name":"small-rate-limit","parameters":{"limit":5},"minutes":5}`, and call `GET /policies` ten times in the same way, with the same waits.',
      ],
      sections: ['Limits, Probe rate', 'Limits, General rate', 'Endpoints, 9'],
      buildsOn: ['retry-after'],
      steps: [
        {
          title: 'Ten calls, none refused',
          judge(entry, history) {
            const perMinute = Number(entry.answer.headers['ratelimit-limit']);
            if (!(perMinute < pacedCalls)) return false;
            const isRecent = ({ at }: Entry) => entry.at - at <= pacedWithin;
            const before = row(entry, history, (each) => !isRefused(each) && isRecent(each));
            if (!isRefused(entry)) return before.length + 1 >= pacedCalls || interrupted(entry, history, before);
            // Who never waited did not pace.
            const [latest] = before;
            if (!latest || (before.length <= perMinute && entry.at - latest.endedAt < triedToWait)) return false;
            return `The call after ${before.length} in a row was refused. When RateLimit-Remaining is 0, wait for RateLimit-Reset seconds.`;
          },
        },
      ],
    },
  ],
};
