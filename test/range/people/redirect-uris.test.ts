import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { startLPlate } from '../../support/lplate.ts';

forEachEngine((engine) => {
  test('Decisions, people: plain HTTP is refused for redirect URIs, but not for this machine and the console of this service', async (t) => {
    const lplate = await startLPlate(t, engine, { publicUrl: 'http://class.example:8080' });
    const { token } = await lplate.client();
    const statusOf = async (uri: string) =>
      (await lplate.call('PUT', '/range/v1/me/redirect-uris', { token, json: { redirectUris: [uri] } })).status;
    for (const uri of ['https://app.example/', 'http://127.0.0.1/callback', 'http://class.example:8080/'])
      assert.equal(await statusOf(uri), 200, uri);
    for (const uri of ['http://app.example/', 'http://class.example:8081/', 'http://class.example:8080@app.example/'])
      assert.equal(await statusOf(uri), 400, uri);
  });
});
