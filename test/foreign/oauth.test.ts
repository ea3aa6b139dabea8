import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { nodeFolder, ownTypesAlone, programPath, told, typescript } from './support/programs.ts';
import { type Place, toolTest } from './support/tool-test.ts';
import { python } from './support/tools.ts';

/* OAuth 2.0 clients that configure themselves from the metadata, with the credentials in the form and by HTTP Basic. */

async function given({ origin, program }: Place): Promise<string[]> {
  const { id, secret } = await program.client();
  return [origin, id, secret];
}

describe('Authentication: an OAuth 2.0 client gets a token by the metadata, and the error of RFC 6749 otherwise', () => {
  toolTest(['openid-client', 'jose'], 'openid-client, with the token verified by jose', async (place) => {
    await nodeFolder(place);
    const both = told(await typescript(place, 'openid-client.ts', await given(place), ownTypesAlone));
    const errors = [['basic', 'invalid_client'], 'invalid_scope'];
    const one = { scope: 'policies:read', expires_in: 3600, client: true, errors };
    assert.deepEqual(both, [one, one]);
  });

  toolTest(
    ['openid-client', 'jose'],
    'openid-client, whose issuer is a personal prefix (RFC 8414, section 3.1)',
    async (place) => {
      await nodeFolder(place);
      const [origin, id = '', secret = ''] = await given(place);
      const [first] = told(
        await typescript(place, 'openid-client.ts', [`${origin}/for/${id}`, id, secret], ownTypesAlone),
      ) as object[];
      assert.partialDeepStrictEqual(first, { scope: 'policies:read', client: true });
    },
  );

  toolTest(['Authlib'], 'Authlib, which validates the metadata too', async (place) => {
    const both = told(await python([programPath('authlib-client.py'), ...(await given(place))]));
    const one = { scope: 'policies:read', type: 'Bearer', listed: 0, error: 'invalid_client' };
    assert.deepEqual(both, [one, one]);
  });
});
