import { instant } from '../../../time/clock.ts';
import { day } from '../../../time/units.ts';
import {
  cancelPolicy,
  createPolicy,
  headOfPolicy,
  listPolicies,
  newToken,
  readPolicy,
  updatePolicy,
} from '../calls.ts';
import { type Entry, isReplayed, jsonOf } from '../entry.ts';
import type { History } from '../history.ts';
import type { LessonTopic, Verdict } from '../lesson.ts';
import { byPatch, onlyHead } from '../other-methods.ts';

/*
 * The life of a policy, and what the register refuses.
 */

const isCreated = ({ call, status }: Entry) => call === createPolicy && status === 201;
const isCancel = ({ call, status }: Entry) => call === cancelPolicy && status === 200;

/** Tells whether it has the address of a policy, or what looks like one. */
const isAtPolicy = ({ path }: Entry) => /^\/insurer\/v1\/polic[^/]*\/[^/]+$/.test(path);

/** Tells whether a policy was cancelled by a call to this address. */
const cancelled = (history: History, path: string) =>
  history.has((entry) => entry.status === 200 && entry.path === path);

/** The path of a policy that was created. */
const pathOf = (created: Entry) => `${created.path}/${jsonOf(created.answer)?.id}`;

const isPut = ({ call, status }: Entry) => call === updatePolicy && status === 200;

/** Tells whether it changed the holder, as far as the log has the one before. */
function isChange(entry: Entry, history: History): boolean {
  if (!isPut(entry)) return false;
  const { id, holder } = jsonOf(entry.answer) ?? {};
  const before = history.before(entry).last(({ answer }) => id !== undefined && jsonOf(answer)?.id === id);
  return before === undefined ? holder !== null : jsonOf(before.answer).holder !== holder;
}

/** The last part of the path of a policy. */
const idIn = (path: string) => path.split('/').at(-1);

/** Empty for what is no text, as callers may send anything. */
const plate = (number: unknown) => (typeof number === 'string' ? number.replaceAll('-', '').toUpperCase() : '');

/** Each new call is compared with those before it. */
const plates = new WeakMap<Entry, string>();

function sentPlate(entry: Entry): string {
  const known = plates.get(entry) ?? plate(jsonOf(entry.sent)?.regNumber);
  plates.set(entry, known);
  return known;
}

/** Finds the creates of a policy for this vehicle. */
function insuresVehicle(regNumber: unknown): (entry: Entry) => boolean {
  const wanted = plate(regNumber);
  return (entry) => wanted !== '' && isCreated(entry) && sentPlate(entry) === wanted;
}

/** What is said where the registration number of one's own policy stands in place of its id, whatever was to be done. */
function namesVehicle({ path, problem }: Entry, history: History): string | false {
  const [, named] = /^\/insurer\/v1\/policies\/([^/]+)/.exec(path) ?? [];
  const isOwn = problem === 'policy-not-found' && history.has(insuresVehicle(named));
  return isOwn && 'The path has the registration number of your policy. It needs the id.';
}

/** Tells whether the client's clock was moved between two calls, as far as the log tells, or else their tokens. */
const isMoved = (from: Entry, to: Entry) =>
  to.aheadSeconds > from.aheadSeconds || (to.token?.iat ?? 0) - (from.token?.iat ?? 0) >= day / 1000;

const refused = [400, 415];

const noBody = onlyHead('the policy');
const notSent = 'The policy was not sent, since you named its ETag. Leave If-None-Match out.';
const noFilter = 'The list has no such filter, so you got all your policies. Each policy has an address of its own.';

function isInsured({ call, status, path, problem }: Entry): Verdict {
  if (call === createPolicy) {
    if (status === 201) return true;
    if (problem === 'duplicate-policy')
      return 'Nothing was created: this vehicle has a policy in force already. Make up another registration number.';
    if (!refused.includes(status)) return false;
    return 'Nothing was created: the request was refused. The answer says what is wrong with it.';
  }
  const isChangeOfNothing = call === updatePolicy && problem === 'policy-not-found';
  const isChangeOfAll = call === 'PUT (none)' && path === '/insurer/v1/policies';
  return (isChangeOfNothing || isChangeOfAll) && 'Nothing was created: a PUT only changes a policy that exists.';
}

