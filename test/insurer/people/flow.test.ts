import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { startLPlate } from '../../support/lplate.ts';
import {
  authorizationQuery,
  clientWithPeople,
  exchange,
  letIn,
  newChallenge,
  refresh,
  tokensFor,
} from '../../support/people.ts';

forEachEngine((engine) => {
  test('Decisions, people: a person signs in, allows something, and the app calls for that person', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { client, ida, mateo } = await clientWithPeople(lplate);
    const { verifier, challenge } = newChallenge();
    const redirect = await letIn(lplate, authorizationQuery(client.id, { code_challenge: challenge }), ida);
    assert.equal(redirect.get('state'), 'state-of-this-browser');
    assert.equal(redirect.get('iss'), lplate.config.publicUrl);
    const { json, status } = await exchange(lplate, client, redirect.get('code') as string, verifier);
    assert.equal(status, 200, JSON.stringify(json));
    const claims = JSON.parse(Buffer.from(json.access_token.split('.')[1], 'base64url').toString());
    assert.deepEqual([claims.sub, claims.client_id], [ida.personId, client.id]);
    const list = await lplate.call('GET', '/policies', { token: json.access_token });
    assert.deepEqual(
      list.json.items.map((each: { id: string }) => each.id),
      ida.policies,
    );
    const other = await lplate.call('GET', `/policies/${mateo.policies[0]}`, { token: json.access_token });
    assert.equal(other.status, 404);
    const again = await refresh(lplate, client, json.refresh_token);
    assert.equal(again.status, 200, JSON.stringify(again.json));
    assert.notEqual(again.json.refresh_token, json.refresh_token);
    const stolen = await refresh(lplate, client, json.refresh_token);
    assert.equal(stolen.json.error, 'invalid_grant');
    assert.equal((await lplate.call('GET', '/policies', { token: again.json.access_token })).status, 401);
    assert.equal((await tokensFor(lplate, client, mateo)).expires_in, 3600);
  });
});
