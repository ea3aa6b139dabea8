import type { EndpointText } from '../../http/endpoint.ts';
import { OptionalPageQuery } from '../../http/requests/paging.ts';
import { nextPage, ofClient, onePage } from '../texts.ts';
import { ConsentId, ConsentList, PersonList, RedirectUriList } from './schemas.ts';

const common = { tags: ['People'], security: ofClient };

export const texts = {
  listPeople: {
    schema: {
      operationId: 'listPeople',
      ...common,
      summary: 'List your people',
      description:
        'Five fictional policyholders with three policies each, who can sign in at `GET /insurer/v1/auth/authorize`. They are made when you first ask for them, and belong to you alone. While a run of the capstone `brokers-app` is on, its ten people are there besides.',
      response: { 200: PersonList },
    },
    success: 'Your people.',
    guesses: ['people', 'me/persons', 'me/users', 'users', 'me/policyholders'],
  },
  readRedirectUris: {
    schema: {
      operationId: 'readRedirectUris',
      ...common,
      summary: 'See where people may be sent back to',
      description: 'Empty until you register one.',
      response: { 200: RedirectUriList },
    },
    success: 'What is registered.',
    guesses: ['redirect-uris', 'me/redirects', 'me/callbacks'],
  },
  replaceRedirectUris: {
    schema: {
      operationId: 'replaceRedirectUris',
      ...common,
      summary: 'Register where people may be sent back to',
      description: 'Takes the place of what was registered before.',
      body: RedirectUriList,
      response: { 200: RedirectUriList },
    },
    success: 'What is registered now.',
  },
  listConsents: {
    schema: {
      operationId: 'listConsents',
      ...common,
      summary: 'List what people let you do',
      description: 'Each time that a person allows something there is a consent of its own.',
      querystring: OptionalPageQuery,
      response: { 200: ConsentList },
    },
    success: onePage,
    headers: nextPage('/me/consents'),
    guesses: ['consents', 'me/grants', 'me/authorizations'],
  },
  withdrawConsent: {
    schema: {
      operationId: 'withdrawConsent',
      ...common,
      summary: 'Withdraw a consent',
      description:
        'As if the person had changed their mind. Its access tokens are 401 from now on, its refresh token is `invalid-grant`. One that has ended stays as it is.',
      params: ConsentId,
      response: { 204: {} },
    },
    success: 'It holds no more.',
  },
} satisfies Record<string, EndpointText>;
