import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../../support/engines.ts';
import { startWithClient, testSecrets } from '../../support/lplate.ts';

onSqlite((engine) => {
  test('Decisions, REST conventions: parameters don’t keep a type from matching, wherever Accept chooses', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    const trainer = testSecrets.trainerToken;
    const json = 'application/json';
    const stream = 'text/event-stream';
    /** Each address with several forms: the type that it has by default, then others. */
    const negotiated: readonly (readonly [string, string, string, ...string[]])[] = [
      ['/claims/v1/topics/claims.status-changed', token, json, stream],
      ['/range/v1/me/exchanges', token, json, stream],
      ['/range/v1/me/lessons', token, json, stream],
      ['/range/v1/me/certificate', token, json, 'application/jose', 'text/html'],
      ['/range/v1/me/badge', token, 'application/vc+jwt', json, 'image/svg+xml', 'image/png'],
      ['/range/v1/trainer/export', trainer, json, 'text/csv'],
      ['/kits', token, 'text/html', json],
    ];
    for (const [path, bearer, first, ...others] of negotiated) {
      for (const type of [first, ...others]) {
        const asked = [
          '',
          '; charset=utf-8',
          ';CHARSET="utf-8"',
          ';a="x,\\"y;q=0";b',
          ' ; q=0.9; x=1',
          '; charset=utf-8;q=0.9',
        ];
        for (const parameters of asked) {
          const Accept = `${type}${parameters}, */*;q=0.1`;
          const headers = { Accept, Authorization: `Bearer ${bearer}` };
          const answer = await fetch(lplate.url + path, { method: 'HEAD', headers });
          const sent = answer.headers.get('content-type')?.split(';')[0];
          assert.deepEqual([answer.status, sent], [200, type], `${path} ${Accept}`);
        }
        const refusing = { Accept: `${type};charset=utf-8;q=0, */*`, Authorization: `Bearer ${bearer}` };
        const answer = await fetch(lplate.url + path, { method: 'HEAD', headers: refusing });
        assert.notEqual(answer.headers.get('content-type')?.split(';')[0], type, `${path} ${refusing.Accept}`);
      }
    }
  });
});
