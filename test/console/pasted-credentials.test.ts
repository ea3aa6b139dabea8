import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readCredentials, writeCredentials } from '../../console/model/pasted-credentials.ts';

const both = { clientId: 'demo-1', clientSecret: 'abc-_1' };

describe('Console, start: credentials that are pasted', () => {
  test('the JSON as the API answers it, on one line or several, and with the status that curl prints behind it', () => {
    for (const text of [
      '{"client_id":"demo-1","client_secret":"abc-_1"}',
      '{\n  "client_secret": "abc-_1",\n  "client_id": "demo-1"\n}\n',
      '$ curl …\n{"client_id":"demo-1","client_secret":"abc-_1"} 201\n',
      writeCredentials(both),
    ]) {
      assert.deepEqual(readCredentials(text), both, text);
    }
  });

  test('anything else is none', () => {
    for (const text of [
      '',
      'demo-1',
      '{',
      '{}',
      '{"client_id":"demo-1"}',
      '{"client_id":1,"client_secret":2}',
      '{x}',
      'null',
    ])
      assert.equal(readCredentials(text), undefined, text);
  });
});
