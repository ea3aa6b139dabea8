import type { StageCalls } from '../stage.ts';
import { insureBy } from './policy-steps.ts';

export const create: StageCalls = {
  reads: 'POST /insurer/v1/policies',
  cases: [
    {
      title: 'A policy is active from today on, for twelve months.',
      steps: [insureBy('ann', { regNumber: '{plate1}' })],
    },
    {
      title: 'It has the holder that was sent, without white space around.',
      steps: [insureBy('ann', { regNumber: '{plate1}', holder: '  Ada Example ' })],
    },
    {
      title: 'It covers as long as MTPL-1M says.',
      steps: [insureBy('ann', { regNumber: '{plate1}', coverageOption: 'MTPL-1M' })],
    },
    {
      title: 'It covers as long as MTPL-3M says.',
      steps: [insureBy('ann', { regNumber: '{plate1}', coverageOption: 'MTPL-3M' })],
    },
    {
      title: 'It covers as long as MTPL-6M says.',
      steps: [insureBy('ann', { regNumber: '{plate1}', coverageOption: 'MTPL-6M' })],
    },
    ...['MTPL-1M', 'MTPL-3M', 'MTPL-6M'].map((coverageOption) => ({
      title: `${coverageOption} from the last day of January ends on the day before that day, or on the last of a shorter month.`,
      steps: [insureBy('ann', { regNumber: '{plate1}', startDate: '{endOfJanuary}', coverageOption })],
    })),
    {
      title: 'It can begin tomorrow.',
      steps: [insureBy('ann', { regNumber: '{plate1}', startDate: '{tomorrow}' })],
    },
    {
      title: 'It can begin in a year.',
      steps: [insureBy('ann', { regNumber: '{plate1}', startDate: '{yearAhead}', coverageOption: 'MTPL-1M' })],
    },
    {
      title: 'Two vehicles have two policies.',
      steps: [insureBy('ann', { regNumber: '{plate1}' }), insureBy('ann', { regNumber: '{plate2}' })],
    },
    {
      title: 'A holder keeps all of its letters.',
      steps: [insureBy('ann', { regNumber: '{plate1}', holder: 'Zoë Łukasz-Ødegård 漢 🚗' })],
    },
    {
      title: 'The registration number stays as it was sent.',
      steps: [insureBy('ann', { regNumber: 'q{plate1}' })],
    },
  ],
};
