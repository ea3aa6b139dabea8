import { hmac } from '@noble/hashes/hmac.js';
import { sha256 as digestOf } from '@noble/hashes/sha2.js';
import { utf8 } from '../../src/text/bytes.ts';
import type { Sha256 } from '../../src/text/signed-bytes.ts';

const bytesOf = (data: Uint8Array | string) => (typeof data === 'string' ? utf8(data) : data);

/** Browsers have it, but not for a page over plain HTTP from another machine, which is how a class comes. */
export const sha256: Sha256 = (data, key) =>
  key === undefined ? digestOf(bytesOf(data)) : hmac(digestOf, bytesOf(key), bytesOf(data));
