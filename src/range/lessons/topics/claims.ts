import {
  createPolicy,
  listClaims,
  listPolicies,
  readClaim,
  readPolicy,
  readTopic,
  registerClaim,
  updatePolicy,
} from '../calls.ts';
import { type Entry, jsonOf, refusedHeader, shownPath } from '../entry.ts';
import type { History } from '../history.ts';
import type { LessonTopic, Verdict } from '../lesson.ts';
import { bringsOldOnly, distinctEvents, heldBack, isRead, positionOf, readBefore } from '../topic-reads.ts';

/*
 * From a claim to the news of it.
 */

/** The last part of a path. */
const idOf = (path: string) => path.split('/').at(-1);

const statusOf = ({ answer }: Entry) => jsonOf(answer)?.status;

const isRegistered = ({ call, status }: Entry) => call === registerClaim && status === 201;

/** The news of a claim: the status it had or got, and its reason. */
interface Said {
  readonly status: unknown;
  readonly reason: unknown;
}

/** The claims in an answer, or in a list of them. */
// biome-ignore lint/suspicious/noExplicitAny: each lesson looks for its own
function claimsIn({ call, answer }: Entry): any[] {
  const json = jsonOf(answer);
  const claims = call === readClaim ? [json] : call === listClaims ? json?.items : [];
  return Array.isArray(claims) ? claims : [];
}

/** The news of claims in an answer, read or told by an event. */
function saidIn(entry: Entry): Said[] {
  if (isRead(entry)) return entry.events.map(({ newStatus: status, statusReason: reason }) => ({ status, reason }));
  return claimsIn(entry).map((claim) => ({ status: claim?.status, reason: claim?.statusReason }));
}

/** A sentence without its end. */
const bare = (reason: unknown) => (typeof reason === 'string' ? reason.trim().replace(/\.$/, '') : reason);

/** Tells whether a body has no policyNumber, but a member that a registration does not know. */
function hasOtherWords(body: object | undefined): boolean {
  if (!body || Array.isArray(body)) return false;
  const names = Object.keys(body);
  return !names.includes('policyNumber') && names.some((name) => !['outcome', 'paceSeconds'].includes(name));
}

const isSaidRejected = (entry: Entry) => saidIn(entry).some(({ status }) => status === 'REJECTED');

const isToBeRejected = (entry: Entry) => isRegistered(entry) && jsonOf(entry.sent)?.outcome === 'REJECTED';

/** A registration that was not done, or not by the right system. */
function registered({ call, path, status, problem, sent, answer }: Entry): Verdict {
  if (call === 'POST (none)' && /\/claims?\/?$/.test(path)) {
    if (path.startsWith('/insurer/'))
      return 'You sent the claim to the insurer. The claims system has an address of its own.';
    return `Nothing has the path ${shownPath(path)}. The description of the claims system has the one for claims.`;
  }
  if (path === '/claims/v1/claims' && /^P\w+ \(none\)$/.test(call))
    return 'The address is right, but a claim is registered with another method.';
  if (call !== registerClaim) return false;
  if (problem === 'policy-not-found') {
    const isId = String(jsonOf(sent)?.policyNumber).startsWith('pol-');
    const hint = isId ? '' : ' It is the id of a policy, which begins with pol-.';
    return `None of your policies has this policyNumber.${hint}`;
  }
  const header = refusedHeader(answer);
  if (header) return `The claims system did not accept your call because of the header ${header}. The answer says why.`;
  if (problem === 'malformed-json') return 'The claims system could not read the body. The answer says why.';
  if (problem === 'insufficient-scope')
    return 'Your token may not register claims. The answer names the scope that is missing.';
  if (problem === 'validation-error') {
    const refused = 'The claims system did not accept the body. Look at the errors in the answer';
    return hasOtherWords(jsonOf(sent))
      ? `${refused}, and at the description of this system: its words are not those of the insurer.`
      : `${refused}.`;
  }
  return status === 201;
}

function willBeRejected(entry: Entry): Verdict {
  if (isToBeRejected(entry)) return true;
  const { call, problem, sent } = entry;
  if (call === registerClaim && problem === 'validation-error' && /reject|outcome/i.test(sent.text))
    return 'You said how the review ends, but the claim was not registered. Look at the errors in the answer.';
  if (!isRegistered(entry)) return false;
  return /reject/i.test(sent.text)
    ? 'You asked for a rejection, but by a name that the claims system does not know, so this claim will be approved. Look up what a registration can say.'
    : 'This claim will be approved. Look up what a registration can say of the review.';
}

