import { hex } from './bytes.ts';
import { sha256 } from './sha256.ts';

/*
 * Checks signatures of ES256: ECDSA on the curve P-256 with SHA-256 (RFC 7518, section 3.4; FIPS 186-5). Browsers can do
 * it, but not for a page over plain HTTP from another machine. Nothing here is secret, so time may tell what it likes.
 */

const p = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
const n = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const b = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;
const generator: Point = [
  0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n,
  0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n,
  1n,
];

/** In Jacobian coordinates: x / z², y / z³. z is 0 for the point at infinity. */
type Point = readonly [x: bigint, y: bigint, z: bigint];

const infinity: Point = [1n, 1n, 0n];

const mod = (value: bigint, of = p) => {
  const rest = value % of;
  return rest < 0n ? rest + of : rest;
};

function inverse(value: bigint, of: bigint): bigint {
  let [a, c, x, y] = [mod(value, of), of, 1n, 0n];
  while (c !== 0n) {
    const times = a / c;
    [a, c, x, y] = [c, a - times * c, y, x - times * y];
  }
  return mod(x, of);
}

function doubled([x, y, z]: Point): Point {
  if (z === 0n || y === 0n) return infinity;
  const ySquared = mod(y * y);
  const s = mod(4n * x * ySquared);
  const zSquared = mod(z * z);
  const m = mod(3n * (x - zSquared) * (x + zSquared));
  const x3 = mod(m * m - 2n * s);
  return [x3, mod(m * (s - x3) - 8n * ySquared * ySquared), mod(2n * y * z)];
}

function sum(first: Point, second: Point): Point {
  const [x1, y1, z1] = first;
  const [x2, y2, z2] = second;
  if (z1 === 0n) return second;
  if (z2 === 0n) return first;
  const [z1z1, z2z2] = [mod(z1 * z1), mod(z2 * z2)];
  const [u1, u2] = [mod(x1 * z2z2), mod(x2 * z1z1)];
  const [s1, s2] = [mod(y1 * z2 * z2z2), mod(y2 * z1 * z1z1)];
  const [h, r] = [mod(u2 - u1), mod(s2 - s1)];
  if (h === 0n) return r === 0n ? doubled(first) : infinity;
  const h2 = mod(h * h);
  const h3 = mod(h * h2);
  const v = mod(u1 * h2);
  const x3 = mod(r * r - h3 - 2n * v);
  return [x3, mod(r * (v - x3) - s1 * h3), mod(h * z1 * z2)];
}

/** `u` times the generator and `v` times the other point, in one go over the bits of both. */
function combined(u: bigint, v: bigint, point: Point): Point {
  const both = sum(generator, point);
  let result = infinity;
  for (let bit = 255n; bit >= 0n; bit -= 1n) {
    result = doubled(result);
    const [ofU, ofV] = [(u >> bit) & 1n, (v >> bit) & 1n];
    if (ofU && ofV) result = sum(result, both);
    else if (ofU) result = sum(result, generator);
    else if (ofV) result = sum(result, point);
  }
  return result;
}

const number = (bytes: Uint8Array) => BigInt(`0x${hex(bytes) || '0'}`);

/** Whether a signature (64 bytes) of a message is right. `x` and `y`: the coordinates of the public key, 32 bytes each. */
export function verifyEs256(
  key: { readonly x: Uint8Array; readonly y: Uint8Array },
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (signature.length !== 64) return false;
  const [r, s] = [number(signature.subarray(0, 32)), number(signature.subarray(32))];
  const [x, y] = [number(key.x), number(key.y)];
  const onCurve = x < p && y < p && mod(y * y - (x * x * x - 3n * x + b)) === 0n;
  if (!onCurve || r < 1n || r >= n || s < 1n || s >= n) return false;
  const w = inverse(s, n);
  const [foundX, , z] = combined(mod(number(sha256(message)) * w, n), mod(r * w, n), [x, y, 1n]);
  return z !== 0n && mod(mod(foundX * inverse(z * z, p)), n) === r;
}
