// A consumer by openid-client and jose, which read the published metadata. Arguments: origin, client, secret.
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as oauth from 'openid-client';

const [issuer = '', id = '', secret = ''] = process.argv.slice(2);

function discover(given: string, authentication: oauth.ClientAuth): Promise<oauth.Configuration> {
  return oauth.discovery(new URL(issuer), id, given, authentication, {
    algorithm: 'oauth2',
    execute: [oauth.allowInsecureRequests],
  });
}

function unexpected(): never {
  throw new Error('a token');
}

/** A 401 has a challenge, by RFC 9110; openid-client tells of that, and leaves the body to be read. */
async function challenge(error: unknown): Promise<unknown> {
  if (!(error instanceof oauth.WWWAuthenticateChallengeError)) throw error;
  return [error.cause[0]?.scheme, ((await error.response.json()) as { error: unknown }).error];
}

function refusal(error: unknown): unknown {
  if (!(error instanceof oauth.ResponseBodyError)) throw error;
  return error.error;
}

const told: unknown[] = [];
for (const method of [oauth.ClientSecretPost, oauth.ClientSecretBasic]) {
  const configuration = await discover(secret, method(secret));
  const { jwks_uri } = configuration.serverMetadata();
  const { access_token, scope, expires_in } = await oauth.clientCredentialsGrant(configuration, {
    scope: 'policies:read',
  });
  const keys = createRemoteJWKSet(new URL(jwks_uri ?? ''));
  const { payload } = await jwtVerify(access_token, keys, { issuer, audience: 'http://lplate.example', typ: 'at+jwt' });

  const wrong = await discover('wrong', method('wrong'));
  const client = await oauth.clientCredentialsGrant(wrong).then(unexpected, challenge);
  const fly = await oauth.clientCredentialsGrant(configuration, { scope: 'policies:fly' }).then(unexpected, refusal);
  told.push({
    scope,
    expires_in,
    client: payload.client_id === id,
    errors: [client, fly],
  });
}
console.log(JSON.stringify(told));
