import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ActiveDrills, CallDrillParameters, Hit } from '../../active-drills.ts';
import type { Tokens } from '../../http/bearer.ts';
import { type ApplyFaults, clientOfCall, noteDrill } from '../../http/faults.ts';
import { IdempotencyKey } from '../../http/idempotency-key.ts';
import { ProblemError } from '../../http/problem.ts';
import { type Delays, tooManyWait, type Waited } from './delays.ts';

/*
 * The drills that hit calls and their answers. For each call every one of them decides, so that each counts all calls of
 * its client, whatever else is on. Then, in this order: a delay, 503, 502, a cut; then the work; then, on its answer, a
 * delay, 502, a body that is no JSON, a cut.
 */

export interface FaultsOptions {
  readonly drills: ActiveDrills;
  readonly delays: Delays;
  readonly tokens: Tokens;
  /** The first segments of the routes that can be hit. */
  readonly systems: readonly string[];
}

/** What hits a call, by drill. */
type Hits = { readonly [Name in keyof CallDrillParameters]: Hit<Name> | undefined } & { readonly clientId: string };

const badBody = 'This body was replaced by the drill bad-json: it is no JSON.\n';

const proxyPage = `<html>
<head><title>502 Bad Gateway</title></head>
<body>
<center><h1>502 Bad Gateway</h1></center>
<hr><center>the drill html-from-a-proxy</center>
</body>
</html>
`;

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
    const { drills } = this.#options;
    if (clientId === undefined || !drills.has(clientId)) return undefined;
    return this.#before(request, reply, {
      clientId,
      delay: drills.hit(clientId, 'delay'),
      unavailable: drills.hit(clientId, 'unavailable'),
      'html-from-a-proxy': drills.hit(clientId, 'html-from-a-proxy'),
      'bad-json': drills.hit(clientId, 'bad-json'),
      'cut-connections': drills.hit(clientId, 'cut-connections'),
    });
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
      reply.hijack();
      reply.raw.destroy();
      return false;
    }
    if (delay?.parameters.when === 'after' || html || badJson || cut) {
      request.changeAnswer = (payload) => this.#after(request, reply, hits, payload);
    }
    return true;
  }

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
    cutInTheMiddle(request, reply, body);
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

/** Tells whether the handler knows of a request that it is running (`KeptAnswers`). */
function isKeyed({ headers, routeOptions }: FastifyRequest): boolean {
  return headers['idempotency-key'] !== undefined && routeOptions.schema?.headers === IdempotencyKey;
}

function refusal(seconds: number): ProblemError {
  const detail =
    'The drill unavailable is on for this client, so the call was refused and changed nothing. Try again after the number of seconds in Retry-After.';
  return new ProblemError('unavailable', detail, { headers: { 'Retry-After': String(seconds) } });
}

/** Sends the head and half of the body, and closes the connection. */
function cutInTheMiddle(request: FastifyRequest, reply: FastifyReply, body: Buffer): void {
  const { raw } = reply;
  const half = body.subarray(0, Math.floor(body.length / 2));
  if (half.length === 0 || request.method === 'HEAD') {
    raw.destroy();
    return;
  }
  request.answer = half;
  raw.writeHead(reply.statusCode, { ...reply.getHeaders(), 'content-length': body.length } as never);
  raw.write(half, () => raw.destroy());
}
