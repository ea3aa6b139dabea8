import assert from 'node:assert/strict';
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { before, describe, test } from 'node:test';
import { forEachEngineInFull } from '../support/engines.ts';
import { type Answer, type LPlate, sharedLPlate, sign, startLPlate } from '../support/lplate.ts';

const json = { 'Content-Type': 'application/json' };
const body = '{"regNumber":"SG-0001"}';

function assertProblem(answer: Answer, status: number, identifier: string): void {
  assert.equal(answer.json?.type?.split('/problems/')[1], identifier, answer.text);
  assert.equal(answer.status, status);
}

forEachEngineInFull((engine) => {
  // The clock of these policies begins on 2026-03-02.
  const lplate = sharedLPlate(engine);
  let token: string;

  before(async () => {
    token = (await lplate.client()).token;
  });

  const send = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) =>
    lplate.call('POST', '/signed/policy-check', { body, headers });
  const check = (body: string, signature: string = sign(body)) => send(body, { ...json, 'X-Signature': signature });
  const insured = async (regNumber: string) => {
    const { status, json } = await check(JSON.stringify({ regNumber }));
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(json).sort(), ['insured', 'regNumber']);
    assert.equal(json.regNumber, regNumber);
    return json.insured;
  };
  const create = (members: object) => lplate.call('POST', '/policies', { token, json: members });

  describe('A signature that fits', () => {
    test('Authentication, 8: hexadecimal HMAC-SHA256 of the exact bytes is taken, in any case, with no token', async () => {
      const lower = sign(body);
      const mixed = lower.replaceAll(/[a-f]/g, (digit, at: number) => (at % 2 ? digit.toUpperCase() : digit));
      for (const signature of [lower, lower.toUpperCase(), mixed]) {
        const answer = await check(body, signature);
        assert.equal(answer.status, 200);
        assert.deepEqual(answer.json, { regNumber: 'SG-0001', insured: false });
      }
    });

    test('Authentication, 8: the bytes count as they are sent, however the JSON is laid out', async () => {
      for (const laidOut of [
        '{\r\n  "regNumber": "SG-0001"\r\n}\r\n',
        ' { "regNumber" : "\\u0053G-0001", "other": "ä🚗" } \n',
        '\uFEFF{"regNumber":"SG-0001"}',
      ]) {
        assert.equal((await check(laidOut)).json.regNumber, 'SG-0001');
      }
    });

    test('Authentication, 8: a body that comes in chunks, without a Content-Length, is taken too', async () => {
      assert.deepEqual(await sendInChunks(lplate, ['{"regNum', 'ber":"SG', '-0001"}'], sign(body)), {
        status: 200,
        text: '{"regNumber":"SG-0001","insured":false}',
      });
      const { status } = await sendInChunks(lplate, ['{"regNum', 'ber":"SG', '-0002"}'], sign(body));
      assert.equal(status, 401);
    });

    test('Endpoint 10: it tells whether a policy in force covers the vehicle today, whoever owns it', async () => {
      assert.equal(await insured('SG-0010'), false);
      const { id } = (await create({ regNumber: 'SG-0010' })).json;
      assert.equal(await insured('SG-0010'), true);
      assert.equal(await insured('sg0010'), true);
      await lplate.call('PUT', `/policies/${id}`, { token, json: { holder: 'Ada Example' } });
      assert.equal(await insured('SG-0010'), true);
      await lplate.call('POST', `/policies/${id}/cancel`, { token });
      assert.equal(await insured('SG-0010'), false);
      assert.equal(await insured('FL-0001'), true);
    });

    test('Decisions, signed check: cover that begins later, or that is over, does not count', async () => {
      const moving = await startLPlate(engine);
      try {
        const { token } = await moving.client();
        const json = { regNumber: 'SG-0020', coverageOption: 'MTPL-1M', startDate: '2026-03-04' };
        assert.equal((await moving.call('POST', '/policies', { token, json })).status, 201);
        const insuredOn = async (date: string) => {
          moving.clock.advance(Date.parse(`${date}T12:00:00Z`) - moving.clock.now());
          const body = JSON.stringify({ regNumber: 'SG-0020' });
          const headers = { 'Content-Type': 'application/json', 'X-Signature': sign(body) };
          return (await moving.call('POST', '/signed/policy-check', { body, headers })).json.insured;
        };
        const days = ['2026-03-03', '2026-03-04', '2026-04-03', '2026-04-04'];
        const seen = [];
        for (const date of days) seen.push(await insuredOn(date));
        assert.deepEqual(seen, [false, true, true, false]);
      } finally {
        await moving.close();
      }
    });
  });

  describe('A signature that does not', () => {
    test('Authentication, 8: a body changed by one character is refused', async () => {
      for (const changed of [body.replace('1', '2'), `${body} `, body.slice(0, -1), body.toLowerCase(), '']) {
        assertProblem(await check(changed, sign(body)), 401, 'invalid-signature');
      }
    });

    test('Endpoints, rule 5: 401 explains what arrived and what is wrong with it', async () => {
      const missing = await send(body, json);
      assertProblem(missing, 401, 'invalid-signature');
      assert.match(missing.json.detail, /X-Signature is missing/);
      for (const [signature, found] of [
        [sign(body).slice(0, 63), /wrong length/],
        [`sha256=${sign(body)}`, /begins with "sha256="/],
        [Buffer.from(sign(body), 'hex').toString('base64'), /base64/],
        [sign(`${body}\n`), /line feed/],
        [createHmac('sha1', lplate.secrets.hmacSecret).update(body).digest('hex'), /HMAC-SHA1/],
        [createHash('sha256').update(body).digest('hex'), /without the secret/],
      ] as const) {
        const answer = await check(body, signature);
        assertProblem(answer, 401, 'invalid-signature');
        assert.match(answer.json.detail, found);
        assert.match(answer.json.detail, /a body of 23 bytes/);
        assert(answer.json.detail.includes(createHash('sha256').update(body).digest('hex')));
      }
    });

    test('Decisions, REST: every refusal names the scheme in WWW-Authenticate, and a token is of no help', async () => {
      const headers = { ...json, Authorization: `Bearer ${token}` };
      for (const answer of [await send(body, headers), await send(body, { ...headers, 'X-Signature': '00' })]) {
        assertProblem(answer, 401, 'invalid-signature');
        assert.match(answer.headers.get('www-authenticate') ?? '', /^Signature realm="lplate"/);
      }
    });

    test('Decisions, signed check: neither the right signature nor the secret is ever told', async () => {
      const { hmacSecret } = lplate.secrets;
      const bodies = [
        body,
        '',
        '{',
        body.replace('SG', 'sg'),
        '[]',
        'ÿ',
        JSON.stringify({ regNumber: hmacSecret.length }),
      ];
      for (const sent of bodies) {
        const right = createHmac('sha256', hmacSecret).update(sent).digest();
        const told = ['hex', 'base64', 'base64url'].map((form) => right.toString(form as 'hex').replace(/=+$/, ''));
        const logged = lplate.log.length;
        for (const signature of [
          ...['', '00', 'x', randomBytes(32).toString('hex'), sign(`${sent}\n`), sign(sent).slice(0, 63)],
          ...[`sha256=${right.toString('hex')}`, right.toString('base64'), `"${right.toString('hex')}"`],
        ]) {
          const answer = await check(sent, signature);
          assertProblem(answer, 401, 'invalid-signature');
          const log = lplate.log.slice(logged).join('');
          const all = [answer.text, JSON.stringify([...answer.headers]), log].join('\n').toLowerCase();
          for (const secret of [...told, hmacSecret])
            assert(!all.includes(secret.toLowerCase()), `${signature}: ${all}`);
        }
      }
    });
  });

  describe('Order of the checks', () => {
    test('Decisions, signed check: 413 comes first, then the signature’s 401, then 415 and 400', async () => {
      const text = { 'Content-Type': 'text/plain' };
      const huge = ' '.repeat(65_537);
      assertProblem(await send(huge, text), 413, 'payload-too-large');
      assertProblem(await send(huge, { ...json, 'X-Signature': sign(huge) }), 413, 'payload-too-large');
      assertProblem(await send('{', text), 401, 'invalid-signature');
      assertProblem(await send('{', { ...text, 'X-Signature': sign('{') }), 415, 'unsupported-media-type');
      assertProblem(await send('{', { ...json, 'X-Signature': sign('{') }), 400, 'malformed-json');
      assertProblem(await check('{', sign('[')), 401, 'invalid-signature');
      for (const faulty of ['{}', '[]', 'null', '{"regNumber":7}', '{"regNumber":"A B"}']) {
        assertProblem(await check(faulty, '00'), 401, 'invalid-signature');
        assertProblem(await check(faulty), 400, 'validation-error');
      }
    });

    test('Authentication, 8: a body at the limit is verified; an empty one has a signature, too', async () => {
      const full = body + ' '.repeat(65_536 - body.length);
      assert.equal((await check(full)).status, 200);
      assertProblem(await check(''), 400, 'malformed-json');
      const answer = await lplate.call('POST', '/signed/policy-check', { headers: { 'X-Signature': sign('') } });
      assertProblem(answer, 415, 'unsupported-media-type');
    });

    test('Decisions, signed check: the rate limit comes before the signature', async () => {
      const strict = await startLPlate(engine, { rateLimitPerMinute: 1 });
      try {
        const options = { body, headers: json };
        assertProblem(await strict.call('POST', '/signed/policy-check', options), 401, 'invalid-signature');
        assertProblem(await strict.call('POST', '/signed/policy-check', options), 429, 'rate-limit-exceeded');
      } finally {
        await strict.close();
      }
    });
  });
});

/** Sends the body in chunked transfer coding, each piece in a packet of its own. */
async function sendInChunks({ url }: LPlate, pieces: string[], signature: string) {
  const headers = { ...json, 'X-Signature': signature };
  const sending = request(`${url}/insurer/v1/signed/policy-check`, { method: 'POST', headers });
  for (const piece of pieces) await new Promise((written) => sending.write(piece, written));
  sending.end();
  const [response] = await once(sending, 'response');
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += part;
  return { status: response.statusCode, text };
}
