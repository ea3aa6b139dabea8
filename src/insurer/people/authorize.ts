import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ActiveDrills } from '../../active-drills.ts';
import { consentHolds } from '../../clients/consents.ts';
import type { ClientsPart } from '../../clients/index.ts';
import { type Person, signedIn } from '../../clients/people.ts';
import { permissions } from '../../clients/scope.ts';
import { ticketType } from '../../clients/token-forms.ts';
import { oauthDescription } from '../../http/problems/oauth-error.ts';
import { ProblemError } from '../../http/problems/problem.ts';
import { absoluteUrl } from '../../http/requests/absolute-url.ts';
import { noteDrill } from '../../http/requests/faults.ts';
import { personalPrefix } from '../../http/requests/personal-prefix.ts';
import type { Randomness } from '../../randomness.ts';
import type { ClientClocks } from '../../time/client-clocks.ts';
import { instant } from '../../time/clock.ts';
import { day, minute, second } from '../../time/units.ts';
import { base } from '../route-texts.ts';
import {
  type AuthorizationError,
  type AuthorizationRequest,
  type ErrorRedirect,
  judge,
  type Refusal,
  redirectTo,
  unknownClient,
} from './authorization-request.ts';
import { authorizeHeaders, authorizePolicy, consentPage, refusalPage, signInPage } from './pages.ts';
import type { People } from './people.ts';

/*
 * The authorization endpoint, where a person lets an app in:
 *
 *   GET, from the app → sign-in page → POST user name and password → consent page → POST decision → back to the app
 *                            └────────── wrong ──────────┘                             with a code, or with an error
 *
 * Each address has the whole request in its query, which is judged anew each time. That somebody signed in, the consent page
 * carries as a signed ticket, for this request alone: there is no session, and so no cookie that another page could use.
 */

const path = '/auth/authorize';
export const authorizePath = `${base}${path}`;

/** Milliseconds for which a sign-in holds. */
const ticketHolds = 10 * minute;

export interface AuthorizeOptions extends Pick<ClientsPart, 'clients' | 'consents' | 'redirectUris' | 'mint'> {
  readonly people: People;
  readonly clocks: ClientClocks;
  readonly drills: ActiveDrills;
  readonly randomness: Randomness;
}

