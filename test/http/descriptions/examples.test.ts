import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { parse } from 'yaml';
import { exampleValues, ownExampleValues } from '../../../src/insurer/example-values.ts';
import { day as dayMs } from '../../../src/time/units.ts';
import { findVehicle } from '../../../src/vehicle-registry/vehicle.ts';
import { TestClock } from '../../support/clock.ts';
import { bases, type Document } from '../../support/description.ts';
import { forEachEngineInFull, onSqlite } from '../../support/engines.ts';
import { sendExamples } from '../../support/example-walk.ts';
import { extent } from '../../support/extent.ts';
import { type LPlate, startLPlate } from '../../support/lplate.ts';

async function descriptions(lplate: LPlate): Promise<Document[]> {
  return Promise.all(bases.map(async (base) => (await fetch(`${lplate.url}${base}/openapi.json`)).json()));
}

forEachEngineInFull((engine) => {
  test('Decisions, descriptions: every example of a request, sent after a fresh start, gets its success', async (t) => {
    const lplate = await startLPlate(t, engine);
    const sent = await sendExamples(lplate, await descriptions(lplate));
    for (const expected of [
      'POST /insurer/v1/auth/token: application/json minimal',
      'POST /insurer/v1/auth/token: application/x-www-form-urlencoded complete',
      'POST /insurer/v1/policies: application/json complete',
      'POST /insurer/v1/signed/policy-check: application/json minimal',
      'POST /claims/v1/claims: application/json complete',
      'GET /claims/v1/topics/claims.status-changed: query after',
      'POST /claims/v1/subscriptions: application/json complete',
      'POST /claims/v1/subscriptions/{subscriptionId}/deliveries/{number}/redeliver: no parameters',
      'GET /vehicle-registry/v2/vehicles/{reg_number}: no parameters',
    ]) {
      assert(sent.includes(expected), `${expected} is not in\n${sent.join('\n')}`);
    }
  });

  test('Decisions, descriptions: they do so weeks after they were read, and on days of every kind', async (t) => {
    const newYear = '2027-12-31T23:59:59.999Z';
    for (const start of ['2028-02-28T23:59:59.999Z', ...extent([], [newYear])]) {
      const lplate = await startLPlate(t, engine, {}, new TestClock(start));
      const documents = await descriptions(lplate);
      lplate.clock.advance(1);
      await sendExamples(lplate, documents);
      lplate.clock.advance(29 * dayMs);
      const { value } = documents[0].paths['/policies'].post.requestBody.content['application/json'].examples.complete;
      const { token } = await lplate.client();
      const answer = await lplate.call('POST', '/policies', { token, json: { ...value, regNumber: 'LATER-1' } });
      assert.equal(answer.status, 201, answer.text);
    }
  });
});

