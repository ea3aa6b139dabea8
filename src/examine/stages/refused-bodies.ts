import type { StageCalls } from '../stage.ts';
import { insureBy } from './policy-steps.ts';

export const refusedBodies: StageCalls = {
  reads: 'POST /insurer/v1/policies',
  cases: [
    {
      title: 'Without a registration number it is 400.',
      steps: [insureBy('ann', {})],
    },
    {
      title: 'An empty one is 400.',
      steps: [insureBy('ann', { regNumber: '' })],
    },
    {
      title: 'Dashes alone are none.',
      steps: [insureBy('ann', { regNumber: '--' })],
    },
    {
      title: 'White space is not allowed in it.',
      steps: [insureBy('ann', { regNumber: 'EX 1' })],
    },
    {
      title: 'Letters other than A to Z are not allowed in it.',
      steps: [insureBy('ann', { regNumber: 'EX-Ä1' })],
    },
    {
      title: '41 characters are too many.',
      steps: [insureBy('ann', { regNumber: '{longPlate}0' })],
    },
    {
      title: 'A number is no registration number.',
      steps: [insureBy('ann', { regNumber: 1234 })],
    },
    {
      title: 'Null is none.',
      steps: [insureBy('ann', { regNumber: null })],
    },
    {
      title: 'A holder is not empty.',
      steps: [insureBy('ann', { regNumber: '{plate1}', holder: '' })],
    },
    {
      title: 'A holder is not only white space.',
      steps: [insureBy('ann', { regNumber: '{plate1}', holder: '   ' })],
    },
    {
      title: 'A holder of 101 characters is too long.',
      steps: [
        insureBy('ann', {
          regNumber: '{plate1}',
          holder:
            'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
        }),
      ],
    },
    {
      title: 'A holder has no control characters.',
      steps: [insureBy('ann', { regNumber: '{plate1}', holder: 'Ada\nExample' })],
    },
    {
      title: 'A coverage option exists.',
      steps: [insureBy('ann', { regNumber: '{plate1}', coverageOption: 'MTPL-2M' })],
    },
    {
      title: 'A policy does not begin yesterday.',
      steps: [insureBy('ann', { regNumber: '{plate1}', startDate: '{yesterday}' })],
    },
    {
      title: 'Nor more than a year ahead.',
      steps: [insureBy('ann', { regNumber: '{plate1}', startDate: '{dayTooLate}' })],
    },
    {
      title: 'The 30th of February is no day.',
      steps: [insureBy('ann', { regNumber: '{plate1}', startDate: '2027-02-30' })],
    },
    {
      title: 'A date has four, two and two digits.',
      steps: [insureBy('ann', { regNumber: '{plate1}', startDate: '1.2.2027' })],
    },
    {
      title: 'A body that is no object is 400.',
      steps: [{ as: 'ann', method: 'POST', path: '/insurer/v1/policies', json: [] }],
    },
    {
      title: 'A body that is cut is 400.',
      steps: [{ as: 'ann', method: 'POST', path: '/insurer/v1/policies', body: '{"regNumber":' }],
    },
    {
      title: '40 characters are not too many.',
      steps: [insureBy('ann', { regNumber: '{longPlate}' })],
    },
    {
      title: 'A holder of 100 characters is not too long.',
      steps: [
        insureBy('ann', {
          regNumber: '{plate1}',
          holder:
            'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
        }),
      ],
    },
    {
      title: 'After a refusal the vehicle can be insured.',
      steps: [insureBy('ann', { regNumber: '{plate1}', holder: '' }), insureBy('ann', { regNumber: '{plate1}' })],
    },
    {
      title: 'After a refusal the list is empty.',
      steps: [
        insureBy('ann', { regNumber: '{plate1}', holder: '' }),
        { as: 'ann', method: 'GET', path: '/insurer/v1/policies' },
      ],
    },
  ],
};
