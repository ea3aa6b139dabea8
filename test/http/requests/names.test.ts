import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import { anyText } from '../../support/any-text.ts';
import { bases, type Document, description } from '../../support/description.ts';
import { forEachEngineInFull } from '../../support/engines.ts';
import { chooseSeed, extent } from '../../support/extent.ts';
import { type Answer, sharedClient, sharedLPlate } from '../../support/lplate.ts';
import { processorTime } from '../../support/processor-time.ts';

const seed = chooseSeed();

/** A place where names are sent: a request with one more name there. */
interface Place {
  readonly what: string;
  readonly known: readonly string[];
  readonly send: (name: string) => Promise<Answer>;
}

/** Every name that is the known one but for one letter, case, dashes or underscores. */
function nearlyOf(name: string): Set<string> {
  const near = new Set([name.toLowerCase(), name.toUpperCase(), name.replaceAll(/[A-Z]/g, '_$&'), `-${name}-`]);
  for (let at = 0; at <= name.length; at += 1) {
    const [start, letter, next, end] = [name.slice(0, at), name[at] ?? '', name[at + 1] ?? '', name.slice(at + 2)];
    near.add(`${start}q${letter}${next}${end}`);
    near.add(`${start}${next}${end}`);
    near.add(`${start}q${next}${end}`);
    near.add(`${start}${next}${letter}${end}`);
  }
  return near.difference(new Set([name, '']));
}

