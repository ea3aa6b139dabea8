import type { Exchange } from '../../api/types.ts';
import { type Body, bytesOf, isRedacted } from '../../model/exchange-body.ts';

export interface Signed {
  /** The header with the signature, as it was sent. */
  readonly header: string;
  /** What the bytes are made of. */
  readonly what: string;
  readonly bytes: Uint8Array;
  /** Why these are not exactly the bytes that were signed; undefined if they are. */
  readonly fault: string | undefined;
}

/** The bytes that a signature of the request is of; undefined if it has none. The secret is in no log. */
export function signedBytes({ request }: Pick<Exchange, 'request'>): Signed | undefined {
  const header = (wanted: string) => request.headers.find(({ name }) => name.toLowerCase() === wanted);
  const { body } = request;
  const bytes = body ? bytesOf(body) : new Uint8Array();
  const own = header('x-signature');
  if (own) return { header: own.name, what: 'the body, byte for byte', bytes, fault: faultOf(body) };
  const webhook = header('webhook-signature');
  if (!webhook) return undefined;
  const [id, timestamp] = [header('webhook-id')?.value, header('webhook-timestamp')?.value];
  const prefix = new TextEncoder().encode(`${id ?? ''}.${timestamp ?? ''}.`);
  const joined = new Uint8Array(prefix.length + bytes.length);
  joined.set(prefix);
  joined.set(bytes, prefix.length);
  const what = 'webhook-id, a full stop, webhook-timestamp, a full stop and the body';
  const missing =
    id === undefined || timestamp === undefined ? 'The webhook-id or webhook-timestamp is missing.' : undefined;
  return { header: webhook.name, what, bytes: joined, fault: missing ?? faultOf(body) };
}

function faultOf(body: Body | undefined): string | undefined {
  if (!body) return undefined;
  if (!body.complete) return 'The log has only the beginning of the body, so the last bytes are missing here.';
  if (isRedacted(body.text)) return 'A secret in the body was replaced before it was stored, so these are other bytes.';
  return undefined;
}
