import type { StageCalls } from '../stage.ts';
import { insure, policies } from './policy-steps.ts';
import { create, emptyRegister, readOne } from './walk.ts';

export const onePolicyAVehicle: StageCalls = {
  reads: 'POST /insurer/v1/policies',
  cases: [
    {
      title: 'A vehicle that you insured for the same client is refused with duplicate-policy.',
      steps: [insure('ann', 'one'), insure('ann', 'two')],
    },
    {
      title: 'A vehicle that another client insured is refused in the same way.',
      steps: [insure('ann', 'one'), insure('ben', 'two')],
    },
    ...['ab-{plate1}', 'AB{plate1}', '--a-B--{plate1}-'].map((regNumber) => ({
      title: `${regNumber.replace('{plate1}', '…')} and AB-… are the same vehicle.`,
      steps: [insure('ann', 'one', 'AB-{plate1}'), { as: 'ann', method: 'POST', path: policies, json: { regNumber } }],
    })),
    {
      title: 'Another vehicle can be insured.',
      steps: [insure('ann', 'one'), insure('ann', 'two', '{plate2}')],
    },
    {
      title: 'A body that was refused insures nothing.',
      steps: [insure('ann', 'none', '{plate1}', ''), insure('ann', 'one')],
    },
  ],
  random: { model: emptyRegister, actions: [create, readOne], rows: 8, most: 8 },
};
