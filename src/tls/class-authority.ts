import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { closeToOthers, writePrivateFile } from '../settings/private-file.ts';
import { StartupError } from '../settings/startup-error.ts';
import { day } from '../time/units.ts';
import type { IssuedAuthority } from './issue.ts';
import type { MachineNames } from './machine-names.ts';
import { isConstrained, permits } from './name-constraints.ts';
import { checkPair, dateFault, type Pair, type PairFiles, readPair } from './pair.ts';

/*
 * The class authority: a CA of this data directory, which those who practise trust once, and the certificate of this
 * machine that it signed. Both are in `tls/` of the data directory. The authority stays until it is near its end, or
 * callers are told a name that it can't sign for. The certificate is renewed when it lacks a name or an address of the
 * machine; else it stays, since browsers remember it where somebody accepted it without the authority.
 */

export interface ClassAuthority {
  /** In PEM. */
  readonly root: string;
  /** SHA-256, as `AB:CD:…`. */
  readonly fingerprint: string;
  /** Milliseconds since 1970 at which it is to be renewed, and at which it ends. */
  readonly renewAt: number;
  readonly endsAt: number;
  /** The machine's certificate. */
  readonly files: PairFiles;
  /** Why this call put it in the place of an earlier one; the end of a sentence. */
  readonly replaced: string | undefined;
}

/** Milliseconds before its end at which an authority is near it: a month. */
const nearEndMs = 31 * day;

/**
 * The authority and a certificate for these names, made or renewed where need be.
 *
 * @param now milliseconds since 1970; those who verify go by real time
 * @throws {StartupError} exit code 1: a file can't be read or written, or is damaged
 */
export async function classAuthority(dataDir: string, wanted: MachineNames, now: number): Promise<ClassAuthority> {
  const directory = tlsDirectory(dataDir);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    closeToOthers(directory, 0o700);
    const files = filesOf(directory);
    const kept = keptAuthority(files);
    const replaced = existsSync(files.unconstrainedKey)
      ? 'that of an earlier version could sign for any website'
      : kept && faultOf(kept, wanted, now);
    const authority = kept && replaced === undefined ? kept : await makeAuthority(files, wanted, now);
    await keepServer(files.server, authority.intermediate, wanted, now);
    const root = new X509Certificate(authority.root);
    const endsAt = root.validToDate.getTime();
    return {
      ...{ root: authority.root, fingerprint: root.fingerprint256, files: files.server, replaced },
      ...{ endsAt, renewAt: endsAt - nearEndMs },
    };
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(1, `The class authority in ${directory} can't be used: ${(error as Error).message}`);
  }
}

export const tlsDirectory = (dataDir: string) => join(dataDir, 'tls');

/** Whether its files belong together: not while they are renewed. */
export function isWhole(directory: string): boolean {
  const files = filesOf(directory);
  try {
    if (!keptAuthority(files)) return !existsSync(files.intermediate.keyFile);
    readChecked(files.server);
    return true;
  } catch {
    return false;
  }
}

type Files = ReturnType<typeof filesOf>;

function filesOf(directory: string) {
  const pair = (name: string): PairFiles => ({
    certFile: join(directory, `${name}.pem`),
    keyFile: join(directory, `${name}-key.pem`),
  });
  return {
    root: join(directory, 'ca.pem'),
    intermediate: pair('intermediate'),
    server: pair('server'),
    /** That of the root, which versions before kept. */
    unconstrainedKey: join(directory, 'ca-key.pem'),
  };
}

/** The authority of an earlier start. The certificate of the intermediate was written last: without it there is none. */
function keptAuthority({ root: rootFile, intermediate: files }: Files): IssuedAuthority | undefined {
  if (!existsSync(files.certFile)) return undefined;
  try {
    const intermediate = readChecked(files);
    const root = readFileSync(rootFile, 'utf8');
    if (new X509Certificate(intermediate.cert).verify(new X509Certificate(root).publicKey))
      return { root, intermediate };
    throw new Error(`${files.certFile} is not signed by ${rootFile}`);
  } catch (error) {
    const advice = 'Restore all files beside it from a backup, or delete all to make a new class authority';
    throw new StartupError(
      1,
      `HTTPS can't start: ${(error as Error).message}. ${advice}, which everyone must then trust again.`,
    );
  }
}

/** Why an authority can't go on. */
function faultOf(
  { root, intermediate }: IssuedAuthority,
  { told, machine }: MachineNames,
  now: number,
): string | undefined {
  const { validToDate, subject } = new X509Certificate(root);
  const [, maker = ''] = /class authority of ([^.\s]+)/.exec(subject) ?? [];
  const { raw } = new X509Certificate(intermediate.cert);
  const lacks = told.find((host) => !permits(raw, host));
  if (!isConstrained(raw)) return 'it has not the constraints of this version';
  if (machine !== undefined && maker.toLowerCase() !== machine)
    return `it was made under another name, ${maker}, and this machine is ${machine}`;
  if (lacks !== undefined) return `it can't sign for ${lacks}`;
  if (validToDate.getTime() - nearEndMs <= now) return `it ends on ${validToDate.toISOString().slice(0, 10)}`;
  return dateFault(new X509Certificate(root), now);
}

async function makeAuthority(files: Files, wanted: MachineNames, now: number): Promise<IssuedAuthority> {
  const { issueAuthority } = await import('./issue.ts');
  const issued = await issueAuthority(`L-Plate class authority of ${wanted.machine ?? hostname()}`, wanted, now);
  for (const old of [files.unconstrainedKey, files.intermediate.certFile]) rmSync(old, { force: true });
  writePrivateFile(files.root, issued.root);
  writePair(files.intermediate, issued.intermediate);
  return issued;
}

/** Renews the certificate of the machine, unless it is there, whole, of this authority, and has all names that it can. */
async function keepServer(files: PairFiles, intermediate: Pair, wanted: MachineNames, now: number): Promise<void> {
  const above = new X509Certificate(intermediate.cert);
  const permitted = (host: string) => permits(above.raw, host);
  const names = wanted.names.filter(permitted);
  const addresses = wanted.addresses.filter(permitted);
  try {
    const server = new X509Certificate(readChecked(files).cert);
    const has =
      names.every((name) => server.checkHost(name) !== undefined) &&
      addresses.every((address) => server.checkIP(address) !== undefined);
    if (has && server.verify(above.publicKey)) return;
  } catch {
    // It is not there, or a crash has left half of a new one: nobody trusts it by itself.
  }
  const { issueServer } = await import('./issue.ts');
  writePair(files, await issueServer(intermediate, { names, addresses }, now));
}

/** @throws {Error} what is wrong with it */
function readChecked(files: PairFiles): Pair {
  closeToOthers(files.keyFile, 0o600);
  const pair = readPair(files);
  checkPair(pair, files);
  return pair;
}

function writePair({ certFile, keyFile }: PairFiles, { cert, key }: Pair): void {
  writePrivateFile(keyFile, key);
  writePrivateFile(certFile, cert);
}
