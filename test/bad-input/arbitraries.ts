import fc, { type Arbitrary } from 'fast-check';
import { sign } from '../support/lplate.ts';
import { junk, junkHeader, junkText, latin, matching, mostly, nearly, printable } from './junk.ts';
import type { Sent } from './wire.ts';

/** What is read here of an OpenAPI document. */
export interface Described {
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}
interface Operation {
  operationId: string;
  parameters?: { in: 'path' | 'query' | 'header'; name: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  security: Record<string, string[]>[];
}
interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  pattern?: string;
  enum?: string[];
  const?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  examples?: unknown[];
}

/** Real things that the requests refer to; without them they would not get far. */
export interface World {
  tokens: string[];
  /** Tokens that are refused, and some that may do less. */
  lesserTokens: string[];
  clients: { id: string; secret: string }[];
  policies: string[];
  vehicles: string[];
  /** Registration numbers that the vehicle registry knows, and some that it does not. */
  plates: string[];
  claims: string[];
  /** The first delivery of each is a test event. */
  subscriptions: string[];
  exchanges: string[];
  consents: string[];
  trainerToken: string;
  /** Addresses for webhooks. No change of a character or two may turn one into a public IP address. */
  urls: string[];
  today: string;
}

/** A request, and the operation that it was made for. */
export type Shot = Sent & { operation: string };

const cursors = [
  'earliest',
  'latest',
  '0-1',
  '0-2',
  '1-1',
  '7-2',
  '30-1',
  '999999999999999-2',
  '1-3',
  '01-1',
  '1',
  '-1-1',
];