/** A request of a client that is there, on its way. */
interface Visit extends AuthorizationRequest {
  readonly call: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Serves the authorization endpoint. It is in no description: a browser calls it, and the metadata name it. */
export function authorizeRoutes(api: FastifyInstance, options: AuthorizeOptions): void {
  const { clients, consents, redirectUris, mint, people, clocks, drills, randomness } = options;

  async function clientCalled(clientId: string) {
    const granted = await clients.grantedTo(clientId);
    return granted && { granted, redirectUris: await redirectUris.of(clientId) };
  }

  async function visit(call: FastifyRequest, reply: FastifyReply, go: (visit: Visit) => Promise<FastifyReply>) {
    const judged = await judge(call.query as Record<string, unknown>, clientCalled);
    if ('refusal' in judged) {
      call.clientId = judged.clientId;
      return explain(reply, judged.refusal);
    }
    const { clientId } = 'request' in judged ? judged.request : judged.redirect;
    call.clientId = clientId;
    // Only now is it known whose call it is.
    if (drills.has(clientId) && !(await call.server.faults?.apply(call, reply, clientId))) return reply;
    if ('redirect' in judged) return redirectError(call, reply, judged.redirect);
    const { request } = judged;
    try {
      return await go({ call, reply, ...request });
    } catch (error) {
      return refuse(call, reply, request, error);
    }
  }

  /** Tells the app that its client has no room for what a person would allow, and the person that the client is gone. */
  function refuse(call: FastifyRequest, reply: FastifyReply, request: AuthorizationRequest, error: unknown) {
    if (error instanceof ProblemError && error.identifier === 'quota-exceeded')
      return redirectError(call, reply, { ...request, error: 'temporarily_unavailable', description: error.message });
    if (error instanceof ProblemError && error.identifier === 'invalid-token')
      return explain(reply, unknownClient(request.clientId));
    throw error;
  }

  async function signIn({ call, reply, clientId, loginHint }: Visit, tried?: string, fault?: string) {
    const all = await people.of(clientId);
    const page = signInPage({
      action: here(call),
      ...{ clientId, appName: clientId, people: all },
      ...(fault !== undefined && { fault }),
      userName: tried ?? all.find(({ userName }) => userName === loginHint)?.userName ?? '',
    });
    return send(reply, page);
  }

  async function ask(visit: Visit, person: Person) {
    const { call, reply, clientId, redirectUri, scopes } = visit;
    const issuedAt = Math.floor(clocks.now(clientId) / second);
    const facts = { client_id: clientId, sub: person.id, request: requestHash(call) };
    const { jws: ticket } = await mint.sign(facts, ticketType, { issuer: absoluteUrl(call, ''), issuedAt });
    const page = consentPage({
      action: here(call),
      ...{ ticket, person, clientId, appName: clientId },
      scopes: scopes.map((scope) => ({ scope, text: permissions[scope] })),
      redirectHost: new URL(redirectUri).host,
      until: instant(clocks.now(clientId) + holds(clientId)),
    });
    return send(reply, page);
  }

  /** Milliseconds for which a consent of this client's people holds. */
  function holds(clientId: string): number {
    const short = drills.of(clientId, 'short-consents');
    return short ? short.parameters.days * day : consentHolds;
  }

  /** Whom a ticket says that has signed in for this request; undefined where it says it no more. */
  async function personOf({ call, clientId }: Visit, ticket: string): Promise<Person | undefined> {
    const facts = await mint.statement(ticket, ticketType);
    if (!facts || facts.client_id !== clientId || facts.request !== requestHash(call)) return undefined;
    if ((facts.iat as number) * second + ticketHolds <= clocks.now(clientId)) return undefined;
    return (await people.of(clientId)).find(({ id }) => id === facts.sub);
  }

  async function decide(visit: Visit, ticket: string, form: URLSearchParams): Promise<FastifyReply> {
    const { call, reply, clientId, redirectUri, state, challenge } = visit;
    const person = await personOf(visit, ticket);
    if (!person) return signInAgain(visit);
    const slow = drills.of(clientId, 'slow-sign-in');
    if (slow) {
      noteDrill(call, 'slow-sign-in');
      const goesOn = await call.server.faults?.wait(call, reply, clientId, slow.parameters.seconds * second);
      if (goesOn === false) return reply;
    }
    const allowed = visit.scopes.filter((each) => form.getAll('scope').includes(each));
    const refusing = drills.of(clientId, 'denied')?.parameters.people ?? [person.userName];
    if (refusing.includes(person.userName) && (await drills.hit(clientId, 'denied'))) {
      noteDrill(call, 'denied');
      return denied(visit);
    }
    if (form.get('decision') !== 'allow' || allowed.length === 0) return denied(visit);
    if (await drills.hit(clientId, 'forged-callback')) return forge(visit, person);
    const withdrawn = drills.of(clientId, 'consent-withdrawn');
    if (withdrawn) noteDrill(call, 'consent-withdrawn');
    if (holds(clientId) !== consentHolds) noteDrill(call, 'short-consents');
    const code = await consents.give(clientId, {
      ...{ personId: person.id, scopes: allowed, redirectUri, challenge, holds: holds(clientId) },
      withdrawAfter: withdrawn && withdrawn.parameters.afterMinutes * minute,
    });
    return code === undefined ? signInAgain(visit) : goBack(call, reply, redirectUri, { code, state });
  }

  const signInAgain = (visit: Visit) => signIn(visit, undefined, 'Your sign-in has ended. Sign in again.');

  /** Sends the browser back as somebody would who puts their own code into the session of another (RFC 9700, section 4.7). */
  async function forge(visit: Visit, person: Person): Promise<FastifyReply> {
    const { call, reply, clientId, redirectUri, scopes } = visit;
    noteDrill(call, 'forged-callback');
    const other = (await people.of(clientId)).find(({ id }) => id !== person.id) as Person;
    const challenge = randomness.bytes('challenge', 32).toString('base64url');
    const draft = { personId: other.id, scopes, redirectUri, challenge, isForged: true };
    const code = await consents.give(clientId, draft);
    if (code === undefined) return signInAgain(visit);
    return goBack(call, reply, redirectUri, { code, state: randomness.bytes('state', 12).toString('base64url') });
  }

  const config = { countedByAddress: true, undescribed: true, judgesNames: true, closedToScripts: true } as const;
  api.get(path, { config }, (call, reply) => visit(call, reply, (each) => signIn(each)));
  api.post(path, { config: { ...config, body: 'form-of-page' } }, (call, reply) =>
    visit(call, reply, async (each) => {
      const form = call.body as URLSearchParams;
      if (form.get('decision') === 'cancel') return denied(each);
      const ticket = form.get('ticket');
      if (ticket !== null) return decide(each, ticket, form);
      const [userName, password] = [form.get('userName') ?? '', form.get('password') ?? ''];
      const person = signedIn(await people.of(each.clientId), userName, password);
      if (!person) return signIn(each, userName.slice(0, 100), 'No person here has this user name and password.');
      return ask(each, person);
    }),
  );
}

/** The address of the form: that of this request, with its query. */
const here = (call: FastifyRequest) => `${personalPrefix(call)}${authorizePath}?${queryOf(call)}`;

const queryOf = ({ raw }: FastifyRequest) => (raw.url ?? '').replace(/^[^?]*\??/, '');

const requestHash = (call: FastifyRequest) => createHash('sha256').update(queryOf(call)).digest('base64url');

function denied({ call, reply, clientId, redirectUri, state }: Visit): FastifyReply {
  const description = 'The person did not let the app in.';
  return redirectError(call, reply, { clientId, redirectUri, state, error: 'access_denied', description });
}

function redirectError(call: FastifyRequest, reply: FastifyReply, error: ErrorRedirect): FastifyReply {
  const { redirectUri, state, description } = error;
  const parameters: { error: AuthorizationError; error_description: string } & Record<string, string | undefined> = {
    error: error.error,
    error_description: oauthDescription(description),
    state,
  };
  return goBack(call, reply, redirectUri, parameters);
}

/** With `iss`, by which an app with several servers knows whose answer it is (RFC 9207). 303, so that no form goes along. */
function goBack(
  call: FastifyRequest,
  reply: FastifyReply,
  redirectUri: string,
  parameters: Readonly<Record<string, string | undefined>>,
): FastifyReply {
  const location = redirectTo(redirectUri, { ...parameters, iss: absoluteUrl(call, '') });
  return reply
    .code(303)
    .headers({ ...authorizeHeaders, Location: location })
    .send();
}

function send(reply: FastifyReply, page: Buffer): FastifyReply {
  reply.headers({ ...authorizeHeaders, 'Content-Security-Policy': authorizePolicy(true) });
  return reply.type('text/html; charset=utf-8').send(page);
}

function explain(reply: FastifyReply, refusal: Refusal): FastifyReply {
  reply.code(400).headers({ ...authorizeHeaders, 'Content-Security-Policy': authorizePolicy() });
  return reply.type('text/html; charset=utf-8').send(refusalPage(reply.server, refusal));
}
