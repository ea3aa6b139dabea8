import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { checkAgainstDescription } from './description.ts';
import { onSqlite } from './engines.ts';
import { type Answer, sharedLPlate } from './lplate.ts';

/* The check that all tests of the interface rely on, fed with answers that were tampered with. */
onSqlite((engine) => {
  const lplate = sharedLPlate(engine);
  let success: Answer;
  let problem: Answer;
  before(async () => {
    const { token } = await lplate.client();
    await lplate.call('POST', '/policies', { token, json: { regNumber: 'CHECK-1' } });
    success = await lplate.call('GET', '/policies', { token });
    problem = await lplate.call('GET', '/policies');
  });

  const check = (method: string, answer: Answer, path = '/policies') =>
    checkAgainstDescription('http://localhost', method, `/insurer/v1${path}`, answer);

  function refuses(
    what: string,
    from: () => Answer,
    change: Partial<Answer> | ((headers: Headers) => void),
    why: RegExp,
  ) {
    it(`Versioning: it fails for ${what}`, async () => {
      await check('GET', from());
      const headers = new Headers(from().headers);
      if (typeof change === 'function') change(headers);
      const doctored = { ...from(), headers, ...(typeof change === 'function' ? {} : change) };
      if (typeof change !== 'function' && change.json) doctored.json = { ...from().json, ...change.json };
      await assert.rejects(check('GET', doctored), { name: 'AssertionError', message: why });
    });
  }

  describe('the check of an answer', () => {
    refuses(
      'a status that is not documented',
      () => success,
      { status: 206 },
      /GET .*\/policies answered 206.*status 206 is not documented/,
    );
    refuses(
      'a header that is not documented',
      () => success,
      (headers) => headers.set('X-Inside', '1'),
      /header x-inside: 1 is not documented/,
    );
    refuses(
      'a header that is missing',
      () => success,
      (headers) => headers.delete('RateLimit-Limit'),
      /ratelimit-limit is missing/,
    );
    refuses(
      'a header that is no number',
      () => success,
      (headers) => headers.set('RateLimit-Reset', 'soon'),
      /must be integer/,
    );
    refuses(
      'a media type that is not documented',
      () => success,
      (headers) => headers.set('Content-Type', 'text/html'),
      /text\/html is not documented/,
    );
    refuses(
      'a member that is not documented',
      () => success,
      { json: { owner: 'demo-1' } },
      /the body must NOT have additional properties owner/,
    );
    refuses('a member of another type', () => success, { json: { page: '1' } }, /the body \/page must be integer/);
    refuses(
      'a member of a list item that is not documented',
      () => success,
      { json: { items: [{ inside: 1 }] } },
      /\/items\/0 .* inside/,
    );
    refuses(
      'a member that is missing',
      () => success,
      { json: { totalItems: undefined } },
      /required property 'totalItems'/,
    );
    refuses(
      'a problem that is not documented',
      () => problem,
      { json: { type: 'https://x/problems/teapot' } },
      /problems\/teapot is not documented/,
    );
    refuses(
      'a member of a problem that is not documented',
      () => problem,
      { json: { stack: 'at' } },
      /additional properties stack/,
    );
    refuses(
      'a charset on a problem',
      () => problem,
      (headers) => headers.set('Content-Type', 'application/problem+json; charset=utf-8'),
      /charset=utf-8 is not documented/,
    );
    refuses('a problem with another status', () => problem, { json: { status: 403 } }, /the member status says 403/);
    refuses(
      'a problem with the id of another request',
      () => problem,
      (headers) => headers.set('X-Request-Id', 'other'),
      /not the X-Request-Id other/,
    );
  });

  describe('the check of a request for what is not documented', () => {
    it('Versioning: 404 for a path, 405 for a method, and nothing else', async () => {
      await check('GET', await lplate.call('GET', '/policy'), '/policy');
      await check('PATCH', await lplate.call('PATCH', '/policies'));
      await assert.rejects(check('GET', success, '/policy'), /the status 200 is not documented/);
      await assert.rejects(check('PATCH', success), /the status 200 is not documented/);
      await assert.rejects(check('PATCH', await lplate.call('GET', '/policy')), /the status 404 is not documented/);
    });

    it('Versioning: HEAD is answered like GET, without a body', async () => {
      const { token } = await lplate.client();
      const head = await lplate.call('HEAD', '/policies', { token });
      await assert.rejects(check('HEAD', { ...head, text: '{}' }), /has a body/);
    });
  });
});
