import type { LPlate } from './lplate.ts';
import { until } from './until.ts';

/** Asks for a statement of the month of the tests, waits until it is completed, and returns its id. */
export async function makeStatement(lplate: LPlate, token: string, json: object = {}): Promise<string> {
  const draft = { month: '2026-03', format: 'csv', ...json };
  const { id } = (await lplate.call('POST', '/statements', { token, json: draft })).json;
  await until(
    async () => (await lplate.call('GET', `/statements/${id}`, { token })).json.status === 'completed',
    'the statement is completed',
  );
  return id;
}
