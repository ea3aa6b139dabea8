import type { StageCalls, Step } from '../stage.ts';
import { insure, list, narrowToken, policies, read, update, withNarrow } from './policy-steps.ts';
import { create, emptyRegister, listPage, readOne, updateOne } from './walk.ts';

const put = (id: string, more: Partial<Step>): Step => ({
  method: 'PUT',
  path: `${policies}/${id}`,
  ...more,
});

const ada = 'Ada Example';
const ben = { holder: 'Ben Example' };

/** A policy with a holder, and what is sent to change it. */
const change = (json: unknown) => [insure('ann', 'one', '{plate1}', ada), update('ann', 'one', json)];

export const updatePolicy: StageCalls = {
  reads: 'PUT /insurer/v1/policies/{policyId}',
  cases: [
    { title: 'The answer is the policy with the new holder and the status updated.', steps: change(ben) },
    { title: 'It can be read so.', steps: [...change(ben), read('ann', 'one')] },
    { title: 'It is listed so.', steps: [insure('ann', 'one'), update('ann', 'one', ben), list('ann')] },
    { title: 'It can be changed again.', steps: [...change(ben), update('ann', 'one', { holder: ada })] },
    { title: 'White space around the holder is left out.', steps: change({ holder: '  Ben Example ' }) },
    { title: 'A holder can have 100 characters.', steps: change({ holder: 'é'.repeat(100) }) },
    ...[
      ['A body without holder', {}],
      ['A holder that is empty', { holder: '' }],
      ['A holder of blanks', { holder: '   ' }],
      ['A holder of 101 characters', { holder: 'x'.repeat(101) }],
      ['A holder with a control character', { holder: 'Ada\u0007Example' }],
      ['A holder that is no text', { holder: 7 }],
      ['A holder that is taken away', { holder: null }],
      ['Another vehicle', { ...ben, regNumber: '{plate2}' }],
      ['Another coverage option', { ...ben, coverageOption: 'MTPL-1M' }],
      ['Another status', { ...ben, status: 'cancelled' }],
      ['A body that is no object', []],
    ].map(([what, json]) => ({ title: `${what} is refused.`, steps: change(json) })),
    {
      title: 'What was refused changed nothing.',
      steps: [...change({ ...ben, status: 'expired' }), read('ann', 'one')],
    },
    {
      title: 'The body can have the other members as they are.',
      steps: change({ ...ben, id: '{one}', status: 'active', regNumber: '{plate1}', coverageOption: 'MTPL-12M' }),
    },
    {
      title: 'A holder that is null can be sent back so.',
      steps: [insure('ann', 'one'), update('ann', 'one', { holder: null })],
    },
    {
      title: 'JSON that can’t be read is refused with malformed-json.',
      steps: [
        insure('ann', 'one'),
        put('{one}', { as: 'ann', body: '{"holder":', headers: { 'Content-Type': 'application/json' } }),
      ],
    },
    {
      title: 'A body that is not JSON is refused with unsupported-media-type.',
      steps: [
        insure('ann', 'one'),
        put('{one}', { as: 'ann', body: 'holder=Ben', headers: { 'Content-Type': 'text/plain' } }),
      ],
    },
    { title: 'A policy that is not there is not found.', steps: [put('pol-none', { as: 'ann', json: ben })] },
    {
      title: 'A policy of another client is not found.',
      steps: [insure('ann', 'one'), update('ben', 'one', ben)],
    },
    {
      title: 'A body that breaks a rule is refused before anybody looks for the policy.',
      steps: [insure('ann', 'one'), update('ben', 'one', { holder: '' })],
    },
    {
      title: 'Another client changes nothing.',
      steps: [insure('ann', 'one'), update('ben', 'one', ben), read('ann', 'one')],
    },
    {
      title: 'It needs the scope policies:write.',
      steps: [...narrowToken('policies:read'), put('pol-none', { json: ben, headers: withNarrow })],
    },
    { title: 'It needs a token.', steps: [put('pol-none', { json: ben })] },
    {
      title: 'An updated policy keeps its vehicle from being insured again.',
      steps: [insure('ann', 'one'), update('ann', 'one', ben), insure('ann', 'two')],
    },
  ],
  random: { model: emptyRegister, actions: [create, updateOne, readOne, listPage], rows: 8, most: 10 },
};
