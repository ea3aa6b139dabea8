import { closeSync, existsSync, fchmodSync, fstatSync, openSync, renameSync, statSync } from 'node:fs';
import { chunk, type Target } from './output.ts';

/** Bytes of one file, and how many there are besides the newest: 50 MB at the most. */
const bounds = { bytes: 10_000_000, before: 4 };

/**
 * A log in files that only their owner can read. When the newest is full, it becomes number 1, what was number 1 becomes
 * number 2, and the oldest goes.
 */
export class LogFile implements Target {
  readonly path: string;
  readonly blocks = true;
  readonly chunk = chunk.other;
  readonly #bounds: typeof bounds;
  #fd: number | undefined;

  constructor(path: string, limits = bounds) {
    this.path = path;
    this.#bounds = limits;
  }

  open(bytes: number): number {
    this.#fd ??= openPrivate(this.path);
    const { size, nlink } = fstatSync(this.#fd);
    const isFull = size > 0 && size + bytes > this.#bounds.bytes;
    // Somebody may have removed it to get room.
    if (nlink > 0 && !isFull) return this.#fd;
    closeSync(this.#fd);
    this.#fd = undefined;
    if (isFull && nlink > 0) this.#shift();
    this.#fd = openPrivate(this.path);
    return this.#fd;
  }

  #shift(): void {
    const name = (number: number) => (number === 0 ? this.path : `${this.path}.${number}`);
    for (let number = this.#bounds.before; number > 0; number -= 1) {
      if (existsSync(name(number - 1))) renameSync(name(number - 1), name(number));
    }
  }
}

function openPrivate(path: string): number {
  // To open a pipe would wait for its reader.
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) throw new Error('it is not a file');
  const fd = openSync(path, 'a', 0o600);
  try {
    fchmodSync(fd, 0o600);
  } catch {
    // Of another user, or of a file system without modes: its folder is closed to others.
  }
  return fd;
}
