import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { bases, type Document } from '../../support/description.ts';
import { type Engine, onSqlite } from '../../support/engines.ts';
import { send } from '../../support/http1.ts';
import { operationsOf } from '../../support/lint-description.ts';
import { type LPlate, sign, startLPlate, testSecrets } from '../../support/lplate.ts';

/* What people write in place of each path, method and media type of the descriptions. */

interface Operation {
  readonly base: string;
  readonly method: string;
  /** Below the base. */
  readonly path: string;
  readonly says: Document;
}

async function described(
  t: TestContext,
  engine: Engine,
): Promise<{ lplate: LPlate; operations: readonly Operation[] }> {
  const lplate = await startLPlate(t, engine, { rateLimitPerMinute: 1_000_000 });
  const ofBase = async (base: string) => {
    const document: Document = await (await fetch(`${lplate.url}${base}/openapi.json`)).json();
    return [...operationsOf(document)].map(([name, says]) => {
      const [method = '', path = ''] = name.split(' ');
      return { base, method, path, says };
    });
  };
  return { lplate, operations: (await Promise.all(bases.map(ofBase))).flat() };
}

const filled = (path: string) => path.replaceAll(/\{\w+\}/g, 'x-1');

const otherNumber = (word: string) =>
  word.endsWith('ies') ? word.replace(/ies$/, 'y') : word.endsWith('s') ? word.slice(0, -1) : `${word}s`;

const neighbours: Readonly<Record<string, (base: string, path: string) => string>> = {
  'without the base': (_, path) => path,
  'without the system': (base, path) => base.replace(/^\/\w+(?:-\w+)?/, '') + path,
  'below /api': (base, path) => `/api${base}${path}`,
  'of another number': (base, path) =>
    base + path.replace(/([^/{}]+)(\/\{\w+\})?$/, (_, word, id = '') => otherNumber(word) + id),
  'with a part more': (base, path) => `${base}${path}/details`,
};

onSqlite((engine) => {
  test('Decisions, paths: what people write in place of each path of the descriptions is refused with the right one', async (t) => {
    const { lplate, operations } = await described(t, engine);
    const has = (base: string, path: RegExp) => operations.some((each) => each.base === base && path.test(each.path));
    for (const { base, method, path } of operations) {
      // Each system has one: without a base it may be any of them.
      const right = path.startsWith('/openapi.') ? path : base + path;
      const takesIds = has(base, new RegExp(`^${RegExp.escape(path)}/\\{\\w+\\}$`));
      for (const [how, neighbour] of Object.entries(neighbours)) {
        // That may be an id.
        if (how === 'with a part more' && takesIds) continue;
        const asked = filled(neighbour(base, path));
        const { status, json } = await send(lplate.url + asked, { method, headers: {} });
        assert.equal(status, 404, `${how}: ${method} ${asked}`);
        assert(json.detail.includes(`Did you mean ${method} `), `${how}: ${method} ${asked}: ${json.detail}`);
        assert(json.detail.includes(right), `${how}: ${method} ${asked}: ${json.detail}`);
      }
    }
  });

  test('Decisions, methods: one that a path of the descriptions does not take is refused with what to do in its place', async (t) => {
    const { lplate, operations } = await described(t, engine);
    for (const { base, path } of operations) {
      const taken = operations.filter((each) => each.base === base && each.path === path).map(({ method }) => method);
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((each) => !taken.includes(each))) {
        const { status, json } = await send(lplate.url + filled(base + path), { method, headers: {} });
        const where = `${method} ${base}${path}: ${json.detail}`;
        assert.equal(status, 405, where);
        const [, others = ''] = /Allowed methods: [A-Z, ]+\.(.*)/s.exec(json.detail) ?? [];
        assert.match(others, /[a-z]{3}.*\./, where);
      }
    }
  });

  const lines = '{"a":1}\n{"a":2}\n';
  const form = 'application/x-www-form-urlencoded';

  test('Decisions, bodies: another media type, or several objects, in place of each body of the descriptions is refused with the right form', async (t) => {
    const { lplate, operations } = await described(t, engine);
    const { token } = await lplate.client();
    let asked = 0;
    for (const { base, method, path, says } of operations) {
      const types = Object.keys(says.requestBody?.content ?? {});
      if (types.length === 0) continue;
      const bearer = says.security.some((each: object) => 'trainer' in each) ? testSecrets.trainerToken : token;
      const refusal = async (type: string, body: string) => {
        const headers = { Authorization: `Bearer ${bearer}`, 'X-Signature': sign(body), 'Content-Type': type };
        const { status, json } = await send(lplate.url + base + filled(path), { method, headers, body });
        asked += 1;
        return { status, detail: json.detail, where: `${method} ${base}${path}, ${type} ${body}: ${json.detail}` };
      };
      const takesFile = types.includes('multipart/form-data');
      const takesLines = types.includes('application/x-ndjson');
      const others: [type: string, body: string][] = [
        ['text/plain', '{"a":1}'],
        ['text/csv', 'a,b\n1,2\n'],
        [form, 'a=1'],
        takesLines ? ['application/json', '[{"a":1}]'] : ['application/x-ndjson', lines],
      ];
      for (const [type, body] of others.filter(([type]) => !types.includes(type))) {
        const { status, detail, where } = await refusal(type, body);
        assert.equal(status, 415, where);
        assert(detail.includes(`Send it as ${types.join(' or ')}.`), where);
        if (type !== 'text/plain' && /json/.test(type) && !takesFile)
          assert.match(detail, /one JSON object a line|One object/, where);
      }
      // The errors of JSON-RPC are no problems.
      if (takesLines || takesFile || path === '/mcp') continue;
      for (const [body, form] of [
        ['[{"a":1}]', /JSON object.*, not an array\./],
        ['"a"', /JSON object.*, not a string\./],
        [lines, /a second value begins/],
      ] as const) {
        const { status, detail, where } = await refusal('application/json', body);
        assert.equal(status, 400, where);
        assert.match(detail, form, where);
      }
    }
    assert(asked > 100, String(asked));
  });
});
