import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { access } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { nextPort } from '../settings/free-port.ts';
import { closeToOthers, leftOpen } from '../settings/private-file.ts';
import { inMemory } from '../settings/settings.ts';
import { StartupError } from '../settings/startup-error.ts';
import { type Holder, leaveHolder, readHolder, tellHolder } from './data-holder.ts';

/** A data directory that belongs to this process until it is released. */
export interface DataDirectory {
  readonly databaseFile: string;
  /** Whether an earlier start left a database here: without tables it has lost them. */
  readonly usedBefore: boolean;
  release(): void;
}

const sharedByAll = 0o1000;

/** The code of SQLite for a full disk. */
const sqliteFull = 13;

/** What is in it, besides `tls/`. */
export const dataFiles = {
  database: 'l-plate.db',
  lock: 'l-plate.lock',
  holder: 'l-plate.process.json',
  secrets: 'secrets.json',
  /** In a class on a terminal, with numbered ones for what came before. */
  log: 'l-plate.log',
  /** Only in a backup while it is being made. */
  unfinished: 'l-plate.unfinished-backup',
} as const;

/**
 * Makes the directory if need be, closes it to other users and locks it to this process. The kernel frees the lock
 * when the process dies, however it dies.
 *
 * @param address what a second start says of this one: where it can be reached
 * @throws {StartupError} when the directory can't be made, closed, read, written or locked
 */
export async function holdDataDirectory(path: string, address?: string): Promise<DataDirectory> {
  const directory = resolve(path);
  const holderFile = join(directory, dataFiles.holder);
  try {
    makeDirectory(directory);
    refuseShared(directory);
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    if (existsSync(join(directory, dataFiles.unfinished))) throw unfinished(directory);
    const databaseFile = join(directory, dataFiles.database);
    const lockFile = join(directory, dataFiles.lock);
    const files = [
      lockFile,
      databaseFile,
      `${databaseFile}-wal`,
      `${databaseFile}-shm`,
      join(directory, dataFiles.secrets),
    ];
    for (const file of files) checkPlain(file);
    const isNew = !existsSync(lockFile);
    create(lockFile);
    const unlock = lock(lockFile, () => inUse(path, readHolder(holderFile), address));
    tellHolder(holderFile, address);
    const release = () => {
      leaveHolder(holderFile);
      unlock();
    };
    try {
      closeToOthers(lockFile, 0o600);
      // Not before it was written to: the directories of a pseudo file system belong to everybody.
      closeToOthers(directory, 0o700, (open, found) => openDirectory(directory, open, found));
      const usedBefore = checkData(directory, databaseFile);
      // SQLite gives -wal and -shm the mode of the database file; those of an earlier run are there already.
      create(databaseFile);
      for (const suffix of ['', '-wal', '-shm']) closeToOthers(databaseFile + suffix, 0o600);
      return { databaseFile, usedBefore, release };
    } catch (error) {
      // Nothing stays behind in a directory that is not taken.
      if (isNew) rmSync(lockFile, { force: true });
      release();
      throw error;
    }
  } catch (error) {
    if (error instanceof StartupError) throw error;
    const refused = `The data directory ${directory} can't be used: ${reason(error)}`;
    if (!unwritable.has((error as NodeJS.ErrnoException).code ?? '')) throw new StartupError(1, refused);
    const then = 'Choose one that this user can write to, or keep nothing';
    throw new StartupError(1, `${refused}. ${then}`, { 'data-dir': inMemory });
  }
}

/** As of a root that can only be read, and a volume of another user. */
const unwritable = new Set(['EACCES', 'EPERM', 'EROFS']);

/** What to do about a database that has lost its data. */
export function lostData(file: string, what: string): StartupError {
  const first = `${file} ${what}, but this directory was used before: its data are lost, or a backup was not restored completely`;
  const then = `Restore a backup, or delete ${file}, ${file}-wal and ${file}-shm to start with a new database`;
  return new StartupError(1, `${first}. ${then}.`);
}

/**
 * Step by step: where nothing can be made, as in /proc, Node.js itself would try for ever to make a directory with all
 * that are above it.
 */
