import { computed, signal } from '@preact/signals';
import { type Credentials, keptCredentials, key } from './kept-credentials.ts';

export type { Credentials } from './kept-credentials.ts';

const trainerKey = 'lplate.trainer';

/** Whose page this is; undefined until a client was made or pasted. Kept in this browser. */
export const credentials = signal<Credentials | undefined>(keptCredentials());

/** The token of the trainer, kept for as long as the tab is open. */
export const trainerToken = signal<string | undefined>(readTrainerToken());

/** The address by which the browser reached the service: that of all examples. */
export const origin = location.origin;

/** The address of the API that most begin with. */
export const insurer = `${origin}/insurer/v1`;

/** The addresses that say whose call it is where no token does. */
export const personalPrefix = computed(() =>
  credentials.value ? `${origin}/for/${credentials.value.clientId}` : origin,
);

export function keepCredentials(value: Credentials): void {
  localStorage.setItem(key, JSON.stringify(value));
  credentials.value = value;
}

/** This browser forgets the client. The service keeps it. */
export function forgetCredentials(): void {
  localStorage.removeItem(key);
  credentials.value = undefined;
}

export function keepTrainerToken(value: string | undefined): void {
  if (value === undefined) sessionStorage.removeItem(trainerKey);
  else sessionStorage.setItem(trainerKey, value);
  trainerToken.value = value;
}

// Another tab of this browser may have made a client, or forgotten it.
addEventListener('storage', ({ key: changed }) => {
  if (changed === key || changed === null) credentials.value = keptCredentials();
});

function readTrainerToken(): string | undefined {
  const kept = sessionStorage.getItem(trainerKey) ?? '';
  return canBeToken(kept) ? kept : undefined;
}

/** Whether a header can carry it. */
export function canBeToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
