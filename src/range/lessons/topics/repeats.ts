import {
  cancelPolicy,
  createPolicy,
  headOfPolicy,
  listPolicies,
  readClaim,
  readPolicy,
  registerClaim,
  updatePolicy,
} from '../calls.ts';
import { type Entry, isReplayed, jsonOf, refusedHeader } from '../entry.ts';
import type { History } from '../history.ts';
import type { LessonTopic, Verdict } from '../lesson.ts';
import { byPatch, onlyHead } from '../other-methods.ts';

/*
 * Headers that make it safe to send a call again, or to change what others change too.
 */

const vehicleOf = ({ sent }: Entry) => jsonOf(sent)?.regNumber;

const sameVehicle = (one: Entry, other: Entry) => vehicleOf(one) === vehicleOf(other);

/** It can be sent with quotes and without them. */
const keyOf = ({ sent }: Entry) => sent.headers['idempotency-key']?.replace(/^"(.*)"$/, '$1');

const hasKeyElsewhere = ({ sent, search }: Entry) => /idempotency/i.test(search + Object.keys(jsonOf(sent) ?? {}));

/** The name or the value of such a header was wrong. */
const isRefusedFor = (header: RegExp, { status, answer }: Entry) =>
  status === 400 && header.test(refusedHeader(answer) ?? '');

/** A create that can be sent again. */
function withKey(entry: Entry): Verdict {
  if (entry.call !== createPolicy || entry.status !== 201 || isReplayed(entry)) return false;
  if (keyOf(entry) !== undefined) return true;
  return hasKeyElsewhere(entry)
    ? 'You sent a key, but not as a header, so it was ignored and the policy was created without one.'
    : 'This create has nothing by which the service knows a repeat of it. That has to be in the first try.';
}

/** A create that was sent again: whether it was taken for a repeated one. */
function isRepeated(entry: Entry, history: History): Verdict {
  if (entry.call === registerClaim && isReplayed(entry)) return 'You repeated a claim. Do the same with a policy.';
  if (entry.call !== createPolicy) return false;
  if (isReplayed(entry)) {
    if (history.has((each) => each.call === createPolicy && keyOf(each) === keyOf(entry))) return true;
    return 'You repeated a create from before this attempt. Create a new policy, and repeat that call.';
  }
  if (isRefusedFor(/idempot/i, entry))
    return 'Nothing was created: the header with your key was refused. The answer says what is wrong with it.';
  if (entry.problem === 'idempotency-key-reused')
    return 'The key was the same, but the body was another. To repeat a request, send the same body as well.';
  if (entry.problem === 'request-in-progress' && keyOf(entry) !== undefined)
    return 'You sent the call again while the first one was still running. Send it again when that one has ended.';
  if (entry.problem === 'duplicate-policy') return otherRequest(entry, history);
  const hasKnownKey =
    keyOf(entry) !== undefined && history.has((each) => withKey(each) === true && keyOf(each) === keyOf(entry));
  if (!hasKnownKey || ![400, 415].includes(entry.status)) return false;
  return 'You sent your key again, but the request was refused. Send the first one again, with nothing changed.';
}

/** Why a create of a vehicle that was just insured was not taken for a repeated one. */
function otherRequest(entry: Entry, history: History): Verdict {
  const first = history.last((each) => each.call === createPolicy && each.status === 201 && sameVehicle(each, entry));
  if (!first) return false;
  if (keyOf(entry) !== undefined) {
    if (keyOf(first) === keyOf(entry))
      return 'The key was the same, but it is known only for 24 hours of your clock. They were over, so this create was new.';
    return 'The first create for this vehicle did not have the same Idempotency-Key, so this one was new.';
  }
  if (keyOf(first) !== undefined)
    return 'You sent the create again without its key, so it was taken for a new request. A repeated call has the same headers and the same body.';
  return 'You sent the same create twice, and the second one was taken for a new request. Nothing in it says that it repeats the first one.';
}

/** Tells whether an `If-Match` has the ETag that was answered. */
function names(match: string, { answer }: Entry): boolean {
  const { etag } = answer.headers;
  return etag !== undefined && match.includes(etag);
}

const isChange = ({ call, status }: Entry) => call === updatePolicy && status === 200;

const isReadOf = ({ call, status, path }: Entry, changed: Entry) =>
  call === readPolicy && status === 200 && path === changed.path;

