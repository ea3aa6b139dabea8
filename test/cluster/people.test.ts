import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  authorizationQuery,
  authorizePath,
  browse,
  clientWithPeople,
  exchange,
  newChallenge,
  type PeopleService,
  refresh,
  serviceAt,
  signIn,
  type TestPerson,
  ticketIn,
  tokensFor,
} from '../support/people.ts';
import { startPostgres } from '../support/postgres.ts';
import { count, emptyDatabase, Nodes } from './support/nodes.ts';
import { shareServer } from './support/servers.ts';

const rounds = 30;

const postgres = await shareServer(startPostgres);

const consentOf = (access: string) =>
  JSON.parse(String(Buffer.from(access.split('.')[1] as string, 'base64url'))).consent_id as string;

test('Decisions, people: three nodes are one authorization server', async (t) => {
  const nodes = await Nodes.start(t, await emptyDatabase(postgres));
  const services = Array.from({ length: nodes.count }, (_, node) => serviceAt(nodes.program(node).url));
  const [first] = services as [PeopleService];
  const { client, ida, mateo } = await clientWithPeople(first);
  const { token } = client;
  /** One node after the other. */
  let calls = 0;
  const next = () => services[calls++ % services.length] as PeopleService;
  const onEach = <T>(ask: (service: PeopleService) => Promise<T>) => Promise.all(services.map(ask));
  const reads = (access: string) =>
    onEach(async (service) => (await service.call('GET', '/policies', { token: access })).status);

  await t.test('of exchanges of one code on all nodes at once one brings a token, and the others end it', async () => {
    const by = new Set<number>();
    for (let round = 0; round < rounds; round += 1) {
      const { verifier, challenge } = newChallenge();
      const query = authorizationQuery(client.id, { code_challenge: challenge });
      // The page of one node, the decision on another.
      const ticket = ticketIn(await signIn(next(), query, ida)) as string;
      const form = { ticket, decision: 'allow', scope: 'policies:read' };
      const { redirect } = await browse(next(), `${authorizePath}?${query}`, form);
      const code = redirect?.searchParams.get('code') as string;
      // Each node is the first that is asked in its turn.
      const asked = services.map((_, at) => services[(at + round) % services.length] as PeopleService);
      const answers = await Promise.all(asked.map((service) => exchange(service, client, code, verifier)));
      assert.deepEqual(count(answers), { 200: 1, 400: nodes.count - 1 });
      for (const { status, json } of answers) if (status === 400) assert.equal(json.error, 'invalid_grant');
      const winner = answers.findIndex(({ status }) => status === 200);
      by.add((winner + round) % services.length);
      const { access_token: access, refresh_token: refreshToken } = answers[winner]?.json ?? {};
      assert.deepEqual(new Set(await reads(access)), new Set([401]));
      assert.equal((await refresh(next(), client, refreshToken)).json.error, 'invalid_grant');
    }
    assert.ok(by.size > 1, 'several nodes have won');
  });

  await t.test('of refreshes on all nodes at once one brings a token', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { refresh_token: held } = await tokensFor(next(), client, ida);
      const { json, status } = await refresh(next(), client, held);
      assert.equal(status, 200);
      const answers = await onEach((service) => refresh(service, client, json.refresh_token));
      assert.deepEqual(count(answers), { 200: 1, 400: nodes.count - 1 });
    }
  });

  await t.test('a withdrawal on one node holds on all as soon as it is answered', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const tokens = await tokensFor(next(), client, mateo);
      assert.deepEqual(new Set(await reads(tokens.access_token)), new Set([200]));
      const path = `/range/v1/me/consents/${consentOf(tokens.access_token)}`;
      assert.equal((await next().call('DELETE', path, { token })).status, 204);
      assert.deepEqual(new Set(await reads(tokens.access_token)), new Set([401]));
      for (const service of services)
        assert.equal((await refresh(service, client, tokens.refresh_token)).json.error, 'invalid_grant');
    }
  });

  await t.test('a drill that one node starts withdraws what was allowed on any before', async () => {
    const passer = await clientWithPeople(next());
    const own = passer.client.token;
    const all = [];
    for (const person of passer.people) all.push(await tokensFor(next(), passer.client, person));
    const json = { name: 'consent-withdrawn', parameters: { afterMinutes: 1 } };
    assert.equal((await next().call('POST', '/range/v1/me/drills', { token: own, json })).status, 201);
    // The others hear of the move a moment later.
    const moving = next();
    await moving.call('POST', '/range/v1/me/clock', { token: own, json: { advance: 'PT1M' } });
    for (const { access_token: access, refresh_token: held } of all) {
      assert.equal((await moving.call('GET', '/policies', { token: access })).status, 401);
      assert.equal((await refresh(moving, passer.client, held)).json.error, 'invalid_grant');
    }
  });

  await t.test(
    'an address that was registered on one is known on all, and one that was taken back on none',
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        const uri = `https://app.example/${round}`;
        await next().call('PUT', '/range/v1/me/redirect-uris', { token, json: { redirectUris: [uri] } });
        const statuses = (redirectUri: string) =>
          onEach(async (service) => {
            const query = authorizationQuery(client.id, { redirect_uri: redirectUri });
            return (await browse(service, `${authorizePath}?${query}`)).status;
          });
        assert.deepEqual(new Set(await statuses(uri)), new Set([200]));
        if (round > 0) assert.deepEqual(new Set(await statuses(`https://app.example/${round - 1}`)), new Set([400]));
      }
    },
  );

  await t.test('people who are asked for on all at once are made once', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const passer = await next().client();
      const lists = await onEach((service) => service.call('GET', '/range/v1/me/people', { token: passer.token }));
      const all = lists.map(({ json }) => json.items as TestPerson[]);
      assert.equal(all[0]?.length, 5);
      for (const each of all) assert.deepEqual(each, all[0]);
      const { json } = await next().call('GET', '/policies', { token: passer.token });
      assert.equal(json.totalItems, 15);
    }
  });
});
