import { type CryptoKey, decodeJwt, errors, importJWK, type JWK, jwtVerify } from 'jose';
import type { ActiveDrills } from '../active-drills.ts';
import { BoundedCache } from '../bounded-cache.ts';
import { table, text } from '../database/columns.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { ProblemError } from '../http/problems/problem.ts';
import { audience, type Caller, getNewToken as getNew, invalidToken } from '../http/requests/bearer.ts';
import type { Randomness } from '../randomness.ts';
import type { BadgeKey } from '../text/badge.ts';
import { fromBase64Url } from '../text/bytes.ts';
import type { ClientClocks } from '../time/client-clocks.ts';
import { type Clock, instant } from '../time/clock.ts';
import { second } from '../time/units.ts';
import { type Client, clients } from './clients.ts';
import type { Consents } from './consents.ts';
import type { Scope } from './scope.ts';
import { algorithm, type Signing, type SignJws } from './signing.ts';
import { tokenAdvice } from './token-advice.ts';

/** Seconds a token is valid (Authentication, 1). */
export const tokenLifetime = 3600;

/** The member of `cnf` that names a certificate (RFC 8705, section 3.1). */
export const thumbprint = 'x5t#S256';

/** Tokens longer than any of ours are not looked at. */
const longestToken = 4096;

/** Signs facts, with the issuer and the time: a JWS in its compact form. */
export type SignStatement = (
  facts: object,
  type: string,
  issuer: string,
) => Promise<{ readonly claims: { readonly iss: string; readonly iat: number }; readonly jws: string }>;

/** Signs a credential, which is made for the key that the JWS names whole: whoever has it needs no server to check it. */
export type SignCredential = (
  make: (key: BadgeKey, issuedAt: number) => Record<string, unknown>,
) => Promise<{ readonly credential: Record<string, unknown>; readonly jwt: string }>;

interface Verified extends Omit<Caller, 'person'> {
  /** Seconds since 1970. */
  readonly expiresAt: number;
  /** Seconds. */
  readonly lifetime: number;
  /** Of a token for a person. */
  readonly consentId: string | undefined;
}

/** What the client of a token is told of it. */
export interface TokenFacts {
  readonly clientId: string;
  readonly scopes: ReadonlySet<string>;
  readonly issuer: string;
  /** The client, or the person that the token is for. */
  readonly subject: string;
  /** Undefined unless it is for a person. */
  readonly consentId: string | undefined;
  readonly userName: string | undefined;
  /** The `x5t#S256` of the certificate that it is bound to. */
  readonly boundTo: string | undefined;
  /** Seconds since 1970. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

export interface MintOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly clocks: ClientClocks;
  readonly randomness: Randomness;
  readonly signing: Signing;
  readonly drills: ActiveDrills;
  readonly consents: Consents;
  /** Told of what looks like a secret and is none: what a token is bound to. */
  readonly isPublic: (thumbprint: string) => void;
}

/** A key with which tokens are signed. */
interface Key {
  readonly sign: SignJws;
  readonly publicKey: CryptoKey;
  readonly jwk: JWK;
}

export interface IssueOptions {
  /** Seconds. */
  readonly lifetime?: number;
  /** Whether it is signed with the second key, for the drill `rotate-key`. */
  readonly secondKey?: boolean;
  /** Whom it is for, if not the client alone. */
  readonly consent?: { readonly consentId: string; readonly personId: string } | undefined;
  /** The `x5t#S256` of the certificate without which it is not taken (RFC 8705). */
  readonly boundTo?: string | undefined;
}

/** Issues tokens and checks them. Tokens are JWTs for access after RFC 9068. */
export class TokenMint {
  readonly #usual: Key;
  /** Only the drill `rotate-key` signs with it, and only the clients that it is for are shown it. */
  readonly #second: Key;
  readonly #options: MintOptions;
  // Checking a signature costs more than all the rest of a request, so it is done once for each token.
  readonly #verified = new BoundedCache<string, Verified>(10_000);

  private constructor(usual: Key, second: Key, options: MintOptions) {
    this.#usual = usual;
    this.#second = second;
    this.#options = options;
  }