/** Whether a claim that is to be rejected says so now. */
function seenRejected(entry: Entry, history: History): Verdict {
  if (isSaidRejected(entry)) return true;
  const isAim = (claimId: unknown) =>
    claimId !== undefined && history.has((each) => isToBeRejected(each) && jsonOf(each.answer)?.claimId === claimId);
  const aims = claimsIn(entry).filter((claim) => isAim(claim?.claimId));
  if (aims.length === 0) return false;
  const { status } = aims.find((claim) => claim.status !== 'CLOSED') ?? aims[0];
  return status === 'CLOSED'
    ? 'The claim is CLOSED by now, so its reason is another one. Find what was told when it changed, or register a new claim and read it earlier.'
    : `The claim is still ${status}. Its review has not ended, so read it again later.`;
}

/** The changes of this claim that were read so far. */
function changesOf(claimId: string, entry: Entry, history: History): string[] {
  return distinctEvents([...history.all(isRead), entry])
    .filter((event) => event.claimId === claimId)
    .map(({ previousStatus, newStatus }) => `${previousStatus} ${newStatus}`);
}

/** Tells whether an event ends the review of a claim of which all changes were read. */
const endsReview = (entry: Entry, history: History) =>
  entry.events.some(
    ({ claimId, previousStatus }) =>
      previousStatus === 'UNDER_REVIEW' && changesOf(claimId, entry, history).includes('REGISTERED UNDER_REVIEW'),
  );

/** A claim that was followed by asking for it again and again. Whoever waits for a rejection may do so. */
function followedByAsking(entry: Entry, history: History): Verdict {
  if (statusOf(entry) !== 'CLOSED') return false;
  const { path } = entry;
  const claimId = idOf(path);
  const isEarlier = (each: Entry) => each.path === path && ['REGISTERED', 'UNDER_REVIEW'].includes(statusOf(each));
  const isRejection = (each: Entry) => isToBeRejected(each) && jsonOf(each.answer)?.claimId === claimId;
  if (!history.has(isEarlier) || history.has(isRejection)) return false;
  return 'You asked for the claim until it was CLOSED. Here its events are to tell you, and the claims system has a topic for them.';
}

/** A batch without events. */
function nothingCame(entry: Entry, history: History): Verdict {
  if (entry.kind === 'stream') return false;
  const [position, before] = [positionOf(entry), history.last(isRead)];
  if (position === 'latest') {
    const isAgain = before?.events.length === 0 && positionOf(before) === 'latest';
    if (isAgain)
      return 'You began at latest again, so you do not get what happened in between. Each answer says where to go on.';
    return (
      before !== undefined &&
      before.events.length > 0 &&
      before.events.every(({ newStatus }) => newStatus !== 'CLOSED') &&
      'You began at latest, so you do not get what happened after the last event that you had. Go on from there.'
    );
  }
  const hadEvents = (readBefore(entry, history)?.events.length ?? 0) > 0;
  return (
    !entry.query.has('wait') &&
    hadEvents &&
    (heldBack(entry) ||
      'No event has come since. The claim needs time: wait, or move your clock, and read on from the same place.')
  );
}

function followed(entry: Entry, history: History): Verdict {
  if (entry.call === readClaim) return followedByAsking(entry, history);
  if (entry.call === readTopic && entry.problem === 'validation-error')
    return 'The topic did not accept this call. Look at the errors in the answer.';
  if (!isRead(entry)) return false;
  if (entry.events.length === 0) return nothingCame(entry, history);
  const closed = entry.events.filter(({ newStatus }) => newStatus === 'CLOSED').map(({ claimId }) => claimId);
  const changes = closed.map((claimId) => changesOf(claimId, entry, history));
  if (changes.some((each) => each.length === 3)) return true;
  const [claimId] = closed;
  if (bringsOldOnly(entry, history)) return 'You had all of these events already. Go on where your last read ended.';
  if (claimId === undefined) return false;
  return `The log has the event that closed ${claimId}, but not all changes before it. Read the oldest events too, or follow another claim from its first change.`;
}

/** The id of the policy that this entry says has a holder. */
function held({ path, answer }: Entry): string | undefined {
  if (!path.startsWith('/insurer/v1/policies')) return undefined;
  const { id, holder } = jsonOf(answer) ?? {};
  return holder && id;
}

const hasEventOn = (id: string | undefined) => (entry: Entry) =>
  entry.events.some(({ policyNumber }) => policyNumber === id);

