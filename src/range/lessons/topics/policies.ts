import { type Entry, jsonOf } from '../entry.ts';
import type { History } from '../history.ts';
import type { Topic } from '../lesson.ts';

/*
 * The life of a policy, and what the register refuses.
 */

const create = 'POST /insurer/v1/policies';
const readOne = 'GET /insurer/v1/policies/:policyId';
const update = 'PUT /insurer/v1/policies/:policyId';
const cancel = 'POST /insurer/v1/policies/:policyId/cancel';

const isChange = ({ call, status }: Entry) => call === update && status === 200;

const oneDay = 24 * 60 * 60;

/** Tells whether a call to this address succeeded, which is that of a cancel. */
const cancelled = (history: History, path: string) =>
  history.has((entry) => entry.status === 200 && entry.path === path);

/** The last part of the path of a policy. */
const idIn = (path: string) => path.split('/').at(-1);

/** How far the client's clock was moved between two calls, in seconds, as far as their tokens tell. */
const moved = (from: Entry, to: Entry) => (to.token?.iat ?? 0) - (from.token?.iat ?? 0);

export const policies: Topic = {
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
      steps: [
        {
          title: 'Create a policy',
          judge: ({ call, status }) => call === create && status === 201,
        },
      ],
    },
    {
      id: 'duplicate-policy',
      title: 'Insured twice',
      level: 1,
      goal: 'Try to insure a vehicle that already has a policy in force, and read the refusal.',
      why: '409 says that the request is well formed but conflicts with what is stored, so to send it again does not help.',
      hints: [
        'Whose policy it is does not matter: one of your own will do.',
        'Create a policy with a registration number that you have used before.',
        'Send a create twice with the same regNumber. The second answer is 409, and the type of the problem ends with duplicate-policy.',
      ],
      sections: ['Endpoints, rule 1', 'Limits, Active policies per vehicle', 'Errors, 1'],
      buildsOn: ['create-policy'],
      steps: [
        {
          title: 'Insured twice',
          judge: ({ problem }) => problem === 'duplicate-policy',
        },
      ],
    },
    {
      id: 'read-policy',
      title: 'Read a policy',
      level: 1,
      goal: 'Read one of your policies by its id.',
      why: 'What you stored may be out of date; the insurer has what is true now.',
      hints: [
        'The id is in the answer to the create, and the list of your policies has it too.',
        'It is a GET, and the id is the last part of the path.',
        '`curl $ROOT/insurer/v1/policies/$POLICY_ID -H "Authorization: Bearer $TOKEN"`, where `POLICY_ID` is the whole id.',
      ],
      sections: ['Endpoints, 6', 'Policy'],
      buildsOn: ['create-policy'],
      steps: [
        {
          title: 'Read a policy',
          judge: ({ call, status }) => call === readOne && status === 200,
        },
      ],
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
      steps: [
        {
          title: 'No such policy',
          judge: ({ call, problem, isOfAnother }) => call === readOne && problem === 'policy-not-found' && !isOfAnother,
        },
      ],
    },
    {
      id: 'anothers-policy',
      title: 'Somebody else’s policy',
      level: 2,
      goal: 'Read a policy that belongs to another client, which may be a second one of yours. See that the answer is the one for an id that nobody has.',
      why: 'If the two answers differed, anybody could find out which ids exist.',
      hints: [
        'You need two clients, each with a token of its own.',
        'Create a second demo client, get a token for it, and create a policy with that token.',
        'Then read that policy with your first token: `curl -i $ROOT/insurer/v1/policies/$POLICY_ID -H "Authorization: Bearer $TOKEN"`, where `POLICY_ID` is its id. The status is 404, as if there were no such policy.',
      ],
      sections: ['Endpoints, rule 3', 'Endpoints, rule 4', 'Endpoints, 1', 'Errors, 1'],
      buildsOn: ['unknown-policy'],
      steps: [
        {
          title: 'Somebody else’s policy',
          judge: ({ call, isOfAnother }) => call === readOne && isOfAnother,
        },
      ],
    },
    {
      id: 'update-policy',
      title: 'Change the holder',
      level: 2,
      goal: 'Change the holder of a policy. Then read the policy by its id: its status is now “updated”.',
      why: 'The answer shows the new state, but another program may have changed it since: a read shows what is true now.',
      hints: [
        'The holder is the only member of a policy that can be changed.',
        '`PUT /policies/{policyId}` with a JSON body: `{"holder":"Ada Example"}`. Then GET the same path.',
        `\`curl -X PUT $ROOT/insurer/v1/policies/$POLICY_ID -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d '{"holder":"Ada Example"}'\`, where \`POLICY_ID\` is the id of the policy. Then \`curl $ROOT/insurer/v1/policies/$POLICY_ID -H "Authorization: Bearer $TOKEN"\`.`,
      ],
      sections: ['Endpoints, 7', 'Endpoints, 6', 'States and transitions, Policy'],
      buildsOn: ['read-policy'],
      steps: [
        { title: 'Change the holder of a policy', judge: isChange },
        {
          title: 'Read that policy by its id',
          judge(entry, history) {
            const { call, status, path, answer } = entry;
            if (call !== readOne || status !== 200) return false;
            const changed = history.last(isChange);
            if (!changed) return false;
            if (!history.has((each) => isChange(each) && each.path === path)) {
              return `You read another policy. The one that you changed is ${idIn(changed.path)}.`;
            }
            const now = jsonOf(answer)?.status;
            return (
              now === 'updated' || `The policy is ${now} by now. Change the holder of one in force, and read that one.`
            );
          },
        },
      ],
    },
    {
      id: 'cancel-twice',
      title: 'Cancel, and cancel again',
      level: 2,
      goal: 'Cancel a policy twice. See that the second call succeeds as well, and changes nothing.',
      why: 'When the answer to a cancel is lost, a program can send it again without fear.',
      hints: [
        'A policy is never deleted. To cancel it has an address of its own, below that of the policy.',
        '`POST /policies/{policyId}/cancel`, without a body.',
        'Twice: `curl -X POST $ROOT/insurer/v1/policies/$POLICY_ID/cancel -H "Authorization: Bearer $TOKEN"`, where `POLICY_ID` is the id of the policy. Both answers are 200, with the same updatedAt.',
      ],
      sections: ['Endpoints, 8', 'States and transitions, Policy'],
      buildsOn: ['create-policy'],
      steps: [
        {
          title: 'Cancel, and cancel again',
          judge: ({ call, path, status }, history) => call === cancel && status === 200 && cancelled(history, path),
        },
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
      steps: [
        {
          title: 'Too late for a change',
          judge: ({ path, problem }, history) => problem === 'policy-immutable' && cancelled(history, `${path}/cancel`),
        },
      ],
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
      steps: [
        {
          title: 'The cover ends',
          judge(entry, history) {
            if (entry.call !== readOne) return false;
            const { id, status, endDate } = jsonOf(entry.answer) ?? {};
            const created = history.last(({ call, answer }) => call === create && id && jsonOf(answer)?.id === id);
            if (!created) return false;
            if (status === 'expired') return true;
            if (status === 'cancelled' || moved(created, entry) < oneDay) return false;
            return `The policy covers the vehicle until ${endDate}, and your clock has not passed that day yet.`;
          },
        },
      ],
    },
  ],
};