export function makeDirectory(directory: string): void {
  const found = statSync(directory, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  if (found) throw new Error('it is not a directory');
  if (isLink(directory)) throw new Error(`${directory} is a link to a directory that is not there`);
  makeDirectory(dirname(directory));
  mkdirSync(directory, { mode: 0o700 });
}

function unfinished(directory: string): StartupError {
  const then = 'Delete it, and use another backup';
  return new StartupError(1, `${directory} is a backup that was not finished: it lacks data. ${then}.`);
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

export function refuseShared(directory: string): void {
  if (process.platform === 'win32' || !(statSync(directory).mode & sharedByAll)) return;
  throw new StartupError(
    1,
    `${directory} is a directory that all users share. Choose one for L-Plate alone, such as ${join(directory, ownFolder)}`,
  );
}

/** Something else than a file would be waited for, or replaced. */
function checkPlain(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found ? found.isFile() : !isLink(file)) return;
  throw new StartupError(1, `${file} ${found ? 'is not a file' : 'is a link to a file that is not there'}`);
}

/**
 * SQLite takes an empty file for a new database, and deletes the log beside it, which may hold all there is. A database
 * that is not there at all is made anew, since to delete it is how one begins afresh.
 */
function checkData(directory: string, databaseFile: string): boolean {
  const size = (file: string) => statSync(file, { throwIfNoEntry: false })?.size;
  const bytes = size(databaseFile);
  const logged = (size(`${databaseFile}-wal`) ?? 0) > 0;
  if (bytes === undefined && logged) throw lostData(databaseFile, 'is missing');
  const usedBefore = bytes !== undefined && (logged || size(join(directory, dataFiles.secrets)) !== undefined);
  if (usedBefore && bytes === 0) throw lostData(databaseFile, 'is empty');
  return usedBefore;
}

function create(file: string): void {
  try {
    // Exclusive: to open and close a file that is there would drop the locks this process holds on it.
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** The folder that is named in place of one that can't be closed. */
const ownFolder = 'l-plate';

function openDirectory(directory: string, open: string, found: Stats): StartupError {
  // Where the folder that was named before is open too, all are: a file system of a share, or of another machine.
  if (basename(directory) === ownFolder) return leftOpen(open, found);
  const why = `this user can't change that; its owner is user ${found.uid}`;
  const instead = join(directory, ownFolder);
  return new StartupError(1, `${open}, and ${why}. Use a folder in it, which is made for L-Plate alone: ${instead}`, {
    'data-dir': instead,
  });
}

/** @param refusal what to throw if another process has it */
function lock(file: string, refusal: () => StartupError): () => void {
  const held = new DatabaseSync(file, { timeout: 0 });
  try {
    held.exec('pragma locking_mode = exclusive; pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    held.close();
    throw (error as { errcode?: number }).errcode === 5 ? refusal() : error;
  }
  return () => held.close();
}

function inUse(path: string, holder: Holder | undefined, address = ''): StartupError {
  const which = holder && [`process ${holder.process}`, holder.host && `on ${holder.host}`, holder.address];
  const shown = which ? ` (${which.filter((each) => each !== undefined).join(', ')})` : '';
  const ways = 'Use that one, stop it with Ctrl+C, or start another one beside it';
  const port = Number(URL.parse(address)?.port) || 8080;
  const instead = { 'data-dir': join(dirname(path), `${basename(path)}-2`), port: nextPort(port) };
  return new StartupError(1, `L-Plate already runs with the data directory ${resolve(path)}${shown}. ${ways}`, instead);
}

export function reason(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EEXIST':
    case 'ENOTDIR':
      return 'it is not a directory';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'ENOENT':
      return 'its file system does not allow new files';
    case 'ELOOP':
      return 'its links form a circle';
    case 'ENAMETOOLONG':
      return 'its name is too long';
    case 'EROFS':
      return 'the file system is read-only';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'the disk is full';
    case 'ERR_SQLITE_ERROR':
      return (error as { errcode?: number }).errcode === sqliteFull ? 'the disk is full' : (error as Error).message;
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
