import { chmodSync, closeSync, constants, mkdirSync, openSync, statSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartupError } from '../startup-error.ts';

/** A data directory that belongs to this process until it is released. */
export interface DataDirectory {
  readonly databaseFile: string;
  release(): void;
}

const sharedByAll = 0o1000;

/**
 * Makes the directory if need be, closes it to other users and locks it to this process. The kernel frees the lock
 * when the process dies, however it dies.
 *
 * @throws {StartupError} when the directory can't be made, closed, read, written or locked
 */
export async function holdDataDirectory(path: string): Promise<DataDirectory> {
  const directory = resolve(path);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    closeToOthers(directory, 0o700);
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    const databaseFile = join(directory, 'l-plate.db');
    const lockFile = join(directory, 'l-plate.lock');
    createPrivate(lockFile);
    const release = lock(lockFile, directory);
    try {
      // SQLite gives -wal and -shm the mode of the database file; those of an earlier run are there already.
      createPrivate(databaseFile);
      for (const suffix of ['-wal', '-shm']) closeToOthers(databaseFile + suffix, 0o600);
    } catch (error) {
      release();
      throw error;
    }
    return { databaseFile, release };
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(1, `The data directory ${directory} can't be used: ${reason(error)}`);
  }
}

/** The umask is not to be trusted, so the mode is set whether the file is new or old. */
function createPrivate(file: string): void {
  try {
    // Exclusive: to open and close a file that is there would drop the locks this process holds on it.
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  closeToOthers(file, 0o600);
}

function closeToOthers(path: string, mode: number): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || process.platform === 'win32') return;
  if (found.mode & sharedByAll) {
    throw new StartupError(1, `${path} is a directory that all users share: name a data directory of its own`);
  }
  if (found.mode & 0o077) chmodSync(path, mode);
}

function lock(file: string, directory: string): () => void {
  const held = new DatabaseSync(file, { timeout: 0 });
  try {
    held.exec('pragma locking_mode = exclusive; pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    held.close();
    if ((error as { errcode?: number }).errcode === 5) {
      throw new StartupError(1, `The data directory ${directory} is in use by another process`);
    }
    throw error;
  }
  return () => held.close();
}

function reason(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EEXIST':
    case 'ENOTDIR':
      return 'it is not a directory';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'EROFS':
      return 'the file system is read-only';
    case 'ENOSPC':
      return 'the disk is full';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