/** Requests for every operation of the description. */
/** Requests for the operations of a description, or for those whose ids are `wanted`. */
export function shots(document: Described, world: World, wanted: (operationId: string) => boolean): Arbitrary<Shot> {
  const base = new URL(document.servers[0]?.url ?? '').pathname;
  // Operations without input are tried less often: there is less to get wrong. What is deleted is there no more.
  const weight = (method: string, { parameters, requestBody }: Operation) => {
    if (method === 'delete') return 5;
    return parameters || requestBody ? 12 : 1;
  };
  const all = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { operationId }]) => wanted(operationId))
      .map(([method, operation]) => ({
        weight: weight(method, operation),
        arbitrary: shotsAt(base + path, method.toUpperCase(), operation),
      })),
  );
  return fc.oneof(...all);

  function shotsAt(template: string, method: string, operation: Operation): Arbitrary<Shot> {
    const contents = Object.entries(operation.requestBody?.content ?? {}).map(([type, { schema }]) =>
      bodyOf(schema).map((body) => ({ type, body: type.includes('json') ? JSON.stringify(body) : form(body) })),
    );
    const body = contents.length > 0 ? fc.oneof(...contents) : fc.constant({ type: undefined, body: undefined });
    const parts = fc.record({
      path: pathOf(template, operation),
      // Some come under a personal prefix, which changes nothing.
      prefixed: fc.option(fc.constantFrom(...world.clients), { freq: 9 }),
      method: mostly(
        fc.constant(method),
        fc.constantFrom('GET', 'POST', 'PUT', 'HEAD'),
        fc.constantFrom('DELETE', 'PATCH', 'OPTIONS', 'QUERY'),
      ),
      sent: mostly(body, broken(body), fc.record({ type: junkHeader, body: junkText })),
      authorization: authorization(operation.security),
      named: namedHeaders(operation),
      odd: fc.option(
        fc.record({ name: fc.constantFrom('Accept', 'Origin', 'X-Request-Id', 'Expect', 'Cookie'), value: junkHeader }),
        { freq: 8 },
      ),
      signing: fc.nat(9),
      chunkSize: fc.option(fc.integer({ min: 1, max: 100 }), { freq: 8 }),
    });
    return parts.map(
      ({ path: plain, prefixed, method: verb, sent, authorization: credentials, named, odd, signing, chunkSize }) => {
        const headers: Record<string, string> = { ...named };
        const path = prefixed ? `/for/${prefixed.id}${plain}` : plain;
        if (sent.type !== undefined) headers['Content-Type'] = sent.type;
        if (credentials !== undefined) headers.Authorization = credentials;
        if (odd) headers[odd.name] = odd.value;
        if ('signature' in (operation.security[0] ?? {}) && signing > 0) {
          headers['X-Signature'] = sign(signing < 9 ? (sent.body ?? '') : `${sent.body} `);
        }
        const shot: Shot = {
          operation: `${base} ${operation.operationId}`,
          method: verb,
          path,
          headers,
          body: sent.body,
        };
        return chunkSize !== null && sent.body ? { ...shot, chunkSize } : shot;
      },
    );
  }

  function pathOf(template: string, { parameters = [] }: Operation): Arbitrary<string> {
    const inPath = parameters
      .filter((each) => each.in === 'path')
      .map(({ name, schema }) => {
        const id = allowed(name, schema).map((value) => encodeURIComponent(String(value).toWellFormed()));
        return fc.tuple(
          fc.constant(`{${name}}`),
          mostly(id, nearly(id).map(printable), junkText.map(printable)).map((each) => each || '-'),
        );
      });
    const many = parameters.filter((each) => each.in === 'query').length > 3;
    const inQuery = parameters
      .filter((each) => each.in === 'query')
      .map(({ name, schema }) => {
        const value = mostly(
          allowed(name, schema).map(String).map(printable),
          junkText.map(printable),
          fc.constantFrom('', '0', '01', '1.0', '+1', '1e2'),
        );
        const given = fc.array(value, { maxLength: 2 }).map((values) => values.map((each) => `${name}=${each}`));
        // With one fault in six parameters nothing would ever succeed.
        return many ? fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: given }) : given;
      });
    const unknown = fc.array(
      fc.tuple(junkText, junkText).map(([name, value]) => `${printable(name)}=${printable(value)}`),
      { maxLength: 2 },
    );
    return fc
      .tuple(fc.tuple(...inPath), fc.tuple(...inQuery), fc.option(unknown, { freq: 3 }), fc.nat(19))
      .map(([names, queries, more, slash]) => {
        const path = names.reduce((whole, [name, value]) => whole.replace(name, () => value), template);
        const query = [...queries.flat(), ...(more ?? [])].join('&').replaceAll('#', '%23');
        return `${path}${slash === 0 ? '/' : ''}${query ? `?${query}` : ''}`;
      });
  }

  function namedHeaders({ parameters = [] }: Operation): Arbitrary<Record<string, string>> {
    const values: [string, Arbitrary<string>][] = parameters
      .filter((each) => each.in === 'header')
      .map(({ name, schema }) => {
        const value = allowed(name, schema).map(String);
        return [name, mostly(value, nearly(value), junkText).map(latin)];
      });
    return fc.record<Record<string, string>>(Object.fromEntries(values), { requiredKeys: [] }) as Arbitrary<
      Record<string, string>
    >;
  }

  function authorization(security: Operation['security']): Arbitrary<string | undefined> {
    const real = fc.constantFrom(...world.tokens).map((token) => `Bearer ${token}`);
    const lesser = fc.constantFrom(...world.lesserTokens).map((token) => `Bearer ${token}`);
    const basic = fc
      .constantFrom(...world.clients)
      .map(({ id, secret }) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`);
    const odd = fc.oneof(fc.constant(undefined), lesser, nearly(real).map(latin), junkHeader, nearly(basic).map(latin));
    if (security.some((each) => 'bearer' in each)) return mostly(real, lesser, odd);
    if (security.some((each) => 'trainer' in each))
      return mostly(fc.constant(`Bearer ${world.trainerToken}`), real, odd);
    if (security.some((each) => 'basic' in each)) return mostly(fc.constant(undefined), basic, odd);
    return mostly(fc.constant(undefined), real, odd);
  }

  function bodyOf(schema: Schema): Arbitrary<unknown> {
    const { properties = {}, required = [] } = resolved(schema);
    const members: Record<string, Arbitrary<unknown>> = {};
    for (const [name, each] of Object.entries(properties)) {
      members[name] = fc.oneof(
        { weight: 18, arbitrary: allowed(name, each) },
        { weight: 1, arbitrary: junk },
        { weight: 1, arbitrary: nearly(allowed(name, each).map(String)) },
      );
    }
    const object = fc.record(members, { requiredKeys: [] });
    const whole = fc.record(members, { requiredKeys: required });
    const client = fc
      .constantFrom(...world.clients)
      .map(({ id, secret }) => ({ client_id: id, client_secret: secret }));
    const real =
      'client_id' in properties ? fc.tuple(whole, client).map(([one, other]) => ({ ...one, ...other })) : whole;
    return mostly(
      real,
      object,
      fc.oneof(
        junk,
        fc.tuple(whole, fc.dictionary(junkText, junk)).map(([one, more]) => ({ ...more, ...one })),
      ),
    );
  }

  /** Values that the schema allows; of names that the world has a value for, those mostly. */
  function allowed(name: string, schema: Schema): Arbitrary<unknown> {
    const {
      type,
      pattern,
      enum: choices,
      const: only,
      format,
      minimum = 0,
      maximum = 100,
      minLength,
      maxLength,
      examples,
    } = resolved(schema);
    const known: Record<string, string[]> = {
      regNumber: world.vehicles,
      policyId: world.policies,
      reg_number: world.plates,
      policyNumber: world.policies,
      claimId: world.claims,
      subscriptionId: world.subscriptions,
      exchangeId: world.exchanges,
      consentId: world.consents,
      traceparent: [`00-${'4b'.repeat(16)}-${'0f'.repeat(8)}-01`, `00-${'0'.repeat(32)}-${'0f'.repeat(8)}-01`],
      traceId: ['4b'.repeat(16)],
      lessonId: ['credentials', 'token-decoded', 'webhook-repeats'],
      lesson: ['token-decoded', 'token-key', 'credentials', 'night-shift'],
      capstoneId: ['night-shift', 'month-end', 'bad-line'],
      stage: ['token', 'coverage-options', 'tokens'],
      clientId: world.clients.map(({ id }) => id),
      // Of drills.
      name: ['stop-events', 'stop-events', 'stop-events', 'cut-streams'],
      number: ['1', '1', '2', '0', '999999999', '1e1'],
      url: world.urls,
      after: cursors,
      'Last-Event-ID': cursors,
      // Tags of policies that are new, were changed or are done with, and keys that come again.
      'If-Match': ['*', '*', '"1-active"', '"2-updated"'],
      'If-None-Match': ['"1-active"', '"2-cancelled"', 'W/"1-active"', '*'],
      'Idempotency-Key': ['"again"', 'again', '"once more"'],
      // Who waits longer holds up the run.
      wait: ['0', '0', '0', '1'],
    };
    const real = known[name];
    if (real) {
      const other = pattern && name !== 'after' ? matching(pattern, minLength, maxLength) : junkText;
      return fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...real) }, { weight: 1, arbitrary: other });
    }
    if (name === 'scope') return fc.constantFrom('policies:read', 'policies:write policies:read', ' ', 'claims:read');
    if (only !== undefined) return fc.constant(only);
    if (choices) return fc.constantFrom(...choices);
    if (type === 'integer')
      return fc.oneof(
        fc.integer({ min: minimum, max: Math.max(minimum, Math.min(maximum, 10)) }),
        fc.integer({ min: minimum, max: maximum }),
      );
    if (format === 'date')
      return fc.constantFrom(world.today, world.today, '2026-02-29', '2027-01-01', '0000-00-00', '9999-12-31');
    if (pattern) return matching(pattern, minLength, maxLength);
    return fc.oneof(fc.constantFrom(...(examples ?? ['x'])), junkText);
  }

  function resolved(schema: Schema): Schema {
    return schema.$ref ? (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema;
  }
}

type Content = { type: string | undefined; body: string | undefined };

/** Another content type, or a body that is cut, doubled or changed. */
function broken(content: Arbitrary<Content>): Arbitrary<Content> {
  const types = fc.constantFrom(
    undefined,
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json;charset=utf-16',
    '',
  );
  const cut = fc
    .tuple(content, fc.nat())
    .map(([one, at]) => ({ ...one, body: one.body?.slice(0, at % (one.body.length + 1)) }));
  const changed = content.chain((one) => nearly(fc.constant(one.body ?? '')).map((body) => ({ ...one, body })));
  const long = content.map((one) => ({ ...one, body: (one.body ?? '').padEnd(70_000, ' ') }));
  return fc.oneof(
    fc.tuple(content, types).map(([one, type]) => ({ ...one, type })),
    cut,
    changed,
    fc.oneof({ weight: 9, arbitrary: changed }, { weight: 1, arbitrary: long }),
  );
}

const form = (body: unknown): string =>
  new URLSearchParams(Object.entries(body ?? {}).map(([name, value]) => [name, formValue(value)])).toString();

// A made-up object may have a member "toString" that is no function, so String() could throw.
const formValue = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));