/** Tells whether one policy is known by now to have a holder, and a claim of which an event came. */
function hasEventOfHeld(entry: Entry, history: History): boolean {
  const own = held(entry);
  if (own !== undefined) return history.has(hasEventOn(own));
  return entry.events.some(({ policyNumber }) => history.has((each) => held(each) === policyNumber));
}

/** The name of the holder, asked for in the right place or in another one. */
function holderRead(entry: Entry, history: History): Verdict {
  const { call, path, status, answer, ids } = entry;
  if (call === readPolicy && entry.problem === 'insufficient-scope' && history.has(hasEventOn(idOf(path))))
    return 'The policy is the right one, but your token may not read it. The answer names the scope that is missing.';
  if (status === 404) return missedPolicy(entry, history);
  if (status !== 200) return false;
  if (call === readPolicy) {
    const id = idOf(path);
    if (history.has(hasEventOn(id))) {
      if (held(entry)) return true;
      return 'The policy of this event has no holder, so there is no name to get. Take one that has a holder.';
    }
    const isClaimed = history.has((each) => isRegistered(each) && jsonOf(each.sent)?.policyNumber === id);
    if (isClaimed && held(entry) !== undefined)
      return 'You have the name, but no event of a claim on this policy yet. Receive one first, and take from it what to ask for.';
    if (!history.has(({ events }) => events.length > 0)) return false;
    return 'You received no event of a claim on this policy. Ask for the policy that the event names.';
  }
  const isHeld = (id: string) => history.has(hasEventOn(id)) && history.has((each) => held(each) === id);
  if (call === listPolicies)
    return ids.some(isHeld) && 'The list has all of your policies. Ask for the one that the event names.';
  const isClaim = call === listClaims || (call === readClaim && isHeld(jsonOf(answer)?.policyNumber));
  return isClaim && 'Claims have no names in them either. Ask the system that has them.';
}

/** A 404 for an id that an event has, of a policy that has a holder. */
function missedPolicy({ call, path, problem }: Entry, history: History): Verdict {
  const told = distinctEvents(history.all(({ events }) => events.length > 0)).filter(({ policyNumber }) =>
    history.has((each) => held(each) === policyNumber),
  );
  const id = idOf(path);
  if (problem === 'policy-not-found' && told.some(({ claimId, eventId }) => id === claimId || id === eventId))
    return 'This is an id of the event, but not that of the policy. The event has that one, too.';
  if (call !== 'GET (none)' || !told.some(({ policyNumber }) => path.includes(policyNumber))) return false;
  return `The policy is the right one, but nothing has the path ${shownPath(path)}.`;
}