onSqlite((engine) => {
  const doctored: [what: string, RegExp, change: (insurer: Document, claims: Document) => void][] = [
    [
      'a day in the past',
      /startDate/,
      ({ paths }) => {
        const { examples } = paths['/policies'].post.requestBody.content['application/json'];
        examples.complete.value.startDate = '2020-01-01';
      },
    ],
    [
      'a cursor of nowhere',
      /after: 400/,
      (_, { paths }) => {
        const [after] = paths['/topics/claims.status-changed'].get.parameters;
        after.example = '1042-1';
      },
    ],
    [
      'an id that no link gives',
      /neither an example nor a link gives policyId/,
      ({ paths }) => {
        delete paths['/policies'].post.responses[201].links.readPolicy;
      },
    ],
    [
      'a member in whose place something stands, and no link gives what belongs there',
      /POST \/claims\/v1\/claims, application\/json \w+: 404/,
      ({ paths }) => {
        delete paths['/policies'].post.responses[201].links.registerClaim;
      },
    ],
  ];
  for (const [what, why, change] of doctored) {
    test(`Decisions, descriptions: the test of the examples fails for ${what}`, async (t) => {
      const lplate = await startLPlate(t, engine);
      const documents = await descriptions(lplate);
      change(
        documents[0],
        documents.find(({ servers }) => servers[0].url.endsWith('/claims/v1')),
      );
      await assert.rejects(sendExamples(lplate, documents), why);
    });
  }

  test('Decisions, descriptions: the query examples of the topic in AsyncAPI get their success', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { servers, channels, operations, components }: Document = await (
      await fetch(`${lplate.url}/claims/v1/asyncapi.json`)
    ).json();
    const { token } = await lplate.client();
    const schemaOf = ({ $ref }: { $ref: string }) => components.schemas[$ref.split('/').at(-1) as string];
    let sent = 0;
    for (const { bindings } of Object.values<Document>(operations)) {
      if (!bindings.http.query) continue;
      for (const [name, { examples = [], default: value }] of Object.entries<Document>(
        schemaOf(bindings.http.query).properties,
      )) {
        for (const example of [...examples, value]) {
          const path = `${servers.lplate.pathname}${channels['claims.status-changed'].address}?${name}=${example}`;
          assert.equal((await lplate.call('GET', path, { token })).status, 200, path);
          sent += 1;
        }
      }
    }
    assert(sent >= 4);
  });

  test('Decisions, descriptions: where webhooks can’t call this machine there is no example of a receiver', async (t) => {
    const lplate = await startLPlate(t, engine, { publicUrl: 'https://lplate.test' });
    const claims = (await descriptions(lplate)).find(({ info }) => info.title === 'L-Plate claims');
    const { content } = claims.paths['/subscriptions'].post.requestBody;
    assert.deepEqual(Object.keys(content['application/json']), ['schema']);
    assert.doesNotMatch(JSON.stringify(claims), /127\.0\.0\.1/);
  });

  test('Decisions, descriptions: each reader has other plates in the examples, by the client of the prefix, else by the address', async (t) => {
    const lplate = await startLPlate(t, engine, { trustProxy: 1 });
    const read = async (prefix: string, address: string) => {
      const headers = { 'X-Forwarded-For': address };
      const answers = ['yaml', 'json'].map((format) =>
        fetch(`${lplate.url}${prefix}/insurer/v1/openapi.${format}`, { headers }),
      );
      const [yaml, json] = await Promise.all(answers);
      const text = (await json?.text()) ?? '';
      assert.deepEqual(parse((await yaml?.text()) ?? ''), JSON.parse(text));
      const { examples } = JSON.parse(text).paths['/policies'].post.requestBody.content['application/json'];
      return {
        tag: json?.headers.get('etag'),
        plates: [examples.minimal.value.regNumber, examples.complete.value.regNumber],
      };
    };
    const clients = [await lplate.client(), await lplate.client()];
    const copies = [
      await read('', '192.0.2.1'),
      await read('', '192.0.2.2'),
      ...(await Promise.all(clients.map(({ id }) => read(`/for/${id}`, '192.0.2.1')))),
    ];
    const plates = copies.flatMap((each) => each.plates);
    for (const plate of plates) assert.match(plate, /^[QV][A-W]-\d{4}-[0-9a-f]{8}$/);
    assert.equal(new Set(plates).size, 2 * copies.length, plates.join(' '));
    assert.equal(new Set(copies.map(({ tag }) => tag)).size, copies.length);
    // The same again, wherever the client reads it.
    assert.deepEqual(await read('', '192.0.2.2'), copies[1]);
    assert.deepEqual(await read(`/for/${clients[0]?.id}`, '192.0.2.9'), copies[2]);
  });

  test('Decisions, descriptions: what depends on the day follows from the clock alone, the same on every node', async (t) => {
    const day = async (start: string) => {
      const lplate = await startLPlate(t, engine, { publicUrl: 'https://lplate.test' }, new TestClock(start));
      const text = async (base: string) => (await fetch(`${lplate.url}${base}/openapi.yaml`)).text();
      return { lplate, texts: async () => Promise.all(bases.map(text)) };
    };
    const one = await day('2027-05-05T00:00:00.000Z');
    const other = await day('2027-05-05T23:59:59.999Z');
    const texts = await one.texts();
    assert.deepEqual(await other.texts(), texts);
    other.lplate.clock.advance(1);
    const next = await other.texts();
    assert.notEqual(next[0], texts[0]);
    assert.equal(
      parse(next[0] as string).components.schemas.Policy.properties.createdAt.examples[0].slice(0, 10),
      '2027-05-06',
    );
  });
});

test('Decisions, descriptions: a reader’s own plates are others each day, and take the place of those of the day', () => {
  const plates = ['2026-03-02', '2026-03-03'].flatMap((today) => {
    const own = ownExampleValues(today, 'demo-1');
    const common = exampleValues(today);
    assert.deepEqual(Object.keys(own), [common['AB-1234'], common['CD-5678']]);
    return Object.values(own);
  });
  assert.equal(new Set(plates).size, 4);
});

test('Decisions, descriptions: the plates of the examples come once, are vehicles, and no other text of ours has them', async () => {
  const seen = new Set<string>();
  const first = Date.parse('2026-01-01');
  for (let days = 0; days < 3650; days += 1) {
    const values = exampleValues(new Date(first + days * dayMs).toISOString().slice(0, 10));
    for (const plate of [values['AB-1234'], values['CD-5678']] as string[]) {
      assert(findVehicle(plate) && !seen.has(plate), plate);
      seen.add(plate);
    }
  }
  const root = new URL('../../../', import.meta.url);
  const guides = (await readdir(new URL('docs/', root))).map((name) => `docs/${name}`);
  for (const name of ['README.md', 'src/pages/front-page.ts', ...guides.filter((each) => each.endsWith('.md'))]) {
    const text = await readFile(new URL(name, root), 'utf8');
    for (const [plate] of text.matchAll(/\b[A-Z]{2}-?\d{4}\b/g))
      assert.doesNotMatch(plate, /^[QV]/, `${name}: ${plate}`);
  }
});
