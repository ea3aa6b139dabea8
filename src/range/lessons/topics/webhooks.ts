import { type Entry, jsonOf } from '../entry.ts';
import type { History } from '../history.ts';
import type { Topic, Verdict } from '../lesson.ts';

/*
 * Being called in place of asking: a receiver that checks who calls, answers in time, and gets over what comes late, twice
 * or not at all. All of it can be learnt with test events.
 */

const test = 'POST /claims/v1/subscriptions/:subscriptionId/test';
const redeliver = 'POST /claims/v1/subscriptions/:subscriptionId/deliveries/:number/redeliver';

/** Milliseconds in which a receiver should answer, and from which on it is late. */
const inTime = 1000;
const late = 5000;

/** Milliseconds from which on somebody meant to be late. */
const nearlyLate = 2000;

/** Milliseconds from which on a webhook-timestamp is old: as the libraries of Standard Webhooks have it. */
const old = 5 * 60 * 1000;

/** Different events that make it worth counting. */
const fewest = 3;

const isTaken = ({ status }: Entry) => status >= 200 && status < 300;

const milliseconds = ({ at, endedAt }: Entry) => endedAt - at;

const seconds = (entry: Entry) => (milliseconds(entry) / 1000).toFixed(1);

const isForged = ({ drills }: Entry) => drills.includes('forged-webhooks');

const isRepeat = ({ drills }: Entry) => drills.includes('repeat-webhooks');

/** Tells whether an entry is a delivery of the same subscription. */
const ofSame =
  ({ delivery }: Entry) =>
  (entry: Entry) =>
    entry.delivery?.subscriptionId === delivery?.subscriptionId;

/** Tells whether an entry asked for this delivery. */
const asksFor =
  ({ delivery }: Entry, what: string) =>
  ({ call, path, answer }: Entry) =>
    call === what && path.includes(`/${delivery?.subscriptionId}/`) && jsonOf(answer)?.eventId === delivery?.eventId;

/** Tells whether a forged call was refused. The drill sends one only after a real one that was taken. */
function refusal(entry: Entry, forgery: 'signature' | 'timestamp'): Verdict {
  if (!isForged(entry)) return false;
  const isOld = entry.at - Number(entry.sent.headers['webhook-timestamp']) * 1000 > old;
  if (isOld !== (forgery === 'timestamp')) return false;
  const { status } = entry;
  if (isTaken(entry)) return `The receiver took the forged call with ${status}: it did not check the ${forgery}.`;
  return status >= 400 && status < 500;
}

/** A real call that was refused as if it were forged. The drill sends nothing after it. */
function mistaken({ delivery, drills, status }: Entry): Verdict {
  if (!delivery || drills.length > 0 || (status !== 401 && status !== 403)) return false;
  return `The receiver refused the real call with ${status}, though it is signed with the secret of this subscription. Check the secret, and what you sign: webhook-id, webhook-timestamp and the body as it came, with dots between them.`;
}

/** A retry that was taken, of a delivery that had failed. */
function recovery(entry: Entry, history: History): Verdict {
  const { delivery } = entry;
  if (!delivery || !isTaken(entry)) return false;
  const isOfSame = ofSame(entry);
  const failed = history.last(
    (each) => isOfSame(each) && each.delivery?.eventId === delivery.eventId && !isTaken(each) && !isRepeat(each),
  );
  if (!failed) return false;
  if (!history.since(failed).some(asksFor(entry, redeliver))) return true;
  return 'You asked for the delivery again; here it is to come by itself.';
}

/** One in time, of a subscription that had a late one. */
function improvement(entry: Entry, history: History): Verdict {
  if (!entry.delivery || !isTaken(entry)) return false;
  const isOfSame = ofSame(entry);
  const lately = history.last((each) => isOfSame(each) && milliseconds(each) >= late);
  if (!lately) {
    if (milliseconds(entry) < nearlyLate || milliseconds(entry) >= late) return false;
    return `The receiver took ${seconds(entry)} s, which is not late yet. Let it answer after 6 s.`;
  }
  if (milliseconds(entry) < inTime) return true;
  if (milliseconds(entry) >= late || history.last(isOfSame) !== lately) return false;
  return `The receiver took ${seconds(entry)} s this time, and less than 1 s is asked for.`;
}

