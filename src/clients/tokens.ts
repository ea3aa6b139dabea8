import { type CryptoKey, errors, importJWK, type JWK, jwtVerify } from 'jose';
import { BoundedCache } from '../bounded-cache.ts';
import { table, text } from '../database/columns.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { audience, type Caller, getNewToken as getNew, invalidToken } from '../http/bearer.ts';
import type { Randomness } from '../randomness.ts';
import { fromBase64Url } from '../text/bytes.ts';
import type { ClientClocks } from '../time/client-clocks.ts';
import { type Clock, instant } from '../time/clock.ts';
import type { Client } from './clients.ts';
import type { Scope } from './scope.ts';
import { algorithm, type Signing, type SignJws } from './signing.ts';
import { tokenAdvice } from './token-advice.ts';

/** Seconds a token is valid (Authentication, 1). */
export const tokenLifetime = 3600;

/** Tokens longer than any of ours are not looked at. */
const longestToken = 4096;

/** Signs facts, with the issuer and the time: a JWS in its compact form. */
export type SignStatement = (
  facts: object,
  type: string,
  issuer: string,
) => Promise<{ readonly claims: { readonly iss: string; readonly iat: number }; readonly jws: string }>;

interface Verified extends Caller {
  /** Seconds since 1970. */
  readonly expiresAt: number;
  /** Seconds. */
  readonly lifetime: number;
}

export interface MintOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly clocks: ClientClocks;
  readonly randomness: Randomness;
  readonly signing: Signing;
}

/** Issues tokens and checks them. Tokens are JWTs for access after RFC 9068. */
export class TokenMint {
  readonly #sign: SignJws;
  readonly #publicKey: CryptoKey;
  readonly #publicJwk: JWK;
  readonly #clocks: ClientClocks;
  readonly #randomness: Randomness;
  // Checking a signature costs more than all the rest of a request, so it is done once for each token.
  readonly #verified = new BoundedCache<string, Verified>(10_000);

  private constructor(sign: SignJws, publicJwk: JWK, publicKey: CryptoKey, { clocks, randomness }: MintOptions) {
    this.#sign = sign;
    this.#publicKey = publicKey;
    this.#publicJwk = publicJwk;
    this.#clocks = clocks;
    this.#randomness = randomness;
  }

  /** Uses the key that the database keeps, and makes it at the first start. */
  static async open(options: MintOptions): Promise<TokenMint> {
    const jwk = await keptKey(options);
    const { d: _private, ...publicJwk } = jwk;
    const publicKey = (await importJWK(publicJwk, algorithm)) as CryptoKey;
    return new TokenMint(await options.signing.signer(jwk), publicJwk, publicKey, options);
  }

  /** The document at `/.well-known/jwks.json` (RFC 7517). */
  get jwks(): { keys: JWK[] } {
    return { keys: [this.#publicJwk] };
  }

  /** `issuer`: the address by which it was asked for. `lifetime` in seconds. */
  async issue(client: Client, scopes: readonly Scope[], issuer: string, lifetime = tokenLifetime): Promise<string> {
    const issuedAt = Math.floor(this.#clocks.now(client.id) / 1000);
    return this.#sign(this.#header('at+jwt'), {
      client_id: client.id,
      scope: scopes.join(' '),
      iss: issuer,
      sub: client.id,
      aud: audience,
      iat: issuedAt,
      exp: issuedAt + lifetime,
      jti: this.#randomness.uuid('token'),
    });
  }

  /** Signs a statement. Its `type` keeps it from being taken for a token. `issuedAt` in seconds since 1970. */
  async sign(facts: object, type: string, { issuer, issuedAt }: { issuer: string; issuedAt: number }) {
    const claims = { iss: issuer, iat: issuedAt };
    return { claims, jws: await this.#sign(this.#header(type), { ...facts, ...claims }) };
  }

  #header(typ: string) {
    return { alg: algorithm, kid: this.#publicJwk.kid as string, typ } as const;
  }

  /**
   * Who a token speaks for. No promise when it was seen before.
   *
   * @throws {ProblemError} `invalid-token`, saying what is wrong with it
   */
  verify(token: string): Caller | Promise<Caller> {
    const known = this.#verified.get(token);
    if (!known) return this.#verify(token);
    return this.#unexpired(known);
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

  async #verify(token: string): Promise<Caller> {
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
      const verified: Verified = {
        clientId: sub,
        scopes: new Set(scope.split(' ')),
        expiresAt: exp,
        lifetime: exp - iat,
      };
      this.#verified.set(token, verified);
      return this.#unexpired(verified);
    } catch (error) {
      throw refusal(error, token);
    }
  }

  #unexpired(verified: Verified): Verified {
    const { clientId, expiresAt } = verified;
    if (expiresAt * 1000 > this.#clocks.now(clientId)) return verified;
    throw expired(verified);
  }

  #keyOf(kid: string | undefined): CryptoKey {
    if (kid === this.#publicJwk.kid) return this.#publicKey;
    throw invalidToken(
      `The token was signed with a key that this server does not have: it is of another server, or of before the data of this one were removed. ${getNew}`,
    );
  }
}

async function keptKey({ database, clock, signing }: MintOptions): Promise<JWK> {
  const kept = await findKey(database.sql);
  if (kept) return JSON.parse(kept.jwk);
  const whole = await signing.newKey();
  // Of several nodes that start at once, the first one's key is everybody's.
  const row = await database.write(async (sql) => {
    await insertKey(sql, { id: 'current', jwk: JSON.stringify(whole), createdAt: instant(clock.now()) });
    return findKey(sql);
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

function expired({ clientId, expiresAt: at, lifetime }: Verified) {
  const usual = lifetime === tokenLifetime;
  const valid = usual ? 'tokens are valid for an hour' : `the drill short-tokens made it valid for ${lifetime} s`;
  return invalidToken(`The token expired at ${instant(at * 1000)}; ${valid}. ${getNew}`, clientId);
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

const findKey = statement.get`select ${signingKeys.pick('jwk')} from signing_keys where id = 'current'`;

const insertKey = statement.run`insert into signing_keys ${signingKeys.values} on conflict (id) do nothing`;
