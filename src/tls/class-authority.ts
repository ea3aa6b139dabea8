import type { X509Certificate } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { writePrivateFile } from '../settings/private-file.ts';
import { StartupError } from '../settings/startup-error.ts';
import type { MachineNames } from './machine-names.ts';
import { checkPair, type Pair, type PairFiles, readPair } from './pair.ts';

/*
 * The class authority: a CA of this data directory, which those who practise trust once, and the certificate of this
 * machine that it signed. Both are in `tls/` of the data directory. The authority stays until it is near its end. The
 * certificate is renewed at a start when it lacks a name or an address of the machine, or is near its end; else it
 * stays, since browsers remember it where somebody accepted it without the authority.
 */

export interface ClassAuthority {
  /** In PEM. */
  readonly root: string;
  /** SHA-256, as `AB:CD:…`. */
  readonly fingerprint: string;
  /** The machine's certificate. */
  readonly files: PairFiles;
}

/** Milliseconds before its end at which a certificate is near it: a month. */
const nearEndMs = 31 * 24 * 60 * 60 * 1000;

/**
 * The authority and a certificate for these names, made or renewed where need be.
 *
 * @param now milliseconds since 1970; those who verify go by real time
 * @throws {StartupError} exit code 1: a file can't be read or written, or is damaged
 */
export async function classAuthority(dataDir: string, wanted: MachineNames, now: number): Promise<ClassAuthority> {
  const directory = join(dataDir, 'tls');
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    chmodSync(directory, 0o700);
    const above = filesOf(directory, 'ca');
    const files = filesOf(directory, 'server');
    const keptAuthority = kept(above, 'the class authority, which everyone must then trust again');
    const authority =
      keptAuthority && !nearEnd(keptAuthority.certificate, now)
        ? keptAuthority
        : await make(above, (issue) => issue.issueAuthority(`L-Plate class authority of ${hostname()}`, now));
    const server = kept(files, 'the certificate');
    if (!server || nearEnd(server.certificate, now) || !fits(server.certificate, authority.certificate, wanted)) {
      await make(files, (issue) => issue.issueServer(authority.pair, wanted, now));
    }
    return { root: authority.pair.cert, fingerprint: authority.certificate.fingerprint256, files };
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(1, `The class authority in ${directory} can't be used: ${(error as Error).message}`);
  }
}

interface Kept {
  readonly pair: Pair;
  readonly certificate: X509Certificate;
}

function filesOf(directory: string, name: string): PairFiles {
  return { certFile: join(directory, `${name}.pem`), keyFile: join(directory, `${name}-key.pem`) };
}

/** The pair of an earlier start. A key without its certificate is what a crash leaves of one that was being made. */
function kept(files: PairFiles, what: string): Kept | undefined {
  if (!existsSync(files.certFile)) return undefined;
  try {
    // A copy that was put back may be open to others.
    if (existsSync(files.keyFile)) chmodSync(files.keyFile, 0o600);
    const pair = readPair(files);
    return { pair, certificate: checkPair(pair, files) };
  } catch (error) {
    const advice = `Restore both files from a backup, or delete both to make ${what}`;
    throw new StartupError(1, `HTTPS can't start: ${(error as Error).message}. ${advice}.`);
  }
}

async function make(files: PairFiles, issue: (by: typeof import('./issue.ts')) => Promise<Pair>): Promise<Kept> {
  const pair = await issue(await import('./issue.ts'));
  // In this order: a certificate never stays with the key of another one.
  writePrivateFile(files.keyFile, pair.key);
  writePrivateFile(files.certFile, pair.cert);
  return { pair, certificate: checkPair(pair, files) };
}

function nearEnd({ validToDate }: X509Certificate, now: number): boolean {
  return validToDate.getTime() - now < nearEndMs;
}

function fits(server: X509Certificate, authority: X509Certificate, { names, addresses }: MachineNames): boolean {
  return (
    server.verify(authority.publicKey) &&
    names.every((name) => server.checkHost(name) !== undefined) &&
    addresses.every((address) => server.checkIP(address) !== undefined)
  );
}
