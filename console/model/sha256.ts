import { joined } from './bytes.ts';

/*
 * SHA-256 (FIPS 180-4) and HMAC (RFC 2104). Browsers have both, but not for a page over plain HTTP from another machine,
 * which is how a class comes.
 */

const blockSize = 64;

/** The first 32 bits behind the point of the roots of the first primes. */
function fractions(root: number, count: number): Uint32Array {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; candidate += 1) {
    let prime = true;
    for (let divisor = 2; divisor * divisor <= candidate; divisor += 1) if (candidate % divisor === 0) prime = false;
    if (prime) found.push((candidate ** (1 / root) % 1) * 2 ** 32);
  }
  return Uint32Array.from(found);
}

const start = fractions(2, 8);
const constants = fractions(3, 64);

const rotated = (word: number, by: number) => (word >>> by) | (word << (32 - by));

export function sha256(bytes: Uint8Array): Uint8Array {
  const state = Uint32Array.from(start);
  const padded = withLength(bytes);
  const view = new DataView(padded.buffer);
  for (let at = 0; at < padded.length; at += blockSize) addBlock(state, view, at);
  const digest = new Uint8Array(32);
  const out = new DataView(digest.buffer);
  for (const [index, word] of state.entries()) out.setUint32(index * 4, word);
  return digest;
}

function withLength(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / blockSize) * blockSize);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, (bytes.length * 8) >>> 0);
  return padded;
}

function addBlock(state: Uint32Array, view: DataView, at: number): void {
  const words = new Uint32Array(64);
  const word = (index: number) => words[index] as number;
  for (let index = 0; index < 16; index += 1) words[index] = view.getUint32(at + index * 4);
  for (let index = 16; index < 64; index += 1) {
    const a = word(index - 15);
    const b = word(index - 2);
    const first = rotated(a, 7) ^ rotated(a, 18) ^ (a >>> 3);
    const second = rotated(b, 17) ^ rotated(b, 19) ^ (b >>> 10);
    words[index] = word(index - 16) + first + word(index - 7) + second;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let index = 0; index < 64; index += 1) {
    const chosen = (e & f) ^ (~e & g);
    const sum = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + chosen + (constants[index] ?? 0) + word(index);
    const most = (a & b) ^ (a & c) ^ (b & c);
    const other = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + most;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + sum) | 0, c, b, a, (sum + other) | 0];
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index] as number) + value;
}

export function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array {
  const block = new Uint8Array(blockSize);
  block.set(key.length > blockSize ? sha256(key) : key);
  const inner = sha256(
    joined(
      block.map((byte) => byte ^ 0x36),
      message,
    ),
  );
  return sha256(
    joined(
      block.map((byte) => byte ^ 0x5c),
      inner,
    ),
  );
}
