import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

/**
 * Writes a file that only its owner can read. A crash in the middle must not leave half of it: the new one is written
 * beside it and renamed.
 */
export function writePrivateFile(path: string, text: string): void {
  const draft = `${path}.new`;
  // One that a crash has left there may be open to others, or a link: what is written into it would be, too.
  rmSync(draft, { force: true });
  const file = openSync(draft, 'wx', 0o600);
  writeSync(file, text);
  fsyncSync(file);
  closeSync(file);
  renameSync(draft, path);
}
