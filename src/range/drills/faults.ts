import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ActiveDrills, CallDrillParameters, Hit } from '../../active-drills.ts';
import { ProblemError } from '../../http/problems/problem.ts';
import type { Tokens } from '../../http/requests/bearer.ts';
import { type ApplyFaults, clientOfCall, cutAnswer, noteDrill } from '../../http/requests/faults.ts';
import { IdempotencyKey } from '../../http/requests/idempotency-key.ts';
import { magicPlate, magicPlates } from '../../magic-plates.ts';
import { describedCall } from './calls.ts';
import { type Delays, tooManyWait, type Waited } from './delays.ts';
import type { MetPlates } from './met-plates.ts';

/*
 * The drills that hit calls and their answers. For each call every one of them decides, so that each counts all calls of
 * its client, whatever else is on. Then, in this order: a delay, 503, 502, a cut; then the work; then, on its answer, a
 * delay, 502, a body that is no JSON, a cut.
 */

export interface FaultsOptions {
  readonly drills: ActiveDrills;
  readonly delays: Delays;
  readonly tokens: Tokens;
  /** Absent where magic plates are off. */
  readonly plates: MetPlates | undefined;
  /** The first segments of the routes that can be hit. */
  readonly systems: readonly string[];
}

/** What hits a call, by drill. */
type Hits = { readonly [Name in keyof CallDrillParameters]: Hit<Name> | undefined } & { readonly clientId: string };

const badBody = 'This body was replaced by the drill bad-json: it is no JSON.\n';

const pageOfProxy = (status: string, cause: string) => `<html>
<head><title>${status}</title></head>
<body>
<center><h1>${status}</h1></center>
<hr><center>${cause}</center>
</body>
</html>
`;

const proxyPage = pageOfProxy('502 Bad Gateway', 'the drill html-from-a-proxy');

/** What the page and the problems of a magic plate say of it. */
const byPlate = 'the registration number brings this outcome; the next call with it within a minute succeeds';

const plateProblem = (name: 'unavailable' | 'rate-limit-exceeded') =>
  new ProblemError(name, `The call was refused and changed nothing: ${byPlate}.`, { headers: { 'Retry-After': '1' } });

/** Milliseconds after which the answer comes that is late by a plate. */
const plateDelay = 5000;

export class CallFaults {
  readonly #options: FaultsOptions;
  readonly #routes: RegExp;

  constructor(options: FaultsOptions) {
    this.#options = options;
    this.#routes = new RegExp(`^/(?:${options.systems.join('|')})(?:/|$)`);
  }

  readonly apply: ApplyFaults = (request, reply, clientId) => {
    const { drills, tokens } = this.#options;
    if (drills.none || request.routeOptions.config.document || !this.#routes.test(request.route)) return undefined;
    const client = clientId ?? clientOfCall(request, tokens);
    if (client instanceof Promise) return client.then((found) => this.#apply(found, request, reply) ?? true);
    return this.#apply(client, request, reply);
  };

  #apply(clientId: string | undefined, request: FastifyRequest, reply: FastifyReply): Promise<boolean> | undefined {
    if (clientId === undefined || !this.#options.drills.has(clientId)) return undefined;
    return this.#hits(clientId, request).then((hits) => this.#before(request, reply, hits));
  }

  async #hits(clientId: string, request: FastifyRequest): Promise<Hits> {
    const call = describedCall(request.method, request.route);
    const hit = <Name extends keyof CallDrillParameters>(name: Name) => this.#options.drills.hit(clientId, name, call);
    const [delay, unavailable, html, badJson, cut] = await Promise.all([
      hit('delay'),
      hit('unavailable'),
      hit('html-from-a-proxy'),
      hit('bad-json'),
      hit('cut-connections'),
    ]);
    return { clientId, delay, unavailable, 'html-from-a-proxy': html, 'bad-json': badJson, 'cut-connections': cut };
  }

  async #before(request: FastifyRequest, reply: FastifyReply, hits: Hits): Promise<boolean> {
    const { delay, unavailable, 'html-from-a-proxy': html, 'bad-json': badJson, 'cut-connections': cut } = hits;
    if (delay?.parameters.when === 'before') {
      if (!isKeyed(request)) {
        const waited = await this.#wait(request, reply, hits);
        if (waited === 'full') throw tooManyWait();
        if (waited === 'gone') return false;
      } else request.beforeWork = () => this.#waitRunning(request, reply, hits);
    }
    if (unavailable) {
      noteDrill(request, 'unavailable');
      throw refusal(unavailable.parameters.retryAfter);
    }
    if (html?.parameters.when === 'before') {
      noteDrill(request, 'html-from-a-proxy');
      reply.code(502).type('text/html').send(proxyPage);
      return false;
    }
    if (cut?.parameters.when === 'before') {
      noteDrill(request, 'cut-connections');
      return cutAtOnce(reply);
    }
    if (delay?.parameters.when === 'after' || html || badJson || cut) {
      request.changeAnswer = (payload) => this.#after(request, reply, hits, payload);
    }
    return true;
  }