/** How many different events a subscription has taken that got some of them twice. */
function countedOnce(answer: unknown, history: History): { entry: Entry } | { advice: string } {
  const repeat = history.last(isRepeat);
  if (!repeat) {
    const advice =
      'No delivery came again yet. Start the drill repeat-webhooks; if it is on, have one more event delivered.';
    return { advice };
  }
  if (!isTaken(repeat)) {
    return {
      advice: 'Your receiver did not take the repeat with 2xx. To know an event already is no reason to refuse it.',
    };
  }
  const isOfSame = ofSame(repeat);
  const taken = history.all((each) => isOfSame(each) && isTaken(each) && !isForged(each));
  const different = new Set(taken.map(({ delivery }) => delivery?.eventId)).size;
  if (different < fewest) {
    return {
      advice: `Your subscription has taken fewer than ${fewest} different events. Ask for more, and count then.`,
    };
  }
  if (String(answer) === String(different)) return { entry: repeat };
  const advice =
    String(answer) === String(taken.length)
      ? 'That is how many calls came. Count each webhook-id once, however often it came.'
      : 'That is not the number. Count the different webhook-ids that your newest repeated subscription took, from its first event on.';
  return { advice };
}

export const webhooks: Topic = {
  id: 'webhooks',
  title: 'Webhooks',
  lessons: [
    {
      id: 'webhook-called',
      title: 'Be called',
      level: 2,
      goal: 'Write or start a small HTTP server that answers each POST with 204. Subscribe to the events of claims with its address, and ask for a test event: your server must take it.',
      why: 'A program that is called need not ask all day whether there is news, but has to run a server for it.',
      hints: [
        'The claims system has subscriptions. Once you have one, you can have a test event sent to it at any time.',
        'The guide at `/guides/events.md` has a receiver in TypeScript and one in Python, which you can save and start as they are, and says how (in L-Plate’s repository: examples/webhook-receiver.ts and examples/webhook_receiver.py). They need the secret, so subscribe first. Where L-Plate runs on your machine, `http://localhost:9000` is an address that it calls. If a call failed, later test events wait behind it, until you have that one delivered again.',
        '`curl $ROOT/claims/v1/subscriptions -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d \'{"url":"http://localhost:9000/claims"}\'` answers with an id and a secret. Then, with that id as `ID`: `curl -X POST $ROOT/claims/v1/subscriptions/$ID/test -H "Authorization: Bearer $TOKEN"`.',
      ],
      sections: ['Payload'],
      buildsOn: ['token-by-json'],
      steps: [
        {
          title: 'Be called',
          judge: (entry, history) =>
            entry.delivery !== undefined && isTaken(entry) && history.has(asksFor(entry, test)),
        },
      ],
    },
    {
      id: 'webhook-verified',
      title: 'Who is calling?',
      level: 2,
      goal: 'Have your receiver check the signature of each call, and answer 401 to what is not signed with the secret of your subscription. Then start the drill forged-webhooks and ask for a test event: the real call must be taken, and the forged one after it refused.',
      why: 'Whoever finds the address of a webhook can send it anything, and only the signature tells who it was.',
      hints: [
        'The calls follow the specification of Standard Webhooks, and most languages have a library for it.',
        'The signature is an HMAC-SHA256 of webhook-id, webhook-timestamp and the body as it came, with dots between them. The key is what follows `whsec_`, decoded from Base64. The result, in Base64, is what follows `v1,` in the header webhook-signature.',
        '`curl $ROOT/range/v1/me/drills -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d \'{"name":"forged-webhooks"}\'` starts the drill. The receivers of the guide at `/guides/events.md`, in TypeScript and in Python, check signatures, if you start them with the secret of your subscription.',
      ],
      sections: ['The range', 'RFC 2104'],
      buildsOn: ['webhook-called'],
      steps: [
        {
          title: 'Who is calling?',
          judge: (entry) => refusal(entry, 'signature') || mistaken(entry),
        },
      ],
    },
    {
      id: 'webhook-old',
      title: 'Yesterday’s call',
      level: 3,
      goal: 'A call that somebody recorded has the right signature for ever. Have your receiver refuse with 401 what was signed more than five minutes ago, then start the drill forged-webhooks with how set to old-timestamp, and ask for a test event.',
      why: 'A recorded call that is taken again is an attack that no signature stops.',
      hints: [
        'Each call says when it was signed, and the signature covers that, too.',
        'webhook-timestamp has seconds since 1970. Compare it with the clock of your server.',
        'With both times in seconds, `abs(now - timestamp) > 300` means 401. The body that starts the drill: `{"name":"forged-webhooks","parameters":{"how":"old-timestamp"}}`',
      ],
      sections: ['The range'],
      buildsOn: ['webhook-verified'],
      steps: [
        {
          title: 'Yesterday’s call',
          judge: (entry) => refusal(entry, 'timestamp'),
        },
      ],
    },
    {
      id: 'webhook-retried',
      title: 'Failed, and taken later',
      level: 2,
      goal: 'Let a delivery fail: answer it with 503, or stop your receiver. Then let L-Plate try again by itself, and take the event.',
      why: 'A receiver that refuses what it can’t store gets it again; one that says 204 too early may lose it.',
      hints: [
        'Stop your receiver, ask for a test event, and start the receiver again.',
        'The next attempt comes after 5 seconds, then after 30, then after two minutes. The list of deliveries of your subscription says when.',
        'If you don’t want to wait, move your clock: `curl $ROOT/range/v1/me/clock -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d \'{"advance":"PT30S"}\'`.',
      ],
      sections: ['Events, delivery rule 1', 'The range'],
      buildsOn: ['webhook-called'],
      steps: [
        {
          title: 'Failed, and taken later',
          judge: recovery,
        },
      ],
    },
    {
      id: 'webhook-in-time',
      title: 'Late, then in time',
      level: 3,
      goal: 'Make your receiver slow: let it answer a delivery only after 6 seconds, and see what your log (GET /range/v1/me/exchanges?kind=delivery) says of it. Then have it answer another one in less than a second.',
      why: 'A receiver that needs more than 15 seconds is called again while it still works, and does the work twice.',
      hints: [
        'To store the event is all that has to be done before the answer. A pause before it stands for too much work.',
        'In Node.js: `import { setTimeout } from "node:timers/promises";` and then `await setTimeout(6000);`; in Python: `time.sleep(6)`. Take it out again for the second delivery.',
        'Without a change to the program: pause it with Ctrl+Z, ask for a test event, count to seven, and let it go on with fg. Then ask for another one.',
      ],
      sections: ['Events, delivery rule 1', 'The range'],
      buildsOn: ['webhook-called'],
      steps: [
        {
          title: 'Late, then in time',
          judge: improvement,
        },
      ],
    },
    {
      id: 'webhook-redelivered',
      title: 'Once more, please',
      level: 2,
      goal: 'Suppose that your receiver took an event and lost it. Find its delivery in the list of your subscription, ask for it again, and take it.',
      why: 'After a mistake in your own program, to have the events sent again is quicker than to repair the data by hand.',
      hints: [
        'A subscription lists its deliveries, each with a number.',
        'One of the endpoints below a delivery is a POST without a body.',
        '`curl -X POST $ROOT/claims/v1/subscriptions/$ID/deliveries/1/redeliver -H "Authorization: Bearer $TOKEN"`, where `ID` is the id of the subscription and 1 the number of the delivery.',
      ],
      sections: ['Events, delivery rule 1'],
      buildsOn: ['webhook-called'],
      steps: [
        {
          title: 'Once more, please',
          judge(entry, history) {
            if (entry.delivery === undefined) return false;
            const asked = history.last(asksFor(entry, redeliver));
            const isSame = ({ delivery }: Entry) => delivery?.eventId === entry.delivery?.eventId;
            if (!asked || !history.before(asked).has((each) => isSame(each) && isTaken(each))) return false;
            if (isTaken(entry)) return true;
            return entry.status === 0
              ? 'The receiver did not answer the delivery that you asked for. Start it, and ask again.'
              : `The receiver answered ${entry.status} to the delivery that you asked for. Take it with 2xx.`;
          },
        },
      ],
    },
    {
      id: 'webhook-repeats',
      title: 'Twice is once',
      level: 3,
      goal: 'Make a new subscription, start the drill repeat-webhooks, and have at least three events delivered. Your receiver takes every call with 2xx, but processes each event once. Send the number of different events that it took.',
      why: 'A payment that is made twice because a call came twice is the classic among the mistakes of receivers.',
      hints: [
        'A header of the call is the same each time that one event comes.',
        'Keep each webhook-id that you have processed, and answer 204 at once if it comes again.',
        'Test events count as well. The receivers of the guide at `/guides/events.md` print each event once: start one for the new subscription, and count its lines below the first one.',
      ],
      sections: ['Events, delivery rule 1', 'Payload'],
      buildsOn: ['webhook-called'],
      steps: [],
      asks: {
        step: 'Twice is once',
        question: 'How many different webhook-ids did your receiver take from the new subscription, since you made it?',
        check: countedOnce,
      },
    },
  ],
};
