import type { FastifyRequest } from 'fastify';
import { live } from '../../http/answers/event-stream.ts';
import { unsentBody } from '../../http/answers/unsent-body.ts';
import { type Api, endpoint, type Handlers } from '../../http/endpoint.ts';
import { ProblemError } from '../../http/problems/problem.ts';
import { streamType, wantsStream } from '../../http/requests/accepted-type.ts';
import { callerOf } from '../../http/requests/bearer.ts';
import { invalid } from '../../http/requests/validation.ts';
import { shownValue } from '../../text/shown-value.ts';
import type { RelayAnswer, RelayStream, Relays } from '../../webhooks/index.ts';
import { keptHeaders } from '../exchanges/call.ts';
import type { LiveStreams } from '../live-streams.ts';
import { anyScope, clientTokenProblems } from '../refusals.ts';
import type { RelayAnswerDraft } from './schemas.ts';
import { texts } from './texts.ts';

export interface RelayRoutesOptions {
  readonly relays: Relays;
  readonly relayStreams: LiveStreams;
}

/** The relay of the caller: webhooks by way of its own machine. */
export function relayRoutes(api: Api, options: RelayRoutesOptions): void {
  const { readRelay, answerRelayCall } = handlers(options);
  endpoint(api, 'GET', '/me/relay', texts.readRelay, {
    handler: readRelay,
    scope: anyScope,
    problems: [...clientTokenProblems, 'quota-exceeded'],
  });
  endpoint(api, 'POST', '/me/relay/:relayCallId', texts.answerRelayCall, {
    handler: answerRelayCall,
    scope: anyScope,
    problems: [...clientTokenProblems, 'relay-call-not-found'],
    body: 'json',
  });
}

function handlers({ relays, relayStreams }: RelayRoutesOptions): Handlers<typeof texts> {
  async function open(request: FastifyRequest) {
    const caller = callerOf(request);
    let stream: RelayStream | undefined;
    let [isOver, isReplaced] = [false, false];
    const leave = () => void stream?.leave().catch(() => {});
    const read = async () => {
      // Only once there is a place for it.
      if (!stream) {
        stream = await relays.connect(caller.clientId);
        if (isOver) leave();
      }
      if (isReplaced) return undefined;
      const calls = await stream.take();
      isReplaced = calls === 'replaced';
      return calls === 'replaced'
        ? { text: 'event: replaced\ndata: {}\n\n', more: true }
        : { text: calls.map(message).join(''), more: false };
    };
    return relayStreams.open(caller, request.ip, 'the calls of your webhooks follow', read, () => {
      isOver = true;
      leave();
    });
  }

  return {
    async readRelay(request, reply) {
      if (!wantsStream(request)) return { connectedAt: await relays.connectedAt(callerOf(request).clientId) };
      // HEAD asks for the headers only, and would leave a stream open that nobody reads.
      const stream = request.method === 'HEAD' ? unsentBody() : await open(request);
      return reply.type(streamType).headers(live).send(stream);
    },

    async answerRelayCall(request, reply) {
      const { clientId } = callerOf(request);
      const { relayCallId: id } = request.params;
      if (await relays.answer(clientId, id, answerOf(request.body))) return reply.code(204).send();
      const detail = `No call with the id ${shownValue(id)} waits for an answer of your relay: it was answered, or 15 seconds have passed. The call is made again, as after any failure.`;
      throw new ProblemError('relay-call-not-found', detail);
    },
  };
}

const message = (call: { readonly id: string }) => `event: call\nid: ${call.id}\ndata: ${JSON.stringify(call)}\n\n`;

/** @throws {ProblemError} `validation-error` */
function answerOf({ status, headers = {}, body = '', error, detail }: RelayAnswerDraft): RelayAnswer {
  const fault = (pointer: string, text: string) => invalid([{ pointer, detail: text }]);
  if (error !== undefined) {
    if (status !== undefined) throw fault('/status', 'goes without error: send one of the two.');
    if (detail !== undefined && error !== 'other')
      throw fault('/detail', 'goes with "error": "other" alone: the other errors say it all. Leave it out.');
    return { error, ...(detail !== undefined && { detail }) };
  }
  if (status === undefined)
    throw fault('/status', 'is missing: send the status that your receiver answered, or error.');
  if (detail !== undefined) throw fault('/detail', 'goes with "error": "other" alone. Leave it out.');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(body)) throw fault('/body', 'must be base64: letters, digits, + and /, then =.');
  const kept = Object.entries(headers).filter(([name]) => keptHeaders.test(name) || /^date$/i.test(name));
  return { status, headers: Object.fromEntries(kept), body };
}