  readonly meetPlate = async (request: FastifyRequest, reply: FastifyReply, regNumber: string): Promise<boolean> => {
    const { plates, tokens } = this.#options;
    const plate = plates && magicPlate(regNumber);
    if (plate === undefined) return true;
    const clientId = await clientOfCall(request, tokens);
    if (!(await plates?.meets(clientId, request.ip, regNumber))) return true;
    request.plate = plate;
    noteDrill(request, magicPlates[plate].drill);
    if (plate === '503') throw plateProblem('unavailable');
    if (plate === '429') throw plateProblem('rate-limit-exceeded');
    if (plate === 'CUT') return cutAtOnce(reply);
    if (plate === '504') {
      reply.code(504).type('text/html').send(pageOfProxy('504 Gateway Time-out', byPlate));
      return false;
    }
    return this.wait(request, reply, clientId, plateDelay);
  };

  readonly wait = async (
    request: FastifyRequest,
    reply: FastifyReply,
    clientId: string | undefined,
    milliseconds: number,
  ): Promise<boolean> => {
    const waited = await this.#options.delays.wait(clientId, request.ip, milliseconds, reply.raw);
    if (waited === 'full') throw tooManyWait();
    return waited === 'waited';
  };

  async #after(
    request: FastifyRequest,
    reply: FastifyReply,
    hits: Hits,
    payload: unknown,
  ): Promise<{ payload: unknown } | undefined> {
    const { delay, 'html-from-a-proxy': html, 'bad-json': badJson, 'cut-connections': cut } = hits;
    // One that can't wait goes on: its work is done.
    const goesOn = delay?.parameters.when !== 'after' || (await this.#wait(request, reply, hits)) !== 'gone';
    if (payload instanceof Readable) {
      if (goesOn) return { payload };
      payload.destroy();
    }
    if (!goesOn) return undefined;
    let body = Buffer.from((payload as string | Buffer | null | undefined) ?? '');
    let sent = payload;
    if (html) {
      noteDrill(request, 'html-from-a-proxy');
      reply.code(502).type('text/html');
      body = Buffer.from(proxyPage);
      sent = body;
    } else if (badJson && body.length > 0 && /json/.test(String(reply.getHeader('content-type')))) {
      noteDrill(request, 'bad-json');
      body = Buffer.from(badBody);
      sent = body;
    }
    if (!cut) return { payload: sent };
    noteDrill(request, 'cut-connections');
    cutAnswer(request, reply, body);
    return undefined;
  }

  async #wait(request: FastifyRequest, reply: FastifyReply, { clientId, delay }: Hits): Promise<Waited> {
    if (!delay) return 'waited';
    noteDrill(request, 'delay');
    const { fromMs, toMs } = delay.parameters;
    return this.#options.delays.wait(clientId, request.ip, fromMs + delay.chance * (toMs - fromMs), reply.raw);
  }

  /** For a handler that has begun: there is nobody to answer when the caller is gone. */
  async #waitRunning(request: FastifyRequest, reply: FastifyReply, hits: Hits): Promise<void> {
    const waited = await this.#wait(request, reply, hits);
    if (waited === 'waited') return;
    if (waited === 'full') throw tooManyWait();
    throw new ProblemError('unavailable', 'The caller hung up while the drill delay was on. Nothing was changed.');
  }
}

/** Tells whether the handler knows of a request that it is running (`StoredAnswers`). */
function isKeyed({ headers, routeOptions }: FastifyRequest): boolean {
  return headers['idempotency-key'] !== undefined && routeOptions.schema?.headers === IdempotencyKey;
}

function cutAtOnce(reply: FastifyReply): false {
  reply.hijack();
  reply.raw.destroy();
  return false;
}

function refusal(seconds: number): ProblemError {
  const detail =
    'The drill unavailable is on for this client, so the call was refused and changed nothing. Try again after the number of seconds in Retry-After.';
  return new ProblemError('unavailable', detail, { headers: { 'Retry-After': String(seconds) } });
}
