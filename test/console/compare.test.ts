import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import type { Exchange } from '../../console/api/types.ts';
import { compare } from '../../console/pages/traffic/compare.ts';

/** A call with a token: each exchange begins to count its tokens at 1. */
const callWith = (jti: string) =>
  ({
    ...{ method: 'GET', url: '/insurer/v1/policies', status: 200, tokens: [{ header: {}, claims: { jti } }] },
    request: { httpVersion: '1.1', headers: [{ name: 'Authorization', value: 'Bearer (token 1)' }] },
    response: { headers: [] },
  }) as unknown as Exchange;

test('Console, traffic: two tokens are the same in a comparison only if they are', () => {
  const headers = (before: string, after: string) =>
    compare(callWith(before), callWith(after))[1]?.changes.map(({ kind, text }) => `${kind} ${text}`);
  deepEqual(headers('a', 'a'), ['same authorization: Bearer (token 1)']);
  deepEqual(headers('a', 'b'), ['gone authorization: Bearer (token 1)', 'new authorization: Bearer (token 2)']);
});
