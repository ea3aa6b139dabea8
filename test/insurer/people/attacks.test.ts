import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minute, second } from '../../../src/time/units.ts';
import { bases, description } from '../../support/description.ts';
import { forEachEngineInFull } from '../../support/engines.ts';
import { type Answer, problem, sharedLPlate } from '../../support/lplate.ts';
import {
  authorizationQuery,
  authorizePath,
  browse,
  callback,
  clientWithPeople,
  exchange,
  letIn,
  newChallenge,
  openAuthorize,
  type Page,
  refresh,
  signIn,
  type TestPerson,
  ticketIn,
  tokensFor,
} from '../../support/people.ts';
import { claimOn } from '../../support/topic.ts';

/* The attacks of RFC 9700, section 4, on the endpoints for people: each is tried. */

/** What a refused token request says: status, and the error of RFC 6749, section 5.2. */
const refusal = ({ status, json }: Answer) => [status, json?.error];
const invalidGrant = [400, 'invalid_grant'];

/** What an answer says, but for the id that each has of its own. */
const told = ({ status, text }: Answer) => ({ status, text: text.replace(/"instance":"[^"]*"/, '') });

/** The error that an app is told. */
const errorIn = ({ redirect }: Page) => redirect?.searchParams.get('error');

const claimsOf = (token: string) => JSON.parse(String(Buffer.from(token.split('.')[1] as string, 'base64url')));

/** The form of a consent page, as it is sent by who allows these scopes. */
const allowing = (ticket: string, ...scopes: string[]): [string, string][] => [
  ['ticket', ticket],
  ['decision', 'allow'],
  ...scopes.map((scope): [string, string] => ['scope', scope]),
];

forEachEngineInFull((engine) => {
  const lplate = sharedLPlate(engine);

  const read = (token: string, path = '/policies') => lplate.call('GET', path, { token });

  /** A session of a browser with an app: the code that it came back with, and what its app keeps. */
  async function session(clientId: string, person: TestPerson, more: Record<string, string | undefined> = {}) {
    const { verifier, challenge } = newChallenge();
    const redirect = await letIn(lplate, authorizationQuery(clientId, { code_challenge: challenge, ...more }), person);
    return { code: redirect.get('code') as string, verifier };
  }

  /** What is told on the page alone. */
  function assertStays(page: Page, what: string): void {
    assert.equal(page.status, 400, what);
    assert.equal(page.headers.get('location'), null, what);
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8', what);
    // No page of it leads to where the request wanted to go.
    assert.doesNotMatch(page.text, /<meta[^>]*refresh|<script|href="https?:\/\/(?!localhost)/i, what);
  }

  test('Decisions, people: each redirect names its issuer, so that no app mixes two servers up (RFC 9700, section 4.4)', async () => {
    const { client, ida } = await clientWithPeople(lplate);
    const query = authorizationQuery(client.id);
    for (const prefix of ['', `/for/${client.id}`]) {
      const open = (more: Record<string, string | undefined>) =>
        browse(lplate, `${prefix}${authorizePath}?${authorizationQuery(client.id, more)}`);
      const path = `${prefix}${authorizePath}?${query}`;
      const ticket = ticketIn(await browse(lplate, path, { userName: ida.userName, password: ida.password })) as string;
      const pages = {
        code: await browse(lplate, path, allowing(ticket, 'policies:read')),
        denied: await browse(lplate, path, { ticket, decision: 'deny' }),
        cancelled: await browse(lplate, path, { decision: 'cancel' }),
        'no state': await open({ state: undefined }),
        'no challenge': await open({ code_challenge: undefined }),
        'another response type': await open({ response_type: 'token' }),
        'a request object': await open({ request: 'e30.e30.' }),
        'no prompt': await open({ prompt: 'none' }),
        'no such scope': await open({ scope: 'admin' }),
      };
      const { json } = await lplate.call('GET', `${prefix}/.well-known/oauth-authorization-server`);
      assert.equal(json.authorization_response_iss_parameter_supported, true);
      for (const [what, { status, redirect }] of Object.entries(pages)) {
        assert.deepEqual([what, status, redirect?.searchParams.getAll('iss')], [what, 303, [json.issuer]]);
      }
    }
  });

  test('Decisions, people: a code is of use to the session and the client alone that asked for it (RFC 9700, section 4.5)', async () => {
    const [attacked, other] = [await clientWithPeople(lplate), await clientWithPeople(lplate)];
    const { client, ida, mateo } = attacked;
    const [stolen, own] = [await session(client.id, ida), await session(client.id, mateo)];

    const injected = await exchange(lplate, client, stolen.code, own.verifier);
    assert.deepEqual(refusal(injected), invalidGrant);
    assert.match(injected.json.detail, /code_verifier does not fit/);
    const elsewhere = await exchange(lplate, client, stolen.code, stolen.verifier, `${callback}/`);
    assert.deepEqual(refusal(elsewhere), invalidGrant);

    // Whether there is such a code, another client does not learn.
    const never = await exchange(lplate, other.client, own.code.replaceAll(/./g, 'A'), own.verifier);
    assert.deepEqual(refusal(never), invalidGrant);
    assert.deepEqual(told(await exchange(lplate, other.client, stolen.code, stolen.verifier)), told(never));
    // And has ended nothing by it.
    for (const { code, verifier } of [stolen, own])
      assert.equal((await exchange(lplate, client, code, verifier)).status, 200);
  });

  test('Decisions, people: nothing goes on without PKCE, or with less of it (RFC 9700, section 4.8)', async () => {
    const { client, ida } = await clientWithPeople(lplate);
    const weak: Record<string, string | undefined>[] = [
      { code_challenge: undefined },
      { code_challenge: undefined, code_challenge_method: undefined },
      { code_challenge: '' },
      { code_challenge_method: undefined },
      { code_challenge_method: '' },
      { code_challenge_method: 'plain' },
      { code_challenge_method: 's256' },
      { code_challenge_method: 'S512' },
      { code_challenge: 'short' },
      { code_challenge: `${newChallenge().challenge}=` },
      { code_challenge: `${newChallenge().challenge}A` },
    ];
    for (const more of weak) {
      const query = authorizationQuery(client.id, more);
      assert.equal(errorIn(await openAuthorize(lplate, query)), 'invalid_request', query);
      // Nor does who skips the page get to the next one.
      assert.equal(errorIn(await signIn(lplate, query, ida)), 'invalid_request', query);
    }

    const { code, verifier } = await session(client.id, ida);
    const json = { client_id: client.id, client_secret: client.secret, grant_type: 'authorization_code' };
    const asked = { ...json, code, redirect_uri: callback };
    const missing = await lplate.call('POST', '/auth/token', { json: asked });
    assert.deepEqual(refusal(missing), [400, 'invalid_request']);
    const { challenge } = newChallenge();
    for (const wrong of [
      '',
      challenge,
      `${verifier}A`,
      verifier.slice(0, -1),
      verifier.toLowerCase(),
      ` ${verifier}`,
    ]) {
      assert.deepEqual(refusal(await exchange(lplate, client, code, wrong)), invalidGrant, wrong);
    }
    assert.equal((await exchange(lplate, client, code, verifier)).status, 200);
  });

  test('Decisions, people: the challenge itself is no verifier of it (RFC 9700, section 4.8)', async () => {
    const { client, ida } = await clientWithPeople(lplate);
    const { challenge } = newChallenge();
    const { code } = await session(client.id, ida, { code_challenge: challenge });
    assert.deepEqual(refusal(await exchange(lplate, client, code, challenge)), invalidGrant);
  });

  test('Decisions, people: a browser is sent nowhere for a client or an address that is not known (RFC 9700, section 4.11.2)', async () => {
    const { client, ida } = await clientWithPeople(lplate);
    const other = await clientWithPeople(lplate, ['https://other.example/callback']);
    const unregistered = await lplate.client();
    const queries = [
      '',
      authorizationQuery('demo-00000000000000000000'),
      authorizationQuery(`${client.id}\0`),
      authorizationQuery(client.id.toUpperCase()),
      authorizationQuery('', { client_id: undefined }),
      `${authorizationQuery(client.id)}&client_id=${client.id}`,
      `${authorizationQuery(client.id)}&client_id=${other.client.id}`,
      authorizationQuery(client.id, { redirect_uri: undefined }),
      authorizationQuery(client.id, { redirect_uri: '' }),
      `${authorizationQuery(client.id)}&redirect_uri=${encodeURIComponent('https://attacker.example/')}`,
      `redirect_uri=${encodeURIComponent('https://attacker.example/')}&${authorizationQuery(client.id)}`,
      `${authorizationQuery(client.id)}&redirect_uri=${encodeURIComponent(callback)}`,
      authorizationQuery(client.id, { redirect_uri: 'https://attacker.example/' }),
      authorizationQuery(client.id, { redirect_uri: 'https://other.example/callback' }),
      authorizationQuery(unregistered.id),
      // Whatever else would be told by a redirect.
      authorizationQuery(client.id, { redirect_uri: 'https://attacker.example/', response_type: 'token' }),
      authorizationQuery(client.id, { redirect_uri: 'https://attacker.example/', scope: 'none', state: undefined }),
    ];
    for (const query of queries) {
      assertStays(await openAuthorize(lplate, query), query);
      assertStays(await signIn(lplate, query, ida), query);
      assertStays(await browse(lplate, `${authorizePath}?${query}`, { decision: 'cancel' }), query);
    }
  });

  test('Decisions, people: an address is compared character by character (RFC 9700, section 4.1)', async () => {
    const registered = [
      'https://app.example/callback',
      'http://127.0.0.1/callback',
      'http://[::1]:3000/callback?of=app',
      'http://localhost:3000/callback',
    ];
    const { client } = await clientWithPeople(lplate, registered);
    const open = (uri: string) => openAuthorize(lplate, authorizationQuery(client.id, { redirect_uri: uri }));
    const allowed = [
      ...registered,
      // A program gets whichever port is free (RFC 8252, section 7.3).
      ...['http://127.0.0.1:49152/callback', 'http://127.0.0.1:65535/callback', 'http://[::1]/callback?of=app'],
    ];
    for (const uri of allowed) assert.equal((await open(uri)).status, 200, uri);
    const refused = [
      // By prefix.
      'https://app.example/callback/more',
      'https://app.example/callback2',
      'https://app.example/callback.attacker.example',
      'https://app.example/callback/../open?to=attacker.example',
      'http://127.0.0.1/callback/more',
      // By less of it.
      'https://app.example',
      'https://app.example/',
      'https://app.example/callbac',
      // By suffix, and as a part.
      'https://attacker.example/https://app.example/callback',
      'https://attacker.example?https://app.example/callback',
      'https://attacker-app.example/callback',
      'https://sub.app.example/callback',
      // Of a host that begins so.
      'https://app.example.attacker.example/callback',
      'https://app.example@attacker.example/callback',
      'https://app.example:pass@attacker.example/callback',
      'https://user@app.example/callback',
      'http://127.0.0.1@attacker.example/callback',
      'http://127.0.0.1:80@attacker.example/callback',
      'http://127.0.0.1.attacker.example/callback',
      'http://127.0.0.1:8080.attacker.example/callback',
      // Of another port, but of the machine itself.
      'https://app.example:443/callback',
      'https://app.example:8443/callback',
      'http://localhost:3001/callback',
      'http://localhost/callback',
      // Of ports that are none.
      'http://127.0.0.1:65536/callback',
      'http://127.0.0.1:99999/callback',
      'http://127.0.0.1:/callback',
      'http://127.0.0.1:-1/callback',
      'http://127.0.0.1:8080:8080/callback',
      'http://127.0.0.1:٨٠/callback',
      // Of another name of the machine, or another scheme.
      'http://localhost:3000/callback/',
      'http://127.0.0.1.:3000/callback',
      'http://127.1/callback',
      'http://127.0.0.2/callback',
      'http://2130706433/callback',
      'http://0x7f.0.0.1/callback',
      'http://[::ffff:127.0.0.1]/callback',
      'http://[0:0:0:0:0:0:0:1]:3000/callback?of=app',
      'https://127.0.0.1/callback',
      'http://app.example/callback',
      '//app.example/callback',
      'javascript:https://app.example/callback',
      'data:text/html,https://app.example/callback',
      // In another spelling.
      'HTTPS://app.example/callback',
      'https://APP.example/callback',
      'https://app.example/Callback',
      'https://app.example/callback/',
      'https://app.example//callback',
      'https://app.example/./callback',
      'https://app.example/%63allback',
      'https://app.example/callback%2f',
      'https://app%2eexample/callback',
      'https%3A%2F%2Fapp.example%2Fcallback',
      'https://app.example/callback?',
      'https://app.example/callback?to=attacker.example',
      'https://app.example/callback#',
      'https://app.example/callback#fragment',
      'http://127.0.0.1/callback#fragment',
      'http://127.0.0.1/callback?to=attacker.example',
      'http://[::1]:3000/callback?of=attacker',
      'http://[::1]:3000/callback',
      'https:\\\\app.example\\callback',
      'https://app.example\\callback',
      'https://attacker.example\\@app.example/callback',
      'https://app.example\t/callback',
      'https://app.example/callback\t',
      'https://app.example/callback\r\nLocation: https://attacker.example',
      ' https://app.example/callback',
      'https://app.example/callback\0',
      'https://аpp.example/callback',
    ];
    for (const uri of refused) assertStays(await open(uri), JSON.stringify(uri));
  });

  test('Decisions, people: of a parameter that comes twice neither is taken (RFC 6749, section 3.1)', async () => {
    const { client } = await clientWithPeople(lplate);
    const query = authorizationQuery(client.id, { scope: 'policies:read', login_hint: 'ida' });
    for (const name of new URLSearchParams(query).keys()) {
      if (name === 'client_id' || name === 'redirect_uri') continue;
      const page = await openAuthorize(lplate, `${query}&${name}=${new URLSearchParams(query).get(name)}`);
      assert.equal(errorIn(page), 'invalid_request', name);
      assert.match(page.redirect?.searchParams.get('error_description') ?? '', new RegExp(`^${name} came twice`));
    }
  });

  test('Decisions, people: what a request holds is told to the app in the characters that may be there (RFC 6749, section 4.1.2.1)', async () => {
    const { client } = await clientWithPeople(lplate);
    const queries = [
      authorizationQuery(client.id, { scope: 'ключ' }),
      authorizationQuery(client.id, { scope: '"\\\n' }),
      `${authorizationQuery(client.id)}&%22%C3%A4=1&%22%C3%A4=2`,
    ];
    for (const query of queries) {
      const { redirect } = await openAuthorize(lplate, query);
      assert.match(redirect?.searchParams.get('error_description') ?? '"', /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/, query);
    }
  });

  test('Decisions, people: a request needs one state, and gets it back as it is (RFC 9700, section 4.7)', async () => {
    const { client, ida } = await clientWithPeople(lplate);
    const without: [string, string | null][] = [
      [authorizationQuery(client.id, { state: undefined }), null],
      [authorizationQuery(client.id, { state: '' }), ''],
      [authorizationQuery(client.id, { state: 'x'.repeat(1001) }), null],
      [`${authorizationQuery(client.id)}&state=another`, null],
    ];
    for (const [query, state] of without) {
      const page = await openAuthorize(lplate, query);
      assert.equal(errorIn(page), 'invalid_request', query);
      assert.equal(page.redirect?.searchParams.get('state'), state, query);
    }
    for (const state of ['x'.repeat(1000), 'a+b c%20&code=forged#?/"<>', 'ключ', '\u{1f697}', '\n\0']) {
      const redirect = await letIn(lplate, authorizationQuery(client.id, { state }), ida);
      assert.deepEqual(redirect.getAll('state'), [state]);
      assert.equal(redirect.getAll('code').length, 1);
    }
  });

  test('Decisions, people: who signed in for one request has decided nothing about another (RFC 9700, section 4.7)', async () => {
    const { client, ida } = await clientWithPeople(lplate);
    const other = await clientWithPeople(lplate);
    const query = authorizationQuery(client.id, { scope: 'policies:read' });
    const ticket = ticketIn(await signIn(lplate, query, ida)) as string;
    const use = (given: string, where = query) =>
      browse(lplate, `${authorizePath}?${where}`, allowing(given, 'policies:read', 'policies:write'));
    const assertAsked = (page: Page, what: string) => {
      assert.equal(page.status, 200, what);
      assert.equal(page.redirect, undefined, what);
      assert.match(page.text, /Your sign-in has ended/, what);
      assert.equal(ticketIn(page), undefined, what);
    };

    const challenge = newChallenge().challenge;
    const others = {
      'of the attacker': authorizationQuery(client.id, { scope: 'policies:read', code_challenge: challenge }),
      'with another state': query.replace('state-of-this-browser', 'state-of-another'),
      'for more': query.replace('policies%3Aread', 'policies%3Aread+policies%3Awrite'),
      'for all': authorizationQuery(client.id),
      'with one more parameter': `${query}&a=b`,
      'of another client': authorizationQuery(other.client.id),
    };
    for (const [what, where] of Object.entries(others)) assertAsked(await use(ticket, where), what);

    const [head, payload, signature] = ticket.split('.') as [string, string, string];
    const { access_token: accessToken } = await tokensFor(lplate, client, ida);
    const facts = claimsOf(ticket);
    const forged = Buffer.from(JSON.stringify({ ...facts, sub: other.ida.personId })).toString('base64url');
    const unsigned = Buffer.from('{"alg":"none","typ":"sign-in+jwt"}').toString('base64url');
    const tickets = {
      empty: '',
      'of another person': `${head}.${forged}.${signature}`,
      'without a signature': `${unsigned}.${payload}.`,
      'cut off': ticket.slice(0, -2),
      'a token of the client': client.token,
      'a token for the person': accessToken,
      'a long text': 'x'.repeat(10_000),
    };
    for (const [what, given] of Object.entries(tickets)) assertAsked(await use(given), what);

    // It is no token either.
    assert.deepEqual(problem(await read(ticket)), [401, 'invalid-token']);
    assert.deepEqual(problem(await read(ticket, '/range/v1/me')), [401, 'invalid-token']);
    const json = { client_id: client.id, client_secret: client.secret, token: ticket };
    assert.deepEqual((await lplate.call('POST', '/auth/introspect', { json })).json, { active: false });

    // Until the last moment it is what it was, for what was asked for, and then it is not.
    lplate.clock.advance(10 * minute - 5 * second);
    assert.ok((await use(ticket)).redirect?.searchParams.get('code'));
    lplate.clock.advance(5 * second);
    assertAsked(await use(ticket), 'after ten minutes');
  });

  test('Decisions, people: a code that comes again ends what the first one got (RFC 9700, sections 2.1.1 and 4.5)', async () => {
    const { client, ida } = await clientWithPeople(lplate);
    const { code, verifier } = await session(client.id, ida);
    const { json: first } = await exchange(lplate, client, code, verifier);
    const { json: second } = await refresh(lplate, client, first.refresh_token);
    assert.equal((await read(second.access_token)).status, 200);

    const again = await exchange(lplate, client, code, verifier);
    assert.deepEqual(refusal(again), invalidGrant);
    for (const each of [first, second]) {
      assert.deepEqual(problem(await read(each.access_token)), [401, 'invalid-token']);
      assert.deepEqual(refusal(await refresh(lplate, client, each.refresh_token)), invalidGrant);
    }
    const { json } = await lplate.call('GET', '/range/v1/me/consents', { token: client.token });
    assert.equal(json.items[0].endedBy, 'code-reused');
  });

  test('Decisions, people: of several exchanges of one code at once one brings a token, which the others end (RFC 9700, section 2.1.1)', async () => {
    const { client, ida } = await clientWithPeople(lplate);
    const { code, verifier } = await session(client.id, ida);
    const answers = await Promise.all(Array.from({ length: 5 }, () => exchange(lplate, client, code, verifier)));
    const got = answers.filter(({ status }) => status === 200);
    assert.equal(got.length, 1);
    for (const each of answers) if (each !== got[0]) assert.deepEqual(refusal(each), invalidGrant);
    assert.deepEqual(problem(await read(got[0]?.json.access_token)), [401, 'invalid-token']);
  });

  test('Decisions, people: a code holds for a minute', async () => {
    const { client, ida } = await clientWithPeople(lplate);
    const [early, late] = [await session(client.id, ida), await session(client.id, ida)];
    lplate.clock.advance(minute - 5 * second);
    assert.equal((await exchange(lplate, client, early.code, early.verifier)).status, 200);
    lplate.clock.advance(5 * second);
    const expired = await exchange(lplate, client, late.code, late.verifier);
    assert.deepEqual(refusal(expired), invalidGrant);
    assert.match(expired.json.detail, /60 seconds/);
  });

  test('Decisions, people: a refresh token that comes again ends its consent, whoever uses it (RFC 9700, section 4.14)', async () => {
    const { client, ida, mateo } = await clientWithPeople(lplate);
    const first = await tokensFor(lplate, client, ida);
    const untouched = await tokensFor(lplate, client, mateo);
    const { json: second } = await refresh(lplate, client, first.refresh_token);
    const { json: third } = await refresh(lplate, client, second.refresh_token);

    const stolen = await refresh(lplate, client, first.refresh_token);
    assert.deepEqual(refusal(stolen), invalidGrant);
    assert.match(stolen.json.detail, /used twice/);
    for (const each of [first, second, third]) {
      assert.deepEqual(refusal(await refresh(lplate, client, each.refresh_token)), invalidGrant);
      assert.deepEqual(problem(await read(each.access_token)), [401, 'invalid-token']);
    }
    assert.equal((await refresh(lplate, client, untouched.refresh_token)).status, 200);

    const { refresh_token: once } = await tokensFor(lplate, client, ida);
    const atOnce = await Promise.all(Array.from({ length: 5 }, () => refresh(lplate, client, once)));
    const got = atOnce.filter(({ status }) => status === 200);
    assert.equal(got.length, 1);
    assert.deepEqual(problem(await read(got[0]?.json.access_token)), [401, 'invalid-token']);
  });

  test('Decisions, people: a token opens what it was made for, and nothing else (RFC 9700, sections 4.6 and 4.10)', async () => {
    const [own, other] = [await clientWithPeople(lplate), await clientWithPeople(lplate)];
    const { client, ida, mateo } = own;
    const { code, verifier } = await session(client.id, ida);
    assert.deepEqual(problem(await read(code)), [401, 'invalid-token']);
    const { json } = await exchange(lplate, client, code, verifier);
    const token = json.access_token;

    // Neither of the same client's other people, nor of the people of another client who have the same names.
    for (const policy of [...mateo.policies, ...other.ida.policies]) {
      assert.deepEqual(problem(await read(token, `/policies/${policy}`)), [404, 'policy-not-found'], policy);
    }
    assert.deepEqual(problem(await read(json.refresh_token)), [401, 'invalid-token']);
    for (const wrong of [token, client.token, code]) {
      assert.deepEqual(refusal(await refresh(lplate, client, wrong)), invalidGrant);
    }
    for (const wrong of [token, json.refresh_token]) {
      assert.deepEqual(refusal(await exchange(lplate, client, wrong, verifier)), invalidGrant);
    }
    // Nothing of this has ended what holds.
    assert.equal((await read(token)).status, 200);
    assert.equal((await refresh(lplate, client, json.refresh_token)).status, 200);
  });

  test('Decisions, people: a token for a person is refused wherever it is not about what is theirs', async () => {
    const { client, ida } = await clientWithPeople(lplate);
    const { access_token: token, scope } = await tokensFor(lplate, client, ida);
    assert.equal(scope, 'policies:read policies:write claims:read claims:write');
    const opened: string[] = [];
    for (const base of bases) {
      for (const [path, operations] of Object.entries((await description(base)).paths as object)) {
        for (const [method, operation] of Object.entries(operations as object)) {
          const secured = operation.security?.some((each: object) => 'bearer' in each || 'oauth2' in each);
          if (!secured) continue;
          const name = `${method.toUpperCase()} ${base}${path}`;
          const address = `${base}${path.replaceAll(/\{[^}]+\}/g, 'none')}`;
          const body = method === 'get' || method === 'delete' ? {} : { json: {} };
          const { status } = await lplate.call(method.toUpperCase(), address, { token, ...body });
          if (status !== 403) opened.push(name);
        }
      }
    }
    assert.deepEqual(opened.toSorted(), [
      'GET /claims/v1/claims',
      'GET /claims/v1/claims/{claimId}',
      'GET /claims/v1/claims/{claimId}/documents',
      'GET /claims/v1/claims/{claimId}/documents/{documentId}',
      'GET /insurer/v1/policies',
      'GET /insurer/v1/policies/{policyId}',
      'POST /claims/v1/claims',
      'POST /claims/v1/claims/{claimId}/documents',
      'POST /insurer/v1/policies',
      'POST /insurer/v1/policies/{policyId}/cancel',
      'PUT /insurer/v1/policies/{policyId}',
    ]);
  });

  test('Decisions, people: no page can be framed, kept, or told to others, and none is led on by 307 (RFC 9700, sections 2.6, 4.2, 4.12 and 4.16)', async () => {
    const { client, ida } = await clientWithPeople(lplate);
    const query = authorizationQuery(client.id);
    const path = `${authorizePath}?${query}`;
    const consent = await signIn(lplate, query, ida);
    const pages = {
      'sign-in': await browse(lplate, path),
      'a wrong password': await signIn(lplate, query, { ...ida, password: 'wrong' }),
      consent,
      refusal: await openAuthorize(lplate, ''),
      denied: await browse(lplate, path, { ticket: ticketIn(consent) as string, decision: 'deny' }),
      code: await browse(lplate, path, allowing(ticketIn(consent) as string, 'policies:read')),
      error: await openAuthorize(lplate, authorizationQuery(client.id, { scope: 'none' })),
    };
    for (const [what, { status, headers, redirect }] of Object.entries(pages)) {
      assert.equal(status, redirect ? 303 : what === 'refusal' ? 400 : 200, what);
      assert.equal(headers.get('cache-control'), 'no-store', what);
      assert.equal(headers.get('referrer-policy'), 'no-referrer', what);
      assert.equal(headers.get('x-frame-options'), 'DENY', what);
      assert.equal(headers.get('set-cookie'), null, what);
      // Nor can a script of another origin read one (section 2.6).
      assert.equal(headers.get('access-control-allow-origin'), null, what);
      if (redirect) continue;
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/, what);
      assert.doesNotMatch(headers.get('content-security-policy') ?? '', /unsafe|script-src|\*/, what);
    }
  });

  test('Decisions, people: whether somebody exists, no refusal tells', async () => {
    const { client, ida } = await clientWithPeople(lplate);
    const query = authorizationQuery(client.id);
    const shown = ({ status, text }: Page) => [status, text.replace(/name="userName" value="[^"]*"/, '')];
    const tries = [
      { userName: ida.userName, password: 'wrong' },
      { userName: 'nobody', password: 'wrong' },
      { userName: 'nobody', password: ida.password },
      { userName: `${ida.userName}\0`, password: ida.password },
      { userName: ida.name, password: ida.password },
      { userName: ida.userName, password: '' },
    ];
    const [first, ...rest] = await Promise.all(tries.map(async (each) => shown(await signIn(lplate, query, each))));
    for (const each of rest) assert.deepEqual(each, first);
  });

  test('Decisions, people: what another client has is answered as what never was, to the letter', async () => {
    const [owner, curious] = [await clientWithPeople(lplate), await clientWithPeople(lplate)];
    const { client } = curious;
    const theirs = await tokensFor(lplate, owner.client, owner.ida);
    const { json: list } = await lplate.call('GET', '/range/v1/me/consents', { token: owner.client.token });
    const [{ consentId }] = list.items;

    const neverToken = Buffer.alloc(44).toString('base64url');
    assert.equal(neverToken.length, theirs.refresh_token.length);
    assert.deepEqual(
      told(await refresh(lplate, client, theirs.refresh_token)),
      told(await refresh(lplate, client, neverToken)),
    );

    const withdraw = (id: string) => lplate.call('DELETE', `/range/v1/me/consents/${id}`, { token: client.token });
    const never = 'con-00000000-0000-7000-8000-000000000000';
    const [real, made] = [await withdraw(consentId), await withdraw(never)];
    assert.deepEqual(problem(real), [404, 'consent-not-found']);
    assert.equal(told(real).text.replaceAll(consentId, '-'), told(made).text.replaceAll(never, '-'));

    const ask = (what: string, token: string) =>
      lplate.call('POST', `/auth/${what}`, { json: { client_id: client.id, client_secret: client.secret, token } });
    for (const token of [theirs.access_token, theirs.refresh_token, owner.client.token, neverToken, '']) {
      assert.deepEqual(told(await ask('introspect', token)), { status: 200, text: '{"active":false}' });
      assert.deepEqual(told(await ask('revoke', token)), { status: 200, text: '' });
    }
    // All that was tried has ended nothing.
    assert.equal((await read(theirs.access_token)).status, 200);
    assert.equal((await refresh(lplate, owner.client, theirs.refresh_token)).status, 200);
  });

  test('Decisions, people: a person allows all, some or nothing, and never more than was asked for', async () => {
    const { client, ida } = await clientWithPeople(lplate);
    const decide = async (asked: string | undefined, ...scopes: string[]) => {
      const { verifier, challenge } = newChallenge();
      const query = authorizationQuery(client.id, { code_challenge: challenge, scope: asked });
      const redirect = await letIn(lplate, query, ida, scopes);
      const code = redirect.get('code');
      if (code === null) return redirect.get('error');
      const { json } = await exchange(lplate, client, code, verifier);
      assert.equal(claimsOf(json.access_token).scope, json.scope);
      return json.scope;
    };
    assert.equal(await decide(undefined, 'policies:read', 'claims:write'), 'policies:read claims:write');
    assert.equal(await decide('policies:read claims:read', 'claims:read'), 'claims:read');
    assert.equal(await decide('policies:read', 'policies:read', 'policies:write', 'admin'), 'policies:read');
    assert.equal(await decide('policies:read', 'policies:write'), 'access_denied');
    assert.equal(await decide('policies:read'), 'access_denied');

    const { access_token: narrow } = await tokensFor(lplate, client, ida, 'claims:read');
    const refused = await read(narrow);
    assert.deepEqual(problem(refused), [403, 'insufficient-scope']);
    assert.match(
      refused.json.detail,
      /Refresh for that scope if the person has allowed it; otherwise send them to GET/,
    );
    const denied = await browse(lplate, `${authorizePath}?${authorizationQuery(client.id)}`, { decision: 'cancel' });
    assert.equal(errorIn(denied), 'access_denied');
  });

  test('Decisions, people: an app can refresh for less, and never for more than the person allowed', async () => {
    const { client, ida } = await clientWithPeople(lplate);
    const first = await tokensFor(lplate, client, ida, 'policies:read claims:read');
    for (const wider of ['policies:write', 'policies:read policies:write', 'admin']) {
      assert.deepEqual(refusal(await refresh(lplate, client, first.refresh_token, wider)), [400, 'invalid_scope']);
    }
    const { json: less } = await refresh(lplate, client, first.refresh_token, 'claims:read');
    assert.equal(less.scope, 'claims:read');
    assert.deepEqual(problem(await read(less.access_token)), [403, 'insufficient-scope']);
    // What the person allowed is still what it was (RFC 6749, section 6).
    const { json: again } = await refresh(lplate, client, less.refresh_token);
    assert.equal(again.scope, 'policies:read claims:read');
  });

  test('Decisions, people: an app that calls for a person sees, changes, cancels and claims only what is theirs', async () => {
    const { client, ida, mateo } = await clientWithPeople(lplate);
    const { access_token: token } = await tokensFor(lplate, client, ida);
    const [own, foreign] = [ida.policies[0] as string, mateo.policies[0] as string];
    const theirClaim = await claimOn(lplate, client.token, foreign);
    const ownClaim = await claimOn(lplate, client.token, own);
    const as = (method: string, path: string, json?: unknown) =>
      lplate.call(method, path, { token, ...(json !== undefined && { json }) });

    const never = 'pol-00000000-0000-7000-8000-000000000000';
    const reads: [string, string, unknown?][] = [
      ['GET', '/policies/ID'],
      ['PUT', '/policies/ID', {}],
      ['PUT', '/policies/ID', { holder: ida.name }],
      ['POST', '/policies/ID/cancel'],
    ];
    for (const [method, path, json] of reads) {
      const theirs = await as(method, path.replace('ID', foreign), json);
      assert.deepEqual(problem(theirs), [404, 'policy-not-found'], `${method} ${path}`);
      const none = await as(method, path.replace('ID', never), json);
      assert.equal(told(theirs).text.replaceAll(foreign, '-'), told(none).text.replaceAll(never, '-'));
    }
    assert.deepEqual(problem(await as('POST', '/claims/v1/claims', { policyNumber: foreign })), [
      404,
      'policy-not-found',
    ]);
    assert.deepEqual(problem(await as('GET', `/claims/v1/claims/${theirClaim}`)), [404, 'claim-not-found']);
    const { json: claims } = await as('GET', '/claims/v1/claims');
    assert.deepEqual([claims.totalItems, claims.items[0].claimId], [1, ownClaim]);
    assert.equal((await as('GET', `/claims/v1/claims?policyNumber=${foreign}`)).json.totalItems, 0);
    const { json: policies } = await as('GET', '/policies?pageSize=100');
    assert.deepEqual([policies.totalItems, policies.items.length], [3, 3]);
    const { json: theirs } = await lplate.call('GET', `/policies/${foreign}`, { token: client.token });
    assert.equal((await as('GET', `/policies?regNumber=${encodeURIComponent(theirs.regNumber)}`)).json.totalItems, 0);

    assert.equal((await as('GET', `/claims/v1/claims/${ownClaim}`)).status, 200);
    assert.equal((await as('PUT', `/policies/${own}`, { holder: ida.name })).status, 200);
    assert.equal((await as('POST', `/policies/${own}/cancel`)).status, 200);
    assert.equal((await lplate.call('GET', `/policies/${foreign}`, { token: client.token })).json.status, 'active');
  });

  test('Decisions, people: a policy that an app makes for a person has that holder, and can’t get another', async () => {
    const { client, ida, mateo } = await clientWithPeople(lplate);
    const { access_token: token } = await tokensFor(lplate, client, ida);
    const create = (json: object) => lplate.call('POST', '/policies', { token, json });
    const made = await create({ regNumber: `PA-${ida.policies.length}1` });
    assert.deepEqual([made.status, made.json.holder], [201, ida.name]);
    assert.equal((await create({ regNumber: 'PA-2', holder: `  ${ida.name} ` })).json.holder, ida.name);
    for (const holder of [mateo.name, 'Nobody', '', ida.name.toUpperCase()]) {
      const refused = await create({ regNumber: 'PA-3', holder });
      assert.deepEqual(problem(refused), [400, 'validation-error'], holder);
      assert.deepEqual(refused.json.errors[0].pointer, '/holder');
      const changed = await lplate.call('PUT', `/policies/${made.json.id}`, { token, json: { holder } });
      assert.deepEqual(problem(changed), [400, 'validation-error'], holder);
    }
    // That a vehicle is insured is said, and nothing of whose policy it is.
    const [theirs] = mateo.policies;
    const { json } = await lplate.call('GET', `/policies/${theirs}`, { token: client.token });
    const taken = await create({ regNumber: json.regNumber });
    assert.deepEqual(problem(taken), [409, 'duplicate-policy']);
    assert.ok(!taken.text.includes(theirs as string) && !taken.text.includes(mateo.name));
  });

  test('Decisions, people: the key of one person’s request never brings the answer to another’s', async () => {
    const { client, ida, mateo } = await clientWithPeople(lplate);
    const tokens = {
      ida: (await tokensFor(lplate, client, ida)).access_token,
      mateo: (await tokensFor(lplate, client, mateo)).access_token,
      client: client.token,
    };
    const send = (token: string, path: string, json: object) =>
      lplate.call('POST', path, { token, json, headers: { 'Idempotency-Key': 'key-of-ida' } });
    const bodies: [string, object][] = [
      ['/policies', { regNumber: 'PK-1' }],
      ['/claims/v1/claims', { policyNumber: ida.policies[0] }],
    ];
    for (const [path, json] of bodies) {
      const first = await send(tokens.ida, path, json);
      assert.equal(first.status, 201);
      for (const other of [tokens.mateo, tokens.client]) {
        const refused = await send(other, path, json);
        assert.deepEqual(problem(refused), [422, 'idempotency-key-reused'], path);
        assert.ok(!refused.text.includes(ida.name));
      }
      // Of the person itself it does, by a new token too.
      const { access_token: later } = await tokensFor(lplate, client, ida);
      const again = await send(later, path, json);
      assert.deepEqual([again.status, again.text], [201, first.text]);
      assert.equal(again.headers.get('idempotency-replayed'), 'true');
    }
  });

  test('Decisions, people: a client asks about its own tokens and ends them, by a form or JSON, by Basic or in the body', async () => {
    const { client, ida } = await clientWithPeople(lplate);
    const { id, secret } = client;
    const basic = { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
    const formType = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const ways: Record<string, (path: string, fields: Record<string, string>) => Promise<Answer>> = {
      'JSON and body': (path, fields) =>
        lplate.call('POST', path, { json: { client_id: id, client_secret: secret, ...fields } }),
      'JSON and Basic': (path, fields) => lplate.call('POST', path, { headers: basic, json: fields }),
      'form and body': (path, fields) =>
        lplate.call('POST', path, {
          headers: formType,
          body: String(new URLSearchParams({ client_id: id, client_secret: secret, ...fields })),
        }),
      'form and Basic': (path, fields) =>
        lplate.call('POST', path, { headers: { ...formType, ...basic }, body: String(new URLSearchParams(fields)) }),
    };
    for (const [way, post] of Object.entries(ways)) {
      const { verifier, code } = await session(id, ida);
      const grant = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier };
      const { json } = await post('/auth/token', grant);
      const { access_token: token, refresh_token: refreshToken } = json;
      const { exp, iat, ...facts } = (await post('/auth/introspect', { token })).json;
      assert.equal(exp - iat, 3600, way);
      assert.deepEqual(facts, {
        active: true,
        ...{ scope: json.scope, client_id: id, username: ida.userName, token_type: 'Bearer', sub: ida.personId },
        ...{ aud: claimsOf(token).aud, iss: lplate.config.publicUrl },
      });
      const held = (await post('/auth/introspect', { token: refreshToken, token_type_hint: 'access_token' })).json;
      assert.deepEqual([held.active, held.token_type, held.sub], [true, undefined, ida.personId], way);
      // Either of them ends both.
      const revoked = way.startsWith('JSON') ? token : refreshToken;
      assert.equal((await post('/auth/revoke', { token: revoked })).status, 200, way);
      for (const each of [token, refreshToken])
        assert.deepEqual((await post('/auth/introspect', { token: each })).json, { active: false }, way);
      assert.deepEqual(problem(await read(token)), [401, 'invalid-token'], way);
      const renewed = await post('/auth/token', { grant_type: 'refresh_token', refresh_token: refreshToken });
      assert.deepEqual(refusal(renewed), invalidGrant, way);
      assert.equal((await post('/auth/revoke', { token: revoked })).status, 200, way);
    }
    const own = await ways['JSON and body']?.('/auth/revoke', { token: client.token });
    assert.deepEqual(refusal(own as Answer), [400, 'unsupported_token_type']);
    assert.equal((await read(client.token)).status, 200);
  });

  test('Decisions, people: wrong credentials are refused as at the token endpoint, whatever the token is', async () => {
    const { client, ida } = await clientWithPeople(lplate);
    const { access_token: token, refresh_token: refreshToken } = await tokensFor(lplate, client, ida);
    const wrong = [
      { client_id: client.id, client_secret: 'wrong' },
      { client_id: 'demo-00000000000000000000', client_secret: client.secret },
      { client_id: client.id, client_secret: '' },
    ];
    for (const credentials of wrong) {
      const grant = { grant_type: 'refresh_token', refresh_token: refreshToken };
      const asked = await lplate.call('POST', '/auth/token', { json: { ...credentials, ...grant } });
      assert.deepEqual(refusal(asked), [401, 'invalid_client']);
      for (const path of ['/auth/revoke', '/auth/introspect']) {
        for (const each of [token, refreshToken, 'none']) {
          const refused = await lplate.call('POST', path, { json: { ...credentials, token: each } });
          assert.deepEqual(told(refused), told(asked), path);
          assert.equal(refused.headers.get('www-authenticate'), asked.headers.get('www-authenticate'));
        }
      }
    }
    assert.equal((await read(token)).status, 200);
    assert.equal((await refresh(lplate, client, refreshToken)).status, 200);
  });
});