function isInsuredTwice(entry: Entry, history: History): Verdict {
  const { call, status, problem, sent } = entry;
  if (problem === 'duplicate-policy') return true;
  if (call !== createPolicy) return false;
  const regNumber = jsonOf(sent)?.regNumber;
  if (!history.has(insuresVehicle(regNumber))) return false;
  if (problem === 'idempotency-key-reused' || isReplayed(entry))
    return 'You sent the Idempotency-Key of your first create again, so nobody looked whether the vehicle is insured.';
  if (status === 201)
    return 'The vehicle got a new policy, since its first one is no longer in force. Take a vehicle whose policy is.';
  return refused.includes(status) && 'The request was refused, so nobody looked whether the vehicle is insured.';
}

function isReadById(entry: Entry, history: History): Verdict {
  const { call, status, path, query, problem } = entry;
  if (call === listPolicies) {
    if (query.has('regNumber') && entry.ids.length > 0)
      return 'You found it in the list. Each policy has an address of its own, which ends with its id.';
    if (query.has('id') || query.has('policyId')) return noFilter;
    return status === 200 && 'You listed your policies. Read one of them by its id.';
  }
  if (call === headOfPolicy) return status === 200 && noBody;
  if (call === 'POST (none)' && history.has((each) => isCreated(each) && path === pathOf(each)))
    return 'The address is right, but you sent POST. A policy is read with GET.';
  if (call !== readPolicy) return false;
  if (status === 304) return notSent;
  if (problem !== 'policy-not-found') return status === 200;
  return namesVehicle(entry, history) || 'You have no policy with this id. Use the whole id of one that you created.';
}

function isUnknown(entry: Entry, history: History): Verdict {
  const { call, status, query, ids, problem, isOfAnother } = entry;
  if (call === readPolicy && status === 200) return 'This policy exists. Read one with an id that nobody has.';
  if (problem === 'policy-not-found' && call === readPolicy) {
    if (isOfAnother) return 'There is a policy with this id: it belongs to another client. Take an id that nobody has.';
    return namesVehicle(entry, history) || true;
  }
  if (problem === 'policy-not-found' && (call === updatePolicy || call === cancelPolicy))
    return 'There is no such policy, but you tried to change it. Read one.';
  if (call === listPolicies) {
    if (query.has('id') || query.has('policyId')) return noFilter;
    const isNoneFound = status === 200 && query.has('regNumber') && ids.length === 0;
    return isNoneFound && 'You searched the list, and an empty list is no refusal. Read one policy, by an id.';
  }
  if (call !== 'GET (none)' || !isAtPolicy(entry)) return false;
  return 'This 404 is about the address, and tells nothing about a policy. Keep the address of a policy, and change only the id.';
}

function isAnothers({ call, path, status, problem, isOfAnother }: Entry): Verdict {
  if (isOfAnother && call === headOfPolicy) return onlyHead('the refusal');
  if (isOfAnother)
    return call === readPolicy || 'This policy belongs to another client, but you tried to change it. Read it.';
  if (call !== readPolicy) return false;
  if (status === 200) return 'This policy is yours. Read one of another client.';
  if (problem !== 'policy-not-found') return false;
  return idIn(path)?.startsWith('pol-')
    ? 'Nobody has a policy with this id. You need one that exists.'
    : 'That is no id of a policy: an id begins with pol-. Take the whole id of a policy of another client.';
}

const unchanged = 'Nothing was changed: you sent the holder that the policy has already, or none. Send another one.';

function isHolderChanged(entry: Entry, history: History): Verdict {
  const { call, status, problem } = entry;
  if (isChange(entry, history)) return true;
  if (isPut(entry)) return unchanged;
  if (call !== updatePolicy) return byPatch(entry);
  if (status === 412) return 'Nothing was changed: your If-Match does not have the ETag of the policy.';
  if (problem === 'policy-immutable')
    return 'Nothing was changed: this policy is cancelled or expired. Take one that is in force.';
  return refused.includes(status)
    ? 'Nothing was changed: the request was refused. The answer says what is wrong with it.'
    : namesVehicle(entry, history);
}

