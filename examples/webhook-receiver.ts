/* Receives webhooks. Refuses those that are old or not signed with the secret of the subscription, and says why. */
import { createServer, type IncomingMessage } from 'node:http';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

const { WEBHOOK_SECRET = '', PORT = '9000' } = process.env;
if (!WEBHOOK_SECRET.startsWith('whsec_')) throw new Error('WEBHOOK_SECRET must be the secret of the subscription');
const webhook = new Webhook(WEBHOOK_SECRET);
const seen = new Set<string>();

/** Returns the status and, if it refuses, the reason: the delivery log of L-Plate shows it. */
async function receive(request: IncomingMessage): Promise<[status: number, reason?: string]> {
  if (!(Number(request.headers['content-length']) < 10_000)) return [413, 'The body is too long.'];
  // The bytes as they arrived: JSON that is parsed and written again has another signature.
  const body = Buffer.concat(await request.toArray());
  try {
    webhook.verify(body, request.headers as Record<string, string>);
  } catch (error) {
    if (error instanceof WebhookVerificationError) return [401, reasonOf(error.message)];
    throw error;
  }
  const { eventId, data } = JSON.parse(body.toString());
  if (!seen.has(eventId)) console.log(`${data.claimId}: ${data.previousStatus} -> ${data.newStatus}`);
  seen.add(eventId);
  return [204];
}

function reasonOf(message: string): string {
  if (message !== 'No matching signature found') return `${message}.`;
  return `${message}: is WEBHOOK_SECRET that of this subscription? POST …/check-signature says what was signed.`;
}

createServer(async (request, response) => {
  try {
    const [status, reason] = await receive(request);
    if (reason) console.log(`refused (${status}): ${reason}`);
    response.writeHead(status).end(reason);
  } catch {
    response.destroy();
  }
}).listen(Number(PORT), () =>
  console.log(`listening on http://localhost:${PORT}, and on all addresses of this machine`),
);
