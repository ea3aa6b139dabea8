/** The credentials of the learner, as this browser keeps them. */
export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Where they are in the storage of this origin. */
export const key = 'lplate.client';

/** What a service gives as the id of a client. Another value was not kept by this page. */
const clientIdForm = /^[a-z0-9-]{1,64}$/;

/** Undefined until a client was made or pasted. */
export function keptCredentials(): Credentials | undefined {
  try {
    const { clientId, clientSecret } = JSON.parse(localStorage.getItem(key) ?? '{}');
    if (typeof clientId === 'string' && clientIdForm.test(clientId) && typeof clientSecret === 'string')
      return { clientId, clientSecret };
  } catch {
    // Not ours. What is kept next replaces it.
  }
  return undefined;
}