function isChangedOneRead(entry: Entry, history: History): Verdict {
  const { call, status, path, answer } = entry;
  const changed = history.last((each) => isChange(each, history));
  if (!changed) return false;
  if (isPut(entry))
    return 'You changed a policy again, but you have not read one since. Read the one that you changed.';
  if (call === listPolicies && history.last(() => true) === changed)
    return 'You listed your policies. Read the one that you changed by its id.';
  if (call === headOfPolicy) return status === 200 && noBody;
  if (call !== readPolicy) return false;
  if (status === 304) return notSent;
  if (status !== 200) return namesVehicle(entry, history);
  if (!history.has((each) => isChange(each, history) && each.path === path))
    return `You read another policy. The one that you changed is ${idIn(changed.path)}.`;
  const now = jsonOf(answer)?.status;
  return now === 'updated' || `The policy is ${now} by now. Change the holder of one in force, and read that one.`;
}

const lacksId = 'Nothing was cancelled: the address lacks the id of the policy.';

function isCancelled(entry: Entry, history: History): Verdict {
  const { call, status, path, problem, sent } = entry;
  if (isCancel(entry)) return true;
  if (call === cancelPolicy) {
    if (problem === 'policy-immutable')
      return 'Nothing was cancelled: this policy has expired. Take one that is in force.';
    if (status === 412) return 'Nothing was cancelled: your If-Match does not have the ETag of the policy.';
    return namesVehicle(entry, history);
  }
  if (call === 'DELETE (none)' && isAtPolicy(entry)) return 'Nothing was cancelled: a policy can’t be deleted.';
  if (call === 'POST (none)' && path === '/insurer/v1/policies/cancel') return lacksId;
  if (call.endsWith(' (none)') && /\/policies\/[^/]+\/cancel$/.test(path) && status === 405)
    return 'Nothing was cancelled: you have the right address, but it takes another method.';
  const setsStatus = call === updatePolicy && status === 400 && jsonOf(sent)?.status !== undefined;
  return setsStatus && 'Nothing was cancelled: a change can’t set the status.';
}

function isCancelledAgain(entry: Entry, history: History): Verdict {
  const { call, path, status } = entry;
  const hasCancelled = history.has(isCancel);
  if (call === 'POST (none)' && path === '/insurer/v1/policies/cancel') return hasCancelled && lacksId;
  if (call !== cancelPolicy) return false;
  const named = namesVehicle(entry, history);
  if (named) return hasCancelled && named;
  if (cancelled(history, path)) {
    if (status === 412) return 'The second cancel was refused: your If-Match has an ETag from before the first one.';
    return status === 200;
  }
  return status === 200 && hasCancelled && 'You cancelled another policy. Cancel one and the same twice.';
}

/** Tells whether a policy of this vehicle was cancelled. */
function cancelledOf(history: History, regNumber: unknown): boolean {
  const isOfVehicle = insuresVehicle(regNumber);
  return history.has((created) => isOfVehicle(created) && cancelled(history, `${pathOf(created)}/cancel`));
}

function isTooLate(entry: Entry, history: History): Verdict {
  const { call, path, status, problem, sent } = entry;
  if (isCreated(entry) && cancelledOf(history, jsonOf(sent)?.regNumber))
    return 'You insured the vehicle again. Try to change the policy that you cancelled.';
  if (call !== updatePolicy) return false;
  const isCancelledHere = cancelled(history, `${path}/cancel`);
  if (problem === 'policy-immutable') {
    if (isCancelledHere) return true;
    return 'This policy can’t be changed either, but your log has no call that cancelled it. Cancel one, and take that.';
  }
  if (isCancelledHere) {
    if (!refused.includes(status)) return false;
    return 'The policy is the right one, but the request was refused. Send one that would change a policy in force.';
  }
  if (problem === 'policy-not-found') return cancelledOf(history, idIn(path)) && namesVehicle(entry, history);
  if (status !== 200) return false;
  return history.has(({ call: each }) => each === cancelPolicy)
    ? 'The change was made, since this policy is in force. Try to change the one that you cancelled.'
    : 'The change was made, since this policy is in force. Cancel it, and try to change it then.';
}

