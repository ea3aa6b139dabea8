import type { WalkStep } from './walk-steps.ts';

/*
 * The flow of people (authorization code with PKCE), for the tools that run scripts. The scripts do what an app and a
 * browser do, so that a run from top to bottom needs nobody; and one request has the tool sign a person in by itself.
 */

/** Where a tool signs a person in by itself, with variables. */
export const authorizationUrl = '{{insurer}}/auth/authorize';
export const tokenUrl = '{{insurer}}/auth/token';
export const scope = 'policies:read';

export const peopleVariables = {
  // Tools look out for it themselves: nobody has to listen there.
  redirect_uri: 'http://127.0.0.1/callback',
  ...{ user_name: '', password: '', holder: '', state: '', verifier: '', challenge: '', ticket: '', code: '' },
  ...{ person_token: '', refresh_token: '' },
};

const request = [
  `response_type=code&client_id={{client_id}}&redirect_uri={{redirect_uri}}&scope=${scope}&state={{state}}`,
  'code_challenge={{challenge}}&code_challenge_method=S256',
].join('&');

const credentials = { client_id: '{{client_id}}', client_secret: '{{client_secret}}' };

export const peopleFolder: { readonly name: string; readonly steps: readonly WalkStep[] } = {
  name: '7 People',
  steps: [
    {
      name: 'Register a redirect URI',
      about:
        'People are sent back to `redirect_uri` after they signed in, and nowhere else. It takes the place of what you registered before.',
      operation: ['range', 'replaceRedirectUris'],
      json: { redirectUris: ['{{redirect_uri}}'] },
      status: 200,
      checks: [{ member: 'redirectUris[0]', is: '{{redirect_uri}}' }],
    },
    {
      name: 'List your people',
      about:
        'Five made-up policyholders. The first one signs in below: `user_name` and `password`, which is no secret.',
      operation: ['range', 'listPeople'],
      status: 200,
      keeps: { user_name: 'items[0].userName', password: 'items[0].password', holder: 'items[0].name' },
    },
    {
      name: 'Sign in',
      about:
        'What the browser of the person sends from the page of the authorization endpoint. Before it a script makes `state`, the code verifier and its SHA-256, the challenge. The next page carries a ticket.',
      operation: 'authorize',
      query: request,
      form: { userName: '{{user_name}}', password: '{{password}}' },
      makesChallenge: true,
      status: 200,
      finds: { ticket: ['body', 'name="ticket" value="([^"]+)"'] },
    },
    {
      name: 'Let the app in',
      about:
        'The person allows it, and is sent back to `redirect_uri` with a code, which holds for a minute, and once. `state` must be the one that was sent, and `iss` this server: compare both before you use the code.',
      operation: 'authorize',
      query: request,
      form: { ticket: '{{ticket}}', decision: 'allow', scope },
      status: 303,
      leadsTo: ['{{redirect_uri}}?code=', 'state={{state}}', 'iss={{issuer}}'],
      finds: { code: ['location', '[?&]code=([^&]+)'] },
    },
    {
      name: 'Exchange the code',
      about:
        'With the verifier, which nobody has seen so far. The access token for the person is kept in `person_token`.',
      operation: ['insurer', 'createToken'],
      id: 'exchangeCode',
      json: {
        grant_type: 'authorization_code',
        ...credentials,
        code: '{{code}}',
        redirect_uri: '{{redirect_uri}}',
        code_verifier: '{{verifier}}',
      },
      status: 200,
      checks: [{ member: 'scope', is: scope }],
      keeps: { person_token: 'access_token', refresh_token: 'refresh_token' },
    },
    {
      name: 'The policies of the person',
      about: 'The token sees the three policies of the person, and no others.',
      operation: ['insurer', 'listPolicies'],
      id: 'listPoliciesOfPerson',
      query: 'page=1&pageSize=10',
      token: 'person_token',
      status: 200,
      checks: [
        { member: 'totalItems', is: 3 },
        { member: 'items[0].holder', is: '{{holder}}' },
      ],
    },
    {
      name: 'The same, signed in by this tool',
      about:
        'The tool does all of that itself: it opens the page of the authorization endpoint, where you sign in with `user_name` and `password` and allow something. Send the requests above first, down to “Sign in”.',
      operation: ['insurer', 'listPolicies'],
      id: 'listPoliciesByTool',
      query: 'page=1&pageSize=10',
      token: 'by-tool',
      status: 200,
      checks: [{ member: 'totalItems', is: 3 }],
    },
    {
      name: 'Renew the token',
      about: 'A refresh token holds once: the answer has the next one.',
      operation: ['insurer', 'createToken'],
      id: 'renewToken',
      json: { grant_type: 'refresh_token', ...credentials, refresh_token: '{{refresh_token}}' },
      status: 200,
      checks: [{ member: 'scope', is: scope }],
      keeps: { person_token: 'access_token', refresh_token: 'refresh_token' },
    },
    {
      name: 'Ask what the token is',
      about: 'Whether it holds, for whom, and until when.',
      operation: ['insurer', 'introspectToken'],
      json: { ...credentials, token: '{{person_token}}' },
      status: 200,
      checks: [
        { member: 'active', is: true },
        { member: 'username', is: '{{user_name}}' },
      ],
    },
    {
      name: 'List the consents',
      about: 'What people let you do, the latest first.',
      operation: ['range', 'listConsents'],
      query: 'page=1&pageSize=10',
      status: 200,
      checks: [{ member: 'items[0].userName', is: '{{user_name}}' }],
    },
    {
      name: 'Revoke the token',
      about: 'Log out for real: it ends all that came of the consent.',
      operation: ['insurer', 'revokeToken'],
      json: { ...credentials, token: '{{refresh_token}}' },
      status: 200,
    },
    {
      name: 'Ask again',
      about: 'Of a token that holds no more nothing else is told.',
      operation: ['insurer', 'introspectToken'],
      id: 'introspectRevoked',
      json: { ...credentials, token: '{{person_token}}' },
      status: 200,
      checks: [{ member: 'active', is: false }],
    },
  ],
};
