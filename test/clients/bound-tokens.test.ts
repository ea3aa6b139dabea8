import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { decodeJwt } from 'jose';
import { type Lesson, lessonsOf } from '../../src/range/lessons/lesson.ts';
import { topics } from '../../src/range/lessons/topics/index.ts';
import { forEachEngine } from '../support/engines.ts';
import { type Answer, send } from '../support/http1.ts';
import { ask, connectHttp2 } from '../support/http2.ts';
import { type CallOptions, type LPlate, problem, startLPlate, type TestClient } from '../support/lplate.ts';
import { another, asking, mine, own, secure } from '../support/mutual-tls.ts';
import { authorizationQuery, exchange, letIn, newChallenge, peopleOf, type TestPerson } from '../support/people.ts';

/* Tokens that are bound to certificates (RFC 8705, section 3). */

type Certificate = CallOptions['certificate'];

const json = ({ id, secret }: TestClient) => ({ client_id: id, client_secret: secret });

async function newToken(lplate: LPlate, client: TestClient, certificate: Certificate): Promise<string> {
  const answer = await lplate.call('POST', '/auth/token', { json: json(client), certificate });
  return answer.json.access_token;
}

/** As RFC 8705, section 3.1, has it. */
const thumbprintOf = ({ cert }: NonNullable<Certificate>) =>
  Buffer.from(new X509Certificate(cert).fingerprint256.replaceAll(':', ''), 'hex').toString('base64url');

/** The description is that of a service that asks for none. */
async function introspect({ url }: LPlate, client: TestClient, token: string): Promise<Answer> {
  const body = JSON.stringify({ ...json(client), token });
  const headers = { 'Content-Type': 'application/json' };
  return send(`${url}/insurer/v1/auth/introspect`, { method: 'POST', headers, body });
}

const get = ({ url }: LPlate, path: string): Promise<Answer> => send(`${url}${path}`, { method: 'GET', headers: {} });

const documents = ['/.well-known/oauth-authorization-server', '/insurer/v1/openapi.json'];

