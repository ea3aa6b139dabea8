import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { alias, integer, nullable, type RowOf, table, text, textOf } from '../database/columns.ts';
import type { Database, Sql } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { ProblemError } from '../http/problems/problem.ts';
import { type CallingPerson, invalidToken } from '../http/requests/bearer.ts';
import type { Page } from '../http/requests/paging.ts';
import type { Randomness } from '../randomness.ts';
import type { ClientClocks } from '../time/client-clocks.ts';
import { instant } from '../time/clock.ts';
import { day, minute } from '../time/units.ts';
import { holdClient, lockClient } from './clients.ts';
import { firstOfRun, people, removePeopleOfRun } from './people.ts';
import { narrow, type Scope } from './scope.ts';
import { invalidClient } from './token-request.ts';

/*
 * What a person lets a client do, and the codes and tokens that come of it. Each time that somebody allows something there is
 * a consent of its own:
 *
 *   given, with a code → exchanged → refreshed, again and again
 *        └──────────────────┴────────────┴───→ ended
 *
 * The code holds for a minute and once; each refresh token holds once, and the next one takes its place. What holds once and
 * comes again was stolen by somebody, or is used by two programs: nobody can tell which, so the consent ends (RFC 9700,
 * sections 2.1.1 and 4.14). It also ends when its person withdraws it, when the client revokes a token of it, and by time.
 *
 * Codes and refresh tokens begin with the id of their consent, so that one row says all. Of a code only the hash is stored;
 * a refresh token is a MAC of its number under the key of its consent, so those of before are known without being stored.
 */

/** What ended a consent, but time. */
export const consentEnds = ['withdrawn', 'revoked', 'code-reused', 'token-reused', 'forged'] as const;
type End = (typeof consentEnds)[number];

const consents = table('consents', {
  id: text,
  clientId: text,
  personId: text,
  scopes: text,
  createdAt: text,
  expiresAt: text,
  /** When its person will withdraw it, for the drill `consent-withdrawn`. */
  withdrawAt: nullable(text),
  redirectUri: text,
  /** `code_challenge`, by S256. */
  challenge: text,
  codeHash: text,
  codeExpiresAt: text,
  familyKey: text,
  /** How many refresh tokens there were. 0: its code was not exchanged. */
  refreshed: integer,
  refreshedAt: nullable(text),
  endedAt: nullable(text),
  /** `forged`: the drill `forged-callback` made its code. */
  endedBy: nullable(textOf<End>()),
});

type Row = RowOf<typeof consents>;

/** Milliseconds for which a code holds, a refresh token, and a consent. */
const codeHolds = minute;
const refreshTokenHolds = 30 * day;
export const consentHolds = 90 * day;

/** Consents of one client that are stored. Those that ended first make room. */
const maxConsents = 500;

/** Bytes of a code and a refresh token behind the id of their consent. */
const secretBytes = 24;
const idBytes = 16;
const numberBytes = 4;

const idPrefix = 'con-';

/** What a consent is given for. Times in milliseconds. */
export interface ConsentDraft {
  readonly personId: string;
  readonly scopes: readonly Scope[];
  readonly redirectUri: string;
  readonly challenge: string;
  readonly holds?: number | undefined;
  readonly withdrawAfter?: number | undefined;
  /** It can't be exchanged: nobody asked for it. */
  readonly isForged?: boolean;
}

/** What a code or a refresh token brings. */
export interface Granted {
  readonly consentId: string;
  readonly personId: string;
  readonly scopes: Scope[];
  readonly refreshToken: string;
}

/** What is known of a refresh token that holds. */
export interface HeldRefreshToken extends Omit<Granted, 'refreshToken'> {
  readonly userName: string;
  /** Milliseconds since 1970, by the clock of the client. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** A consent as its client is shown it. */
export interface Consent {
  readonly consentId: string;
  readonly personId: string;
  readonly userName: string;
  readonly scopes: string[];
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly endedAt: string | null;
  readonly endedBy: Exclude<End, 'forged'> | 'expired' | null;
}

export interface ConsentsOptions {
  readonly database: Database;
  readonly clocks: ClientClocks;
  readonly randomness: Randomness;
}

export class Consents {
  readonly #options: ConsentsOptions;

