import type { Consents } from '../../clients/consents.ts';
import { type RedirectUris, redirectUriFaults } from '../../clients/redirect-uris.ts';
import { type Api, type Handlers, tableOf } from '../../http/endpoint.ts';
import { type FieldError, ProblemError } from '../../http/problems/problem.ts';
import { absoluteUrl, originOf } from '../../http/requests/absolute-url.ts';
import { callerOf } from '../../http/requests/bearer.ts';
import { keptSecret } from '../../http/requests/names.ts';
import { asPage, links, pageOf } from '../../http/requests/paging.ts';
import { invalid } from '../../http/requests/validation.ts';
import type { People } from '../../insurer/index.ts';
import { shownValue } from '../../text/shown-value.ts';
import { anyScope, clientTokenProblems } from '../refusals.ts';
import { base } from '../texts.ts';
import { texts } from './texts.ts';

export interface PeopleRoutesOptions {
  readonly clients: { readonly consents: Consents; readonly redirectUris: RedirectUris };
  readonly people: People;
}

/** The people of the caller, what they let it do, and where they are sent back to. */
export function peopleRoutes(api: Api, options: PeopleRoutesOptions): void {
  const route = tableOf(api, texts, handlers(options), clientTokenProblems);
  route('GET', '/me/people', 'listPeople', anyScope, ['quota-exceeded']);
  route('GET', '/me/redirect-uris', 'readRedirectUris', anyScope);
  route('PUT', '/me/redirect-uris', 'replaceRedirectUris', anyScope, [], { body: 'json' });
  route('GET', '/me/consents', 'listConsents', anyScope, ['validation-error']);
  route('DELETE', '/me/consents/:consentId', 'withdrawConsent', anyScope, ['consent-not-found']);
}

function handlers({ clients, people }: PeopleRoutesOptions): Handlers<typeof texts> {
  const { consents, redirectUris } = clients;
  return {
    async listPeople(request) {
      const all = await people.withPolicies(callerOf(request).clientId);
      return {
        items: all.map(({ id, name, userName, password, policies }) => ({
          ...{ personId: id, name, userName, password },
          policies: [...policies],
        })),
      };
    },

    async readRedirectUris(request) {
      return { redirectUris: await redirectUris.of(callerOf(request).clientId) };
    },

    async replaceRedirectUris(request) {
      const { redirectUris: sent } = request.body;
      const secrets: FieldError[] = sent.flatMap((uri, at) =>
        request.server.secretFinder.isIn(uri) ? [{ pointer: `/redirectUris/${at}`, detail: keptSecret }] : [],
      );
      const faults = [...redirectUriFaults(sent, originOf(request)), ...secrets];
      if (faults.length > 0) throw invalid(faults);
      await redirectUris.replace(callerOf(request).clientId, sent);
      return { redirectUris: sent };
    },

    async listConsents(request, reply) {
      const page = pageOf(request.query);
      const { items, total } = await consents.list(callerOf(request).clientId, page);
      reply.header('Link', links(absoluteUrl(request, `${base}/me/consents`), page, total));
      return asPage(items, total, page);
    },

    async withdrawConsent(request, reply) {
      const { consentId } = request.params;
      if (await consents.withdraw(callerOf(request).clientId, consentId)) return reply.code(204).send();
      const detail = `You have no consent with the id ${shownValue(consentId)}. GET /range/v1/me/consents lists them.`;
      throw new ProblemError('consent-not-found', detail);
    },
  };
}