forEachEngine((engine) => {
  describe('tokens and client certificates', () => {
    test('Clients: a token that was got with a certificate is taken with it alone, by every system, whoever came before', async (t) => {
      const lplate = await startLPlate(t, engine, asking);
      const client = await lplate.client();
      const token = await newToken(lplate, client, mine);
      deepEqual(decodeJwt(token).cnf, { 'x5t#S256': thumbprintOf(mine) });
      const as = (certificate: Certificate, path = '/policies') => lplate.call('GET', path, { token, certificate });
      for (const path of ['/policies', '/claims/v1/claims', '/claims/v1/subscriptions', '/range/v1/me']) {
        equal((await as(mine, path)).status, 200, path);
        for (const other of [undefined, another, own])
          deepEqual(problem(await as(other, path)), [401, 'invalid-token'], path);
        equal((await as(mine, path)).status, 200, path);
      }
      for (const [certificate, seen] of [
        [undefined, /this call came with none\. Present the certificate with which you got it, or get a new token/],
        [another, /this call came with another one\./],
        [own, /this call came with one that is not accepted\./],
      ] as const) {
        const { json, headers } = await as(certificate);
        match(json.detail, seen);
        match(headers.get('www-authenticate') ?? '', /error="invalid_token", error_description="The token is bound/);
      }
    });

    test('Clients: the certificate of a token is looked at by HTTP/2, too, and where a session of TLS is resumed', async (t) => {
      const lplate = await startLPlate(t, engine, asking);
      const client = await lplate.client();
      const headers = {
        ':path': '/insurer/v1/policies',
        authorization: `Bearer ${await newToken(lplate, client, mine)}`,
      };
      const at = { lplate, root: asking.tlsClientCa };
      equal((await ask(connectHttp2(t, at, mine), headers)).status, 200);
      equal((await ask(connectHttp2(t, at), headers)).status, 401);

      let session: Buffer | undefined;
      const status = async (options: object) => {
        const { port } = lplate.config;
        const socket: TLSSocket = connect({ port, host: 'localhost', ALPNProtocols: ['http/1.1'], ...options });
        socket.on('session', (kept) => (session = kept));
        await once(socket, 'secureConnect');
        const lines = [
          'GET /insurer/v1/policies HTTP/1.1',
          'Host: localhost',
          `Authorization: ${headers.authorization}`,
        ];
        socket.write(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`);
        return [socket.isSessionReused(), (await text(socket)).slice(9, 12)];
      };
      deepEqual(await status(mine), [false, '200']);
      deepEqual(await status({ session }), [true, '200']);
      session = undefined;
      deepEqual(await status({}), [false, '401']);
      deepEqual(await status({ session }), [true, '401']);
    });

    test('Clients: a token that was got with no accepted certificate is bound to none, and holds with any', async (t) => {
      const lplate = await startLPlate(t, engine, asking);
      const client = await lplate.client();
      for (const certificate of [undefined, own]) {
        const token = await newToken(lplate, client, certificate);
        equal(decodeJwt(token).cnf, undefined);
        for (const each of [undefined, mine, own])
          equal((await lplate.call('GET', '/policies', { token, certificate: each })).status, 200);
        equal((await introspect(lplate, client, token)).json.cnf, undefined);
      }
    });

    test('Clients: who has a new certificate gets a new token, for a person by the refresh token that they have', async (t) => {
      const lplate = await startLPlate(t, engine, asking);
      const client = await lplate.client();
      const [person] = await peopleOf(lplate, client);
      const { verifier, challenge } = newChallenge();
      const redirect = await letIn(
        lplate,
        authorizationQuery(client.id, { code_challenge: challenge }),
        person as TestPerson,
      );
      const { json: first } = await exchange(lplate, client, redirect.get('code') as string, verifier);
      equal(decodeJwt(first.access_token).cnf, undefined);
      let refreshToken = first.refresh_token;
      for (const certificate of [mine, another]) {
        const fields = { ...json(client), grant_type: 'refresh_token', refresh_token: refreshToken };
        const { json: tokens } = await lplate.call('POST', '/auth/token', { json: fields, certificate });
        const token = tokens.access_token;
        refreshToken = tokens.refresh_token;
        deepEqual(decodeJwt(token).cnf, { 'x5t#S256': thumbprintOf(certificate) });
        equal((await lplate.call('GET', '/policies', { token, certificate })).status, 200);
        equal((await lplate.call('GET', '/policies', { token })).status, 401);
      }
    });

    test('Clients: introspection, the metadata and the log say what a token is bound to', async (t) => {
      const lplate = await startLPlate(t, engine, asking);
      const client = await lplate.client();
      const token = await newToken(lplate, client, mine);
      const cnf = { 'x5t#S256': thumbprintOf(mine) };
      // Whoever asks for it presents a certificate of their own, or none.
      const { json } = await introspect(lplate, client, token);
      deepEqual([json.active, json.cnf], [true, cnf]);
      const [metadata, description] = await Promise.all(documents.map((path) => get(lplate, path)));
      equal(metadata?.json.tls_client_certificate_bound_access_tokens, true);
      ok(description?.json.components.schemas.TokenFacts.properties.cnf);
      await lplate.call('GET', '/policies', { token });
      const { json: log } = await lplate.call('GET', '/range/v1/me/exchanges?pageSize=1', { token: client.token });
      const refused = await lplate.call('GET', `/range/v1/me/exchanges/${log.items[0].id}`, { token: client.token });
      deepEqual([refused.json.problem, refused.json.tokens[0].claims.cnf], ['invalid-token', cnf]);
    });

    test('Clients: who sends the token of another without its certificate meets none of their drills', async (t) => {
      const lplate = await startLPlate(t, engine, asking);
      const client = await lplate.client();
      const token = await newToken(lplate, client, mine);
      await lplate.call('POST', '/range/v1/me/drills', { token: client.token, json: { name: 'unavailable' } });
      const status = async (certificate: Certificate) =>
        (await lplate.call('GET', '/coverage-options', { token, certificate })).status;
      deepEqual([await status(mine), await status(undefined)], [503, 200]);
    });

    test('Clients: where the service asks for no certificates, nothing is different', async (t) => {
      const [plain, encrypted] = [await startLPlate(t, engine), await startLPlate(t, engine, secure)];
      const client = await encrypted.client();
      const token = await newToken(encrypted, client, mine);
      equal(decodeJwt(token).cnf, undefined);
      const needsNone = lessonsOf(topics).filter(({ needsCertificate }: Lesson) => !needsCertificate);
      for (const lplate of [plain, encrypted]) {
        for (const path of documents) {
          const { text } = await get(lplate, path);
          ok(!/cnf|tls_client/.test(text), path);
        }
        const { json } = await lplate.call('GET', '/range/v1/lessons?pageSize=500');
        deepEqual(
          json.items.map(({ id }: Lesson) => id),
          needsNone.map(({ id }) => id),
        );
        equal((await lplate.call('GET', '/range/v1/lessons/mutual-tls')).status, 404);
      }
    });
  });
});
