import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minute } from '../../../src/time/units.ts';
import { forEachEngineInFull } from '../../support/engines.ts';
import { extent } from '../../support/extent.ts';
import { type LPlate, linesFrom, startLPlate } from '../../support/lplate.ts';
import {
  authorizationQuery,
  authorizePath,
  browse,
  clientWithPeople,
  exchange,
  newChallenge,
  type Page,
  refresh,
  signIn,
  ticketIn,
  tokensFor,
} from '../../support/people.ts';
import { countStored } from '../../support/stored.ts';

/** As many as a client can have. */
const most = 500;

/** Rows that are there of any client. */
const rowsOf = async (lplate: LPlate) => ({
  people: await countStored(lplate, 'people'),
  consents: await countStored(lplate, 'consents'),
  redirectUris: await countStored(lplate, 'redirect_uris'),
});

forEachEngineInFull((engine) => {
  test('Decisions, people: of consents that hold a client has 500; an app is told of it, and what has ended makes room', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { client, ida } = await clientWithPeople(lplate);
    const { verifier, challenge } = newChallenge();
    const query = authorizationQuery(client.id, { code_challenge: challenge });
    // The page is as good for many decisions as for one.
    const ticket = ticketIn(await signIn(lplate, query, ida)) as string;
    const form = { ticket, decision: 'allow', scope: 'policies:read' };
    const allow = () => browse(lplate, `${authorizePath}?${query}`, form);
    const codeOf = ({ redirect }: Page) => redirect?.searchParams.get('code') as string;
    const first = codeOf(await allow());
    const { json: held } = await exchange(lplate, client, first, verifier);
    while ((await countStored(lplate, 'consents')) < most) await Promise.all(Array.from({ length: 20 }, allow));
    assert.equal(await countStored(lplate, 'consents'), most);

    const { status, redirect } = await allow();
    assert.equal(status, 303);
    const { error, error_description: description, state } = Object.fromEntries(redirect?.searchParams ?? []);
    assert.deepEqual([error, state], ['temporarily_unavailable', 'state-of-this-browser']);
    assert.match(description as string, /500 consents.*DELETE \/range\/v1\/me\/consents/);
    assert.equal(redirect?.searchParams.get('iss'), lplate.config.publicUrl);
    // What is there is none the worse for it.
    const { json: again, status: refreshed } = await refresh(lplate, client, held.refresh_token);
    assert.equal(refreshed, 200);

    const { token } = client;
    const { json } = await lplate.call('GET', '/range/v1/me/consents?pageSize=1', { token });
    const { consentId } = json.items[0];
    assert.equal((await lplate.call('DELETE', `/range/v1/me/consents/${consentId}`, { token })).status, 204);
    assert.ok(codeOf(await allow()));
    assert.equal((await allow()).redirect?.searchParams.get('error'), 'temporarily_unavailable');

    // Of a code that nobody exchanged in time nothing can come any more.
    lplate.clock.advance(minute);
    assert.ok(codeOf(await allow()));
    assert.ok((await countStored(lplate, 'consents')) < most);
    assert.equal((await refresh(lplate, client, again.refresh_token)).status, 200);
  });

  test('Decisions, people: with a client goes all that people let it do, whatever they do at that moment', async (t) => {
    const lplate = await startLPlate(t, engine);
    for (let round = 0; round < extent(6, 60); round += 1) {
      const { client, ida, mateo } = await clientWithPeople(lplate);
      const { token } = client;
      const tokens = await tokensFor(lplate, client, ida);
      const { verifier, challenge } = newChallenge();
      const query = authorizationQuery(client.id, { code_challenge: challenge });
      const path = `${authorizePath}?${query}`;
      const ticket = ticketIn(await signIn(lplate, query, mateo)) as string;
      const form = { ticket, decision: 'allow', scope: 'policies:read' };
      const code = (await browse(lplate, path, form)).redirect?.searchParams.get('code') as string;
      const { json: list } = await lplate.call('GET', '/range/v1/me/consents', { token });
      const [{ consentId }] = list.items;

      const acts = [
        () => signIn(lplate, query, ida),
        () => browse(lplate, path, form),
        () => browse(lplate, path, form),
        () => exchange(lplate, client, code, verifier),
        () => refresh(lplate, client, tokens.refresh_token),
        () => lplate.call('DELETE', `/range/v1/me/consents/${consentId}`, { token }),
        () => lplate.call('GET', '/range/v1/me/people', { token }),
        () => lplate.call('PUT', '/range/v1/me/redirect-uris', { token, json: { redirectUris: [] } }),
      ];
      // Each time at another place among them.
      acts.splice(round % acts.length, 0, () => lplate.call('DELETE', '/range/v1/me', { token }));
      const answers = await Promise.all(acts.map((act) => act()));
      for (const { status, text } of answers) assert.ok(status < 500, `${status} ${text}`);
      assert.deepEqual(await rowsOf(lplate), { people: 0, consents: 0, redirectUris: 0 });
      assert.equal((await lplate.call('GET', '/policies', { token: tokens.access_token })).status, 401);
      assert.equal((await refresh(lplate, client, tokens.refresh_token)).json.error, 'invalid_client');
      // Nobody is sent anywhere for it.
      assert.equal((await browse(lplate, path, form)).status, 400);
    }
    assert.deepEqual(linesFrom(lplate, 50), []);
  });

  test('Decisions, people: who takes their time to decide is asked again when a reset came in between', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { client } = await clientWithPeople(lplate);
    const { token } = client;
    for (const forged of [false, true]) {
      const { json } = await lplate.call('GET', '/range/v1/me/people', { token });
      const query = authorizationQuery(client.id);
      const ticket = ticketIn(await signIn(lplate, query, json.items[0])) as string;
      const drills = [
        { name: 'slow-sign-in', parameters: { seconds: 1 } },
        ...(forged ? [{ name: 'forged-callback' }] : []),
      ];
      for (const drill of drills) await lplate.call('POST', '/range/v1/me/drills', { token, json: drill });
      const form = { ticket, decision: 'allow', scope: 'policies:read' };
      const decision = browse(lplate, `${authorizePath}?${query}`, form);
      // By then it has come, and waits.
      await lplate.call('GET', '/range/v1/me', { token });
      assert.equal((await lplate.call('POST', '/range/v1/me/reset', { token })).status, 204);
      const { text, redirect } = await decision;
      // Had the machine no time for the reset, they had decided before.
      if (!redirect) assert.match(text, /Your sign-in has ended/);
      assert.equal(await countStored(lplate, 'consents', 'person_id not in (select id from people)'), 0);
      const { json: list } = await lplate.call('GET', '/range/v1/me/consents', { token });
      assert.equal(list.items.length, list.totalItems);
    }
  });
});
