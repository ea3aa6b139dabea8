import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { access } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { dataFiles, makeDirectory, reason, refuseShared } from '../database/data-directory.ts';
import type { Config } from '../settings/config.ts';
import { closeToOthers, writePrivateFile } from '../settings/private-file.ts';
import { inMemory } from '../settings/settings.ts';
import { StartupError } from '../settings/startup-error.ts';
import { isWhole, tlsDirectory } from '../tls/class-authority.ts';

/*
 * `--backup DIR`: a copy of the data directory, from which a service can start. The service may run meanwhile, and so may
 * this without it. Until the copy is whole it has a mark, with which no start takes it.
 */

/** @throws {StartupError} exit code 2: it can't be asked for in this way; 1: it could not be made */
export async function backUp(
  directory: string,
  { dataDir, databaseUrl }: Config,
  startLine: (changed: Record<string, string>) => string,
): Promise<string> {
  if (databaseUrl !== undefined) throw new StartupError(2, withPostgres);
  if (dataDir === inMemory)
    throw new StartupError(2, 'A service with --data-dir memory keeps nothing that could be copied');
  const [from, to] = [resolve(dataDir), resolve(directory)];
  try {
    await checkSource(from);
    const isOurs = !existsSync(to);
    begin(from, to);
    try {
      await copy(from, to);
    } catch (error) {
      clear(to, isOurs);
      throw error;
    }
    const size = `${(statSync(join(to, dataFiles.database)).size / 1e6).toFixed(1)} MB`;
    return `The data of ${from} are copied to ${to}: the database (${size}), the secrets that were generated, the class authority if there is one.
Whoever has the copy has its secrets. A service starts from it with this, and the other flags of yours, such as --class: ${startLine({ 'data-dir': to })}
`;
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(1, `${to} can't be made: ${reason(error)}`);
  }
}

const withPostgres = `With DATABASE_URL all data are in PostgreSQL and none on this machine, so there is nothing that L-Plate could copy. This copies the database while nodes run: pg_dump --format=custom --file=l-plate.dump "$DATABASE_URL". It has everything but the secrets, which are in your settings: keep HMAC_SECRET, READER_CLIENT_SECRET, FLEET_CLIENT_SECRET and TRAINER_TOKEN with it. How to restore it: docs/operations.md`;

async function checkSource(from: string): Promise<void> {
  const fault = (what: string) => new StartupError(1, `${from} ${what}. Name the data directory with --data-dir`);
  const found = statSync(from, { throwIfNoEntry: false });
  if (!found) throw fault('is not there, so there is nothing to copy');
  if (!found.isDirectory()) throw fault('is not a directory');
  try {
    await access(from, constants.R_OK | constants.X_OK);
  } catch (error) {
    throw fault(`can't be read: ${reason(error)}`);
  }
  if (existsSync(join(from, dataFiles.unfinished))) throw fault('is a backup that was not finished');
  if (!statSync(join(from, dataFiles.database), { throwIfNoEntry: false })?.size) throw fault('has no database');
}

/** Makes the directory, if need be, and its mark. */
function begin(from: string, to: string): void {
  const fault = (what: string) => new StartupError(2, `--backup: ${to} ${what}. Choose a new directory`);
  const found = statSync(to, { throwIfNoEntry: false });
  if (found && !found.isDirectory()) throw fault('is not a directory');
  if (isWithin(realPath(to), realPath(from))) throw fault(`is in the data directory ${from}`);
  const entries = found ? readdirSync(to) : [];
  if (entries.includes(dataFiles.unfinished)) throw fault(otherBackup);
  if (entries.length > 0) throw fault('is not empty');
  makeDirectory(to);
  refuseShared(to);
  try {
    // Exclusive: of two that are made in one place at a time, one is refused.
    writeFileSync(join(to, dataFiles.unfinished), 'This backup is not finished.\n', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? fault(otherBackup) : error;
  }
}

const otherBackup = 'has a backup that was not finished, or is being made';

const isWithin = (path: string, directory: string) => {
  const way = relative(directory, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && resolve(directory, way) === path);
};

/** Where a path leads, links followed as far as there is something. */
function realPath(path: string): string {
  if (existsSync(path) || dirname(path) === path) return realpathSync.native(path);
  return join(realPath(dirname(path)), basename(path));
}

async function copy(from: string, to: string): Promise<void> {
  closeToOthers(to, 0o700);
  await copyDatabase(join(from, dataFiles.database), join(to, dataFiles.database));
  copyFile(from, to, dataFiles.secrets);
  await copyAuthority(from, to);
  sync(to);
  rmSync(join(to, dataFiles.unfinished));
  sync(to);
}

/** One step of the online backup takes one snapshot, whatever is written meanwhile. */
async function copyDatabase(from: string, to: string): Promise<void> {
  writeFileSync(to, '', { flag: 'wx', mode: 0o600 });
  closeToOthers(to, 0o600);
  const source = new DatabaseSync(from, { readOnly: true, timeout: 5000 });
  try {
    await backup(source, to, { rate: maxPages });
  } finally {
    source.close();
  }
  const copied = new DatabaseSync(to);
  try {
    const fault = copied.prepare('pragma quick_check(1)').get()?.quick_check;
    if (fault !== 'ok') throw new Error(`the database is damaged: ${fault}`);
  } finally {
    copied.close();
  }
}

/** More than any database has. */
const maxPages = 0x7fffffff;

/** Milliseconds between two looks at an authority that is being renewed, and how many there are. */
const renewing = { pauseMs: 100, looks: 20 };

async function copyAuthority(from: string, to: string): Promise<void> {
  const [source, target] = [tlsDirectory(from), tlsDirectory(to)];
  if (!existsSync(source)) return;
  mkdirSync(target, { mode: 0o700 });
  for (let looks = 1; ; looks += 1) {
    for (const name of readdirSync(target)) rmSync(join(target, name));
    for (const name of readdirSync(source)) {
      if (name.endsWith('.pem')) copyFile(source, target, name);
    }
    // If it is never whole, it is not so in the data directory either.
    if (isWhole(target) || looks === renewing.looks) return sync(target);
    await pause(renewing.pauseMs);
  }
}

/** Copies a file that is there. Anything else of this name would be waited for. */
function copyFile(from: string, to: string, name: string): void {
  const path = join(from, name);
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) writePrivateFile(join(to, name), readFileSync(path, 'utf8'));
}

/** Makes the names of files last that were written there. */
function sync(directory: string): void {
  if (process.platform === 'win32') return;
  const opened = openSync(directory, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** Removes what is not whole, the mark last. */
function clear(to: string, whole: boolean): void {
  try {
    const mark = dataFiles.unfinished;
    for (const name of readdirSync(to).filter((each) => each !== mark)) rmSync(join(to, name), { recursive: true });
    rmSync(whole ? to : join(to, mark), { recursive: true });
  } catch {
    // What is left has its mark.
  }
}
