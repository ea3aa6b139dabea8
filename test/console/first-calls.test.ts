import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstCalls, plateOfTool, tools } from '../../console/pages/start/first-calls.ts';

test('Console, start: each of the first calls has a vehicle of its own, and the text names address, credentials and vehicle', () => {
  const inputs = { origin: 'https://class.example:8443', clientId: 'demo-1', clientSecret: 'secret-1' };
  for (const { id } of tools) {
    const text = firstCalls(id, inputs);
    for (const part of ['https://class.example:8443/insurer/v1', 'demo-1', 'secret-1', plateOfTool(id, 'demo-1')])
      assert.ok(text.includes(part), `${id}: ${part}`);
  }
  assert.equal(new Set(tools.map(({ id }) => plateOfTool(id, 'demo-1'))).size, tools.length);
});
