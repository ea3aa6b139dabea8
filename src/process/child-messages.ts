import type { Secrets } from '../settings/secrets.ts';
import type { Settings } from '../settings/settings.ts';

/* What a process and the service that it started as its child send each other: one message each. */

/** The settings, as texts. */
export type Given = Readonly<Partial<Record<keyof Settings, string>>>;

/** That the service listens, or why it does not. */
export type Answer =
  | { readonly ready: { readonly url: string; readonly publicUrl: string; readonly secrets: Secrets } }
  | { readonly failed: string };
