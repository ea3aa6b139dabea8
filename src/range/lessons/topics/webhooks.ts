import { traceOf } from '../../../text/trace-context.ts';
import {
  callReceiver,
  createPolicy,
  enable,
  listDeliveries,
  redeliver,
  registerClaim,
  renewSecret,
  sendTest,
  subscribe,
  unsubscribe,
} from '../calls.ts';
import { type Entry, jsonOf } from '../entry.ts';
import type { History } from '../history.ts';
import { type LessonTopic, plainAnswer, type Question, type Step, textOf, type Verdict } from '../lesson.ts';

/*
 * Being called in place of asking: a receiver that checks who calls, answers in time, and gets over what comes late, twice
 * or not at all. All of it can be learnt with test events.
 */

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

const isDelivery = ({ delivery }: Entry) => delivery !== undefined;

/** What a receiver did that gave no answer. */
const failureOf = ({ delivery }: Entry) => delivery?.error ?? 'did not answer';

/** What the receiver did with a delivery that it did not take. */
const outcomeOf = (entry: Entry) => `it ${entry.status === 0 ? failureOf(entry) : `answered ${entry.status}`}`;

const milliseconds = ({ at, endedAt }: Entry) => endedAt - at;

const seconds = (entry: Entry) => (milliseconds(entry) / 1000).toFixed(1);

const isForged = ({ drills }: Entry) => drills.includes('forged-webhooks');

const isRepeat = ({ drills }: Entry) => drills.includes('repeat-webhooks');

/** Explains an inbox in the place of a receiver. */
const byInbox = ({ call, status, sent, delivery }: Entry): string | false =>
  (delivery?.via === 'inbox' || (call === subscribe && status === 201 && jsonOf(sent)?.via === 'inbox')) &&
  'An inbox takes the calls of this subscription, which checks nothing and is never late. Subscribe with the url of a server of yours.';

/** Judges nothing that an inbox did. */
const byServer =
  (judge: Step['judge']): Step['judge'] =>
  (entry, history) =>
    byInbox(entry) || judge(entry, history);

/** Tells whether an entry is a delivery of the same subscription. */
const ofSame =
  ({ delivery }: Entry) =>
  (entry: Entry) =>
    entry.delivery?.subscriptionId === delivery?.subscriptionId;

/** Tells whether a call is about the subscription of a delivery. */
const isAbout = ({ path }: Entry, { delivery }: Entry) =>
  delivery !== undefined && path.split('/').includes(delivery.subscriptionId);

/** Tells whether an entry asked for this delivery. */
const asksFor = (delivered: Entry, what: string) => (entry: Entry) =>
  entry.call === what && isAbout(entry, delivered) && jsonOf(entry.answer)?.eventId === delivered.delivery?.eventId;

const hasFailed = (entry: Entry) => isDelivery(entry) && !isTaken(entry) && !isRepeat(entry) && !isForged(entry);

/** A delivery that failed, and was not taken since. */
function openFailure(history: History, fits = isDelivery): Entry | undefined {
  const failed = history.last((each) => hasFailed(each) && fits(each));
  return failed && !history.since(failed).some(tookEvent(failed.delivery?.eventId)) ? failed : undefined;
}

/** Says, too, what holds back a new test event, where the one before failed. */
const orWaiting =
  (judge: Step['judge']): Step['judge'] =>
  (entry, history) =>
    judge(entry, history) || waitsBehind(entry, history);

function waitsBehind(entry: Entry, history: History): Verdict {
  if (entry.call !== sendTest || jsonOf(entry.answer)?.status !== 'waiting') return false;
  const { claimId } = jsonOf(entry.answer);
  const isBefore = (each: Entry) => isAbout(entry, each) && each.events.some((event) => event.claimId === claimId);
  if (openFailure(history, isBefore) === undefined) return false;
  return 'This test event waits behind one that your receiver did not take. That one comes first: by itself, or once you ask for it again.';
}

/** Tells whether there is nothing at an address, or not for this method, by its last part and what stands before that. */
function isNoCall({ path, problem }: Entry, before: RegExp, last: RegExp): boolean {
  const at = path.lastIndexOf('/') + 1;
  const isNone = problem === 'not-found' || problem === 'method-not-allowed';
  return isNone && before.test(path.slice(0, at)) && last.test(path.slice(at));
}

const ofSubscription = /\/subscriptions\//i;

const notTheCall = (aim: string) => `That is not the call to ${aim}. The description of the claims system has it.`;

const isUnknown = ({ problem }: Entry) => problem === 'subscription-not-found';

const noSubscription = 'You have no subscription with this id. The list of your subscriptions has the ids.';