/** A change that was refused because of a tag which had once been read. A weak one is refused however new it is. */
function isRefusedAsOld(entry: Entry, history: History): boolean {
  if (entry.call !== updatePolicy || entry.status !== 412) return false;
  const outdated = entry.sent.headers['if-match'] ?? '';
  return !outdated.startsWith('W/') && history.has((each) => names(outdated, each));
}

const neverGot = 'The change was refused, but you never got the ETag in your If-Match.';

/** Why a change was refused with 412, unless it named an ETag. */
function otherRefusal({ sent }: Entry): string | false {
  const { 'if-match': match } = sent.headers;
  if (match === undefined) return 'The change was refused, but not by If-Match. If-None-Match is for reads.';
  if (match.startsWith('"')) return false;
  return 'The change was refused because of the form of your If-Match. Send the ETag exactly as you got it, with its quotes.';
}

const tagRefused = 'The header with your ETag was refused. The answer says what is wrong with it.';

/** A change with an `If-Match`, or one that should have it: whether it was refused as it has to be first. */
function firstRefusal(entry: Entry, history: History): Verdict {
  if (isRefusedAsOld(entry, history)) return true;
  if (entry.call !== updatePolicy) return isOtherThanPut(entry);
  const { 'if-match': match } = entry.sent.headers;
  if (entry.problem === 'policy-immutable') {
    return (
      match !== undefined &&
      history.has(({ call, path }) => call === cancelPolicy && path === `${entry.path}/cancel`) &&
      'The other person cancelled the policy, so nobody can change it. Let that person change another one.'
    );
  }
  if (entry.status === 412)
    return otherRefusal(entry) || `${neverGot} Send one that you got before the policy changed.`;
  if (entry.status !== 200) return isRefusedFor(/match/i, entry) && tagRefused;
  if (match === '*')
    return 'The star in If-Match fits every ETag, so the change can’t be refused. Name the one that you got.';
  return match !== undefined
    ? 'The change was made, since your If-Match had the latest ETag. It is refused only if the policy has changed after you got the ETag.'
    : 'You sent the change without If-Match, so nobody checked whether the policy had changed since you read it. That is right for the other person’s change, but not for yours.';
}

/** Explains a call in place of a change. */
const isOtherThanPut = (entry: Entry): string | false =>
  entry.call === cancelPolicy
    ? 'You sent a cancel, but this lesson is about a change. A policy that is cancelled can’t be changed.'
    : byPatch(entry);

/** The refusal that an attempt goes on from: the first for an old ETag since this policy was changed. */
function refusalBefore({ path }: Pick<Entry, 'path'>, history: History): Entry | undefined {
  const tries = history.all((each) => each.call === updatePolicy && each.path === path);
  return tries.slice(tries.findLastIndex(isChange) + 1).find((each) => isRefusedAsOld(each, history.before(each)));
}

/** A read after a change was refused. */
function readAfterRefusal(entry: Entry, history: History): Verdict {
  if (entry.call === listPolicies && entry.status === 200) {
    const before = history.last(({ call }) => [updatePolicy, readPolicy, listPolicies].includes(call));
    if (before === undefined || !isRefusedAsOld(before, history.before(before))) return false;
    return 'You read the list, which has no ETag. Read the policy by its id.';
  }
  if (entry.call === headOfPolicy) return refusalBefore(entry, history) !== undefined && onlyHead('the policy');
  if (entry.call !== readPolicy || entry.status !== 200) return false;
  if (refusalBefore(entry, history)) return true;
  const isNext = history.last(({ call }) => call === updatePolicy || call === readPolicy);
  if (isNext === undefined || !isRefusedAsOld(isNext, history.before(isNext))) return false;
  return 'You read another policy than the one whose change was refused.';
}

