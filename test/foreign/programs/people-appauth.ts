// An app that a person lets in, by AppAuth-JS, which logs where it sends the browser. Arguments: issuer, origin, client, secret.
import { once } from 'node:events';
import { createServer } from 'node:http';
import {
  type AppAuthError,
  AuthorizationNotifier,
  AuthorizationRequest,
  type AuthorizationResponse,
  AuthorizationServiceConfiguration,
  BaseTokenRequestHandler,
  RevokeTokenRequest,
  TokenRequest,
  type TokenResponse,
} from '@openid/appauth';
import { NodeBasedHandler, NodeCrypto, NodeRequestor } from '@openid/appauth/built/src/node_support/index.js';

const [issuer = '', origin = '', client_id = '', client_secret = ''] = process.argv.slice(2);
const requestor = new NodeRequestor();
// It looks for the metadata of OpenID Connect alone.
const url = `${issuer}/.well-known/oauth-authorization-server`;
const configuration = new AuthorizationServiceConfiguration(
  await requestor.xhr({ url, dataType: 'json', method: 'GET' }),
);
const tokens = new BaseTokenRequestHandler(requestor);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

const refusals: string[] = [];

/** Sends a person out until something comes back that was asked for. */
async function letIn(): Promise<TokenResponse> {
  const port = await freePort();
  const redirect_uri = `http://127.0.0.1:${port}/callback`;
  const scope = 'policies:read claims:read';
  const request = new AuthorizationRequest({ client_id, redirect_uri, scope }, new NodeCrypto());
  const handler = new NodeBasedHandler(port);
  const answered = new Promise<AuthorizationResponse>((resolve, reject) => {
    const notifier = new AuthorizationNotifier();
    handler.setAuthorizationNotifier(notifier);
    notifier.setAuthorizationListener((_, response, error) => (response ? resolve(response) : reject(error)));
  });
  handler.performAuthorizationRequest(configuration, request);
  const { state, code } = await answered;
  // The handler leaves that to the app, and does not tell it iss.
  if (state !== request.state) {
    refusals.push('another state');
    return letIn();
  }
  const extras = { code_verifier: request.internal?.code_verifier ?? '', client_secret };
  const exchange = { grant_type: 'authorization_code', code, redirect_uri, client_id, extras };
  return tokens.performTokenRequest(configuration, new TokenRequest(exchange));
}

function refresh({ refreshToken: refresh_token = '' }: TokenResponse): Promise<TokenResponse> {
  const given = { grant_type: 'refresh_token', refresh_token, redirect_uri: '', client_id, extras: { client_secret } };
  return tokens.performTokenRequest(configuration, new TokenRequest(given));
}

async function policies({ accessToken }: TokenResponse): Promise<string[] | number> {
  const headers = { Authorization: `Bearer ${accessToken}` };
  const answer = await fetch(`${origin}/insurer/v1/policies`, { headers });
  if (!answer.ok) return answer.status;
  return ((await answer.json()) as { items: { id: string }[] }).items.map((each) => each.id);
}

const first = await letIn();
const seen = await policies(first);
const renewed = await refresh(first);
const again = await policies(renewed);
const token = renewed.refreshToken ?? '';
const revocation = new RevokeTokenRequest({ token, token_type_hint: 'refresh_token', client_id, client_secret });
await tokens.performRevokeTokenRequest(configuration, revocation);
const refused = await refresh(renewed).then(
  () => 'it still holds',
  // What the server says of it is not handed over.
  ({ message }: AppAuthError) => message,
);
const ended = [await policies(renewed), refused];
console.log(JSON.stringify({ refusals, scope: first.scope, seen, again, ended }));
