import { Buffer } from 'node:buffer';
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import type { Randomness } from '../randomness.ts';
import type { BadgeKey } from '../text/badge.ts';

/** The only algorithm that is signed with and accepted. */
export const algorithm = 'ES256';

/** A key is named by its id, or given whole for those who have no list of keys. */
type Header = { readonly alg: typeof algorithm; readonly typ: string } & (
  | { readonly kid: string }
  | { readonly jwk: BadgeKey }
);

/** Makes a JWS in its compact form. */
export type SignJws = (header: Header, claims: Record<string, unknown>) => Promise<string>;

/** How keys are made and used. */
export interface Signing {
  /** A new private key, with its id. `purpose` tells one key of the service from another. */
  newKey(purpose: string): Promise<JWK>;
  /** Signs with a key. */
  signer(jwk: JWK): Promise<SignJws>;
}

export const randomSigning: Signing = {
  async newKey() {
    const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
    return named(await exportJWK(privateKey));
  },

  async signer(jwk) {
    const key = (await importJWK(jwk, algorithm)) as CryptoKey;
    return (header, claims) => new SignJWT(claims).setProtectedHeader(header).sign(key);
  },
};

/** Bytes that a key is made of (FIPS 186-5, A.2.1). */
const seedLength = 48;

/** Key and signatures follow from the seed (RFC 6979), which Node.js has no way for. */
export async function seededSigning(randomness: Randomness): Promise<Signing> {
  // Loaded only where it is wanted.
  const { p256 } = await import('@noble/curves/nist.js');
  return {
    newKey(purpose) {
      const { secretKey } = p256.keygen(randomness.bytes(purpose, seedLength));
      const point = p256.getPublicKey(secretKey, false);
      const [x, y] = [point.subarray(1, 33), point.subarray(33)];
      return named({ kty: 'EC', crv: 'P-256', x: encoded(x), y: encoded(y), d: encoded(secretKey) });
    },

    async signer({ d = '' }) {
      const secretKey = Buffer.from(d, 'base64url');
      return async (header, claims) => {
        const input = `${encoded(JSON.stringify(header))}.${encoded(JSON.stringify(claims))}`;
        return `${input}.${encoded(p256.sign(Buffer.from(input), secretKey))}`;
      };
    },
  };
}

async function named(jwk: JWK): Promise<JWK> {
  return { ...jwk, kid: await calculateJwkThumbprint(jwk), alg: algorithm, use: 'sig' };
}

function encoded(bytes: string | Uint8Array): string {
  return Buffer.from(bytes as Uint8Array).toString('base64url');
}