/** A change that was sent after one was refused for an old ETag: whether it goes by what was read in between. */
function afterRefusal(entry: Entry, history: History): Verdict {
  const other = isOtherThanPut(entry);
  if (other) {
    if (!refusalBefore({ path: entry.path.replace(/\/cancel$/, '') }, history)) return false;
    const beginAgain = 'You cancelled the policy, so it can’t be changed any more. Begin again: with a new policy.';
    return entry.status < 300 ? { beginAgain } : other;
  }
  if (entry.call !== updatePolicy) return false;
  const refused = refusalBefore(entry, history);
  const match = entry.sent.headers['if-match'];
  if (!refused) return match !== undefined && isElsewhere(entry, history);
  const reads = history.since(refused).filter((each) => isReadOf(each, entry));
  if (isRefusedAsOld(entry, history)) {
    if (reads.length === 0) return 'The change was refused again. Read the policy before you send your change again.';
    return 'The change was refused again. You have read the policy, but your If-Match still has an old ETag.';
  }
  if (entry.status === 412) return otherRefusal(entry) || `${neverGot} Send one that you got.`;
  if (entry.status !== 200) return isRefusedFor(/match/i, entry) && tagRefused;
  if (match === undefined) {
    const beginAgain =
      'You sent the change without If-Match, so nobody checked what it overwrites. Begin again: let a change with an old ETag be refused.';
    return { beginAgain };
  }
  if (match === '*') {
    const beginAgain =
      'The star in If-Match fits every ETag, so nobody checked what you overwrite. Begin again: let a change with an old ETag be refused.';
    return { beginAgain };
  }
  const read = reads.find((each) => names(match, each));
  if (read && jsonOf(read.answer)?.holder === jsonOf(entry.answer)?.holder) {
    const beginAgain =
      'You sent the holder that you read, so you gave up your change. Begin again: let a change with an old ETag be refused, and then make that change.';
    return { beginAgain };
  }
  if (read) return true;
  const beginAgain =
    'No GET since the 412 gave you the policy with the ETag in your If-Match, so you have not seen what you overwrite. Begin again: let a change with an old ETag be refused, read the policy, then change it.';
  return { beginAgain };
}

/** A change of another policy than the one whose change was refused just before. */
function isElsewhere(entry: Entry, history: History): Verdict {
  const tried = history.last(({ call }) => call === updatePolicy);
  if (entry.status !== 200 || !tried || !isRefusedAsOld(tried, history.before(tried))) return false;
  return 'You changed another policy than the one whose change was refused.';
}

const conditions = ['if-none-match', 'if-match', 'if-modified-since', 'etag'];

/** A read without a condition, of what was read just so before. */
function isReadInFull(entry: Entry, history: History): string | false {
  const before = history.last((each) => isReadOf(each, entry));
  return (
    before !== undefined &&
    before.answer.headers.etag === entry.answer.headers.etag &&
    conditions.every((name) => before.sent.headers[name] === undefined) &&
    'You read it again without a condition. A header of the answer before has what you need for one.'
  );
}

/** Tells whether an ETag came with this policy: those of others may look the same. */
const isTagOf = ({ path }: Entry, tag: string, history: History) =>
  history.has(
    (each) =>
      each.status < 300 &&
      names(tag, each) &&
      ([path, `${path}/cancel`].includes(each.path) || each.answer.headers.location?.endsWith(path) === true),
  );

/** A read of one policy: whether it was left out since nothing had changed. */
function isNotModified(entry: Entry, history: History): Verdict {
  const { call, status, sent } = entry;
  const { 'if-none-match': named, 'if-match': demanded, 'if-modified-since': since, etag } = sent.headers;
  if (call === readClaim) return status === 304 && 'That was a claim. Do the same with a policy.';
  if (call === headOfPolicy)
    return named !== undefined && 'A HEAD never has a body, so it saves nothing here. Read the policy with GET.';
  if (call === listPolicies && named !== undefined)
    return 'You named an ETag, but the list of policies has none. Read one policy, by its id.';
  if (call === updatePolicy) return named !== undefined && 'You sent a change. This lesson is about a read.';
  if (call !== readPolicy) return false;
  if (isRefusedFor(/match/i, entry)) return tagRefused;
  if (demanded !== undefined) return 'If-Match is for changes. Another header is for reads.';
  if (named === '*') return 'The header If-None-Match has a star, which fits anything. Send the ETag that you know.';
  if (named === undefined && etag !== undefined)
    return 'ETag is a header of answers. A request has another one for it.';
  if (named === undefined && since !== undefined)
    return 'The insurer does not look at If-Modified-Since. Its answers say in a header which version they have.';
  if (named === undefined) return isReadInFull(entry, history);
  if (status === 304)
    return (
      isTagOf(entry, named, history) ||
      'Nothing shows that you got this ETag with this policy. Read the policy first, and then name the ETag of that answer.'
    );
  if (status !== 200) return false;
  if (!named.includes('"')) return 'The ETag in If-None-Match has no quotes. They belong to it.';
  return 'The policy was sent, since its ETag is not the one that you named. Name the ETag of your last read of this policy.';
}

