import type { Database } from './database/database.ts';
import type { ServerContext } from './http/server-context.ts';
import type { Secrets } from './settings/secrets.ts';

/** What all components share. Made once, in `app.ts`. */
export interface Context extends ServerContext {
  readonly secrets: Secrets;
  readonly database: Database;
}
