import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { describe, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import { curlCommand } from '../../../src/range/exchanges/curl.ts';
import type { Exchange } from '../../../src/range/exchanges/schemas.ts';
import { onSqlite } from '../../support/engines.ts';
import { type LPlate, startLPlate, type TestClient } from '../../support/lplate.ts';
import { idOf, logOf } from '../range.ts';

const run = promisify(execFile);

/** The JSON schemas of the format, as those who read it publish them. */
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
const load = createRequire(import.meta.url);
ajv.addMetaSchema(load('ajv/dist/refs/json-schema-draft-06.json'));
for (const schema of Object.values<object>(load('har-schema'))) ajv.addSchema(schema);

function isValid(har: object): void {
  ok(ajv.validate('har.json#', har), ajv.errorsText());
}

onSqlite((engine) => {
  describe('an exchange in other formats', () => {
    const started = async (t: TestContext) => {
      const lplate = await startLPlate(t, engine);
      return { lplate, client: await lplate.client() };
    };

    /** Runs the curl command of an exchange, and gives the exchange that it makes. */
    async function again(lplate: LPlate, client: TestClient, id: string, variables: Record<string, string>) {
      const { text } = await lplate.call('GET', `/range/v1/me/exchanges/${id}/curl`, { token: client.token });
      const { stdout } = await run('sh', ['-c', text], { env: { PATH: process.env.PATH, ...variables } });
      const made = /^x-request-id: (\S+)\r$/im.exec(stdout)?.[1];
      return (await lplate.call('GET', `/range/v1/me/exchanges/${made}`, { token: client.token })).json;
    }

    test('Decisions, the range: the curl command makes the same request, to the byte', async (t) => {
      const { lplate, client } = await started(t);
      const { token } = client;
      const odd = `{"regNumber":"CU-0001","holder":"O'Neill \\"$(id)\\" \`id\` $HOME\n\\\\ <b>"}`;
      const binary = Uint8Array.from([0xff, 0, 0x27, 0x41]);
      const typed = { 'Content-Type': 'application/json' };
      for (const [method, path, options] of [
        ['GET', '/policies?page=2&pageSize=[1]', { token }],
        ['HEAD', '/policies', { token, headers: { Accept: 'text/plain', 'User-Agent': 'mine/1' } }],
        ['POST', '/policies', { token, body: odd, headers: typed }],
        ['POST', '/policies', { token, body: binary, headers: { ...typed, 'X-Empty': '', 'X-Odd': "a'b$c" } }],
        ['DELETE', '/policies/pol-1/../%41', { token }],
      ] as const) {
        const id = idOf(await lplate.call(method, path, options));
        const first = (await lplate.call('GET', `/range/v1/me/exchanges/${id}`, { token })).json;
        const second = await again(lplate, client, id, { TOKEN: token });
        const compared = ({ method, url, problem, request }: Exchange) => ({
          method,
          url,
          problem,
          body: request.body,
          headers: request.headers
            .filter(({ name }) => !/^(?:host|connection|content-length|accept-encoding)$/i.test(name))
            .map(({ name, value }) => `${name.toLowerCase()}: ${value}`)
            .sort(),
        });
        deepEqual(compared(second), compared(first));
      }
    });

    test('Decisions, the range: the curl command of a token request gets a token, by Basic too', async (t) => {
      const { lplate, client } = await started(t);
      const [json] = await logOf(lplate, client);
      equal((await again(lplate, client, json.id, { CLIENT_SECRET: client.secret })).status, 200);
      const basic = await lplate.call('POST', '/auth/token', {
        body: 'grant_type=client_credentials',
        headers: {
          Authorization: `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`,
          'Content-Type': 'application/x-www-form-urlencoded',
        },
      });
      equal((await again(lplate, client, idOf(basic), { CLIENT_SECRET: client.secret })).status, 200);
    });

    test('Decisions, the range: a shell runs nothing of what was sent', async () => {
      const evil = `'; touch /tmp/x; '$(touch /tmp/x)\`touch /tmp/x\`" -o /tmp/x "\n`;
      const header = { name: 'Authorization', value: `Basic ${evil}(token 1)` };
      const exchange = {
        method: evil,
        url: `/${evil}`,
        request: {
          headers: [header, { name: 'X', value: evil }],
          body: { text: evil, encoding: 'utf-8', complete: true },
        },
      } as unknown as Exchange;
      const command = curlCommand(exchange, 'http://localhost:8080');
      // What the shell makes of it: each word on a line of its own, escaped.
      const { stdout } = await run('sh', ['-c', `curl() { printf '%s\\0' "$@"; }; ${command}`], {
        env: { HIDDEN_BASIC: 'T' },
      });
      const words = stdout.split('\0');
      deepEqual(
        [words[4], words[5], words[7], words[9], words[17], words.length],
        [evil, `http://localhost:8080/${evil}`, `${evil}T`, `X: ${evil}`, evil, 19],
      );
    });

    test('Decisions, the range: each redacted place has a variable of its own, and no secret goes to another', async (t) => {
      const { lplate, client } = await started(t);
      const { token, secret } = client;
      const other = (await lplate.client()).token;
      const hidden = { 'X-Api-Key': secret, Cookie: `a=${secret}`, 'X-Secret': 'x', 'X-Trace': token };
      const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
      const form = 'application/x-www-form-urlencoded';
      for (const [headers, body, variables] of [
        [{ ...hidden }, undefined, ['HIDDEN_X_API_KEY', 'HIDDEN_COOKIE', 'HIDDEN_X_SECRET', 'HIDDEN_X_TRACE']],
        [{ 'X-Signature': 'ab'.repeat(32) }, `{"password":"${secret}"}`, ['SIGNATURE', 'HIDDEN_PASSWORD']],
        [{ 'Webhook-Signature': 'v1,aa v1,bb' }, `["${secret}"]`, [/^SIGNATURE(_2)?$/, 'HIDDEN_VALUE']],
        [{}, JSON.stringify([token, other, token]), ['HIDDEN_VALUE', 'HIDDEN_VALUE_2']],
        [{}, `{"token":"${other}"}`, ['HIDDEN_TOKEN']],
        [{ Authorization: basic(`${secret}:${secret}`) }, undefined, ['HIDDEN_BASIC', 'HIDDEN_BASIC_2']],
        [{ Authorization: basic(`${client.id}:${secret}`), 'Content-Type': form }, 'a=b', ['CLIENT_SECRET']],
        [{ 'Content-Type': form }, `client_secret=${secret}&api_key=k`, ['CLIENT_SECRET', 'HIDDEN_API_KEY']],
      ] as const) {
        const path = `/for/${client.id}/insurer/v1/auth/token`;
        const id = idOf(await lplate.call('POST', path, { headers, ...(body && { body }) }));
        const { text } = await lplate.call('GET', `/range/v1/me/exchanges/${id}/curl`, { token });
        const named = new Set([...text.matchAll(/"\$(\w+)"/g)].map(([, name = '']) => name));
        const expected = variables.map(String);
        const fits = [...named].every((name) =>
          variables.some((each) => (each instanceof RegExp ? each.test(name) : each === name)),
        );
        ok(fits && named.size >= expected.length, `${[...named]} instead of ${expected}`);
        ok(!text.includes(secret) && !text.includes(other), text);
      }
    });

    test('Decisions, the range: a call whose target names a host is made to this service', async (t) => {
      const { lplate, client } = await started(t);
      const target = 'http://other.example:81/insurer/v1/policies?page=1';
      const id = await new Promise<string>((resolve, reject) => {
        const headers = { Authorization: `Bearer ${client.token}` };
        request({ port: new URL(lplate.url).port, path: target, headers }, (answer) => {
          answer.resume();
          resolve(String(answer.headers['x-request-id']));
        })
          .on('error', reject)
          .end();
      });
      const second = await again(lplate, client, id, { TOKEN: client.token });
      deepEqual([second.url, second.status], [target, 200]);
      const har = await lplate.call('GET', `/range/v1/me/exchanges/${id}/har`, { token: client.token });
      equal(har.json.log.entries[0].request.url, `${lplate.config.publicUrl}/insurer/v1/policies?page=1`);
    });

    test('Decisions, the range: the sizes of HAR are those of what was sent', async (t) => {
      const { lplate, client } = await started(t);
      const { token } = client;
      const authorized = { Authorization: `Bearer ${token}` };
      const sizes = async (method: string, path: string, headers: Record<string, string> = {}, body?: string) => {
        const answer = await fetch(lplate.url + path, {
          method,
          headers: { ...authorized, ...headers },
          ...(body && { body }),
        });
        const length = (await answer.arrayBuffer()).byteLength;
        const id = answer.headers.get('x-request-id');
        const { json } = await lplate.call('GET', `/range/v1/me/exchanges/${id}/har`, { token });
        const { request, response } = json.log.entries[0];
        const sent = Number(answer.headers.get('content-length'));
        return { length, sent, body: request.bodySize, answer: response.bodySize, content: response.content.size };
      };
      const plain = await sizes('GET', '/insurer/v1/policies', { 'Accept-Encoding': 'identity' });
      deepEqual(plain, {
        length: plain.length,
        sent: plain.length,
        body: 0,
        answer: plain.length,
        content: plain.length,
      });
      const head = await sizes('HEAD', '/insurer/v1/policies');
      deepEqual(head, { length: 0, sent: plain.length, body: 0, answer: 0, content: 0 });
      const packed = await sizes('GET', '/vehicle-registry/v2/openapi.yaml', { 'Accept-Encoding': 'br' });
      deepEqual([packed.answer, packed.content], [packed.sent, packed.sent]);
      ok(packed.length > packed.sent);
      const coded = { headers: { 'Accept-Encoding': 'br' } };
      const etag = (await fetch(`${lplate.url}/insurer/v1/openapi.yaml`, coded)).headers.get('etag') ?? '';
      const kept = await sizes('GET', '/insurer/v1/openapi.yaml', { 'If-None-Match': etag, 'Accept-Encoding': 'br' });
      equal(kept.answer, 0);
      const json = { 'Content-Type': 'application/json' };
      equal((await sizes('POST', '/insurer/v1/policies', json, '{"regNumber":"ÄÖ"}')).body, 20);
      equal((await sizes('POST', '/insurer/v1/policies', { ...json, Authorization: '' }, '{}')).body, 2);
    });

    test('Decisions, the range: HAR 1.2 has all that the format requires', async (t) => {
      const { lplate, client } = await started(t);
      const { token } = client;
      const answer = await lplate.call('POST', '/policies?a=1&b=%26', { token, json: { regNumber: 'HA-0001' } });
      const har = await lplate.call('GET', `/range/v1/me/exchanges/${idOf(answer)}/har`, { token });
      const { version, creator, entries } = har.json.log;
      deepEqual([version, creator.name, entries.length], ['1.2', 'L-Plate', 1]);
      const [{ startedDateTime, time, request, response, cache, timings }] = entries;
      deepEqual([startedDateTime, time, cache], ['2026-03-02T10:15:30.000Z', 0, {}]);
      deepEqual(timings, { send: 0, wait: 0, receive: 0 });
      equal(request.url, `${lplate.config.publicUrl}/insurer/v1/policies?a=1&b=%26`);
      deepEqual(request.queryString, [
        { name: 'a', value: '1' },
        { name: 'b', value: '&' },
      ]);
      deepEqual([request.method, request.httpVersion, request.cookies], ['POST', 'HTTP/1.1', []]);
      deepEqual(request.postData, { mimeType: 'application/json', text: '{"regNumber":"HA-0001"}' });
      deepEqual([response.status, response.statusText, response.redirectURL], [201, 'Created', '']);
      equal(response.content.text, answer.text);
      match(response.content.mimeType, /^application\/json/);
      ok(response.headers.some(({ name }: { name: string }) => name === 'location'));
      isValid(har.json);
    });

    test('Decisions, the range: HAR of the log has what fits the filters, oldest first, each as it is alone', async (t) => {
      const { lplate, client } = await started(t);
      const { token } = client;
      const binary = { token, body: Uint8Array.from([0xff, 0, 0x41]), headers: { 'Content-Type': 'application/json' } };
      const answers = [
        await lplate.call('POST', '/policies?a=1', { token, json: { regNumber: 'HA-0002' } }),
        await lplate.call('GET', '/policies/pol-none', { token }),
        await lplate.call('POST', '/policies', binary),
      ];
      const ids = answers.map(idOf);
      const archive = async (query = '', status = 200) => {
        const answer = await lplate.call('GET', `/range/v1/me/exchanges.har${query}`, { token });
        equal(answer.status, status, answer.text);
        return answer;
      };
      const all = await archive();
      isValid(all.json);
      equal(all.headers.get('content-disposition'), 'attachment; filename="exchanges.har"');
      const idsOf = ({ json }: { json: { log: { entries: { _id: string }[] } } }) =>
        json.log.entries.map(({ _id }) => _id);
      deepEqual(idsOf(all), (await logOf(lplate, client)).map(({ id }) => id).reverse());
      deepEqual(idsOf(all).slice(-3), ids);
      for (const entry of all.json.log.entries) {
        const alone = await lplate.call('GET', `/range/v1/me/exchanges/${entry._id}/har`, { token });
        deepEqual(alone.json.log, { ...all.json.log, entries: [entry] });
      }
      deepEqual(idsOf(await archive('?status=404')), [ids[1]]);
      deepEqual(idsOf(await archive('?problem=policy-not-found&path=/insurer/v1/policies/')), [ids[1]]);
      const none = await archive('?kind=delivery');
      isValid(none.json);
      deepEqual(idsOf(none), []);
      ok(!all.text.includes(token) && !all.text.includes(client.secret));
      await archive('?status=abc', 400);
    });

    test('Decisions, the range: HAR of the log has as many as are kept, and HEAD only its headers', async (t) => {
      const { lplate, client } = await started(t);
      const { token } = client;
      const drill = { name: 'small-rate-limit', parameters: { limit: 1 }, minutes: 5 };
      await lplate.call('POST', '/range/v1/me/drills', { token, json: drill });
      for (let many = 0; many < 45; many += 1) await lplate.call('GET', '/policies', { token });
      const { json } = await lplate.call('GET', '/range/v1/me/exchanges.har', { token });
      equal(json.log.entries.length, (await logOf(lplate, client)).length);
      ok(json.log.entries.length > 45);
      const head = await lplate.call('HEAD', '/range/v1/me/exchanges.har', { token });
      deepEqual([head.status, head.text], [200, '']);
      equal((await lplate.call('GET', '/range/v1/me/exchanges.har', {})).status, 401);
    });
  });
});