export const repeats: LessonTopic = {
  id: 'repeats',
  title: 'Safe repeats',
  lessons: [
    {
      id: 'retried-create',
      countsReplays: true,
      title: 'Create once, send twice',
      level: 2,
      goal: 'Create a policy so that you can safely repeat the call if its answer is lost. Then repeat it: you get the first answer once more, not a second policy and not a 409.',
      why: 'After a timeout you don’t know whether the work was done; with a key of your own you can safely send the call again.',
      hints: [
        'A header names the request. You make up its value. To repeat the call, send the same value and the same body.',
        'The header is Idempotency-Key, and a UUID is a good value. The second answer has the header Idempotency-Replayed.',
        `\`PLATE=LP-$RANDOM$RANDOM\` makes up a number of your own. Then run this twice, with nothing changed: \`curl -i $ROOT/insurer/v1/policies -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -H "Idempotency-Key: my-first-key" -d '{"regNumber":"'$PLATE'"}'\`. If the first answer is 409, choose another number.`,
      ],
      sections: ['Endpoints, 4', 'Endpoints, rule 1'],
      buildsOn: ['duplicate-policy'],
      remember:
        'Send an `Idempotency-Key` with each create. The same key and the same body give the first answer again.',
      without: 'A timeout and a repeat, and the customer has two orders. Or nobody repeats, and there is none.',
      shortestWay: 2,
      way: [createPolicy],
      steps: [
        { title: 'Create a policy so that you can repeat the call', judge: withKey },
        { title: 'Repeat the call', judge: isRepeated },
      ],
    },
    {
      id: 'lost-update',
      title: 'Somebody was faster',
      level: 2,
      goal: 'Change a policy only if nobody else has changed it since you read it. First let your change be refused with 412, because somebody was faster: play that person yourself, with another PUT. Then read the policy again, and make your change with what you read.',
      why: 'Two people who edit the same thing otherwise overwrite each other, and nobody notices.',
      hints: [
        'Each answer with a policy has the header ETag, which changes with the policy. A header of the PUT can say which ETag the policy must still have.',
        'PUT with the header If-Match and the ETag that you read, with its quotes. After any other change of the policy that ETag is old, and the answer is 412.',
        `With the id of a new policy as \`POLICY_ID\`: \`curl -i -X PUT $ROOT/insurer/v1/policies/$POLICY_ID -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -H 'If-Match: "1-active"' -d '{"holder":"Ada Example"}'\`. Send it twice: the second one is 412. Then GET the policy, and PUT with the ETag of that answer.`,
      ],
      sections: ['Endpoints, 7', 'RFC 9110, section 13.1.1'],
      buildsOn: ['update-policy'],
      remember:
        'Send the `ETag` that you read as `If-Match`. After 412 read again, and look at what changed before you write.',
      without:
        'Two clerks edit the same policy. The second one saves the old address over the new one, and there is no error.',
      shortestWay: 5,
      way: [readPolicy, createPolicy, updatePolicy, `${updatePolicy} 412`],
      steps: [
        { title: 'Let a change with an old ETag be refused', judge: firstRefusal },
        { title: 'Read that policy again', judge: readAfterRefusal },
        { title: 'Make your change with the ETag that you read', judge: afterRefusal },
      ],
    },
    {
      id: 'not-modified',
      title: 'Nothing new',
      level: 2,
      goal: 'Read a policy again, but let the insurer send it only if it has changed since you read it last. It has not, so the answer is 304, without a body.',
      why: 'A program that reads the same thing again and again costs both sides little, if nothing is sent while nothing has changed.',
      hints: [
        'The answer to a read has the header ETag. A header of the next read can name it.',
        'The header is If-None-Match, and its value the ETag with its quotes.',
        `\`curl -i $ROOT/insurer/v1/policies/$POLICY_ID -H "Authorization: Bearer $TOKEN" -H 'If-None-Match: "1-active"'\`, where \`POLICY_ID\` is the id, with the ETag that you got. The status is 304.`,
      ],
      sections: ['Endpoints, 6', 'RFC 9110, section 13.1.2'],
      buildsOn: ['read-policy'],
      remember: 'Send the `ETag` as `If-None-Match`. 304 says that what you have is still right.',
      without:
        'Each screen loads everything each minute. The bill for traffic grows, and the service gets slow for all.',
      shortestWay: 2,
      way: [readPolicy, createPolicy],
      steps: [{ title: 'Read a policy only if it has changed', judge: isNotModified }],
    },
  ],
};
