import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { TestClock } from '../support/clock.ts';
import { onSqlite } from '../support/engines.ts';
import { asAnswer } from '../support/http1.ts';
import { type Answer, sharedLPlate, startLPlate } from '../support/lplate.ts';
import { envelope, request, withHeader } from './envelopes.ts';
import { soapFaults } from './soap-check.ts';
import { parseXml, textAt } from './xml.ts';

const path = '/vehicle-registry/v1';
const xml = 'text/xml; charset=utf-8';
const action = 'http://lplate.example/vehicle-registry/v1/GetVehicleData';
const of = (plate: string) => envelope(request(`<RegNumber>${plate}</RegNumber>`));

const curl = spawnSync('curl', ['--version']).status === 0 && spawnSync('bash', ['--version']).status === 0;
if (!curl) console.error('\n*** NO CURL OR NO BASH: the example of the SOAP page is not run ***\n');

onSqlite((engine) => {
  const lplate = sharedLPlate(engine);

  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}, on = lplate) =>
    on.call('POST', path, { body, headers: { 'Content-Type': xml, ...headers } });
  const get = (query: string, headers: Record<string, string> = {}) =>
    lplate.call('GET', `${path}${query}`, { headers });
  const at = ({ text }: Answer, where: string) => textAt(parseXml(text), where);

  function assertFault(answer: Answer, code: string, message: RegExp): void {
    assert.equal(answer.status, 500);
    assert.equal(at(answer, '//e:Fault/faultcode'), `soap:${code}`, answer.text);
    assert.match(at(answer, '//e:Fault/faultstring') ?? '', message);
  }

  describe('Legacy SOAP operation, over HTTP', () => {
    test('Legacy SOAP operation: GetVehicleData answers with the vehicle, and needs no authentication', async () => {
      const answer = await post(of('AB-1234'), { SOAPAction: `"${action}"` });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), xml);
      assert.equal(at(answer, '//v:GetVehicleDataResponse/v:Make'), 'Yarrowick');
      assert.equal(at(answer, '//v:GetVehicleDataResponse/v:FuelType'), 'PETROL');
    });

    test('Errors, 2: an unknown vehicle is the fault VehicleNotFound, with HTTP 500', async () => {
      for (const plate of ['XX-1234', '', 'no plate', 'Ö', '&lt;x/>']) {
        const answer = await post(of(plate));
        assertFault(answer, 'Client', /not found/);
        const fault = '//e:Fault/detail/v:VehicleNotFoundFault';
        assert.equal(at(answer, `${fault}/v:RegNumber`), plate.replace('&lt;', '<'));
        assert.match(at(answer, `${fault}/v:Message`) ?? '', /^No vehicle has/);
      }
    });

    test('Decisions, vehicle registry: SOAPAction may be absent, empty or unquoted; one that names something else is refused', async () => {
      for (const SOAPAction of [undefined, '', '""', action, `"${action}"`]) {
        const answer = await post(of('AB-1234'), SOAPAction === undefined ? {} : { SOAPAction });
        assert.equal(answer.status, 200, `${SOAPAction}`);
      }
      for (const SOAPAction of ['"GetVehicleData"', `"${action}/"`, `"${action}", "${action}"`]) {
        assertFault(await post(of('AB-1234'), { SOAPAction }), 'Client', /SOAPAction says/);
      }
    });

    test('Decisions, vehicle registry: a slash at the end, any query and any content type make no difference', async () => {
      assert.equal((await lplate.call('POST', `${path}/`, { body: of('AB-1234') })).status, 200);
      assert.equal((await lplate.call('POST', `${path}?wsdl`, { body: of('AB-1234') })).status, 200);
      const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
      assert.equal((await post(of('AB-1234'), form)).status, 200);
    });

    test('Decisions, vehicle registry: UTF-16 is taken, and answered in UTF-8', async () => {
      const body = Buffer.from(`\uFEFF${of('AB-1234')}`, 'utf16le');
      const answer = await post(new Uint8Array(body), { 'Content-Type': 'text/xml; charset=utf-16' });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), xml);
    });

    test('SOAP 1.1, 4.2.3: a header block that must be understood is the fault MustUnderstand; others are passed over', async () => {
      const block = (must: number) => withHeader(`<a:b xmlns:a="urn:x" s:mustUnderstand="${must}"/>`);
      assertFault(await post(block(1)), 'MustUnderstand', /understands no header blocks/);
      assert.equal((await post(block(0))).status, 200);
    });
  });

  describe('Decisions, vehicle registry: nothing here is JSON', () => {
    test('Decisions, vehicle registry: a body over 64 KiB is a fault, whether its length is told or not', async () => {
      const body = of('A'.repeat(66_000));
      assertFault(await post(body), 'Client', /65536 bytes/);
      const headers = { 'Transfer-Encoding': 'chunked' };
      assertFault(await raw('POST', path, { headers, body }), 'Client', /65536 bytes/);
    });

    test('Decisions, vehicle registry: a missing Host header and a URL without end are faults', async () => {
      for (const method of ['GET', 'POST']) {
        assertFault(await raw(method, path, { setHost: false }), 'Client', /one Host header/);
        assertFault(await raw(method, `${path}?${'x'.repeat(9_000)}`, {}), 'Client', /8192/);
      }
    });

    test('Decisions, vehicle registry: packed bodies and those of several parts are faults that say so', async () => {
      assertFault(await post(of('AB-1234'), { 'Content-Encoding': 'gzip' }), 'Client', /compressed/);
      assert.equal((await post(of('AB-1234'), { 'Content-Encoding': 'identity' })).status, 200);
      const type = 'multipart/related; type="text/xml"; boundary=b';
      const parts = `--b\r\nContent-Type: text/xml\r\n\r\n${of('AB-1234')}\r\n--b--`;
      assertFault(await post(parts, { 'Content-Type': type }), 'Client', /several parts/);
    });

    test('Decisions, vehicle registry: other methods are 405 with Allow, paths below it 404, in plain text', async () => {
      for (const method of ['PUT', 'PATCH', 'DELETE']) {
        const answer = await lplate.call(method, path, { json: {} });
        assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'GET, HEAD, POST']);
      }
      for (const below of ['/GetVehicleData', '//', '/%zz', '/vehicles/AB-1234']) {
        for (const method of ['GET', 'POST']) {
          assert.equal((await lplate.call(method, path + below)).status, 404, below);
        }
      }
    });

    test('Decisions, vehicle registry: a defect is the fault Server, which says nothing of the inside', async (t) => {
      const clock = new BrokenClock();
      const broken = await startLPlate(t, engine, {}, clock);
      // The round at the start asks the clock, too.
      await broken.housekeeping();
      clock.breaks = true;
      const headers = { 'Content-Type': xml };
      const response = await fetch(broken.url + path, { method: 'POST', headers, body: of('AB-1234') });
      const text = await response.text();
      assert.deepEqual([response.status, response.headers.get('content-type')], [500, xml]);
      assert.equal(textAt(parseXml(text), '//e:Fault/faultcode'), 'soap:Server');
      assert.doesNotMatch(text, /clock|elapsed|\.ts|Error:/);
      const id = /id ([0-9a-f-]{36}) /.exec(text)?.[1];
      const cause = broken.log.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'internal error');
      assert.equal(cause?.requestId, id);
      assert.match(cause.stack, /the clock stopped/);
    });
  });

  describe('Decisions, vehicle registry: the WSDL', () => {
    const address = (answer: Answer) => at(answer, '//s:address/@location');

    test('Legacy SOAP operation: it is at ?wsdl, in any case, for GET and HEAD', async () => {
      for (const query of ['?wsdl', '?WSDL', '/?wsdl', '?Wsdl=1&x=2']) {
        const answer = await get(query);
        assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, xml]);
        assert.equal(at(answer, '//w:service/@name'), 'VehicleRegistryService');
      }
      const head = await lplate.call('HEAD', `${path}?wsdl`);
      assert.deepEqual([head.status, head.headers.get('content-type'), head.text], [200, xml, '']);
    });

    test('Decisions, vehicle registry: by default the service is where the WSDL was asked for', async () => {
      const { port } = lplate.config;
      for (const host of [`localhost:${port}`, 'lplate.example', 'LPLATE.example:81', '[::1]:8080']) {
        const answer = await raw('GET', `${path}?wsdl`, { headers: { Host: host } });
        assert.equal(address(answer), `${new URL(`http://${host}`).origin}${path}`);
      }
    });

    test('Decisions, vehicle registry: a Host header that no link can be made of leads to the public URL, and one that is none to a fault', async () => {
      for (const host of ["a'b", '-', 'a%20b', '[v1.x]']) {
        const answer = await raw('GET', `${path}?wsdl`, { headers: { Host: host } });
        assert.equal(address(answer), `${lplate.config.publicUrl}${path}`, host);
      }
      for (const host of ['a b', 'x"><y', 'user@host', 'host/path', 'host:99999', '[zz]', 'a:b:c']) {
        assertFault(await raw('POST', path, { headers: { Host: host } }), 'Client', /Host header must be/);
      }
    });

    test('Decisions, vehicle registry: forwarded headers count only behind a trusted proxy', async (t) => {
      const headers = { 'X-Forwarded-Host': 'lplate.example', 'X-Forwarded-Proto': 'https' };
      assert.equal(address(await get('?wsdl', headers)), `${lplate.url}${path}`);
      const behind = await startLPlate(t, engine, { trustProxy: 1 });
      const ask = (own: Record<string, string>) => behind.call('GET', `${path}?wsdl`, { headers: own });
      assert.equal(address(await ask(headers)), `https://lplate.example${path}`);
      assert.equal(
        address(await ask({ ...headers, 'X-Forwarded-Proto': 'javascript' })),
        `http://lplate.example${path}`,
      );
    });

    test('Decisions, vehicle registry: a public URL that was set stands in it, whoever asks', async (t) => {
      const publicUrl = 'https://registry.example';
      const set = await startLPlate(t, engine, { publicUrl, trustProxy: 1 });
      const headers = { 'X-Forwarded-Host': 'other.example' };
      assert.equal(address(await set.call('GET', `${path}?wsdl`, { headers })), `${publicUrl}${path}`);
      assert(
        (await set.call('GET', path)).text.includes(`<pre class="wrapped" tabindex="0">${publicUrl}${path}?wsdl</pre>`),
      );
    });
  });

  describe('Decisions, vehicle registry: the page', () => {
    test('Decisions, vehicle registry: GET shows how to call the service, and links to the WSDL', async () => {
      const { status, text, headers } = await get('');
      assert.deepEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8']);
      assert(text.includes('href="/vehicle-registry/v1?wsdl"'));
      assert(text.includes(`<pre class="wrapped" tabindex="0">${lplate.url}${path}?wsdl</pre>`));
    });

    test('Decisions, vehicle registry: its example, copied and run, gives the vehicle; for XX-1234 the fault', {
      skip: !curl,
    }, async () => {
      const [, escaped] = /<pre id="example"[^>]*>([\s\S]*?)<\/pre>/.exec((await get('')).text) ?? [];
      const call = (escaped ?? '').replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
      const run = async (lines: string) => {
        const env = { ...process.env, no_proxy: '*' };
        return (await promisify(execFile)('bash', ['-c', lines], { env })).stdout;
      };
      assert.equal(textAt(parseXml(await run(call)), '//v:GetVehicleDataResponse/v:Model'), 'Quotient');
      const fault = await run(call.replace('AB-1234', 'XX-1234'));
      assert.equal(textAt(parseXml(fault), '//v:VehicleNotFoundFault/v:RegNumber'), 'XX-1234');
    });
  });

  describe('Decisions, start-up: log and metrics', () => {
    test('Decisions, start-up: each call leaves one line that names the fault and nothing of the body', async () => {
      const before = lplate.log.length;
      await post(of('AB-1234'));
      await post(of('XX-9876'));
      await post('{"secret":1}');
      await lplate.call('PUT', path, { json: {} });
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      const lines = lplate.log.slice(before).map((line) => JSON.parse(line));
      assert.deepEqual(
        lines.map(({ method, route, status, problem }) => [method, route, status, problem]),
        [
          ['POST', path, 200, undefined],
          ['POST', path, 500, 'VehicleNotFound'],
          ['POST', path, 500, 'soap:Client'],
          ['PUT', '(none)', 405, 'method-not-allowed'],
        ],
      );
      assert.doesNotMatch(lplate.log.join(''), /XX-9876|secret/);
      const metrics = await (await fetch(`${lplate.url}/metrics`)).text();
      assert.match(metrics, /_count\{method="POST",route="\/vehicle-registry\/v1",status="500"\} [1-9]/);
    });
  });

  /** A request with headers that `fetch` does not send, checked like any other. */
  async function raw(
    method: string,
    target: string,
    { headers = {}, body, setHost = true }: { headers?: OutgoingHttpHeaders; body?: string; setHost?: boolean },
  ): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const { port } = lplate.config;
    const sending = httpRequest({ host: '127.0.0.1', port, method, path: target, headers, setHost }, (response) => {
      response.toArray().then((pieces) => {
        resolve(asAnswer(response.statusCode ?? 0, response.rawHeaders, Buffer.concat(pieces)));
      }, reject);
    });
    sending.on('error', reject).end(body);
    const answer = await promise;
    assert.deepEqual(soapFaults(method, answer), [], answer.text);
    return answer;
  }
});

/** A clock that fails once. */
class BrokenClock extends TestClock {
  breaks = false;

  override elapsed(): number {
    // Not for what the program does in the background.
    if (!this.breaks || !new Error().stack?.includes('/src/http/')) return super.elapsed();
    this.breaks = false;
    throw new Error('the clock stopped');
  }
}