/** Tells whether the client's clock was past the last day of a policy when it got the token of this call. */
function hasEnded({ token }: Entry, history: History): boolean {
  if (token?.iat === undefined) return false;
  const today = instant(token.iat * 1000).slice(0, 10);
  return history.has((created) => {
    if (!isCreated(created)) return false;
    const { id, endDate } = jsonOf(created.answer) ?? {};
    return endDate < today && !cancelled(history, `${created.path}/${id}/cancel`);
  });
}

function isPast(entry: Entry, history: History): Verdict {
  return (entry.call === newToken || entry.call === readPolicy) && hasEnded(entry, history);
}

function isExpiredOneRead(entry: Entry, history: History): Verdict {
  if (entry.call === listPolicies && history.last(() => true)?.call === newToken && hasEnded(entry, history))
    return 'You listed your policies. Read the one whose last day is over by its id.';
  if (entry.call === headOfPolicy) return hasEnded(entry, history) && noBody;
  if (entry.call !== readPolicy) return false;
  const { id, status, endDate } = jsonOf(entry.answer) ?? {};
  if (entry.problem === 'policy-not-found')
    return history.has((each) => isCreated(each) && isMoved(each, entry)) && namesVehicle(entry, history);
  const created = history.last(({ call, answer }) => call === createPolicy && id && jsonOf(answer)?.id === id);
  if (!created) {
    const isOld = status === 'expired';
    if (!isOld) return false;
    return 'This policy has expired, but your log has no call that created it. Create one, and let that one expire.';
  }
  if (status === 'expired') return true;
  if (status === 'cancelled') return 'You cancelled this policy, so it does not expire. Take one that is in force.';
  return `The policy covers the vehicle until ${endDate}, and your clock has not passed that day yet.`;
}

