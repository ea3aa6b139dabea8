import { type Entry, jsonOf } from '../entry.ts';
import type { History } from '../history.ts';
import type { Topic } from '../lesson.ts';
import { distinctEvents, isRead } from '../topic-reads.ts';

/*
 * From a claim to the news of it.
 */

const register = 'POST /claims/v1/claims';
const readClaim = 'GET /claims/v1/claims/:claimId';
const listClaims = 'GET /claims/v1/claims';

/** The news of a claim: the status it had or got, and its reason. */
interface Said {
  readonly status: unknown;
  readonly reason: unknown;
}

/** The news of claims in an answer, read or told by an event. */
function saidIn(entry: Entry): Said[] {
  if (isRead(entry)) return entry.events.map(({ newStatus: status, statusReason: reason }) => ({ status, reason }));
  const json = jsonOf(entry.answer);
  const claims = entry.call === readClaim ? [json] : entry.call === listClaims ? json?.items : [];
  return Array.isArray(claims) ? claims.map((claim) => ({ status: claim?.status, reason: claim?.statusReason })) : [];
}

/** The changes of this claim that were read so far. */
function changesOf(claimId: string, entry: Entry, history: History): string[] {
  return distinctEvents([...history.all(isRead), entry])
    .filter((event) => event.claimId === claimId)
    .map(({ previousStatus, newStatus }) => `${previousStatus} ${newStatus}`);
}

export const claims: Topic = {
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
      steps: [
        {
          title: 'Register a claim',
          judge: ({ call, status }) => call === register && status === 201,
        },
      ],
    },
    {
      id: 'claim-rejected',
      title: 'Why was it rejected?',
      level: 1,
      goal: 'Register a claim whose review will end with a rejection, and watch it until it is REJECTED. Send the reason that it has then as your answer.',
      why: 'Some fields are filled in some states only, and whoever reads them too early or too late misses them.',
      hints: [
        'The body of the registration can say how the review ends, and how many seconds each step takes.',
        'Registered with `"outcome":"REJECTED","paceSeconds":60`, it is REJECTED after 120 seconds and CLOSED after 180. `POST /range/v1/me/clock` with `{"advance":"PT2M"}` moves your clock by two minutes.',
        '`GET /claims/v1/claims/{claimId}` has statusReason. If it is CLOSED already, its events still tell the reason of each change: `GET /claims/v1/topics/claims.status-changed`',
      ],
      sections: ['Claim', 'States and transitions, Claim', 'Payload'],
      buildsOn: ['claim-registered'],
      steps: [],
      asks: {
        step: 'Why was it rejected?',
        question: 'The statusReason of a claim of yours while it was REJECTED.',
        check(answer, history) {
          const entry = history.last((each) =>
            saidIn(each).some(({ status, reason }) => status === 'REJECTED' && reason === answer),
          );
          if (entry) return { entry };
          if (!history.has((each) => saidIn(each).some(({ status }) => status === 'REJECTED'))) {
            return { advice: 'In your log no claim is REJECTED. Read one while it is, or read the events.' };
          }
          return {
            advice: 'That is not why a claim of yours was rejected. Send the text as it is, and not that of CLOSED.',
          };
        },
      },
    },
    {
      id: 'claim-followed',
      title: 'From registered to closed',
      level: 2,
      goal: 'Follow one of your claims by its events until it is CLOSED. Receive every change of its status: as batches, by long polls or as a stream.',
      why: 'To ask for the status again and again misses what happens between two questions; the events tell every change.',
      hints: [
        'The topic is described at /claims/v1/asyncapi.yaml, and among the endpoints of the claims system.',
        '`GET /claims/v1/topics/claims.status-changed` gives a batch of events, and in `next` the place to read on: send it as `after` in the next call. `after=earliest` begins with the oldest. You can move your clock ahead so that the claim gets on.',
        '`curl "$ROOT/claims/v1/topics/claims.status-changed?after=earliest" -H "Authorization: Bearer $TOKEN"`: the claim needs three events, from REGISTERED, from UNDER_REVIEW and to CLOSED.',
      ],
      sections: ['Payload', 'States and transitions, Claim'],
      buildsOn: ['claim-registered'],
      steps: [
        {
          title: 'From registered to closed',
          judge(entry, history) {
            if (!isRead(entry)) return false;
            const closed = entry.events.filter(({ newStatus }) => newStatus === 'CLOSED').map(({ claimId }) => claimId);
            const changes = closed.map((claimId) => changesOf(claimId, entry, history));
            if (changes.some((each) => each.length === 3)) return true;
            const [claimId] = closed;
            if (claimId === undefined) return false;
            return `The log has the event that closed ${claimId}, but not all changes before it. Read with after=earliest, or register another one and read on.`;
          },
        },
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
      steps: [
        {
          title: 'Whose claim is it?',
          judge({ call, status, path, answer }, history) {
            if (call !== 'GET /insurer/v1/policies/:policyId' || status !== 200 || !jsonOf(answer)?.holder)
              return false;
            const id = path.split('/').at(-1);
            return history.has(({ events }) => events.some(({ policyNumber }) => policyNumber === id));
          },
        },
      ],
    },
  ],
};
