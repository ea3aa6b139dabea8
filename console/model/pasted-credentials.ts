export interface PastedCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/**
 * The credentials in a text that somebody pasted: the JSON as `POST /demo-clients` answers it, also with something before
 * or after it. Undefined if there are none.
 */
export function readCredentials(text: string): PastedCredentials | undefined {
  const [json] = /\{[^{}]*\}/.exec(text) ?? [];
  if (json === undefined) return undefined;
  try {
    const { client_id: clientId, client_secret: clientSecret } = JSON.parse(json);
    if (typeof clientId === 'string' && typeof clientSecret === 'string') return { clientId, clientSecret };
  } catch {
    // No JSON.
  }
  return undefined;
}

/** The other way round: as the API answers it. */
export function writeCredentials({ clientId, clientSecret }: PastedCredentials): string {
  return JSON.stringify({ client_id: clientId, client_secret: clientSecret });
}
