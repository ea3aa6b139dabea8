import { call } from '../api/call.ts';
import { type Credentials, keepCredentials } from '../api/session.ts';
import { readCredentials } from '../model/pasted-credentials.ts';
import { refreshMe } from './learner.ts';

/**
 * Makes a client and keeps it in this browser. It is the learner who makes it, so the call counts for lessons.
 *
 * @throws {Refused} when there are too many
 */
export async function makeClient(): Promise<void> {
  const { text } = await call('POST', '/insurer/v1/demo-clients', { as: 'nobody', counts: true });
  const made = readCredentials(text);
  if (made) keepCredentials(made);
}

/**
 * Keeps a client that somebody has, once a token shows that it is there.
 *
 * @throws {Refused} when it is not, with the reason
 */
export async function takeClient({ clientId, clientSecret }: Credentials): Promise<void> {
  const json = { client_id: clientId, client_secret: clientSecret };
  await call('POST', '/insurer/v1/auth/token', { as: 'nobody', json });
  keepCredentials({ clientId, clientSecret });
}

/** Null takes the nickname away. */
export async function setNickname(nickname: string | null): Promise<void> {
  await call('PATCH', '/range/v1/me', { json: { nickname } });
  await refreshMe();
}
