import { type Entry, jsonOf } from '../entry.ts';
import type { History } from '../history.ts';
import type { Topic } from '../lesson.ts';
import { bringsNews, isRead, positionOf, readBefore } from '../topic-reads.ts';

/*
 * What goes wrong between a client and a service, switched on by drills, and how a client gets over it.
 */

const create = 'POST /insurer/v1/policies';
const read = 'GET /insurer/v1/policies/:policyId';

/** Milliseconds by which a pause may be short, since timers and the log are rounded. */
const tolerance = 50;

/** By how much a pause must be longer than the one before. */
const growth = 1.1;

/** Milliseconds after which one may ask a proxy again. */
const moment = 1000;

/** Milliseconds that a caller may wait for a late answer. */
const patience = 10_000;

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

/** The tries of the same call that were refused with 503, one after the other, right before `entry`. */
function refusedTries(entry: Entry, history: History): Entry[] {
  const same = history.all((each) => isSame(each, entry));
  return same.slice(same.findLastIndex(({ status }) => status !== 503) + 1);
}

function retried(entry: Entry, history: History): boolean | string {
  const tries = refusedTries(entry, history);
  if (tries.length < 3) return false;
  const pauses = tries.map(({ endedAt }, at) => (tries[at + 1] ?? entry).at - endedAt);
  for (const [at, pause] of pauses.entries()) {
    const asked = Number(tries[at]?.answer.headers['retry-after'] ?? 0) * 1000;
    if (pause < asked - tolerance) return `You waited ${seconds(pause)}, and Retry-After asked for ${asked / 1000} s.`;
    const before = pauses[at - 1] ?? 0;
    if (pause < before * growth) {
      return `You waited ${seconds(before)} and then ${seconds(pause)}. Let each pause be clearly longer than the one before, for example by half.`;
    }
  }
  return true;
}

function createdOnce(entry: Entry, history: History): boolean | string {
  const key = entry.sent.headers['idempotency-key'];
  const cut = history.last(({ call, end, sent }) => call === create && end === 'cut' && sent.text === entry.sent.text);
  if (!cut || entry.end !== 'answered') return false;
  if (key === undefined || cut.sent.headers['idempotency-key'] !== key) {
    if (cut.sent.headers['idempotency-key'] === undefined) {
      return 'The create that was cut had no Idempotency-Key, so no repeat of it is safe. Send one with the first try.';
    }
    return 'The create was cut, and you repeated it without the Idempotency-Key of the first try: if it had been done, the two could not be told apart.';
  }
  if (entry.answer.headers['idempotency-replayed'] === 'true') return true;
  return entry.status === 201
    ? 'The create that was cut had not been done, so this one was the first. Let the drill cut in the middle.'
    : false;
}

