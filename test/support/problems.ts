import { problems as claims } from '../../src/claims/problems.ts';
import { problems as clients } from '../../src/clients/problems.ts';
import { problems as events } from '../../src/events/problems.ts';
import { composeProblems } from '../../src/http/problems/problem-table.ts';
import { problems as insurer } from '../../src/insurer/problems.ts';
import { problems as range } from '../../src/range/problems.ts';
import { problems as vehicleRegistry } from '../../src/vehicle-registry/problems.ts';
import { problems as webhooks } from '../../src/webhooks/problems.ts';

/** Every problem of the product. */
export const problems = composeProblems(
  [clients, insurer, claims, vehicleRegistry, range, webhooks, events].map((each) => ({ problems: each })),
);
