import { table, text } from '../database/columns.ts';
import type { Database, Sql } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { FieldError } from '../http/problems/problem.ts';
import { lockClient } from './clients.ts';

/*
 * Where the authorization endpoint may send a browser to: the addresses that the client registered, compared character by
 * character (RFC 9700, section 4.1.3). Only the port of a loopback address is left open: a program gets whichever is free
 * (RFC 8252, section 7.3).
 */

const redirectUris = table('redirect_uris', { clientId: text, uris: text });

/** How many a client can register, and characters of one. */
export const maxRedirectUris = 10;
export const longestRedirectUri = 500;

/** An address of the machine itself, with or without a port. `localhost` is a name, which may lead elsewhere. */
const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(?=$|[/?])/;

const withoutPort = (uri: string) => uri.replace(loopback, '$1');

/** Whether a browser may be sent there. */
export function isRegistered(registered: readonly string[], uri: string): boolean {
  return registered.some(
    // Five digits are not always a port.
    (each) => each === uri || (loopback.test(each) && withoutPort(each) === withoutPort(uri) && URL.canParse(uri)),
  );
}

/** What is wrong with addresses that a client registers. `own`: the origin of this service, at which the console is an app. */
export function redirectUriFaults(uris: readonly string[], own: string): FieldError[] {
  return uris.flatMap((uri, at) => {
    const detail = faultOf(uri, own);
    return detail === undefined ? [] : [{ pointer: `/redirectUris/${at}`, detail }];
  });
}

function faultOf(uri: string, own: string): string | undefined {
  const url = URL.parse(uri);
  // What a browser would change is not what is compared.
  if (!url || !/^[!#-;=?-[\]_a-z~]+$/.test(uri) || !uri.toLowerCase().startsWith(url.origin))
    return 'must be an absolute URL, such as http://127.0.0.1/callback or https://app.example/callback.';
  if (url.hash !== '' || uri.endsWith('#')) return 'must have no fragment: leave out # and what follows it.';
  if (url.username !== '' || url.password !== '') return 'must have no user name or password before its host.';
  // Who reads what goes to the console of this service by plain HTTP reads the client's secret there anyway.
  if (url.protocol === 'https:' || url.origin === own) return undefined;
  if (url.protocol !== 'http:') return 'must begin with https://, or with http:// for this machine.';
  if (/^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)) return undefined;
  return 'must begin with https://, since by http:// anybody on the way could read the code. Only 127.0.0.1, [::1], localhost and this L-Plate may have http://.';
}

export class RedirectUris {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async of(clientId: string): Promise<string[]> {
    const row = await find(this.#database.sql, { clientId });
    return row ? JSON.parse(row.uris) : [];
  }

  /**
   * Puts these in place of those before.
   *
   * @throws {ProblemError} `invalid-token` when the client is gone
   */
  async replace(clientId: string, uris: readonly string[]): Promise<void> {
    await this.#database.write(async (sql) => {
      await lockClient(sql, clientId);
      await set(sql, { clientId, uris: JSON.stringify(uris) });
    });
  }
}

/** Removes those of a client that is removed. Returns how many rows there were. */
export function removeRedirectUris(sql: Sql, clientId: string): Promise<number> {
  return remove(sql, { clientId });
}

const find = statement.get`select ${redirectUris.pick('uris')} from redirect_uris where client_id = ${'clientId'}`;

const set = statement.run`
  insert into redirect_uris ${redirectUris.values}
  on conflict (client_id) do update set uris = excluded.uris`;

const remove = statement.run`delete from redirect_uris where client_id = ${'clientId'}`;
