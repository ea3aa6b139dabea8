import { type Entry, jsonOf } from '../entry.ts';
import type { History } from '../history.ts';
import type { Topic, Verdict } from '../lesson.ts';

/*
 * Headers that make it safe to send a call again, or to change what others change too.
 */

const create = 'POST /insurer/v1/policies';
const readOne = 'GET /insurer/v1/policies/:policyId';
const update = 'PUT /insurer/v1/policies/:policyId';

const vehicleOf = ({ sent }: Entry) => jsonOf(sent)?.regNumber;

/** Why a create with a key was not taken for a repeated one. */
function otherRequest(entry: Entry, history: History): Verdict {
  if (entry.problem === 'idempotency-key-reused')
    return 'The key was the same, but the body was another. To repeat a request, send the same body as well.';
  if (entry.problem !== 'duplicate-policy' || entry.sent.headers['idempotency-key'] === undefined) return false;
  const wasCreated = history.has((each) => each.call === create && each.status === 201 && sameVehicle(each, entry));
  return wasCreated && 'The first create for this vehicle did not have the same Idempotency-Key, so this one was new.';
}

const sameVehicle = (one: Entry, other: Entry) => vehicleOf(one) === vehicleOf(other);

/** Tells whether an `If-Match` has the ETag that was answered. */
function names(match: string, { answer }: Entry): boolean {
  const { etag } = answer.headers;
  return etag !== undefined && match.includes(etag);
}

/** A change that was refused because of a tag which had once been read. */
function isRefusedAsOld(entry: Entry, history: History): boolean {
  if (entry.call !== update || entry.status !== 412) return false;
  const outdated = entry.sent.headers['if-match'] ?? '';
  return history.has((each) => names(outdated, each));
}

/** The refusal that an attempt goes on from: the last try to change this policy. */
function refusalBefore({ path }: Entry, history: History): Entry | undefined {
  const tried = history.last((each) => each.call === update && each.path === path && [200, 412].includes(each.status));
  return tried && isRefusedAsOld(tried, history.before(tried)) ? tried : undefined;
}

/** A change that was made after one was refused for an old ETag: whether it goes by what was read in between. */
function afterRefusal(entry: Entry, history: History): Verdict {
  if (entry.call !== update || entry.status !== 200) return false;
  const refused = refusalBefore(entry, history);
  if (!refused) return false;
  const match = entry.sent.headers['if-match'];
  if (match === undefined) {
    const beginAgain =
      'You sent the change without If-Match, so nobody checked what it overwrites. Begin again: let a change with an old ETag be refused.';
    return { beginAgain };
  }
  const reads = history.since(refused).filter((each) => each.call === readOne && each.path === entry.path);
  if (reads.some((each) => names(match, each))) return true;
  const beginAgain =
    'Your If-Match has an ETag that you have not read since the 412, so you have not seen what you overwrite. Begin again: let a change with an old ETag be refused, read the policy, then change it.';
  return { beginAgain };
}

export const repeats: Topic = {
  id: 'repeats',
  title: 'Safe repeats',
  lessons: [
    {
      id: 'retried-create',
      title: 'Create once, send twice',
      level: 2,
      goal: 'Create a policy in such a way that you can repeat the call when its answer is lost. Then repeat it: you get the first answer again, and not a second policy or a 409.',
      why: 'After a timeout nobody knows whether the work was done; with a key of your own you need not know.',
      hints: [
        'A header names the request. You make up its value, and send the same value with the same body again.',
        'The header is Idempotency-Key, and a UUID is a good value. The second answer has the header Idempotency-Replayed.',
        `\`PLATE=LP-$RANDOM$RANDOM\` makes up a number of your own. Then twice, with nothing changed: \`curl -i $ROOT/insurer/v1/policies -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -H "Idempotency-Key: my-first-key" -d '{"regNumber":"'$PLATE'"}'\`. If the first answer is 409, choose another number.`,
      ],
      sections: ['Endpoints, 4', 'Endpoints, rule 1'],
      buildsOn: ['duplicate-policy'],
      steps: [
        {
          title: 'Create once, send twice',
          judge(entry, history) {
            if (entry.call !== create) return false;
            return entry.answer.headers['idempotency-replayed'] !== undefined || otherRequest(entry, history);
          },
        },
      ],
    },
    {
      id: 'lost-update',
      title: 'Somebody was faster',
      level: 2,
      goal: 'Change a policy only if nobody changed it since you read it. Let a first try be refused with 412, because somebody did (be that somebody yourself, with another PUT). Then read the policy again, and make your change with what you read.',
      why: 'Two people who edit the same thing otherwise overwrite each other, and nobody notices.',
      hints: [
        'Each answer with a policy has the header ETag, which changes with the policy. A header of the PUT can demand it.',
        'PUT with the header If-Match and the ETag that you read, with its quotes. After any other change of the policy that ETag is old, and the answer is 412.',
        `With the id of a new policy as \`POLICY_ID\`: \`curl -i -X PUT $ROOT/insurer/v1/policies/$POLICY_ID -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -H 'If-Match: "1-active"' -d '{"holder":"Ada Example"}'\`. Send it twice: the second one is 412. Then GET the policy, and PUT with the ETag of that answer.`,
      ],
      sections: ['Endpoints, 7', 'RFC 9110, section 13.1.1'],
      buildsOn: ['update-policy'],
      steps: [
        {
          title: 'Let a change with an old ETag be refused',
          judge: isRefusedAsOld,
        },
        {
          title: 'Read that policy again',
          judge: (entry, history) =>
            entry.call === readOne && entry.status === 200 && refusalBefore(entry, history) !== undefined,
        },
        {
          title: 'Make your change with the ETag that you read',
          judge: afterRefusal,
        },
      ],
    },
    {
      id: 'not-modified',
      title: 'Nothing new',
      level: 2,
      goal: 'Read a policy again, but let the insurer send it only if it has changed since you read it last. It has not, so the answer is 304, without a body.',
      why: 'Programs that look again and again cost both sides little, if nothing is sent while nothing changes.',
      hints: [
        'The answer to a read has the header ETag. A header of the next read can name it.',
        'The header is If-None-Match, and its value the ETag with its quotes.',
        `\`curl -i $ROOT/insurer/v1/policies/$POLICY_ID -H "Authorization: Bearer $TOKEN" -H 'If-None-Match: "1-active"'\`, where \`POLICY_ID\` is the id, with the ETag that you got. The status is 304.`,
      ],
      sections: ['Endpoints, 6', 'RFC 9110, section 13.1.2'],
      buildsOn: ['read-policy'],
      steps: [
        {
          title: 'Nothing new',
          judge({ call, status, sent, answer }) {
            if (call !== readOne) return false;
            const { 'if-none-match': named } = sent.headers;
            if (named === '*')
              return 'The header If-None-Match has a star, which fits anything. Send the ETag that you know.';
            if (status === 200 && named !== undefined && !named.includes('"')) {
              return 'The ETag in If-None-Match has no quotes. They belong to it.';
            }
            if (status === 200 && named !== undefined) {
              return `The ETag of the policy is ${answer.headers.etag}, and you named another one, so the policy was sent. Name the ETag of your last read.`;
            }
            return status === 304;
          },
        },
      ],
    },
  ],
};