export const faults: Topic = {
  id: 'faults',
  title: 'When things break',
  lessons: [
    {
      id: 'retry-unavailable',
      title: 'Patience that grows',
      level: 3,
      goal: 'Switch the drill unavailable on, and have a call refused at least three times in a row with 503. Repeat it with pauses that grow clearly, none shorter than Retry-After, until it succeeds.',
      why: 'When a service comes back, thousands of clients that ask every second would bring it down again.',
      hints: [
        '`POST /range/v1/me/drills` starts a drill, `DELETE /range/v1/me/drills/{name}` ends it.',
        'Each pause is longer than the one before, for example by half. The first is as long as Retry-After says.',
        '`curl $ROOT/range/v1/me/drills -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d \'{"name":"unavailable","parameters":{"retryAfter":1}}\'` starts it. `curl -i $ROOT/claims/v1/claims -H "Authorization: Bearer $TOKEN"`, wait 1 s, call, wait 2 s, call, wait 4 s, end the drill with `curl -X DELETE $ROOT/range/v1/me/drills/unavailable -H "Authorization: Bearer $TOKEN"`, call.',
      ],
      sections: ['Errors, 1', 'The range'],
      buildsOn: ['token-by-json'],
      steps: [
        {
          title: 'Patience that grows',
          judge: (entry, history) => succeeded(entry) && retried(entry, history),
        },
      ],
    },
    {
      id: 'late-answer',
      title: 'The answer does not come',
      level: 3,
      goal: 'Switch the drill delay on with 20 seconds. List your policies or claims, give up after a few seconds, and get the list with the same call after the drill has ended.',
      why: 'A program without a timeout waits for ever, and so do all who wait for it.',
      hints: [
        'Every client for HTTP has a timeout; many have none unless you set it.',
        'The drill takes fromMs, in milliseconds. curl has -m with seconds.',
        '`curl $ROOT/range/v1/me/drills -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d \'{"name":"delay","parameters":{"fromMs":20000}}\'` starts it. Then `curl -m 3 $ROOT/claims/v1/claims -H "Authorization: Bearer $TOKEN"`. End the drill with `curl -X DELETE $ROOT/range/v1/me/drills/delay -H "Authorization: Bearer $TOKEN"`, and send the same call again.',
      ],
      sections: ['The range'],
      buildsOn: ['token-by-json'],
      steps: [
        {
          title: 'The answer does not come',
          judge(entry, history) {
            if (!entry.call.startsWith('GET ') || !succeeded(entry)) return false;
            if (entry.drills.includes('delay') && entry.endedAt - entry.at > patience) {
              return `You waited ${seconds(entry.endedAt - entry.at)} for the answer. Hang up after a few seconds, and try again.`;
            }
            const hungUp = ({ end, drills, at, endedAt }: Entry) =>
              end === 'cut' && drills.includes('delay') && endedAt - at <= patience;
            return failedTry(entry, history, hungUp) !== undefined;
          },
        },
      ],
    },
    {
      id: 'retry-html',
      title: 'HTML in place of JSON',
      level: 3,
      goal: 'Switch the drill html-from-a-proxy on, so that a call is answered by a page in HTML. Make the same call again, a second later or more, until it succeeds.',
      why: 'Between you and a service are proxies that know nothing of its descriptions, and a program that parses their pages as JSON falls over.',
      hints: [
        'Look at the status and at Content-Type before you parse a body.',
        '502 says that a proxy got no answer. That is often over soon, so wait a moment, and then ask again.',
        '`curl $ROOT/range/v1/me/drills -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d \'{"name":"html-from-a-proxy"}\'` starts it. Then `curl -i $ROOT/claims/v1/claims -H "Authorization: Bearer $TOKEN"`. End the drill with `curl -X DELETE $ROOT/range/v1/me/drills/html-from-a-proxy -H "Authorization: Bearer $TOKEN"`, wait a second, and send the same call again.',
      ],
      sections: ['Errors, 1', 'The range'],
      buildsOn: ['retry-unavailable'],
      steps: [
        {
          title: 'HTML in place of JSON',
          judge(entry, history) {
            if (!succeeded(entry)) return false;
            const before = failedTry(entry, history, ({ status }) => status === 502);
            if (!before) return false;
            const pause = entry.at - before.endedAt;
            if (pause >= moment - tolerance) return true;
            return `You asked again after ${seconds(pause)}. A proxy that lost its server needs a moment: wait a second or more.`;
          },
        },
      ],
    },
    {
      id: 'retry-cut',
      title: 'Cut, and still one policy',
      level: 3,
      goal: 'Switch the drill cut-connections on, in the middle of answers, and create a policy. Its answer is cut, so repeat the create in such a way that there is one policy in the end, and get the answer of the first try.',
      why: 'When a connection breaks, you can’t know whether the work was done; only a request that is safe to repeat gets you out.',
      hints: [
        'A header of the request tells the service that two requests are the same one.',
        'Idempotency-Key: any text of your own, the same on both tries. The drill must be over for the second one.',
        '`curl $ROOT/range/v1/me/drills -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d \'{"name":"cut-connections","parameters":{"when":"middle"}}\'` starts it. `PLATE=LP-$RANDOM$RANDOM` makes up a number. Then `curl -i $ROOT/insurer/v1/policies -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -H "Idempotency-Key: my-first-try" -d \'{"regNumber":"\'$PLATE\'"}\'`. End the drill with `curl -X DELETE $ROOT/range/v1/me/drills/cut-connections -H "Authorization: Bearer $TOKEN"`, and send exactly the same again: the answer has `Idempotency-Replayed: true`.',
      ],
      sections: ['Endpoints, 4', 'Endpoints, rule 1', 'The range'],
      buildsOn: ['token-by-json'],
      steps: [
        {
          title: 'Cut, and still one policy',
          judge: (entry, history) => entry.call === create && createdOnce(entry, history),
        },
      ],
    },
    {
      id: 'unreadable-answer',
      title: 'Created, but what?',
      level: 3,
      goal: 'Switch the drill bad-json on, and create a policy: the body of the answer can’t be read. Find the policy all the same, without creating another one, and read it.',
      why: 'A status says what was done, also when the body is broken; whoever takes a broken body for a failure does the work twice.',
      hints: [
        'Is the status of the answer that of a success?',
        'The headers of the answer are whole. One of them says where the new policy is.',
        'curl -i shows Location. End the drill with `curl -X DELETE $ROOT/range/v1/me/drills/bad-json -H "Authorization: Bearer $TOKEN"`. Then `curl $LOCATION -H "Authorization: Bearer $TOKEN"`, where `LOCATION` is that address.',
      ],
      sections: ['Endpoints, 4', 'Endpoints, 6', 'The range'],
      buildsOn: ['token-by-json'],
      steps: [
        {
          title: 'Created, but what?',
          judge(entry, history) {
            const isBroken = ({ status, drills }: Entry) => status === 201 && drills.includes('bad-json');
            if (entry.call === read) {
              const found = (each: Entry) =>
                isBroken(each) && each.answer.headers.location?.endsWith(entry.path) === true;
              return jsonOf(entry.answer)?.id !== undefined && history.has(found);
            }
            if (entry.call !== create || entry.status !== 409) return false;
            if (!history.has((each) => isBroken(each) && each.sent.text === entry.sent.text)) return false;
            return 'The policy was there already: the status of the first try was 201, and its Location says where it is.';
          },
        },
      ],
    },
    {
      id: 'stream-cut',
      title: 'The stream that breaks',
      level: 3,
      goal: 'Switch the drill cut-streams on, and open a stream of events. When it is cut, having brought some events, go on after the last one, and receive what came after it.',
      why: 'No connection lasts: a consumer of a stream is only as good as its way back into it.',
      hints: [
        'Each event of a stream has an id. Keep the last one.',
        'A header takes it when you connect again: Last-Event-ID. Make sure that there is something new, for example by moving your clock on while a claim is open.',
        '`curl $ROOT/range/v1/me/drills -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d \'{"name":"cut-streams","parameters":{"seconds":3}}\'` starts it. `curl -N $ROOT/claims/v1/topics/claims.status-changed -H "Accept: text/event-stream" -H "Authorization: Bearer $TOKEN"` is cut after 3 s. Move your clock, then `curl -N $ROOT/claims/v1/topics/claims.status-changed -H "Accept: text/event-stream" -H "Last-Event-ID: $LAST_ID" -H "Authorization: Bearer $TOKEN"`, where `LAST_ID` is the last id that you got.',
      ],
      sections: ['Events, delivery rule 1', 'The range'],
      buildsOn: ['event-stream', 'events-resumed'],
      steps: [
        {
          title: 'The stream that breaks',
          judge(entry, history) {
            if (!isRead(entry)) return false;
            const wasCut = (each: Entry | undefined) => each?.stream?.end === 'drill' && each.events.length > 0;
            const before = readBefore(entry, history);
            if (before) return wasCut(before) && bringsNews(entry, before);
            if (!wasCut(history.last(isRead))) return false;
            const position = positionOf(entry);
            return position === undefined || position === 'earliest' || position === 'latest'
              ? `You began at ${position ?? 'earliest'} again after the cut. The last id that you got, as Last-Event-ID, goes on where it was.`
              : false;
          },
        },
      ],
    },
  ],
};
