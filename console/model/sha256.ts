import { hmac } from '@noble/hashes/hmac.js';
import { sha256 as digestOf } from '@noble/hashes/sha2.js';

/*
 * SHA-256 and HMAC. Browsers have both, but not for a page over plain HTTP from another machine, which is how a class comes.
 */

export function sha256(bytes: Uint8Array): Uint8Array {
  return digestOf(bytes);
}

export function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array {
  return hmac(digestOf, key, message);
}
