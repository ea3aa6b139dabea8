import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trainerToken } from '../../range/range.ts';
import { forEachEngine } from '../../support/engines.ts';
import { linesFrom, startLPlate } from '../../support/lplate.ts';
import {
  authorizationQuery,
  browse,
  callback,
  clientWithPeople,
  exchange,
  letIn,
  newChallenge,
  openAuthorize,
  refresh,
  type TestPerson,
  tokensFor,
} from '../../support/people.ts';

const minute = 60 * 1000;
const day = 24 * 60 * minute;

forEachEngine((engine) => {
  test('Decisions, people: five, with three policies each, made once, at the first call', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { token } = await lplate.client();
    const ask = () => lplate.call('GET', '/range/v1/me/people', { token });
    const [one, other] = await Promise.all([ask(), ask()]);
    assert.deepEqual(one.json, other.json);
    assert.deepEqual(
      one.json.items.map(({ policies }: { policies: string[] }) => policies.length),
      [3, 3, 3, 3, 3],
    );
    const { json } = await lplate.call('GET', '/policies?pageSize=50', { token });
    assert.equal(json.totalItems, 15);
    for (const { holder, id } of json.items) {
      const { policies } = one.json.items.find(({ name }: { name: string }) => name === holder) as TestPerson;
      assert(policies.includes(id));
    }
  });

  test('Decisions, people: a reset removes people and consents, and leaves the redirect URIs', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { client, ida } = await clientWithPeople(lplate);
    const { access_token: token } = await tokensFor(lplate, client, ida);
    await lplate.call('POST', '/range/v1/me/reset', { token: client.token });
    const refused = await lplate.call('GET', '/policies', { token });
    assert.equal(refused.status, 401);
    assert.match(refused.json.detail, /^The consent of this token is gone/);
    const list = await lplate.call('GET', '/range/v1/me/consents', { token: client.token });
    assert.equal(list.json.totalItems, 0);
    const uris = await lplate.call('GET', '/range/v1/me/redirect-uris', { token: client.token });
    assert.deepEqual(uris.json, { redirectUris: [callback] });
    const people = await lplate.call('GET', '/range/v1/me/people', { token: client.token });
    assert.notEqual(people.json.items[0].personId, ida.personId);
  });

  test('Decisions, people: what is no redirect URI is refused with what to send, and what was registered stays', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { client } = await clientWithPeople(lplate);
    const wrong = [
      ...['callback', '//app.example/cb', 'https:/app.example', 'http://app.example/cb', 'app.example:/cb'],
      ...['https://app.example/#x', 'https://app.example/cb#', 'https://u:p@app.example/', 'http://127.1/cb'],
      ...['https://app.example/a b', 'https://app.example\\@evil.example/', 'javascript:alert(1)', 'http://127.0.0.2/'],
      ...['https://äpp.example/', 'http://localhost.evil.example/', ''],
    ];
    for (const uri of wrong) {
      const options = { token: client.token, json: { redirectUris: ['https://app.example/cb', uri] } };
      const { status, json } = await lplate.call('PUT', '/range/v1/me/redirect-uris', options);
      assert.deepEqual([status, json.errors[0].pointer], [400, '/redirectUris/1'], uri);
    }
    const many = Array.from({ length: 11 }, (_, at) => `https://app.example/${at}`);
    const tooMany = await lplate.call('PUT', '/range/v1/me/redirect-uris', {
      token: client.token,
      json: { redirectUris: many },
    });
    assert.equal(tooMany.status, 400);
    const { json } = await lplate.call('GET', '/range/v1/me/redirect-uris', { token: client.token });
    assert.deepEqual(json.redirectUris, [callback]);
  });

  test('Decisions, people: whoever asks with another redirect URI is not told which are registered', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { client } = await clientWithPeople(lplate, ['https://inner.example/private']);
    const { status, text } = await openAuthorize(lplate, authorizationQuery(client.id));
    assert.equal(status, 400);
    assert(text.includes('GET /range/v1/me/redirect-uris'));
    assert(!text.includes('inner.example'));
  });

  test('Decisions, people: codes, tokens and consents end by the clock of the client', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { client, ida } = await clientWithPeople(lplate);
    const { verifier, challenge } = newChallenge();
    const query = authorizationQuery(client.id, { code_challenge: challenge });
    const late = (await letIn(lplate, query, ida)).get('code') as string;
    const tokens = await tokensFor(lplate, client, ida);
    const move = (by: string) =>
      lplate.call('POST', '/range/v1/me/clock', { token: client.token, json: { advance: by } });
    await move('PT1M');
    const expired = await exchange(lplate, client, late, verifier);
    assert.deepEqual([expired.status, expired.json.error], [400, 'invalid_grant']);
    assert.match(expired.json.detail, /^The code has expired/);
    const later = await lplate.token(client.id, client.secret);
    await lplate.call('POST', '/range/v1/me/clock', { token: later, json: { advance: 'P29D' } });
    const stale = await lplate.call('GET', '/policies', { token: tokens.access_token });
    assert.match(stale.json.detail, /^The token expired at .* Exchange its refresh token for a new one/);
    const next = await refresh(lplate, client, tokens.refresh_token);
    assert.equal(next.status, 200);
    const after = await lplate.token(client.id, client.secret);
    await lplate.call('POST', '/range/v1/me/clock', { token: after, json: { advance: 'P30D' } });
    const over = await refresh(lplate, client, next.json.refresh_token);
    assert.match(over.json.detail, /^The refresh token has expired/);
  });

  test('Decisions, people: a refresh gets no more than was allowed, and the token that asked for more still holds', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { client, ida } = await clientWithPeople(lplate);
    const { refresh_token } = await tokensFor(lplate, client, ida, 'policies:read claims:read');
    const more = await refresh(lplate, client, refresh_token, 'policies:write');
    assert.deepEqual([more.status, more.json.error], [400, 'invalid_scope']);
    assert.match(
      more.json.detail,
      /^The person did not allow the scope policies:write\. They allowed: policies:read claims:read\./,
    );
    const less = await refresh(lplate, client, refresh_token, 'claims:read');
    assert.deepEqual([less.status, less.json.scope], [200, 'claims:read']);
    assert.equal((await refresh(lplate, client, less.json.refresh_token)).json.scope, 'policies:read claims:read');
  });

  test('Decisions, people: a person changes their mind, and a consent says what ended it', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { client, ida, mateo } = await clientWithPeople(lplate);
    const [one, other] = [await tokensFor(lplate, client, ida), await tokensFor(lplate, client, mateo)];
    const list = async () =>
      (await lplate.call('GET', '/range/v1/me/consents', { token: client.token })).json.items as {
        consentId: string;
        userName: string;
        endedBy: string | null;
      }[];
    const [, ofIda] = await list();
    assert.equal(ofIda?.userName, 'ida');
    const withdraw = (id = '') => lplate.call('DELETE', `/range/v1/me/consents/${id}`, { token: client.token });
    assert.equal((await withdraw(ofIda?.consentId)).status, 204);
    assert.equal((await withdraw(ofIda?.consentId)).status, 204);
    assert.equal((await withdraw('con-none')).status, 404);
    assert.equal((await lplate.call('GET', '/policies', { token: one.access_token })).status, 401);
    const refused = await refresh(lplate, client, one.refresh_token);
    assert.match(refused.json.detail, /^The person has changed their mind/);
    assert.equal((await lplate.call('GET', '/policies', { token: other.access_token })).status, 200);
    assert.deepEqual(
      (await list()).map(({ userName, endedBy }) => [userName, endedBy]),
      [
        ['mateo', null],
        ['ida', 'withdrawn'],
      ],
    );
  });

  test('Decisions, people: revocation ends all that came of a consent, introspection says so; a client’s own token can’t be revoked', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { client, ida } = await clientWithPeople(lplate);
    const credentials = { client_id: client.id, client_secret: client.secret };
    const ask = (what: string, token: string) =>
      lplate.call('POST', `/auth/${what}`, { json: { ...credentials, token } });
    for (const which of ['access_token', 'refresh_token'] as const) {
      const tokens = await tokensFor(lplate, client, ida, 'policies:read');
      const { json } = await ask('introspect', tokens[which]);
      assert.deepEqual(
        [json.active, json.username, json.sub, json.scope],
        [true, 'ida', ida.personId, 'policies:read'],
      );
      assert.equal((await ask('revoke', tokens[which])).status, 200);
      assert.deepEqual((await ask('introspect', tokens.access_token)).json, { active: false });
      assert.deepEqual((await ask('introspect', tokens.refresh_token)).json, { active: false });
      assert.equal((await lplate.call('GET', '/policies', { token: tokens.access_token })).status, 401);
      assert.equal((await refresh(lplate, client, tokens.refresh_token)).json.error, 'invalid_grant');
    }
    const own = await ask('revoke', client.token);
    assert.deepEqual([own.status, own.json.error], [400, 'unsupported_token_type']);
    assert.equal((await ask('introspect', client.token)).json.sub, client.id);
    assert.equal((await ask('revoke', 'nothing')).status, 200);
    const stranger = await lplate.client();
    const others = { client_id: stranger.id, client_secret: stranger.secret, token: client.token };
    assert.deepEqual((await lplate.call('POST', '/auth/introspect', { json: others })).json, { active: false });
  });

  test('Decisions, people: a consent stays one, however often it is refreshed', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { client, ida } = await clientWithPeople(lplate);
    const tokens = await tokensFor(lplate, client, ida);
    for (let at = 0; at < 50; at += 1) {
      const next = await refresh(lplate, client, tokens.refresh_token);
      assert.equal(next.status, 200);
      tokens.refresh_token = next.json.refresh_token;
    }
    const { json } = await lplate.call('GET', '/range/v1/me/consents', { token: client.token });
    assert.equal(json.totalItems, 1);
  });

  test('Decisions, people: the log has the browser’s part beside the app’s, without codes, tickets and tokens', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { client, ida } = await clientWithPeople(lplate);
    const { verifier, challenge } = newChallenge();
    const query = authorizationQuery(client.id, { code_challenge: challenge });
    await openAuthorize(lplate, query);
    const code = (await letIn(lplate, query, ida)).get('code') as string;
    const { json: tokens } = await exchange(lplate, client, code, verifier);
    const { text } = await lplate.call('GET', '/range/v1/me/exchanges.har', { token: client.token });
    const { log } = JSON.parse(text);
    const calls = log.entries.map((each: { request: { method: string; url: string } }) => [
      each.request.method,
      new URL(each.request.url).pathname,
    ]);
    assert.deepEqual(calls.slice(-4), [
      ['GET', '/insurer/v1/auth/authorize'],
      ['POST', '/insurer/v1/auth/authorize'],
      ['POST', '/insurer/v1/auth/authorize'],
      ['POST', '/insurer/v1/auth/token'],
    ]);
    for (const secret of [code, verifier, challenge, tokens.refresh_token, tokens.access_token])
      assert(!text.includes(secret));
    assert.deepEqual(linesFrom(lplate, 50), []);
  });

  test('Decisions, drills: people take their time, refuse, change their minds, and consents end soon', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { client, ida } = await clientWithPeople(lplate);
    const drill = (name: string, parameters: object = {}) =>
      lplate.call('POST', '/range/v1/me/drills', { token: client.token, json: { name, minutes: 5, parameters } });
    const { verifier, challenge } = newChallenge();
    const query = authorizationQuery(client.id, { code_challenge: challenge });
    await drill('denied', { sequence: ['hit'] });
    const denied = await letIn(lplate, query, ida);
    assert.deepEqual([denied.get('error'), denied.get('state')], ['access_denied', 'state-of-this-browser']);
    await drill('forged-callback', { sequence: ['hit'] });
    const forged = await letIn(lplate, query, ida);
    assert.notEqual(forged.get('state'), 'state-of-this-browser');
    const failed = await exchange(lplate, client, forged.get('code') as string, verifier);
    assert.match(failed.json.detail, /^The drill forged-callback made this code/);
    await drill('consent-withdrawn', { afterMinutes: 2 });
    await drill('short-consents', { days: 3 });
    await drill('slow-sign-in', { seconds: 1 });
    const tokens = await tokensFor(lplate, client, ida);
    const list = await lplate.call('GET', '/range/v1/me/consents', { token: client.token });
    const [{ createdAt, expiresAt, endedBy }] = list.json.items;
    assert.deepEqual([list.json.totalItems, endedBy], [1, null]);
    assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 3 * day);
    assert.equal((await lplate.call('GET', '/policies', { token: tokens.access_token })).status, 200);
    await lplate.call('POST', '/range/v1/me/clock', { token: client.token, json: { advance: 'PT2M' } });
    assert.equal((await lplate.call('GET', '/policies', { token: tokens.access_token })).status, 401);
    const refused = await refresh(lplate, client, tokens.refresh_token);
    assert.match(refused.json.detail, /^The person has changed their mind/);
    const { json } = await lplate.call('GET', '/range/v1/me/exchanges?pageSize=50', { token: client.token });
    const hit = new Set(json.items.flatMap(({ drills = [] }: { drills?: string[] }) => drills));
    for (const name of ['denied', 'forged-callback', 'consent-withdrawn', 'short-consents', 'slow-sign-in'])
      assert(hit.has(name), name);
  });

  test('Decisions, drills: whoever changes their mind withdraws what they allowed before the drill began, too, and no later start puts it off', async (t) => {
    const lplate = await startLPlate(t, engine);
    const [one, other] = [await clientWithPeople(lplate), await clientWithPeople(lplate)];
    const drill = (path: string, token: string, afterMinutes: number) =>
      lplate.call('POST', path, { token, json: { name: 'consent-withdrawn', parameters: { afterMinutes } } });
    const tokens = [
      await tokensFor(lplate, one.client, one.ida),
      await tokensFor(lplate, one.client, one.mateo),
      await tokensFor(lplate, other.client, other.ida),
    ];
    const statuses = () =>
      Promise.all(
        tokens.map(async ({ access_token: token }) => (await lplate.call('GET', '/policies', { token })).status),
      );
    await drill('/range/v1/me/drills', one.client.token, 2);
    await lplate.call('DELETE', '/range/v1/me/drills/consent-withdrawn', { token: one.client.token });
    lplate.clock.advance(minute);
    // The times of the first two are sooner by now.
    await drill('/range/v1/trainer/drills', trainerToken, 5);
    lplate.clock.advance(minute - 1);
    assert.deepEqual(await statuses(), [200, 200, 200]);
    lplate.clock.advance(1);
    assert.deepEqual(await statuses(), [401, 401, 200]);
    await lplate.call('POST', '/range/v1/me/clock', { token: other.client.token, json: { advance: 'PT4M' } });
    assert.deepEqual(await statuses(), [401, 401, 401]);
    const refused = await refresh(lplate, other.client, tokens[2]?.refresh_token ?? '');
    assert.match(refused.json.detail, /^The person has changed their mind/);
  });

  test('Decisions, people: the metadata name all endpoints, under a personal prefix too, and the pages lead back there', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { client, ida } = await clientWithPeople(lplate);
    const { json } = await lplate.call('GET', `/for/${client.id}/.well-known/oauth-authorization-server`);
    assert.equal(json.authorization_endpoint, `${json.issuer}/insurer/v1/auth/authorize`);
    const query = authorizationQuery(client.id);
    const path = `/for/${client.id}/insurer/v1/auth/authorize?${query}`;
    const page = await browse(lplate, path);
    assert(page.text.includes(`action="/for/${client.id}/insurer/v1/auth/authorize?`));
    const { userName, password } = ida;
    const consent = await browse(lplate, path, { userName, password });
    const ticket = /name="ticket" value="([^"]+)"/.exec(consent.text)?.[1] as string;
    const back = await browse(lplate, path, { ticket, decision: 'deny' });
    assert.equal(back.redirect?.searchParams.get('iss'), json.issuer);
  });
});