/** A test event, asked for by the learner. */
function called(entry: Entry, history: History): Verdict {
  if (/^(?:POST|PUT|PATCH) /.test(entry.call) && isNoCall(entry, /\/$/, /subscri|hook|callback/i))
    return notTheCall('subscribe');
  if (isNoCall(entry, ofSubscription, /\b(?:test|ping)/i)) return notTheCall('ask for a test event');
  if (entry.call === sendTest && isUnknown(entry)) return noSubscription;
  if (entry.call === subscribe && [400, 415].includes(entry.status))
    return 'This made no subscription: the answer says why.';
  if (!isDelivery(entry)) return false;
  if (history.has(asksFor(entry, sendTest))) {
    if (isTaken(entry)) return true;
    return `L-Plate called your address with the test event, and ${outcomeOf(entry)}. Let a server take it there with 2xx.`;
  }
  if (!isTaken(entry) || history.has(isDelivery)) return false;
  return 'Your server took an event, but no call of yours asked for it. Now ask for a test event.';
}

const isOld = ({ at, sent }: Entry) => at - Number(sent.headers['webhook-timestamp']) * 1000 > old;

const isRefused = ({ status }: Entry) => status >= 400 && status < 500;

/** Tells whether a forged call was refused. The drill sends one only after a real one that was taken. */
function refusal(entry: Entry, forgery: 'signature' | 'timestamp'): Verdict {
  if (isTaken(entry)) return `The receiver took the forged call with ${entry.status}: it did not check the ${forgery}.`;
  if (isRefused(entry)) return true;
  return `The receiver did not take the forged call, but it did not refuse it either: ${outcomeOf(entry)}. A refusal says with 4xx that the caller is at fault.`;
}

/** Tells whether it is a delivery that no drill made. */
const isReal = (entry: Entry) => isDelivery(entry) && entry.drills.length === 0;

const isMistaken = (entry: Entry) => isReal(entry) && (entry.status === 401 || entry.status === 403);

/** A real call. The log does not tell whether the drill is on. */
function realCall(entry: Entry, history: History): Verdict {
  if (!isReal(entry)) return false;
  if (!isTaken(entry))
    return `The receiver did not take the real call: ${outcomeOf(entry)}. A forged one follows only if it takes it with 2xx.`;
  const before = history.last(ofSame(entry));
  if (!before || isForged(before)) return false;
  return isReal(before) && isTaken(before)
    ? 'The receiver took two real calls in a row, and no forged one came between them. Is the drill on?'
    : 'The receiver took the real call. If no forged one follows, start the drill.';
}

/** A call with a wrong signature that was refused, and a real one that was not. The drill sends nothing after that. */
function verified(entry: Entry): Verdict {
  if (isMistaken(entry))
    return `The receiver refused the real call with ${entry.status}, though it is signed with the secret of this subscription. It has to take such a call.`;
  if (!isForged(entry)) return false;
  if (!isOld(entry)) return refusal(entry, 'signature');
  return 'The signature of this forged call is right: only its time is too old. Start the drill so that it forges signatures.';
}

/** The same with one that is too old. */
function ageChecked(entry: Entry): Verdict {
  if (isForged(entry) && isOld(entry)) return refusal(entry, 'timestamp');
  if (isMistaken(entry))
    return `The receiver refused the real call with ${entry.status}, though it is new. Look at what you compare its time with, and in which unit.`;
  if (!isForged(entry)) return false;
  return 'This forged call is not too old: its signature is wrong. Start the drill so that it sends old calls.';
}

/** A call with which somebody does not wait for the next attempt. */
function impatience(entry: Entry, history: History): Verdict {
  const { call, status } = entry;
  if ((call !== sendTest && call !== unsubscribe) || status >= 300) return false;
  const failed = openFailure(history);
  if (!failed || !isAbout(entry, failed)) return false;
  if (call === unsubscribe)
    return { beginAgain: 'You deleted the subscription whose delivery failed. Begin again: let another one fail.' };
  return 'You asked for a new event. The one that failed comes again by itself: the list of deliveries says when.';
}

/** A retry that was taken, of a delivery that had failed. */
function recovery(entry: Entry, history: History): Verdict {
  const { delivery } = entry;
  if (!delivery) return impatience(entry, history);
  const isOfSame = ofSame(entry);
  const isSameEvent = (each: Entry) => isOfSame(each) && each.delivery?.eventId === delivery.eventId;
  const failed = history.last((each) => isSameEvent(each) && hasFailed(each));
  if (!failed) return isTaken(entry) && recoveryOfAnother(entry, history);
  const wasAskedFor = history.since(failed).some(asksFor(entry, redeliver));
  const isEnabling = (each: Entry) => each.call === enable && isAbout(each, entry);
  if (isTaken(entry) && history.since(failed).some(isEnabling))
    return 'You enabled the subscription yourself, so the event came. Let another one fail, and wait until it comes by itself.';
  if (isTaken(entry) && !wasAskedFor) return true;
  if (wasAskedFor) return 'You asked for the delivery again. In this lesson it has to come by itself.';
  return `L-Plate tried again, and the receiver did not take it: ${outcomeOf(entry)}. Let it take the next attempt, which comes later.`;
}

