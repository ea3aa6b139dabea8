/* Receives webhooks. Refuses those that are old or not signed with the secret of the subscription. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';

const { WEBHOOK_SECRET = '', PORT = '9000' } = process.env;
if (!WEBHOOK_SECRET.startsWith('whsec_')) throw new Error('WEBHOOK_SECRET must be the secret of the subscription');
const key = Buffer.from(WEBHOOK_SECRET.slice('whsec_'.length), 'base64');
const seen = new Set<string>();

function isGenuine(headers: IncomingHttpHeaders, body: Buffer): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!(age < 300)) return false; // old: somebody may have recorded it and sends it again
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  // There can be several while a secret is replaced.
  return String(signatures)
    .split(' ')
    .filter((signature) => signature.startsWith('v1,'))
    .map((signature) => Buffer.from(signature.slice('v1,'.length), 'base64'))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}

/** Returns the status to answer with. */
async function receive(request: IncomingMessage): Promise<number> {
  if (!(Number(request.headers['content-length']) < 10_000)) return 413;
  const body = Buffer.concat(await request.toArray());
  if (!isGenuine(request.headers, body)) return 401;
  const { eventId, data } = JSON.parse(body.toString());
  if (!seen.has(eventId)) console.log(`${data.claimId}: ${data.previousStatus} -> ${data.newStatus}`);
  seen.add(eventId);
  return 204;
}

createServer((request, response) => {
  receive(request).then(
    (status) => response.writeHead(status).end(),
    () => response.destroy(),
  );
}).listen(Number(PORT), 'localhost', () => console.log(`listening on http://localhost:${PORT}`));