  /** Uses the keys that the database keeps, and makes them at the first start. */
  static async open(options: MintOptions): Promise<TokenMint> {
    const usual = await openKey(options, 'current', 'signing key');
    return new TokenMint(usual, await openKey(options, 'second', 'second signing key'), options);
  }

  get publicKeys(): JWK[] {
    return [this.#usual.jwk, this.#second.jwk];
  }

  /**
   * The document at `/.well-known/jwks.json` (RFC 7517). A client under its prefix sees the second key while its tokens
   * may be signed with it: while the drill is on, and until the last of them has expired.
   */
  async jwksOf(clientId: string | undefined): Promise<{ keys: JWK[] }> {
    return { keys: (await this.#seesSecond(clientId)) ? this.publicKeys : [this.#usual.jwk] };
  }

  /** Whether tokens of a client have the second key by now: it was published for as long as the drill says. */
  usesSecond(clientId: string): boolean {
    const { drills, clocks } = this.#options;
    const drill = drills.of(clientId, 'rotate-key');
    return drill !== undefined && drill.startedAt <= clocks.since(clientId, drill.parameters.publishedFor * second);
  }

  async #seesSecond(clientId: string | undefined): Promise<boolean> {
    if (clientId === undefined) return false;
    const { drills, database, clocks } = this.#options;
    if (drills.of(clientId, 'rotate-key')) return true;
    const row = await findSecondUse(database.sql, { id: clientId });
    return (row?.secondKeyUntil ?? '') > instant(clocks.now(clientId));
  }

  /** `issuer`: the address by which it was asked for. */
  async issue(
    client: Client,
    scopes: readonly Scope[],
    issuer: string,
    { lifetime = tokenLifetime, secondKey = false, consent, boundTo }: IssueOptions = {},
  ): Promise<string> {
    const { database, clocks, randomness } = this.#options;
    const issuedAt = Math.floor(clocks.now(client.id) / 1000);
    const key = secondKey ? this.#second : this.#usual;
    if (secondKey) {
      const until = instant((issuedAt + lifetime) * 1000);
      await database.write((sql) => noteSecondUse(sql, { id: client.id, until }));
    }
    if (boundTo !== undefined) this.#options.isPublic(boundTo);
    return key.sign(header(key, 'at+jwt'), {
      client_id: client.id,
      scope: scopes.join(' '),
      iss: issuer,
      sub: consent?.personId ?? client.id,
      aud: audience,
      iat: issuedAt,
      exp: issuedAt + lifetime,
      jti: randomness.uuid('token'),
      ...(consent && { consent_id: consent.consentId }),
      ...(boundTo !== undefined && { cnf: { [thumbprint]: boundTo } }),
    });
  }

  /** Signs a statement. Its `type` keeps it from being taken for a token. `issuedAt` in seconds since 1970. */
  async sign(facts: object, type: string, { issuer, issuedAt }: { issuer: string; issuedAt: number }) {
    const claims = { iss: issuer, iat: issuedAt };
    return { claims, jws: await this.#usual.sign(header(this.#usual, type), { ...facts, ...claims }) };
  }

  /** Signs a credential with the key of the tokens. `issuedAt` in seconds since 1970. */
  async signCredential(make: Parameters<SignCredential>[0], issuedAt: number): ReturnType<SignCredential> {
    const { x = '', y = '' } = this.#usual.jwk;
    const jwk: BadgeKey = { kty: 'EC', crv: 'P-256', x, y };
    const credential = make(jwk, issuedAt);
    return { credential, jwt: await this.#usual.sign({ alg: algorithm, typ: 'JWT', jwk }, credential) };
  }

  /** The claims of a statement that `sign` has signed; undefined for any other text. */
  async statement(jws: string, type: string): Promise<Record<string, unknown> | undefined> {
    if (jws.length > longestToken) return undefined;
    try {
      const { payload } = await jwtVerify(jws, ({ kid }) => this.#keyOf(kid), { algorithms: [algorithm], typ: type });
      return payload;
    } catch {
      return undefined;
    }
  }

  /**
   * Who a token speaks for. No promise when it was seen before, and is for no person.
   *
   * @throws {ProblemError} `invalid-token`, saying what is wrong with it
   */
  verify(token: string): Caller | Promise<Caller> {
    const known = this.#verified.get(token);
    const verified = known ? this.#unexpired(known) : this.#verify(token);
    if (verified instanceof Promise) return verified.then((each) => this.#withPerson(each));
    return this.#withPerson(verified);
  }

  /** With the person of the token, whose consent must still hold: it may have ended a moment ago, on another node. */
  #withPerson(verified: Verified): Caller | Promise<Caller> {
    const { clientId, consentId } = verified;
    if (consentId === undefined) return verified;
    return this.#options.consents.personOf(clientId, consentId).then((person) => ({ ...verified, person }));
  }

  /** Undefined for a token that is refused. */
  async factsOf(token: string): Promise<TokenFacts | undefined> {
    try {
      const { person } = await this.verify(token);
      const { clientId, scopes, expiresAt, lifetime, consentId, boundTo } = this.#verified.get(token) as Verified;
      return {
        clientId,
        scopes,
        issuer: decodeJwt(token).iss as string,
        subject: person?.personId ?? clientId,
        consentId,
        userName: person?.userName,
        boundTo,
        issuedAt: expiresAt - lifetime,
        expiresAt,
      };
    } catch (error) {
      if (error instanceof ProblemError) return undefined;
      throw error;
    }
  }

  /** Whose token it is, also after it has expired; undefined if it is none of ours. */
  async holder(token: string): Promise<string | undefined> {
    try {
      return (await this.verify(token)).clientId;
    } catch {
      // One that has expired was verified all the same.
      return this.#verified.get(token)?.clientId;
    }
  }

  async #verify(token: string): Promise<Verified> {
    if (token.length > longestToken)
      throw invalidToken(
        withAdvice(token, `The token has ${token.length} characters, which is too long for a token of this server`),
      );
    try {
      const { payload } = await jwtVerify(token, ({ kid }) => this.#keyOf(kid), {
        algorithms: [algorithm],
        // Who issued it is told by the key: the service has several addresses, and they may change.
        audience,
        typ: 'at+jwt',
        requiredClaims: ['sub', 'scope', 'exp', 'iat'],
        // Whose clock decides whether it has expired is in the token.
        currentDate: new Date(0),
      });
      if (!token.split('.').every((part) => fromBase64Url(part)))
        throw invalidToken(`${tokenAdvice(token) ?? notStrict}. ${getNew}`);
      const { sub, scope, exp, iat } = payload as { sub: string; scope: string; exp: number; iat: number };
      const consentId = payload.consent_id as string | undefined;
      const boundTo = (payload.cnf as { [thumbprint]: string } | undefined)?.[thumbprint];
      const verified: Verified = {
        clientId: consentId === undefined ? sub : (payload.client_id as string),
        consentId,
        scopes: new Set(scope.split(' ')),
        expiresAt: exp,
        lifetime: exp - iat,
        ...(boundTo !== undefined && { boundTo }),
      };
      if (boundTo !== undefined) this.#options.isPublic(boundTo);
      this.#verified.set(token, verified);
      return this.#unexpired(verified);
    } catch (error) {
      throw refusal(error, token);
    }
  }

  #unexpired(verified: Verified): Verified {
    const { clientId, expiresAt } = verified;
    if (expiresAt * 1000 <= this.#options.clocks.now(clientId)) throw expired(verified);
    if (this.#isRevoked(verified)) throw revoked(verified);
    return verified;
  }

  #isRevoked({ clientId, expiresAt, lifetime }: Verified): boolean {
    const { drills, clocks } = this.#options;
    const drill = drills.of(clientId, 'revoke-tokens');
    if (!drill) return false;
    // A token does not tell in which moment of its second it was got.
    const age = clocks.now(clientId) - (expiresAt - lifetime + 1) * second;
    return clocks.since(clientId, age) < drill.startedAt;
  }

  #keyOf(kid: string | undefined): CryptoKey {
    const key = [this.#usual, this.#second].find(({ jwk }) => jwk.kid === kid);
    if (key) return key.publicKey;
    throw invalidToken(
      `The token was signed with a key that this server does not have: it is of another server, or of before the data of this one were removed. ${getNew}`,
    );
  }
}

const header = ({ jwk }: Key, typ: string) => ({ alg: algorithm, kid: jwk.kid as string, typ }) as const;

async function openKey(options: MintOptions, id: string, purpose: string): Promise<Key> {
  const whole = await keptKey(options, id, purpose);
  const { d: _private, ...jwk } = whole;
  const publicKey = (await importJWK(jwk, algorithm)) as CryptoKey;
  return { sign: await options.signing.signer(whole), publicKey, jwk };
}

async function keptKey({ database, clock, signing }: MintOptions, id: string, purpose: string): Promise<JWK> {
  const kept = await findKey(database.sql, { id });
  if (kept) return JSON.parse(kept.jwk);
  const whole = await signing.newKey(purpose);
  // Of several nodes that start at once, the first one's key is everybody's.
  const row = await database.write(async (sql) => {
    await insertKey(sql, { id, jwk: JSON.stringify(whole), createdAt: instant(clock.now()) });
    return findKey(sql, { id });
  });
  return JSON.parse((row as { jwk: string }).jwk);
}

/** Decoders pass over what is no base64url: a token would have any number of spellings (RFC 7515, 5.2). */
const notStrict =
  'The token is not written in base64url: it has another character, such as =, or its end was cut off or changed';

/** A reason, what the form of the token tells, and how to get a new one. */
function withAdvice(token: string, reason: string): string {
  const advice = tokenAdvice(token);
  return `${advice === undefined ? reason : `${reason}. ${advice}`}. ${getNew}`;
}

/** How to go on from a token that holds no more. For a person the credentials of the client alone bring none. */
const nextAfter = ({ consentId }: Verified) =>
  consentId === undefined
    ? getNew
    : 'Exchange its refresh token for a new one at POST /auth/token, with grant_type=refresh_token';

function expired(verified: Verified) {
  const { clientId, expiresAt: at, lifetime } = verified;
  const usual = lifetime === tokenLifetime;
  const valid = usual ? 'tokens are valid for an hour' : `the drill short-tokens made it valid for ${lifetime} s`;
  return invalidToken(`The token expired at ${instant(at * 1000)}; ${valid}. ${nextAfter(verified)}`, clientId);
}

function revoked(verified: Verified) {
  const reason = 'The drill revoke-tokens has ended all tokens from before its start';
  return invalidToken(`${reason}. ${nextAfter(verified)}`, verified.clientId);
}

function refusal(error: unknown, token: string): unknown {
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    const reason = 'The signature of the token is not valid: the token was changed or cut off';
    return invalidToken(withAdvice(token, reason));
  }
  if (error instanceof errors.JOSEAlgNotAllowed)
    return invalidToken(
      `Tokens of this server are signed with ${algorithm} only: the token is of another server. ${getNew}`,
    );
  if (error instanceof errors.JWTClaimValidationFailed) {
    return invalidToken(`The claim or header ${error.claim} of the token is missing or not for this server. ${getNew}`);
  }
  if (error instanceof errors.JOSEError) {
    return invalidToken(`${tokenAdvice(token) ?? 'The token is not a JWT of this server'}. ${getNew}`);
  }
  return error;
}

const signingKeys = table('signing_keys', { id: text, jwk: text, createdAt: text });

const findKey = statement.get`select ${signingKeys.pick('jwk')} from signing_keys where id = ${'id'}`;

const insertKey = statement.run`insert into signing_keys ${signingKeys.values} on conflict (id) do nothing`;

const findSecondUse = statement.get`select ${clients.pick('secondKeyUntil')} from clients where id = ${'id'}`;

const noteSecondUse = statement.run`
  update clients set second_key_until = ${'until'}
  where id = ${'id'} and coalesce(second_key_until, '') < ${'until'}`;