export const claims: LessonTopic = {
  id: 'claims',
  title: 'Claims',
  lessons: [
    {
      id: 'claim-registered',
      title: 'Register a claim',
      level: 1,
      goal: 'Register a claim on one of your policies. Claims are in another system than the policies, with a description of its own; your token works there too.',
      why: 'Processes at work cross several systems, and each has its own address, description and words.',
      hints: [
        'The reference at /docs has a part for the claims system. You need a policy of your own first.',
        '`POST /claims/v1/claims`, with the id of the policy as policyNumber.',
        '`curl $ROOT/claims/v1/claims -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d \'{"policyNumber":"\'$POLICY_ID\'"}\'`, where `POLICY_ID` is the id of the policy.',
      ],
      sections: ['Claim', 'States and transitions, Claim', 'Claims interface'],
      buildsOn: ['token-by-json'],
      remember: 'Each system has its own address and description. One token can be valid in several.',
      without:
        'Calls for claims go to the policy system and get 404, and two teams each wait for the other one to repair it.',
      shortestWay: 2,
      way: [registerClaim, createPolicy],
      steps: [{ title: 'Register a claim on one of your policies', judge: registered }],
    },
    {
      id: 'claim-rejected',
      title: 'Why was it rejected?',
      level: 1,
      goal: 'Register a claim whose review will end with a rejection, and watch it until it is `REJECTED`. Send the reason that it has then.',
      why: 'Some fields have a value in some states only: a program that reads them too early or too late misses it.',
      hints: [
        'The body of the registration can say how the review ends, and how many seconds each step takes.',
        'Registered with `"outcome":"REJECTED","paceSeconds":60`, it is REJECTED after 120 seconds and CLOSED after 180. `POST /range/v1/me/clock` with `{"advance":"PT2M"}` moves your clock by two minutes.',
        '`GET /claims/v1/claims/{claimId}` has statusReason. If it is CLOSED already, its events still tell the reason of each change: `GET /claims/v1/topics/claims.status-changed`',
      ],
      sections: ['Claim', 'States and transitions, Claim', 'Payload'],
      buildsOn: ['claim-registered'],
      remember: 'Some fields have a value in some states only. The description says in which.',
      without:
        'The letter to the customer says “rejected because: ” and then nothing, or it gives the reason of another step.',
      shortestWay: 3,
      way: [readClaim, registerClaim, createPolicy],
      steps: [
        { title: 'Register a claim that will be rejected', judge: willBeRejected },
        { title: 'Read it while it is REJECTED, or the event that says so', judge: seenRejected },
      ],
      asks: {
        step: 'Send the reason for the rejection',
        question: 'Which `statusReason` did a claim of yours have while it was `REJECTED`?',
        check(answer, history) {
          const entry = history.last((each) =>
            saidIn(each).some(({ status, reason }) => status === 'REJECTED' && bare(reason) === bare(answer)),
          );
          if (entry) return { entry };
          if (!history.has(isSaidRejected)) {
            if (history.has(isRegistered) && !history.has(isToBeRejected))
              return 'No claim in your log will be rejected. See how a registration can say how the review ends.';
            return 'In your log no claim is REJECTED. Read one while it is, or read the events.';
          }
          return 'That is not why a claim of yours was rejected. Send the text as it is, and not that of CLOSED.';
        },
      },
    },
    {
      id: 'claim-followed',
      title: 'From registered to closed',
      level: 2,
      goal: 'Follow one of your claims by its events until it is `CLOSED`. Receive every change of its status: as batches, by long polls or as a stream.',
      why: 'A program that asks for the status again and again misses what happens in between; the events tell every change.',
      hints: [
        'The topic is described at /claims/v1/asyncapi.yaml, and among the endpoints of the claims system.',
        '`GET /claims/v1/topics/claims.status-changed` gives a batch of events, and in `next` the place to read on: send it as `after` in the next call. `after=earliest` begins with the oldest. You can move your clock ahead so that the claim gets on.',
        '`curl "$ROOT/claims/v1/topics/claims.status-changed?after=earliest" -H "Authorization: Bearer $TOKEN"`: the claim needs three events, from REGISTERED, from UNDER_REVIEW and to CLOSED.',
      ],
      sections: ['Payload', 'States and transitions, Claim'],
      buildsOn: ['claim-registered'],
      remember: 'Events tell each change, and the state tells only the last one. Read on from `next`, and miss none.',
      without:
        'A claim is approved and paid between two calls. A program that only reads the state never sees the approval, and its figures stay wrong.',
      shortestWay: 3,
      way: [readTopic, registerClaim, createPolicy],
      steps: [
        {
          title: 'Receive the event that says it is UNDER_REVIEW',
          judge: (entry) => isRead(entry) && entry.events.some(({ previousStatus }) => previousStatus === 'REGISTERED'),
        },
        {
          title: 'Receive the event that ends its review',
          judge: (entry, history) => isRead(entry) && endsReview(entry, history),
        },
        { title: 'Receive the event that says it is CLOSED', judge: followed },
      ],
    },
    {
      id: 'event-without-name',
      title: 'Whose claim is it?',
      level: 2,
      goal: 'Events contain no personal data. Create a policy with a holder, receive an event of a claim on it, and get the name of the holder from the system that has it.',
      why: 'What many subscribers receive should have no names in it, so a consumer asks the system that has them, with a token of its own.',
      hints: [
        'The data of an event names a claim and a policy.',
        'data.policyNumber is the id of a policy of the insurer.',
        '`curl $ROOT/insurer/v1/policies/$POLICY_ID -H "Authorization: Bearer $TOKEN"`, where `POLICY_ID` is the policyNumber of the event.',
      ],
      sections: ['Events, delivery rule 4', 'Payload', 'Endpoints, 6'],
      buildsOn: ['claim-followed'],
      remember:
        'An event says what happened, and names things by their ids. Get the rest from the system that owns it.',
      without:
        'Personal data is copied into every queue and log that the event passes. To delete a customer becomes impossible.',
      shortestWay: 4,
      way: [readTopic, readPolicy, registerClaim, createPolicy, updatePolicy],
      steps: [
        { title: 'Receive an event of a claim on a policy that has a holder', judge: hasEventOfHeld },
        { title: 'Get the name from the system that has it', judge: holderRead },
      ],
    },
  ],
};
