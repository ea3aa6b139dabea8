import crypto, { createHmac, randomBytes, randomInt, randomUUID } from 'node:crypto';

/**
 * Where all that is left to chance and that callers see comes from: ids, secrets, plates. `what` names what it is for,
 * such as `policy`.
 */
export interface Randomness {
  bytes(what: string, length: number): Buffer;
  /** A whole number from `least` up to, but not including, `end`, which is at most 2**32 more. */
  integer(what: string, least: number, end: number): number;
  /** Version 4. */
  uuid(what: string): string;
  /** The same, for what has a name of its own: it is asked for once. */
  uuidOf(what: string): string;
  /** Version 7. `now`: milliseconds since 1970. */
  uuidV7(what: string, now: number): string;
}

export const systemRandomness: Randomness = {
  bytes: (_what, length) => randomBytes(length),
  integer: (_what, least, end) => randomInt(least, end),
  uuid: () => randomUUID(),
  uuidOf: () => randomUUID(),
  // Not by its name: the first versions of Node.js 24 lack it (package/gaps.js).
  uuidV7: () => crypto.randomUUIDv7(),
};

/**
 * All follows from a seed, so anybody can compute it: for tests only. Each `what` has a sequence of its own, so that
 * what is asked for at one place does not change what another one gets, whichever comes first.
 */
export class SeededRandomness implements Randomness {
  readonly #seed: string;
  readonly #asked = new Map<string, number>();

  constructor(seed: number) {
    this.#seed = String(seed);
  }

  /** Begins all sequences anew. */
  restart(): void {
    this.#asked.clear();
  }

  bytes(what: string, length: number): Buffer {
    return this.#bytes(`${what} ${this.#next(what)}`, length);
  }

  integer(what: string, least: number, end: number): number {
    // Of so many bits that no number comes noticeably more often than another.
    const chance = this.bytes(what, 8).readBigUInt64BE();
    return least + Number(chance % BigInt(end - least));
  }

  uuid(what: string): string {
    return uuidFrom(this.bytes(what, 16), 4);
  }

  uuidOf(what: string): string {
    return uuidFrom(this.#bytes(what, 16), 4);
  }

  uuidV7(what: string, now: number): string {
    const number = this.#next(what);
    const bytes = this.#bytes(`${what} ${number}`, 16);
    bytes.writeUIntBE(now, 0, 6);
    // Time may stand still: the count keeps them in order (RFC 9562, section 6.2).
    bytes.writeUInt16BE(number & 0xfff, 6);
    return uuidFrom(bytes, 7);
  }

  #next(what: string): number {
    const number = (this.#asked.get(what) ?? 0) + 1;
    this.#asked.set(what, number);
    return number;
  }

  #bytes(name: string, length: number): Buffer {
    const blocks: Buffer[] = [];
    for (let at = 0; at * 32 < length; at += 1) {
      blocks.push(createHmac('sha256', this.#seed).update(`${name} ${at}`).digest());
    }
    return Buffer.concat(blocks).subarray(0, length);
  }
}

function uuidFrom(bytes: Buffer, version: 4 | 7): string {
  bytes[6] = ((bytes[6] as number) & 0x0f) | (version << 4);
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([from, to]) => hex.slice(from, to))
    .join('-');
}
