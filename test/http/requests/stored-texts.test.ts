import { deepEqual } from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { test } from 'node:test';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { onSqlite } from '../../support/engines.ts';
import { startLPlate } from '../../support/lplate.ts';

interface Shape {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly content?: Readonly<Record<string, { readonly schema: Shape }>>;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
}

const ownEvent = 'searched as a whole: one with a secret is refused';

/** Members of bodies that no secret is looked for in, each with what keeps a secret in it from being stored as it is. */
const unsearched: Readonly<Record<string, string>> = {
  'POST /insurer/v1/auth/token client_id': 'compared, not stored',
  'POST /insurer/v1/auth/token client_secret': 'compared with a hash, not stored',
  'POST /insurer/v1/auth/token scope': 'names of the list only',
  'POST /insurer/v1/auth/revoke client_id': 'compared, not stored',
  'POST /insurer/v1/auth/revoke client_secret': 'compared with a hash, not stored',
  'POST /insurer/v1/auth/revoke token': 'compared, not stored',
  'POST /insurer/v1/auth/revoke token_type_hint': 'not read',
  'POST /insurer/v1/auth/introspect client_id': 'compared, not stored',
  'POST /insurer/v1/auth/introspect client_secret': 'compared with a hash, not stored',
  'POST /insurer/v1/auth/introspect token': 'compared, not stored',
  'POST /insurer/v1/auth/introspect token_type_hint': 'not read',
  'POST /insurer/v1/policy-imports ': 'lines, each checked as a policy is',
  'POST /insurer/v1/statements month': 'a month, by its pattern',
  'POST /insurer/v1/signed/policy-check regNumber': 'not stored',
  'POST /claims/v1/claims policyNumber': 'the id of a policy that there is',
  'POST /claims/v1/subscriptions url': 'may hold a secret of the receiver’s own, by which it is called',
  'POST /claims/v1/subscriptions/:subscriptionId/check-signature id': 'not stored',
  'POST /claims/v1/subscriptions/:subscriptionId/check-signature timestamp': 'not stored',
  'POST /claims/v1/subscriptions/:subscriptionId/check-signature body': 'not stored',
  'POST /claims/v1/subscriptions/:subscriptionId/check-signature signature': 'not stored',
  'POST /range/v1/me/relay/:relayCallId headers': 'searched where the delivery is kept; its own row goes at once',
  'POST /range/v1/me/relay/:relayCallId body': 'searched where the delivery is kept; its own row goes at once',
  'POST /range/v1/me/relay/:relayCallId detail': 'searched where the delivery is kept; its own row goes at once',
  'POST /claims/v1/subscriptions/:subscriptionId/test payload.eventVersion': ownEvent,
  'POST /claims/v1/subscriptions/:subscriptionId/test payload.source': ownEvent,
  'POST /claims/v1/subscriptions/:subscriptionId/test payload.environment': ownEvent,
  'POST /claims/v1/subscriptions/:subscriptionId/test payload.data.claimId': ownEvent,
  'POST /claims/v1/subscriptions/:subscriptionId/test payload.data.policyNumber': ownEvent,
  'POST /claims/v1/subscriptions/:subscriptionId/test payload.data.statusReason': ownEvent,
  'POST /range/v1/me/fleet policies.regNumber': 'searched draft by draft, as the lines of an import',
  'POST /range/v1/me/fleet policies.holder': 'searched draft by draft, as the lines of an import',
  'POST /range/v1/transfers code': 'compared, not stored',
  'POST /range/v1/me/clock advance': 'a duration, stored as a time',
  'POST /range/v1/trainer/learners/:clientId/clock advance': 'a duration, stored as a time',
  'POST /range/v1/trainer/clock advance': 'a duration, stored as a time',
  'POST /range/v1/me/drills parameters': 'numbers and names of the catalogue only',
  'POST /range/v1/trainer/learners/:clientId/drills parameters': 'numbers and names of the catalogue only',
  'POST /range/v1/trainer/drills parameters': 'numbers and names of the catalogue only',
  'PUT /range/v1/me/redirect-uris redirectUris': 'searched one by one',
  'PUT /range/v1/me/open-lesson lessonId': 'the id of a lesson that there is',
  'POST /range/v1/me/answers lesson': 'the id of a lesson that there is',
  'POST /range/v1/mcp ': 'not stored; what a tool sends on is searched by its route',
  'POST /range/v1/me/answers answer': 'not stored; what faults repeat of it is searched',
};

/** The paths of the members that may be any text: an `enum`, a `const` and a date can't. */
function freeTextsOf(shape: Shape, path = ''): string[] {
  const { content, properties, items, anyOf } = shape;
  if (content) return Object.values(content).flatMap(({ schema }) => freeTextsOf(schema, path));
  if (anyOf) return anyOf.flatMap((each) => freeTextsOf(each, path));
  if (items) return freeTextsOf(items, path);
  if (properties) {
    const within = (name: string) => (path ? `${path}.${name}` : name);
    return Object.entries(properties).flatMap(([name, each]) => freeTextsOf(each, within(name)));
  }
  const types = [shape.type ?? 'any'].flat();
  const isFree = types.some((type) => ['string', 'object', 'array', 'any'].includes(type));
  return isFree && !shape.enum && shape.const === undefined && shape.format === undefined ? [path] : [];
}

onSqlite((engine) => {
  test('Decisions, the range: each text of a body is searched for secrets, or says why no secret is stored by it', async (t) => {
    const routes: RouteOptions[] = [];
    const collect = (message: unknown) => {
      (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', (route) => void routes.push(route));
    };
    subscribe('fastify.initialization', collect);
    await startLPlate(t, engine);
    unsubscribe('fastify.initialization', collect);

    const found = routes.flatMap(({ method, url, schema, config }) => {
      const free = schema?.body ? freeTextsOf(schema.body) : [];
      return free.filter((path) => !config?.keptTexts?.includes(path)).map((path) => `${method} ${url} ${path}`);
    });
    deepEqual([...new Set(found)].toSorted(), Object.keys(unsearched).toSorted());
  });
});