/** An event that was taken while another one waits for its next attempt. */
function recoveryOfAnother(entry: Entry, history: History): Verdict {
  const isOfSame = ofSame(entry);
  const failed = history.last((each) => isOfSame(each) && hasFailed(each));
  if (!failed || isForged(entry) || isRepeat(entry)) return false;
  if (history.since(failed).some(tookEvent(failed.delivery?.eventId))) return false;
  return 'The receiver took another event. The one that failed comes again later: the list of deliveries says when.';
}

const tookLong = (entry: Entry) => isDelivery(entry) && milliseconds(entry) >= late;

const isLate = (entry: Entry) => tookLong(entry) && entry.status > 0;

/** An answer that came late, but before L-Plate ended the call. */
function lateness(entry: Entry): Verdict {
  if (isLate(entry)) return true;
  return tookLong(entry) && `The receiver ${failureOf(entry)}. Let it answer after 6 s.`;
}

/** One in time, of a subscription that had a late one. */
function improvement(entry: Entry, history: History): Verdict {
  if (!isDelivery(entry)) return false;
  const isOfSame = ofSame(entry);
  const lately = history.last((each) => isOfSame(each) && isLate(each));
  if (!lately) {
    if (!isTaken(entry) || milliseconds(entry) < nearlyLate || milliseconds(entry) >= late) return false;
    return `The receiver took ${seconds(entry)} s, which is not late yet. Let it answer after 6 s.`;
  }
  if (isTaken(entry) && milliseconds(entry) < inTime) {
    const isSameEvent = (each: Entry) => each.delivery?.eventId === entry.delivery?.eventId;
    if (!history.has((each) => isOfSame(each) && isLate(each) && isSameEvent(each))) return true;
    return 'Your receiver was late with this delivery before. Let it answer another one in less than a second.';
  }
  if (!isTaken(entry)) return `The receiver did not take this one: ${outcomeOf(entry)}.`;
  return `The receiver took ${seconds(entry)} s this time, and less than 1 s is asked for.`;
}

const tookEvent = (eventId: unknown) => (entry: Entry) => entry.delivery?.eventId === eventId && isTaken(entry);

