import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { StartupError } from './startup-error.ts';

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

/**
 * A file or folder that is there. A copy that was put back may be open to others.
 *
 * @param refusal what to throw if it is open to others, and that can't be changed
 */
export function closeToOthers(path: string, mode: number, refusal = leftOpen): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || process.platform === 'win32') return;
  if ((found.mode & 0o077) === 0) return;
  try {
    chmodSync(path, mode);
  } catch (error) {
    if (!unchangeable.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    // A volume of a container may belong to another user, and to a group that is ours.
    if (found.mode & others)
      throw refusal(`${path} is open to other users (mode ${(found.mode & 0o7777).toString(8)})`, found);
  }
}

/** Of a user who does not own it, and of file systems without modes. */
const unchangeable = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP']);

const others = 0o007;

/** `open`: what is open. */
export function leftOpen(open: string, _found: Stats): StartupError {
  return new StartupError(
    1,
    `${open}, and its file system does not let that be changed. Mount it with modes of 0700 for folders and 0600 for files, or keep the data on another one`,
  );
}
