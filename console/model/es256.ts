import { p256 } from '@noble/curves/nist.js';
import { joined } from '../../src/text/bytes.ts';

/*
 * Checks signatures of ES256 (RFC 7518, section 3.4). Browsers can do it, but not for a page over plain HTTP from another
 * machine. It is large, so it is loaded only where a signature is checked.
 */

/** `x` and `y`: the coordinates of the public key, 32 bytes each. */
export function verifyEs256(
  { x, y }: { readonly x: Uint8Array; readonly y: Uint8Array },
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  const uncompressed = Uint8Array.of(4);
  // Each signature has a twin with another s, and signers of ES256 take the one that comes.
  const settings = { lowS: false };
  return signature.length === 64 && p256.verify(signature, message, joined(uncompressed, x, y), settings);
}
