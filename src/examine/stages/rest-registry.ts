import type { StageCalls, Step } from '../stage.ts';
import { byRest, bySoap, lookUp } from './registry-steps.ts';

const other = (method: string, path = 'vehicles/AB-1234'): Step => ({ method, path: `/vehicle-registry/v2/${path}` });

export const restRegistry: StageCalls = {
  reads: 'GET /vehicle-registry/v2/vehicles/{reg_number}',
  cases: [
    { title: 'A vehicle is read by its number.', steps: [byRest('AB-1234')] },
    { title: 'Its data are the same a second time.', steps: [byRest('AB-1234'), byRest('AB-1234')] },
    { title: 'The dash makes no difference.', steps: [byRest('AB-1234'), byRest('AB1234')] },
    { title: 'The case makes no difference.', steps: [byRest('AB-1234'), byRest('aB-1234')] },
    { title: 'A number can be escaped.', steps: [byRest('AB-1234'), byRest('%41b%2D1234')] },
    { title: 'Two vehicles have two VINs.', steps: [byRest('AB-1234'), byRest('AB-1235'), byRest('BA-1234')] },
    ...['AA-0001', 'XY-9999', 'ZX-1234', 'EL-0021', 'OL-0082', 'DE-0004'].map((plate) => ({
      title: `${plate} has a vehicle, with the data of v1.`,
      steps: [bySoap(plate), byRest(plate)],
    })),
    ...['XX-1234', 'zz1234', 'AB-0000', 'A-1234', 'AB-123', 'AB-12345', 'AB--1234', 'ABC-1234', '1234-AB'].map(
      (text) => ({
        title: `${text} has none: vehicle-not-found.`,
        steps: [byRest(text)],
      }),
    ),
    ...[
      ['A blank', '%20'],
      ['A number with a blank behind it', 'AB-1234%20'],
      ['A number with a slash in it', 'AB%2F1234'],
      ['A number with digits of another script', 'AB-%D9%A1%D9%A2%D9%A3%D9%A4'],
      ['A number with an end of line behind it', 'AB-1234%0A'],
      ['A long text', 'A'.repeat(1000)],
    ].map(([what, text]) => ({ title: `${what} is of no vehicle.`, steps: [byRest(text as string)] })),
    { title: 'Without a number there is nothing.', steps: [other('GET', 'vehicles')] },
    { title: 'Below a vehicle there is nothing.', steps: [other('GET', 'vehicles/AB-1234/owner')] },
    { title: 'You need no token, and take a call that has one.', steps: [{ as: 'ann', ...byRest('AB-1234') }] },
    { title: 'What is asked for besides is left aside.', steps: [byRest('AB-1234?fields=make')] },
    { title: 'HEAD answers like GET, without a body.', steps: [other('HEAD')] },
    { title: 'HEAD of no vehicle is 404.', steps: [other('HEAD', 'vehicles/XX-1234')] },
    ...['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => ({
      title: `${method} is 405: the registry is only read.`,
      steps: [other(method)],
    })),
  ],
  random: { model: () => ({}), actions: [lookUp(byRest, byRest, bySoap)], rows: 4, most: 8 },
};