  constructor(options: ConsentsOptions) {
    this.#options = options;
  }

  /**
   * Resolves with the code when the consent is durable; undefined when the person is gone: the client was reset.
   *
   * @throws {ProblemError} `quota-exceeded`, or `invalid-token` when the client is gone
   */
  async give(clientId: string, draft: ConsentDraft): Promise<string | undefined> {
    const { database, clocks, randomness } = this.#options;
    const { personId, scopes, redirectUri, challenge, holds = consentHolds, withdrawAfter, isForged = false } = draft;
    const now = clocks.now(clientId);
    const uuid = randomness.uuidV7('consent', now);
    const code = whole(uuid, randomness.bytes('code', secretBytes));
    const at = instant(now);
    const isGiven = await database.write(async (sql) => {
      await lockClient(sql, clientId);
      if (!(await findPerson(sql, { clientId, personId }))) return false;
      await makeRoom(sql, clientId, now);
      await insert(sql, {
        id: idPrefix + uuid,
        clientId,
        personId,
        scopes: scopes.join(' '),
        createdAt: at,
        expiresAt: instant(now + holds),
        withdrawAt: withdrawAfter === undefined ? null : instant(now + withdrawAfter),
        redirectUri,
        challenge,
        codeHash: hash(code),
        codeExpiresAt: instant(now + codeHolds),
        familyKey: randomness.bytes('refresh tokens', 32).toString('base64url'),
        refreshed: 0,
        refreshedAt: null,
        endedAt: isForged ? at : null,
        endedBy: isForged ? 'forged' : null,
      });
      return true;
    });
    return isGiven ? code : undefined;
  }

  /**
   * What a code brings, once. One that comes again ends what came of it.
   *
   * @throws {ProblemError} `invalid-grant`, or `invalid-client` when the client is gone
   */
  async exchange(
    clientId: string,
    { code, redirectUri, verifier }: { code: string; redirectUri: string; verifier: string },
  ): Promise<Granted> {
    const now = instant(this.#options.clocks.now(clientId));
    return this.#change(clientId, code, async (sql, row) => {
      if (!row || !equal(hash(code), row.codeHash)) return noSuchCode;
      if (row.endedBy === 'forged') return forged;
      if (row.refreshed > 0) {
        if (endOf(row, now) === undefined) await end(sql, { id: row.id, endedAt: now, endedBy: 'code-reused' });
        return codeAgain;
      }
      const ended = endOf(row, now);
      if (ended) return reasonOf(ended);
      if (row.codeExpiresAt <= now) return codeExpired;
      if (row.redirectUri !== redirectUri) return otherRedirectUri;
      if (!equal(createHash('sha256').update(verifier).digest('base64url'), row.challenge)) return otherVerifier;
      return this.#next(sql, row, now);
    });
  }