export const policies: LessonTopic = {
  id: 'policies',
  title: 'Policies',
  lessons: [
    {
      id: 'create-policy',
      title: 'Create a policy',
      level: 1,
      goal: 'Insure a vehicle: create a policy for a registration number that you make up. Keep the id of the policy.',
      why: 'Later calls name the policy by the id in this answer, so a program has to store it.',
      hints: [
        'The reference at /docs has it under Policies. You need your token, and a JSON body with one member.',
        '`POST /policies` with `Content-Type: application/json`, and your token in the header Authorization.',
        `\`curl $ROOT/insurer/v1/policies -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d '{"regNumber":"LP-'$RANDOM$RANDOM'"}'\`, where \`$RANDOM\` makes up a number. If it is taken, try again.`,
      ],
      sections: ['Endpoints, 4', 'Policy', 'States and transitions, Policy', 'Authentication, 2'],
      buildsOn: ['token-by-json'],
      remember:
        '201 says that something was created. Its id is in the answer, and its address in the header `Location`.',
      without:
        'The policy exists, but your system does not know which one it is. Somebody has to look for it by hand, or it is made twice.',
      shortestWay: 1,
      way: [createPolicy],
      steps: [{ title: 'Create a policy', judge: isInsured }],
    },
    {
      id: 'duplicate-policy',
      title: 'Insured twice',
      level: 1,
      goal: 'Try to insure a vehicle that already has a policy in force, and read the refusal.',
      why: '409 says that the request is well formed but conflicts with what is stored, so sending it again does not help.',
      hints: [
        'Whose policy it is does not matter: one of your own will do.',
        'Create a policy with a registration number that you have used before.',
        'Send a create twice with the same regNumber. The second answer is 409, and the type of the problem ends with duplicate-policy.',
      ],
      sections: ['Endpoints, rule 1', 'Limits, Active policies per vehicle', 'Errors, 1'],
      buildsOn: ['create-policy'],
      remember:
        '409 says that your request does not fit what is stored. Find out what is there before you do anything else.',
      without:
        'The program treats 409 as a failure and tries again without end. The customer is insured all the time, and gets a letter that says the opposite.',
      shortestWay: 2,
      way: [createPolicy, `${createPolicy} 409`],
      steps: [{ title: 'Create a second policy for the same vehicle', judge: isInsuredTwice }],
    },
    {
      id: 'read-policy',
      title: 'Read a policy',
      level: 1,
      goal: 'Read one of your policies by its id.',
      why: 'What you stored may be out of date; the insurer knows what is true now.',
      hints: [
        'The id is in the answer to the create, and the list of your policies has it too.',
        'It is a GET, and the id is the last part of the path.',
        '`curl $ROOT/insurer/v1/policies/$POLICY_ID -H "Authorization: Bearer $TOKEN"`, where `POLICY_ID` is the whole id.',
      ],
      sections: ['Endpoints, 6', 'Policy'],
      buildsOn: ['create-policy'],
      remember:
        'One thing is read by its id, with GET. To read changes nothing, so you can do it as often as you need.',
      without: 'You show a customer what you stored last month, but the policy got another holder yesterday.',
      shortestWay: 2,
      way: [readPolicy, createPolicy],
      steps: [{ title: 'Read a policy by its id', judge: isReadById }],
    },
    {
      id: 'unknown-policy',
      title: 'No such policy',
      level: 1,
      goal: 'Read a policy with an id that nobody has, and read the refusal.',
      why: 'A program has to tell “there is no such policy” from “the service is down”, and only the first one is final.',
      hints: [
        'Any text can stand in the place of the id.',
        'Take the id of a policy of yours and change its last character.',
        '`curl -i $ROOT/insurer/v1/policies/pol-1 -H "Authorization: Bearer $TOKEN"`. The status is 404, with a problem as the body.',
      ],
      sections: ['Endpoints, rule 4', 'Errors, 1'],
      buildsOn: ['read-policy'],
      remember: '404 is a final answer: there is nothing with this id for you. Do not repeat the call.',
      without:
        'One deleted record stops a whole import, because the program takes 404 for an outage and waits for the service to come back.',
      shortestWay: 1,
      way: [`${readPolicy} 404`],
      steps: [{ title: 'Read a policy with an id that nobody has', judge: isUnknown }],
    },
    {
      id: 'anothers-policy',
      title: 'Somebody else’s policy',
      level: 2,
      goal: 'Read a policy that belongs to another client, for example to a second client of yours. See that you get the same answer as for an id that nobody has.',
      why: 'If the two answers differed, anybody could find out which ids exist.',
      hints: [
        'You need two clients, each with a token of its own.',
        'Create a second demo client, get a token for it, and create a policy with that token.',
        'Then read that policy with your first token: `curl -i $ROOT/insurer/v1/policies/$POLICY_ID -H "Authorization: Bearer $TOKEN"`, where `POLICY_ID` is its id. The status is 404, as if there were no such policy.',
      ],
      sections: ['Endpoints, rule 3', 'Endpoints, rule 4', 'Endpoints, 1', 'Errors, 1'],
      buildsOn: ['unknown-policy'],
      remember:
        'What belongs to others answers 404, as if it did not exist. Check first which client your token is of.',
      without:
        'You search for data that “disappeared”, but the program ran with the credentials of another customer or of the test system.',
      shortestWay: 1,
      way: [`${readPolicy} 404`],
      steps: [{ title: 'Read a policy of another client', judge: isAnothers }],
    },
    {
      id: 'update-policy',
      title: 'Change the holder',
      level: 2,
      goal: 'Change the holder of a policy. Then read the policy by its id: its status is now `updated`.',
      why: 'The answer shows the new state, but another program may have changed it since: a read shows what is true now.',
      hints: [
        'The holder is the only member of a policy that can be changed.',
        '`PUT /policies/{policyId}` with a JSON body: `{"holder":"Ada Example"}`. Then GET the same path.',
        `\`curl -X PUT $ROOT/insurer/v1/policies/$POLICY_ID -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d '{"holder":"Ada Example"}'\`, where \`POLICY_ID\` is the id of the policy. Then \`curl $ROOT/insurer/v1/policies/$POLICY_ID -H "Authorization: Bearer $TOKEN"\`.`,
      ],
      sections: ['Endpoints, 7', 'Endpoints, 6', 'States and transitions, Policy'],
      buildsOn: ['read-policy'],
      remember: 'A PUT changes what you send. Read again if you need to know what is true now.',
      without:
        'Your screen shows what the user typed, not what the insurer stored. The two differ, and nobody sees it.',
      shortestWay: 3,
      way: [readPolicy, createPolicy, updatePolicy],
      steps: [
        { title: 'Change the holder of a policy', judge: isHolderChanged },
        { title: 'Read that policy by its id', judge: isChangedOneRead },
      ],
    },
    {
      id: 'cancel-twice',
      title: 'Cancel, and cancel again',
      level: 2,
      goal: 'Cancel a policy twice. See that the second call succeeds as well, and changes nothing.',
      why: 'When the answer to a cancel is lost, a program can send it again without fear.',
      hints: [
        'A policy is never deleted. There is an address to cancel it, below that of the policy.',
        '`POST /policies/{policyId}/cancel`, without a body.',
        'Twice: `curl -X POST $ROOT/insurer/v1/policies/$POLICY_ID/cancel -H "Authorization: Bearer $TOKEN"`, where `POLICY_ID` is the id of the policy. Both answers are 200, with the same updatedAt.',
      ],
      sections: ['Endpoints, 8', 'States and transitions, Policy'],
      buildsOn: ['create-policy'],
      remember: 'A cancel can be sent twice with the same result. Such a call is idempotent, so a repeat is safe.',
      without: 'After a timeout nobody dares to repeat the cancel. The customer pays on for a car that was sold.',
      shortestWay: 3,
      way: [createPolicy, cancelPolicy],
      steps: [
        { title: 'Cancel a policy', judge: isCancelled },
        { title: 'Cancel that policy again', judge: isCancelledAgain },
      ],
    },
    {
      id: 'change-cancelled',
      title: 'Too late for a change',
      level: 2,
      goal: 'Try to change the holder of a policy that you have cancelled, and read the refusal.',
      why: 'Some states are final, and a program that knows them does not offer its users what can’t be done.',
      hints: [
        'You need a policy that you cancelled: the one of the lesson before will do.',
        '`PUT /policies/{policyId}` with a new holder, as for a policy in force.',
        'The status is 409, and the type of the problem ends with policy-immutable.',
      ],
      sections: ['States and transitions, Policy', 'Endpoints, 7', 'Errors, 1'],
      buildsOn: ['update-policy', 'cancel-twice'],
      remember: 'Some states are final. Look at the status before you offer a change.',
      without:
        'Users fill in a long form, press Save and get an error, and the support has to explain that it never could work.',
      shortestWay: 3,
      way: [createPolicy, cancelPolicy, `${updatePolicy} 409`],
      steps: [{ title: 'Try to change a policy that you cancelled', judge: isTooLate }],
    },
    {
      id: 'expired-policy',
      title: 'The cover ends',
      level: 2,
      goal: 'Create a policy, move your clock past its last day, and read the policy by its id: it has expired. Nobody else’s clock moves, and yours can’t be turned back.',
      why: 'Time changes data without any call, so what a program stored a month ago may be wrong today.',
      hints: [
        'The answer to the create has the endDate. The shortest term is one month: send coverageOption, as `GET /coverage-options` lists it.',
        '`POST /range/v1/me/clock` with `{"advance":"P40D"}` moves your clock by 40 days. Your token has expired then: get a new one before you go on.',
        `\`curl $ROOT/insurer/v1/policies -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d '{"regNumber":"LP-'$RANDOM$RANDOM'","coverageOption":"MTPL-1M"}'\` answers with an id. Then \`curl $ROOT/range/v1/me/clock -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d '{"advance":"P40D"}'\`. Get a new token, and with that id as \`POLICY_ID\`: \`curl $ROOT/insurer/v1/policies/$POLICY_ID -H "Authorization: Bearer $TOKEN"\`.`,
      ],
      sections: ['States and transitions, Policy', 'Coverage option', 'Policy', 'The range'],
      buildsOn: ['read-policy'],
      remember: 'Data can change because time passes, without any call. Compare dates, or read again.',
      without:
        'A system says “insured” from an old copy. The accident is not covered, because the policy ended last week.',
      shortestWay: 3,
      way: [readPolicy, createPolicy],
      steps: [
        { title: 'Move your clock past the last day of a policy, and get a new token', judge: isPast },
        { title: 'Read that policy by its id', judge: isExpiredOneRead },
      ],
    },
  ],
};