const isWrongAddress = (entry: Entry) =>
  isNoCall(entry, /\/(?:subscriptions|deliveries)\//, /re(?:deliver|send|try)/) ||
  (entry.call.startsWith('POST ') && isNoCall(entry, /\/deliveries\/(?:\d+\/)?$/, /^\w+$/));

/** Tells whether a delivery was asked for again that had been taken. The answer counts also what the log has no more. */
const asksForTaken = ({ call, status, answer }: Entry) =>
  call === redeliver && status < 300 && jsonOf(answer)?.attemptCounts?.taken > 0;

/** A delivery that had been taken, and comes again since somebody asked for it. */
function redelivered(entry: Entry, history: History): Verdict {
  if (isWrongAddress(entry)) return notTheCall('have a delivery sent again');
  if (entry.call === redeliver && entry.status === 404) {
    return isUnknown(entry)
      ? noSubscription
      : 'There is no such delivery. Each subscription lists its own, with their numbers.';
  }
  // A new event in place of one that was taken.
  if (entry.call === sendTest && entry.status < 300)
    return (
      history.has((each) => isTaken(each) && isAbout(entry, each)) &&
      'You asked for a new event. Find one that your receiver took in the list of deliveries, and ask for that again.'
    );
  const isAccepted = entry.call === redeliver && entry.status < 300;
  const asked = isAccepted ? entry : isDelivery(entry) && history.last(asksFor(entry, redeliver));
  if (!asked) return false;
  if (!asksForTaken(asked))
    return 'You asked for a delivery that your receiver had not taken yet. Ask for one that it took, as if it had lost the event.';
  if (isAccepted) return false;
  if (isTaken(entry)) return true;
  return `The receiver did not take the delivery that you asked for: ${outcomeOf(entry)}. Let it answer with 2xx.`;
}

/** What the subscription of a delivery has taken so far. */
function takenBefore(entry: Entry, history: History): Entry[] {
  const isOfSame = ofSame(entry);
  return history.all((each) => isOfSame(each) && isTaken(each) && !isForged(each));
}

const countDifferent = (taken: readonly Entry[]) => new Set(taken.map(({ delivery }) => delivery?.eventId)).size;

/** Tells whether there are enough events to count by now, of a subscription that got one twice. */
function isWorthCounting(entry: Entry, history: History): boolean {
  if (!isDelivery(entry) || !isTaken(entry) || isForged(entry)) return false;
  const taken = [...takenBefore(entry, history), entry];
  return taken.some(isRepeat) && countDifferent(taken) >= fewest;
}

/** So many events that one would have come twice by now. */
function neverRepeated(entry: Entry, history: History): Verdict {
  if (!isReal(entry) || !isTaken(entry)) return false;
  return (
    countDifferent([...takenBefore(entry, history), entry]) >= fewest &&
    !history.has((each) => ofSame(entry)(each) && isRepeat(each)) &&
    `Your subscription took ${fewest} events or more, and none of them came again so far. If none does in the next seconds, start the drill.`
  );
}

/** A repeat that was taken. */
function repeatTaken(entry: Entry, history: History): Verdict {
  if (!isRepeat(entry)) return neverRepeated(entry, history);
  if (isTaken(entry)) return true;
  return `The event came again, and the receiver did not take it: ${outcomeOf(entry)}. To know an event already is no reason to refuse it.`;
}

/** How many different events a subscription has taken that got some of them twice. */
function countedOnce(answer: unknown, history: History): ReturnType<Question['check']> {
  const repeat = history.last(isRepeat);
  if (!repeat)
    return 'No delivery came again yet. Start the drill repeat-webhooks; if it is on, have one more event delivered.';
  const taken = takenBefore(repeat, history);
  const different = countDifferent(taken);
  if (isTaken(repeat) && different >= fewest && textOf(answer) === String(different)) return { entry: repeat };
  if (isNewestWithoutRepeat(history))
    return 'Nothing came again at your newest subscription. Start the drill repeat-webhooks; if it is on, have one more event delivered there.';
  if (!isTaken(repeat))
    return 'Your receiver did not take the repeat with 2xx. To know an event already is no reason to refuse it.';
  if (different < fewest)
    return `Your subscription has taken fewer than ${fewest} different events. Ask for more, and count then.`;
  return textOf(answer) === String(taken.length)
    ? 'That is how many calls came. Count each webhook-id once, however often it came.'
    : 'That is not the number. Count the different webhook-ids that your subscription took, from its first event on.';
}

function isNewestWithoutRepeat(history: History): boolean {
  const made = history.last(({ call, status }) => call === subscribe && status === 201);
  const subscriptionId = made && jsonOf(made.answer)?.id;
  return (
    subscriptionId !== undefined &&
    !history.has((each) => isRepeat(each) && each.delivery?.subscriptionId === subscriptionId)
  );
}

const isRenewal = ({ call, status }: Entry) => call === renewSecret && status === 201;

/** Tells whether an entry gave the subscription of a delivery a new secret. */
const renewalOf = (delivered: Entry) => (entry: Entry) => isRenewal(entry) && isAbout(entry, delivered);

const signaturesOf = ({ sent }: Entry) => sent.headers['webhook-signature']?.match(/v1,/g)?.length ?? 0;

/** A delivery that is signed with both secrets, and taken. */
function takenByEither(entry: Entry, history: History): Verdict {
  if (entry.call === subscribe && entry.status === 201) return anotherSubscription(entry, history);
  if (isRenewal(entry)) return renewedAgain(entry, history);
  if (entry.call === renewSecret && isUnknown(entry)) return noSubscription;
  if (isNoCall(entry, ofSubscription, /secret|rotat|renew/i)) return notTheCall('get a new secret');
  if (!isReal(entry)) return false;
  const renewal = history.last(renewalOf(entry));
  if (!renewal) {
    if (!isTaken(entry) || signaturesOf(entry) !== 1) return false;
    return 'This call was of a subscription that got no new secret in the last 24 hours, so it has one signature.';
  }
  if (signaturesOf(entry) < 2) {
    return isMistaken(entry)
      ? 'This call has one signature: the 24 hours in which both secrets sign are over. Does your receiver have the newest secret?'
      : 'This call has one signature: the 24 hours in which both secrets sign are over. Get another new secret, and then a call.';
  }
  if (isTaken(entry)) return takenAtOnce(entry, renewal, history);
  return isMistaken(entry)
    ? `The receiver refused with ${entry.status} a call that is signed with the two newest secrets. Does it have one of these, and look at both signatures?`
    : `The call has two signatures, but the receiver did not take it: ${outcomeOf(entry)}.`;
}

/** One that is taken though the receiver refused a call since the new secret is too late, and told once. */
function takenAtOnce(entry: Entry, renewal: Entry, history: History): Verdict {
  const before = history.since(renewal).filter(ofSame(entry)).filter(isReal);
  if (!before.some(isRefused)) return true;
  return (
    isRefused(before.at(-1) as Entry) && {
      beginAgain:
        'The receiver took this call, but refused one after the new secret. Begin again: get another new secret, and let the receiver refuse no call.',
    }
  );
}

/** A new subscription to the same address, in place of a new secret. */
function anotherSubscription(entry: Entry, history: History): Verdict {
  const ended = history.last(({ call, status }) => call === unsubscribe && status === 204);
  if (!ended || history.since(ended).some(({ call }) => call === subscribe)) return false;
  const url = jsonOf(entry.sent)?.url;
  const isBefore = (each: Entry) => each.call === subscribe && jsonOf(each.sent)?.url === url;
  if (!history.before(ended).has(isBefore)) return false;
  return 'This is a new subscription in place of one that was deleted, and what was published in between comes to nobody. To replace a secret the subscription stays: get a new one for it.';
}

/** A second new secret, with no call between the two. */
function renewedAgain(entry: Entry, history: History): Verdict {
  const before = history.last((each) => isRenewal(each) && each.path === entry.path);
  if (before === undefined || history.since(before).some(isDelivery)) return false;
  return 'You got another new secret, and no call came between the two. The oldest secret signs no calls any more. Now have a call made.';
}

const traceOfEntry = ({ sent }: Entry) => traceOf(sent.headers.traceparent);

const registersTraced = (entry: Entry) =>
  entry.call === registerClaim && entry.status === 201 && traceOfEntry(entry) !== undefined;

function isTraceSent(entry: Entry, history: History): Verdict {
  if (registersTraced(entry)) return true;
  return !isDelivery(entry) && !history.has(registersTraced) && untraced(entry);
}

/** Explains a call that gives no claim a trace. */
function untraced(entry: Entry): Verdict {
  if (entry.sent.headers.traceparent === undefined) {
    if (entry.call !== registerClaim || entry.status !== 201) return false;
    return 'This claim was registered without the header traceparent, so its webhooks have no trace.';
  }
  if (!traceOfEntry(entry))
    return 'This traceparent is malformed, so it was ignored: the remark in the log says which form it has.';
  if (entry.call === registerClaim) return false;
  return entry.call === sendTest && entry.status < 300
    ? 'The webhook of this trace is a test event. Send the traceparent with the registration of a claim.'
    : 'This call has a trace, but no webhook gets it. Send the traceparent with the registration of a claim.';
}

/** Tells whether it is of no claim, by the number that no claim has. */
const isTestEvent = ({ events }: Entry) => events.some(({ claimId }) => claimId.endsWith('-000000'));

/** Tells whether a claim was registered with the trace of a delivery. */
function hasTraceOfClaim(delivery: Entry, history: History): boolean {
  const trace = traceOfEntry(delivery);
  return history.has((each) => registersTraced(each) && traceOfEntry(each)?.traceId === trace?.traceId);
}

function isTraceReceived(entry: Entry, history: History): Verdict {
  if (!isDelivery(entry)) return entry.call === registerClaim && untraced(entry);
  if (hasTraceOfClaim(entry, history)) {
    if (isTestEvent(entry))
      return 'This webhook has your trace, but it is a test event. Take one of the claim, which comes when the claim changes.';
    return isTaken(entry) || `The webhook has your trace, but your receiver did not take it: ${outcomeOf(entry)}.`;
  }
  const isOther = isTaken(entry) && traceOfEntry(entry) === undefined && !history.has(isTraceSeen(history));
  if (!isOther || !history.has(registersTraced)) return false;
  return 'This webhook has no trace: its call had no traceparent, or a malformed one. Take one of a claim that you registered with a trace.';
}

const isTraceSeen = (history: History) => (each: Entry) =>
  isDelivery(each) && !isTestEvent(each) && hasTraceOfClaim(each, history);

const parentOf = ({ sent }: Entry) => sent.headers.traceparent?.split('-')[2];

/** The parent id of a webhook of the trace. */
function foundByTrace(answer: unknown, history: History): ReturnType<Question['check']> {
  const sent = plainAnswer(answer);
  if (typeof sent !== 'string') return 'Send the parent id alone, as a text.';
  const wanted = sent.toLowerCase();
  const seen = history.all(isTraceSeen(history));
  const came = seen.filter(isTaken);
  if (came.length === 0) {
    return history.has(registersTraced)
      ? 'No webhook of a claim with your trace has been taken yet. Have a receiver subscribed, and let the claim change.'
      : 'Your log has no claim that was registered with a traceparent. Begin with that.';
  }
  const entry = came.find((each) => parentOf(each) === wanted);
  if (entry) return { entry };
  if (came.some((each) => traceOfEntry(each)?.traceId === wanted))
    return 'This is the trace id, which all calls of the trace have. Send the parent id, the third part.';
  const parent = wanted.split('-')[2] ?? wanted;
  if (came.some((each) => parentOf(each) === parent))
    return 'This has the right parent id, but is more than that. Send its 16 digits alone.';
  if (history.has((each) => registersTraced(each) && parentOf(each) === parent))
    return 'This is the parent id that you sent. Each webhook has one of its own: look for it in the log.';
  if (seen.some((each) => parentOf(each) === parent))
    return 'This is the parent id of a call that your receiver did not take. Send that of one that it took.';
  return 'No webhook of a claim with your trace has this parent id. Search the log by the trace id.';
}

export const webhooks: LessonTopic = {
  id: 'webhooks',
  title: 'Webhooks',
  lessons: [
    {
      id: 'webhook-called',
      title: 'Be called',
      level: 2,
      goal: 'Write or start a small HTTP server that answers each POST with 204. Subscribe to the events of claims with its address, and ask for a test event: your server must take it.',
      why: 'A program that is called does not have to ask all day whether there is news, but it has to run a server.',
      hints: [
        'The claims system has subscriptions. Once you have one, you can have a test event sent to it at any time.',
        'The guide at `/guides/events.md` has a receiver in TypeScript and one in Python, which you can save and start as they are, and says how (in L-Plate’s repository: examples/webhook-receiver.ts and examples/webhook_receiver.py). They need the secret, so subscribe first. Where L-Plate runs on your machine, `http://localhost:9000` is an address that it calls; elsewhere a relay brings its calls to you, as the page Webhooks of the console shows, which has an inbox for a first look, too. If a call failed, later test events wait behind it, until you have that one delivered again.',
        '`curl $ROOT/claims/v1/subscriptions -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d \'{"url":"http://localhost:9000/claims"}\'` answers with an id and a secret. Then, with that id as `ID`: `curl -X POST $ROOT/claims/v1/subscriptions/$ID/test -H "Authorization: Bearer $TOKEN"`.',
      ],
      sections: ['Payload'],
      buildsOn: ['token-by-json'],
      remember: 'A webhook is a POST from the service to you. Answer 2xx as soon as you have stored it.',
      without:
        'Your program asks all day for news that is rare, and still hears of a decision minutes later than the customer.',
      shortestWay: 2,
      way: [listDeliveries, callReceiver, `${callReceiver} 503`, subscribe, sendTest],
      steps: [
        {
          title: 'Subscribe to the events of claims',
          judge: byServer(({ call, status }) => call === subscribe && status === 201),
        },
        { title: 'Ask for a test event', judge: ({ call, status }) => call === sendTest && status < 300 },
        { title: 'Have your server take it', judge: byServer(orWaiting(called)) },
      ],
    },
    {
      id: 'webhook-verified',
      title: 'Who is calling?',
      level: 2,
      goal: 'Have your receiver check the signature of each call, and refuse with 4xx, such as 401, what is not signed with the secret of your subscription. Then start the drill `forged-webhooks` and have an event sent, such as a test event: the real call must be taken, and the forged one after it refused.',
      why: 'Whoever finds the address of a webhook can send it anything, and only the signature tells who it was.',
      hints: [
        'The calls follow the specification of Standard Webhooks, and most languages have a library for it.',
        'The signature is an HMAC-SHA256 of webhook-id, webhook-timestamp and the body as it came, with dots between them. The key is what follows `whsec_`, decoded from Base64. The result, in Base64, is what follows `v1,` in the header webhook-signature.',
        '`curl $ROOT/range/v1/me/drills -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d \'{"name":"forged-webhooks"}\'` starts the drill. The receivers of the guide at `/guides/events.md`, in TypeScript and in Python, check signatures, if you start them with the secret of your subscription.',
      ],
      sections: ['The range', 'RFC 2104'],
      buildsOn: ['webhook-called'],
      remember:
        'Check the signature of each call before you trust it. Compute it of the body as it came, before you parse that.',
      without: 'Somebody posts “claim approved” to your public address, and your system pays.',
      shortestWay: 2,
      way: [callReceiver, `${callReceiver} 401`, subscribe, sendTest],
      steps: [
        {
          title: 'Take the real call, and refuse the forged one',
          judge: byServer(orWaiting((entry, history) => verified(entry) || realCall(entry, history))),
        },
      ],
    },
    {
      id: 'webhook-old',
      title: 'Yesterday’s call',
      level: 3,
      goal: 'Somebody who recorded a call can send it again, and its signature is still right. Have your receiver refuse with 4xx, such as 401, what was signed more than five minutes ago. Then start the drill `forged-webhooks` with the parameters `{"how":"old-timestamp"}`, and have an event sent, such as a test event: the real call must be taken, and the old one after it refused.',
      why: 'A signature alone does not stop somebody who sends a recorded call again.',
      hints: [
        'Each call says when it was signed, and the signature covers that, too.',
        'webhook-timestamp has seconds since 1970. Compare it with the clock of your server.',
        'With both times in seconds, `abs(now - timestamp) > 300` means 401. The body that starts the drill: `{"name":"forged-webhooks","parameters":{"how":"old-timestamp"}}`',
      ],
      sections: ['The range'],
      buildsOn: ['webhook-verified'],
      remember: 'A right signature can be old. Refuse what was signed more than five minutes ago.',
      without:
        'A recorded call is sent again a month later, and is believed. The signature is right, so the log shows nothing strange.',
      shortestWay: 2,
      way: [callReceiver, subscribe, sendTest],
      steps: [
        {
          title: 'Take the real call, and refuse the old one',
          judge: byServer(orWaiting((entry, history) => ageChecked(entry) || realCall(entry, history))),
        },
      ],
    },
    {
      id: 'webhook-two-signatures',
      title: 'Two signatures',
      level: 3,
      goal: 'The secret of your subscription was in a log. Get a new one for it, without a call that your receiver refuses: each call is now signed with both. Ask for a test event, and have your receiver take it, with whichever of the two secrets it has.',
      why: 'A secret that can’t be replaced while all goes on is replaced too late.',
      hints: [
        'The subscription stays. One of the endpoints below it is a POST without a body.',
        'The header webhook-signature now has two signatures with a space between them. A receiver computes its own and looks whether it is one of them; libraries of Standard Webhooks do so.',
        '`curl -X POST $ROOT/claims/v1/subscriptions/$ID/secret -H "Authorization: Bearer $TOKEN"`, where `ID` is the id of the subscription, then a test event. The receivers of the guide at `/guides/events.md` take it with either secret.',
      ],
      sections: ['The range'],
      buildsOn: ['webhook-verified'],
      remember: 'A call can have several signatures. Take it if one of them is right: then secrets can be replaced.',
      without:
        'The secret leaks, and is replaced on both sides at once. For minutes every call is refused, and nobody dares to do it again.',
      shortestWay: 3,
      way: [callReceiver, subscribe, renewSecret, sendTest],
      steps: [
        { title: 'Get a new secret for the subscription', judge: isRenewal },
        { title: 'Take a call that is signed with both', judge: byServer(orWaiting(takenByEither)) },
      ],
    },
    {
      id: 'webhook-retried',
      title: 'Failed, and taken later',
      level: 2,
      goal: 'Let a delivery fail: answer it with 503, or stop your receiver. Then let L-Plate try again by itself, and take the event.',
      why: 'A receiver that refuses what it can’t store gets it again; one that says 204 too early may lose it.',
      hints: [
        'After a failure, L-Plate calls again by itself. The list of deliveries of your subscription says when.',
        'The next attempt comes after 5 seconds, then after 30, then after two minutes. By then your receiver has to answer with 2xx.',
        'Stop your receiver, ask for a test event, and start the receiver again. If you don’t want to wait, move your clock: `curl $ROOT/range/v1/me/clock -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d \'{"advance":"PT30S"}\'`.',
      ],
      sections: ['Events, delivery rule 1', 'The range'],
      buildsOn: ['webhook-called'],
      remember: 'If you can’t store an event, answer 503: it comes again. 2xx means that it is yours now.',
      without:
        'The receiver answers 204 and then writes to a database that is down. The event is gone, and nobody sends it again.',
      shortestWay: 2,
      way: [listDeliveries, callReceiver, `${callReceiver} 503`, subscribe, sendTest],
      steps: [
        { title: 'Let a delivery fail', judge: hasFailed },
        { title: 'Take it when it comes again by itself', judge: recovery },
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
      remember: 'Store the event, answer, and do the work afterwards. The caller waits only some seconds.',
      without:
        'Under load the receiver becomes slow, is called again, and gets slower still. In the end it does all its work twice.',
      shortestWay: 3,
      way: [callReceiver, subscribe, sendTest],
      steps: [
        { title: 'Answer a delivery only after 6 seconds', judge: byServer(orWaiting(lateness)) },
        { title: 'Answer another one in less than a second', judge: byServer(orWaiting(improvement)) },
      ],
    },
    {
      id: 'webhook-redelivered',
      title: 'Once more, please',
      level: 2,
      goal: 'Suppose that your receiver took an event and lost it. Find its delivery in the list of your subscription, ask for it again, and take it.',
      why: 'After a mistake in your own program, it is quicker to have the events sent again than to repair the data by hand.',
      hints: [
        'A subscription lists its deliveries, each with a number.',
        'One of the endpoints below a delivery is a POST without a body.',
        '`curl -X POST $ROOT/claims/v1/subscriptions/$ID/deliveries/1/redeliver -H "Authorization: Bearer $TOKEN"`, where `ID` is the id of the subscription and 1 the number of the delivery.',
      ],
      sections: ['Events, delivery rule 1'],
      buildsOn: ['webhook-called'],
      remember: 'Deliveries are listed, and each one can be asked for again. Know how before you need it.',
      without:
        'After a mistake in your program an evening of events is missing. People type them in by hand from screens.',
      shortestWay: 3,
      way: [listDeliveries, callReceiver, subscribe, redeliver, sendTest],
      steps: [
        { title: 'Ask for a delivery again that your receiver took', judge: asksForTaken },
        { title: 'Take it once more', judge: redelivered },
      ],
    },
    {
      id: 'webhook-repeats',
      title: 'Twice is once',
      level: 3,
      goal: 'Make a new subscription, start the drill `repeat-webhooks`, and have at least three events delivered. Your receiver takes every call with 2xx, but processes each event once. Send the number of different events that it took.',
      why: 'The best-known mistake of receivers is a payment that is made twice because a call came twice.',
      hints: [
        'A header of the call is the same each time that one event comes.',
        'Keep each webhook-id that you have processed, and answer 204 at once if it comes again.',
        'Test events count as well. The receivers of the guide at `/guides/events.md` print each event once: start one for the new subscription, and count its lines below the first one.',
      ],
      sections: ['Events, delivery rule 1', 'Payload'],
      buildsOn: ['webhook-called'],
      remember: 'The same `webhook-id` means the same event. Take it again with 2xx, but process it once.',
      without:
        'A receiver that refuses what it knows already is called again and again. One that does not look pays twice.',
      shortestWay: 3,
      way: [callReceiver, `${callReceiver} 503`, subscribe, sendTest],
      steps: [
        { title: 'Take an event, and take it again when it is repeated', judge: repeatTaken },
        { title: 'Take three different events or more', judge: isWorthCounting },
      ],
      asks: {
        step: 'Send how many different events it took',
        question: 'How many different webhook-ids did your receiver take from the new subscription, since you made it?',
        answerType: 'number',
        check: countedOnce,
      },
    },
    {
      id: 'webhook-traced',
      title: 'Follow the trace',
      level: 3,
      goal: 'Register a claim with a `traceparent` of your own, while your receiver is subscribed. Its webhooks have the same trace id and a parent id of their own. Find one of them in the log by the trace id, and send its parent id.',
      why: 'When a customer asks what became of a call, one id that goes through all systems answers in a minute what five logs do not.',
      hints: [
        'A traceparent has four parts with dashes between them: 00, 32 hexadecimal digits for the trace, 16 for the caller, and 01.',
        'The log is searched with the parameter `traceId` of `GET /range/v1/me/exchanges`, the page Traffic with `trace:`. A delivery is of the kind delivery, and its headers have the traceparent.',
        '`curl $ROOT/claims/v1/claims -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -H "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" -d \'{"policyNumber":"\'"$POLICY_ID"\'","paceSeconds":2}\'`, where `POLICY_ID` is the id of a policy of yours.',
      ],
      sections: ['Claims interface', 'Events, delivery rule 1'],
      buildsOn: ['webhook-called'],
      remember: '`traceparent` goes with a call to all that it causes. One trace id finds them in every log.',
      without:
        'Somebody compares times and ids of three systems by hand, and the clocks of two of them differ. The call that was asked for is found on the next day.',
      shortestWay: 3,
      way: [callReceiver, registerClaim, subscribe, createPolicy],
      steps: [
        { title: 'Register a claim with a traceparent', judge: isTraceSent },
        { title: 'Take a webhook of the same trace', judge: isTraceReceived },
      ],
      asks: {
        step: 'Send the parent id of that webhook',
        question:
          'The parent id of a webhook of your trace: the third part of its `traceparent`, 16 hexadecimal digits.',
        check: foundByTrace,
      },
    },
  ],
};