  /**
   * What a refresh token brings, and the one that takes its place. One that was used before ends its consent. `scope`: what
   * the next access token is to have of the consent, if not all.
   *
   * @throws {ProblemError} `invalid-grant`, or `invalid-client` when the client is gone
   * @throws {DomainError} `invalid-scope`: nothing has changed then
   */
  async refresh(clientId: string, token: string, scope: string | undefined): Promise<Granted> {
    const now = instant(this.#options.clocks.now(clientId));
    return this.#change(clientId, token, async (sql, row) => {
      const number = row && numberIn(row, token);
      if (number === undefined) return noSuchToken;
      const ended = endOf(row as Row, now);
      if (ended) return reasonOf(ended);
      if (number < (row as Row).refreshed) {
        await end(sql, { id: (row as Row).id, endedAt: now, endedBy: 'token-reused' });
        return reasonOf('token-reused');
      }
      if (refreshTokenEnd(row as Row) <= now) return tokenExpired;
      const scopes = narrow(grantedBy(row as Row).scopes, scope, notAllowed);
      return { ...(await this.#next(sql, row as Row, now)), scopes };
    });
  }

  /** Changes a consent by a code or token of it. A refusal keeps what was written before it. */
  async #change(
    clientId: string,
    secret: string,
    work: (sql: Sql, row: Row | undefined) => Promise<Granted | string>,
  ): Promise<Granted> {
    const id = consentIn(secret);
    const outcome = await this.#options.database.write(async (sql) => {
      await lockClient(sql, clientId, invalidClient);
      return work(sql, id === undefined ? undefined : await find(sql, { clientId, id }));
    });
    if (typeof outcome === 'string') throw new ProblemError('invalid-grant', outcome);
    return outcome;
  }

  async #next(sql: Sql, row: Row, now: string): Promise<Granted> {
    const refreshed = row.refreshed + 1;
    await setRefreshed(sql, { id: row.id, refreshed, refreshedAt: now });
    return { ...grantedBy(row), refreshToken: refreshToken(row, refreshed) };
  }

  /** A refresh token of the client that holds; undefined for any other text. */
  async held(clientId: string, token: string): Promise<HeldRefreshToken | undefined> {
    const { database, clocks } = this.#options;
    const id = consentIn(token);
    const row = id === undefined ? undefined : await findWithPerson(database.sql, { clientId, id });
    const now = instant(clocks.now(clientId));
    if (!row || numberIn(row, token) !== row.refreshed || endOf(row, now) || refreshTokenEnd(row) <= now)
      return undefined;
    return {
      ...grantedBy(row),
      userName: row.userName,
      issuedAt: Date.parse(row.refreshedAt as string),
      expiresAt: Date.parse(refreshTokenEnd(row)),
    };
  }

  /**
   * Ends the consent of a refresh token, whichever of it. False for another text, for which nothing happens.
   *
   * @throws {ProblemError} `invalid-client` when the client is gone
   */
  async revokeRefreshToken(clientId: string, token: string): Promise<boolean> {
    const id = consentIn(token);
    const row = id === undefined ? undefined : await find(this.#options.database.sql, { clientId, id });
    return row !== undefined && numberIn(row, token) !== undefined && (await this.revoke(clientId, row.id));
  }

  /**
   * Ends a consent of the client by one of its access tokens. False if the client has no such consent.
   *
   * @throws {ProblemError} `invalid-client` when the client is gone
   */
  revoke(clientId: string, id: string): Promise<boolean> {
    return this.#end(clientId, id, 'revoked', invalidClient);
  }

  /**
   * Its person withdraws a consent of the client, unless it has ended. Resolves when that is durable. False if the client
   * has no such consent.
   *
   * @throws {ProblemError} `invalid-token` when the client is gone
   */
  withdraw(clientId: string, id: string): Promise<boolean> {
    return this.#end(clientId, id, 'withdrawn');
  }

  /**
   * Has people withdraw all consents of a client that hold so many milliseconds from now, by its clock, or sooner where they were
   * to anyway. Within a transaction that has locked the client.
   */
  async withdrawLater(sql: Sql, clientId: string, after: number): Promise<void> {
    await setWithdrawal(sql, { clientId, at: instant(this.#options.clocks.now(clientId) + after) });
  }

  /** The same of all clients but those that are exempt. Resolves when that is durable. */
  async withdrawAllLater(after: number, isExempt: (clientId: string) => boolean): Promise<void> {
    const { database } = this.#options;
    const next = async (last: string) => (await findNextClient(database.sql, { last }))?.clientId;
    for (let clientId = await next(''); clientId !== undefined; clientId = await next(clientId)) {
      const id = clientId;
      if (isExempt(id)) continue;
      await database.write(async (sql) => {
        if (await holdClient(sql, id)) await this.withdrawLater(sql, id, after);
      });
    }
  }

  /** Has one person withdraw what they allowed, at once. Within a transaction that has locked the client. */
  async withdrawOf(sql: Sql, clientId: string, personId: string): Promise<void> {
    await endOfPerson(sql, { clientId, personId, now: instant(this.#options.clocks.now(clientId)) });
  }

  /**
   * Uses the refresh token that the client got last of a person, as a thief would: the client’s own is an old one from now on.
   * Within a transaction that has locked the client. Resolves with the id of the consent; undefined if none holds.
   */
  async steal(sql: Sql, clientId: string, personId: string): Promise<string | undefined> {
    const now = instant(this.#options.clocks.now(clientId));
    const row = await findLatest(sql, { clientId, personId });
    if (!row || row.refreshed === 0 || endOf(row, now) !== undefined) return undefined;
    await this.#next(sql, row, now);
    return row.id;
  }

  /** Removes the people of a run of a capstone with what they allowed, within a transaction that has locked the client. */
  async removeOfRun(sql: Sql, clientId: string): Promise<void> {
    await removeOfRun(sql, { clientId, number: firstOfRun });
    await removePeopleOfRun(sql, clientId);
  }

  async #end(clientId: string, id: string, endedBy: End, gone?: () => ProblemError): Promise<boolean> {
    if (!isConsentId(id)) return false;
    const now = instant(this.#options.clocks.now(clientId));
    return this.#options.database.write(async (sql) => {
      await lockClient(sql, clientId, gone);
      const row = await find(sql, { clientId, id });
      if (!row || row.endedBy === 'forged') return false;
      if (endOf(row, now) === undefined) await end(sql, { id, endedAt: now, endedBy });
      return true;
    });
  }

  /**
   * The person of an access token, whose consent must still hold.
   *
   * @throws {ProblemError} `invalid-token`
   */
  async personOf(clientId: string, id: string): Promise<CallingPerson> {
    const row = await findWithPerson(this.#options.database.sql, { clientId, id });
    if (!row)
      throw invalidToken(
        `The consent of this token is gone: the client was reset, or the run of this person has ended. ${askAgain}`,
        clientId,
      );
    const ended = endOf(row, instant(this.#options.clocks.now(clientId)));
    if (ended) throw invalidToken(`${reasons[ended]}. ${askAgain}`, clientId);
    return { personId: row.personId, name: row.name, userName: row.userName };
  }

  /** Latest first. */
  async list(clientId: string, { page, pageSize }: Page): Promise<{ items: Consent[]; total: number }> {
    const { database, clocks } = this.#options;
    const now = instant(clocks.now(clientId));
    const before = (page - 1) * pageSize;
    const rows = await findPage(database.sql, { clientId, before, pageSize });
    const total = (await countShown(database.sql, { clientId }))?.count ?? 0;
    return { items: rows.map((row) => shownConsent(row, now)), total };
  }
}

/** Removes consents of a client that is removed or reset, at most `limit`. Returns how many. */
export function removeConsents(sql: Sql, clientId: string, limit: number): Promise<number> {
  return removeSome(sql, { clientId, limit });
}

export async function countConsents(sql: Sql, clientId: string): Promise<number> {
  return (await count(sql, { clientId }))?.count ?? 0;
}

const isConsentId = (id: string) => /^con-[0-9a-f-]{36}$/.test(id);

function shownConsent(row: RowWithPerson, now: string): Consent {
  const ended = endOf(row, now);
  const endedAt = row.endedAt ?? (ended === 'withdrawn' ? row.withdrawAt : row.expiresAt);
  return {
    consentId: row.id,
    personId: row.personId,
    userName: row.userName,
    scopes: row.scopes.split(' '),
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
    endedAt: ended ? endedAt : null,
    endedBy: (ended as Consent['endedBy'] | undefined) ?? null,
  };
}

type Ended = End | 'expired';

/** What has ended a consent by `now`, if anything. */
function endOf({ endedBy, withdrawAt, expiresAt }: Pick<Row, 'endedBy' | 'withdrawAt' | 'expiresAt'>, now: string) {
  if (endedBy !== null) return endedBy;
  if (withdrawAt !== null && withdrawAt <= now && withdrawAt < expiresAt) return 'withdrawn';
  return expiresAt <= now ? 'expired' : undefined;
}

const grantedBy = ({ id, personId, scopes }: Row) => ({
  consentId: id,
  personId,
  scopes: scopes.split(' ') as Scope[],
});

/** The id of a consent, and what makes it a secret. */
const whole = (uuid: string, secret: Buffer) =>
  Buffer.concat([Buffer.from(uuid.replaceAll('-', ''), 'hex'), secret]).toString('base64url');

/** The consent that a code or a refresh token names; undefined if it has the form of neither. */
function consentIn(secret: string): string | undefined {
  if (!/^[\w-]{54,59}$/.test(secret)) return undefined;
  const hex = Buffer.from(secret, 'base64url').subarray(0, idBytes).toString('hex');
  return idPrefix + hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function refreshToken({ id, familyKey }: Pick<Row, 'id' | 'familyKey'>, number: number): string {
  const numbered = Buffer.alloc(numberBytes);
  numbered.writeUInt32BE(number);
  const mac = createHmac('sha256', Buffer.from(familyKey, 'base64url')).update(numbered).digest();
  return whole(id.slice(idPrefix.length), Buffer.concat([numbered, mac.subarray(0, secretBytes)]));
}

/** Which refresh token of the consent it is; undefined if it is none. */
function numberIn(row: Row, token: string): number | undefined {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length !== idBytes + numberBytes + secretBytes) return undefined;
  const number = bytes.readUInt32BE(idBytes);
  return number <= row.refreshed && equal(token, refreshToken(row, number)) ? number : undefined;
}

const refreshTokenEnd = ({ refreshedAt, expiresAt }: Row) => {
  const byUse = instant(Date.parse(refreshedAt as string) + refreshTokenHolds);
  return byUse < expiresAt ? byUse : expiresAt;
};

const hash = (code: string) => createHash('sha256').update(code).digest('hex');

function equal(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Where there is no room for one more, those of which nothing can come any more go, oldest first. */
async function makeRoom(sql: Sql, clientId: string, at: number): Promise<void> {
  if ((await countConsents(sql, clientId)) < maxConsents) return;
  const [now, unused] = [instant(at), instant(at - refreshTokenHolds)];
  if ((await removeOldestEnded(sql, { clientId, now, unused, limit: 100 })) > 0) return;
  const detail = `This client has ${maxConsents} consents that hold, which is the limit. End some with DELETE /range/v1/me/consents/{consentId}.`;
  throw new ProblemError('quota-exceeded', detail);
}

const askAgain = 'Send the person to GET /insurer/v1/auth/authorize again';

const reasons: Record<Ended, string> = {
  withdrawn: 'The person has changed their mind and withdrawn the consent',
  revoked: 'A token of this consent was revoked, and with it all that came of the consent',
  'code-reused': 'The code of this consent was exchanged twice, so all that came of it has ended',
  'token-reused': 'A refresh token of this consent was used twice, so all that came of the consent has ended',
  expired: 'The consent has ended by time',
  forged: 'Nobody gave this consent',
};

const reasonOf = (ended: Ended) => `${reasons[ended]}. ${askAgain}.`;

// What is not the client's own is answered as what never was.
const noSuchCode = `This is no code of this client, or it was changed or cut off. ${askAgain}, and exchange the code of that redirect.`;
const codeAgain = `The code was exchanged before. It holds once, so all that came of it has ended: somebody may have stolen it. ${askAgain}.`;
const codeExpired = `The code has expired: it holds for 60 seconds. ${askAgain}, and exchange the code at once.`;
const otherRedirectUri =
  'The redirect_uri is not the one of the authorization request. Send the same, character by character.';
const otherVerifier =
  'The code_verifier does not fit the code_challenge of the authorization request: the challenge is the base64url of the SHA-256 of the verifier, without =. Send the verifier of the same request; if you never made it, somebody else’s code was put into your redirect.';
const noSuchToken = `This is no refresh token of this client, or it was changed or cut off. Send the one of your last answer; without one, ${askAgain[0]?.toLowerCase()}${askAgain.slice(1)}.`;
const notAllowed = (scope: string, allowed: readonly string[]) =>
  `The person did not allow the scope ${scope}. They allowed: ${allowed.join(' ')}. Leave scope out to get all of that; the refresh token still holds.`;
const tokenExpired = `The refresh token has expired: it holds for 30 days. ${askAgain}.`;
const forged =
  'The drill forged-callback made this code, and its state was none of yours: you let somebody else’s code into your session. Compare state with the one that you sent before you exchange a code.';

const insert = statement.run`insert into consents ${consents.values}`;

const find = statement.get`select ${consents} from consents where id = ${'id'} and client_id = ${'clientId'}`;

const withPerson = people.pick('name', 'userName');
type RowWithPerson = Row & RowOf<typeof withPerson>;

const findWithPerson = statement.get`
  select ${consents.of('c')}, ${withPerson.of('p')} from consents c join people p on p.id = c.person_id
  where c.id = ${'id'} and c.client_id = ${'clientId'}`;

const findPerson = statement.get`
  select ${people.pick('id')} from people where id = ${'personId'} and client_id = ${'clientId'}`;

const findPage = statement.all`
  select ${consents.of('c')}, ${withPerson.of('p')} from consents c join people p on p.id = c.person_id
  where c.client_id = ${'clientId'} and (c.ended_by is null or c.ended_by <> 'forged')
  order by c.id desc limit ${'pageSize'} offset ${'before'}`;

const countShown = statement.get`
  select count(*) as ${alias('count', integer)} from consents
  where client_id = ${'clientId'} and (ended_by is null or ended_by <> 'forged')`;

const count = statement.get`
  select count(*) as ${alias('count', integer)} from consents where client_id = ${'clientId'}`;

const end = statement.run`update consents set ended_at = ${'endedAt'}, ended_by = ${'endedBy'} where id = ${'id'}`;

const setWithdrawal = statement.run`
  update consents set withdraw_at = ${'at'}
  where client_id = ${'clientId'} and ended_by is null and (withdraw_at is null or withdraw_at > ${'at'})`;

const findNextClient = statement.get`
  select ${consents.pick('clientId')} from consents
  where client_id > ${'last'} and ended_by is null order by client_id limit 1`;

const endOfPerson = statement.run`
  update consents set ended_at = ${'now'}, ended_by = 'withdrawn'
  where client_id = ${'clientId'} and person_id = ${'personId'} and ended_by is null and expires_at > ${'now'}`;

const findLatest = statement.get`
  select ${consents} from consents
  where client_id = ${'clientId'} and person_id = ${'personId'} and (ended_by is null or ended_by <> 'forged')
  order by id desc limit 1`;

const removeOfRun = statement.run`
  delete from consents where client_id = ${'clientId'} and person_id in (
    select id from people where client_id = ${'clientId'} and number >= ${'number'}
  )`;

const setRefreshed = statement.run`
  update consents set refreshed = ${'refreshed'}, refreshed_at = ${'refreshedAt'} where id = ${'id'}`;

const removeOldestEnded = statement.run`
  delete from consents where id in (
    select id from consents
    where client_id = ${'clientId'} and (
      ended_by is not null or expires_at <= ${'now'} or withdraw_at <= ${'now'}
      or refreshed = 0 and code_expires_at <= ${'now'} or refreshed_at <= ${'unused'}
    )
    order by id limit ${'limit'}
  )`;

const removeSome = statement.run`
  delete from consents where id in (
    select id from consents where client_id = ${'clientId'} order by id limit ${'limit'}
  )`;
