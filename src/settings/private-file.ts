import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

/**
 * Writes a file that only this user can read. A crash in the middle must not leave half a file: the new one is written
 * beside it and renamed.
 *
 * @throws {Error} of the file system
 */
export function writePrivateFile(path: string, text: string): void {
  const draft = `${path}.new`;
  // One that a crash has left there may be open to others, or a link: what is written into it would be, too.
  rmSync(draft, { force: true });
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
}