forEachEngineInFull((engine) => {
  const lplate = sharedLPlate(engine);
  const client = sharedClient(lplate);
  let places: Place[];

  before(async () => {
    places = [];
    for (const base of ['/insurer/v1', '/claims/v1', '/vehicle-registry/v2']) {
      const { paths, components } = parse((await lplate.call('GET', `${base}/openapi.yaml`)).text);
      for (const [path, operations] of Object.entries(paths)) {
        for (const [method, operation] of Object.entries(operations as object)) {
          // The endpoints of OAuth 2.0 ignore what they do not know, and the signed one looks at the signature first.
          if (path.startsWith('/auth/') || path === '/signed/policy-check') continue;
          const target = `${base}${path.replaceAll(/\{\w+\}/g, 'none')}`;
          const schema = operation.requestBody?.content['application/json']?.schema;
          if (schema) {
            const { properties } = components.schemas[schema.$ref.split('/').at(-1)];
            const send = (name: string) => call(method, target, { json: { [name]: 1 } });
            places.push({ what: `the body of ${method} ${path}`, known: Object.keys(properties), send });
          }
          const parameters = (operation.parameters ?? []).filter((each: { in: string }) => each.in === 'query');
          const known = parameters.map((each: { name: string }) => each.name);
          const send = (name: string) => call(method, `${target}?${new URLSearchParams({ [name]: '1' })}`);
          if (known.length > 0) places.push({ what: `the query of ${method} ${path}`, known, send });
        }
      }
    }
  });

  const call = (method: string, path: string, options: object = {}) =>
    lplate.call(method.toUpperCase(), path, { token: client.token, ...options });

  test('Decisions, REST conventions: a header that has no effect is named, one that is nearly right is refused', async () => {
    const asked = ['If-Match', 'If-None-Match', 'If-Modified-Since', 'If-Unmodified-Since', 'If-Range', 'Range'];
    asked.push('Idempotency-Key', 'Last-Event-ID');
    const nearly = (name: string) =>
      [`X-${name}`, `${name}s`, name.replace(/(?<=.)-/, '')].filter((near) => near !== name);
    let declaring = 0;
    for (const base of bases) {
      const { paths } = await description(base);
      for (const [path, operations] of Object.entries<Document>(paths)) {
        if (path.startsWith('/trainer')) continue;
        for (const [method, operation] of Object.entries<Document>(operations)) {
          if (base === '/range/v1' && method !== 'get') continue;
          const target = base + path.replaceAll(/\{\w+\}/g, 'none');
          const json = operation.requestBody && { json: {} };
          const sent = async (names: readonly string[]) => {
            const headers = Object.fromEntries(names.map((name) => [name, '"x"']));
            const answer = await call(method, target, { headers, ...json });
            return { answer, ignored: answer.headers.get('l-plate-ignored')?.split(', ') ?? [] };
          };
          const what = `${method} ${target}`;
          const own: string[] = (operation.parameters ?? [])
            .filter((each: Document) => each.in === 'header')
            .map((each: Document) => each.name);
          const dropped = asked.filter((name) => !own.includes(name) || name === 'Last-Event-ID');
          const { ignored } = await sent(dropped);
          for (const name of dropped) assert.ok(ignored.includes(`header/${name}`), `${name}: ${what}`);
          const spelt = dropped.flatMap(nearly);
          for (const some of [spelt.slice(0, 12), spelt.slice(12)]) {
            const others = await sent(some);
            for (const name of some)
              assert.ok(others.ignored.includes(`header/${name.toLowerCase()}`), `${name}: ${what}: ${others.ignored}`);
          }
          for (const name of own.filter((each) => asked.includes(each) && each !== 'Last-Event-ID')) {
            declaring += 1;
            for (const near of nearly(name)) {
              const { answer } = await sent([near]);
              assert.equal(answer.status, 400, `${near}: ${what}`);
              assert.match(answer.json.detail, new RegExp(`is not a header of this request. Did you mean ${name}\\?`));
            }
          }
        }
      }
    }
    assert.ok(declaring >= 8, `${declaring} headers have an effect`);
    for (const usual of [
      'Accept',
      'Origin',
      'Referer',
      'X-Forwarded-For',
      'X-Request-Id',
      'Idempotent',
      'Prefer',
      'From',
    ])
      assert.equal(
        (await call('GET', '/coverage-options', { headers: { [usual]: 'x' } })).headers.get('l-plate-ignored'),
        null,
      );
  });

  test('Decisions, REST conventions: a name that is nearly a known one is refused, and both are named', async () => {
    assert.ok(places.length >= 8, 'all places where names are sent');
    for (const { what, known, send } of places) {
      for (const name of known) {
        for (const near of nearlyOf(name)) {
          if (known.includes(near)) continue;
          const answer = await send(near);
          assert.equal(answer.status, 400, `${near} in ${what}`);
          const kind = what.startsWith('the body') ? 'member' : 'parameter';
          assert.ok(
            answer.json.detail.includes(`${near}: is not a ${kind} of this request. Did you mean ${name}?`),
            `${near} in ${what}: ${answer.json.detail}`,
          );
          assert.equal(answer.headers.get('l-plate-ignored'), null);
        }
      }
    }
  });

  test('Decisions, REST conventions: two letters may be wrong in a name of eight or more, and one in a shorter one', async () => {
    const create = (name: string) => call('POST', '/policies', { json: { [name]: 1 } });
    for (const near of ['regNmbr', 'rgeNumbre', 'rexNumbex', 'covragOption']) {
      assert.match((await create(near)).json.detail, /Did you mean (regNumber|coverageOption)\?/, near);
    }
    for (const far of ['hodlre', 'hldr', 'regNmb', 'coverage', 'rgNmbrs']) {
      assert.equal((await create(far)).headers.get('l-plate-ignored'), `body/${far}`, far);
    }
  });

  test('Decisions, REST conventions: other names are ignored and named, whatever they hold', async () => {
    let vehicles = 0;
    // Longer than any known name, without the letters that case, dashes and underscores hide.
    const far = anyText({ maxLength: 60 }).map((text) => `${'z'.repeat(20)}${text}`);
    const property = fc.asyncProperty(far, async (name) => {
      vehicles += 1;
      const json = { regNumber: `NAME-${vehicles}`, [name]: 'x' };
      const created = await call('POST', '/policies', { json });
      const read = await call('GET', `/coverage-options?${new URLSearchParams({ [name]: 'x' })}`);
      for (const [answer, place, status] of [
        [created, 'body', 201],
        [read, 'query', 200],
      ] as const) {
        assert.equal(answer.status, status);
        const named = answer.headers.get('l-plate-ignored') ?? '';
        assert.match(named, /^[!-~]+$/);
        assert.doesNotMatch(named, /[,;()"]/);
        const characters = [...name.toWellFormed()];
        const cut = characters.length > 40 ? `${characters.slice(0, 40).join('')}…` : characters.join('');
        assert.equal(decodeURIComponent(named), `${place}/${cut}`);
      }
    });
    await fc.assert(property, { seed, numRuns: extent(50, 1_000) });
  });

  test('Decisions, REST conventions: the header is bounded, and says so; so is the work for many names', async () => {
    const many = Object.fromEntries(Array.from({ length: 4_000 }, (_, at) => [`regNumb${at}`, 1]));
    for (const members of [many, { ['ä'.repeat(5_000)]: 1, ['a-'.repeat(20_000)]: 1 }]) {
      const took = await processorTime(async () => {
        assert.equal((await call('POST', '/policies', { json: { ...members, holder: 1 } })).status, 400);
      });
      assert.ok(took < 300, `${took} ms`);
      const { headers } = await call('POST', '/policies', { json: members });
      assert.ok((headers.get('l-plate-ignored') ?? '').length <= 1_020);
    }
    const letters = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`zzzzzzzzzz${at}`, 1]));
    const { headers } = await call('POST', '/policies', { json: letters });
    const named = (headers.get('l-plate-ignored') ?? '').split(', ');
    assert.equal(named.length, 21);
    assert.equal(named.at(-1), 'and-more');
    assert.match(headers.get('access-control-expose-headers') ?? '', /\bL-Plate-Ignored\b/);
  });

  test('Decisions, REST conventions: what takes no body says that one was ignored, not its members, and tokens only of plain words', async () => {
    const headers = { 'Content-Type': 'application/json' };
    const clients = await lplate.call('POST', '/demo-clients', { body: '{"Page": 1, "x": 2}', headers });
    assert.deepEqual([clients.status, clients.headers.get('l-plate-ignored')], [201, 'body']);
    const credentials = { client_id: client.id, client_secret: client.secret };
    const json = { ...credentials, audience: 'x', [client.secret]: 1, [client.token]: 2 };
    const answer = await lplate.call('POST', '/auth/token?resource=x', { json });
    assert.equal(answer.headers.get('l-plate-ignored'), 'query/resource, body/audience, and-more');
  });

  test('Errors, 1: at the token endpoint every name that is nearly a missing one says what was meant, and is ignored', async () => {
    const credentials = { client_id: client.id, client_secret: client.secret };
    for (const known of ['scope', 'grant_type']) {
      for (const name of nearlyOf(known)) {
        if (!/^[A-Za-z_-]{1,30}$/.test(name)) continue;
        for (const [target, more] of [
          ['/auth/token', { [name]: 'x' }],
          [`/auth/token?${new URLSearchParams({ [name]: 'x' })}`, {}],
        ] as const) {
          const answer = await lplate.call('POST', target, { json: { ...credentials, ...more } });
          assert.equal(answer.status, 200, answer.text);
          const place = target === '/auth/token' ? 'body' : 'query';
          assert.equal(answer.headers.get('l-plate-ignored'), `${place}/${name};meant=body/${known}`);
        }
      }
    }
  });

  test('Errors, 1: a secret in the URL of the token endpoint is in no log and no answer', async () => {
    for (const name of [
      'client_secret',
      'clientSecret',
      'client-secret',
      'CLIENT_SECRET',
      'client%5Fsecret',
      'secret',
      'client_secrt',
    ]) {
      for (const method of ['POST', 'GET']) {
        const target = `/for/${client.id}/insurer/v1/auth/token?client_id=${client.id}&${name}=${client.secret}`;
        const answer = await lplate.call(method, target);
        assert.ok([400, 405].includes(answer.status), answer.text);
        assert.ok(!answer.text.includes(client.secret));
      }
    }
    const kept = await lplate.call('GET', '/range/v1/me/exchanges?pageSize=100', { token: client.token });
    assert.ok(kept.text.includes('/insurer/v1/auth/token?client_id='), kept.text);
    for (const text of [kept.text, ...lplate.log]) assert.ok(!text.includes(client.secret), text);
  });
});
