import type { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TlsOptions } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { Config } from '../settings/config.ts';
import { networksEveryMs } from '../settings/networks.ts';
import { inMemory } from '../settings/settings.ts';
import { StartupError } from '../settings/startup-error.ts';
import { systemClock } from '../time/clock.ts';
import { reason } from '../time/periodic-job.ts';
import { type ClassAuthority, classAuthority } from './class-authority.ts';
import { type MachineNames, machineNames } from './machine-names.ts';
import { checkPair, dateFault, type Pair, type PairFiles, readPair } from './pair.ts';

/** With what the server speaks HTTPS. */
export interface Tls {
  /** The certificate as it is now, and what clients are asked for. */
  readonly options: TlsOptions;
  /** As it is now; undefined where the certificate was given. */
  readonly authority: ClassAuthority | undefined;
  /** Renews the certificate when the machine has other names or addresses, and the authority when it ends soon. */
  keepUp(now: number): Promise<void>;
  /** `take` is called with the options when the files have changed. To be called once. */
  onChange(take: (options: TlsOptions) => void): void;
  close(): void;
}

/** Milliseconds between two looks at the files. A change is taken at the second look that finds it. */
const lookInterval = 500;

/**
 * Undefined where the settings leave it at HTTP. `config.port` is known.
 *
 * @throws {StartupError} exit code 2: the files that were given can't be used; 1: the data directory can't
 */
export async function openTls(config: Config, log: Logger): Promise<Tls | undefined> {
  const { tls, dataDir } = config;
  if (tls === 'self') {
    const issued = async (directory: string) => {
      const authority = await classAuthority(directory, machineNames(config), systemClock.now());
      tellReplaced(authority, log);
      return new WatchedPair(authority.files, config, log, authority);
    };
    return dataDir === inMemory ? withoutFiles(issued) : issued(dataDir);
  }
  const files = givenFiles(config);
  return files && new WatchedPair(files, config, log);
}

/** One whose files are gone when it has read them. */
async function withoutFiles(issued: (directory: string) => Promise<Tls>): Promise<Tls> {
  const directory = temporaryDirectory();
  try {
    const { options, authority } = await issued(directory);
    // Nobody runs it for as long as its certificate lasts.
    return { options, authority, keepUp: async () => {}, onChange: () => {}, close: () => {} };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** @throws {StartupError} exit code 1 */
function temporaryDirectory(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'l-plate-tls-'));
  } catch (error) {
    throw new StartupError(1, `HTTPS needs a directory for temporary files: ${(error as Error).message}`);
  }
}

/** Checks the files that were given before several workers do, so that it is said once. @throws {StartupError} exit code 2 */
export function checkGivenFiles(config: Config): void {
  const files = givenFiles(config);
  if (files) usablePair(files);
}

function givenFiles({ tlsCert, tlsKey }: Config): PairFiles | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  return { certFile: tlsCert, keyFile: tlsKey };
}

function usablePair(files: PairFiles): { readonly pair: Pair; readonly certificate: X509Certificate } {
  try {
    const pair = readPair(files);
    return { pair, certificate: checkPair(pair, files) };
  } catch (error) {
    throw new StartupError(2, `HTTPS: ${(error as Error).message}.`);
  }
}

/**
 * Looks at the content of the files again and again: files may be replaced by a rename, a link or another mount, which
 * the events of the file system don't all tell. A new pair that can't be used changes nothing, and the log says so.
 */
class WatchedPair implements Tls {
  authority: ClassAuthority | undefined;
  readonly #config: Config;
  readonly #files: PairFiles;
  readonly #log: Logger;
  #used: Pair;
  /** As found at the look before. */
  #found: Pair;
  /** The last one that was looked into: the used one, or one that can't be. */
  #judged: Pair;
  #timers: NodeJS.Timeout[] = [];
  #unreadable = false;
  /** The names that the authority and its certificate were last made for. */
  #wanted: MachineNames | undefined;
  #keepingUp = false;
  #failure = '';

  constructor(files: PairFiles, config: Config, log: Logger, authority?: ClassAuthority) {
    this.#files = files;
    this.#config = config;
    this.#log = log;
    this.authority = authority;
    const { pair, certificate } = usablePair(files);
    this.#used = pair;
    this.#warn(certificate);
    this.#found = this.#used;
    this.#judged = this.#used;
  }

  get options(): TlsOptions {
    const { cert, key } = this.#used;
    const ca = this.#config.tlsClientCa;
    // Who presents no certificate, or a wrong one, is served all the same: the exercise tells them.
    return { cert, key, ...(ca !== undefined && { ca, requestCert: true, rejectUnauthorized: false }) };
  }

  onChange(take: (options: TlsOptions) => void): void {
    this.#timers = [
      setInterval(() => void this.#look(take), lookInterval).unref(),
      setInterval(() => void this.keepUp(systemClock.now()), networksEveryMs).unref(),
    ];
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  async keepUp(now: number): Promise<void> {
    const { authority } = this;
    // A name that a network gives the machine meanwhile is not worth everybody's trust.
    const wanted = { ...machineNames(this.#config), machine: undefined };
    if (!authority || this.#keepingUp || (now < authority.renewAt && isDeepStrictEqual(wanted, this.#wanted))) return;
    this.#keepingUp = true;
    try {
      this.authority = await classAuthority(this.#config.dataDir, wanted, now);
      this.#wanted = wanted;
      this.#failure = '';
      tellReplaced(this.authority, this.#log);
    } catch (error) {
      // It is tried again and told once.
      if (this.#failure !== reason(error)) this.#log.error({ reason: reason(error) }, 'HTTPS can’t be renewed');
      this.#failure = reason(error);
    }
    this.#keepingUp = false;
  }

  #warn(certificate: X509Certificate): void {
    const fault = dateFault(certificate, systemClock.now());
    const { certFile } = this.#files;
    if (fault)
      this.#log.warn({ certFile }, `the certificate for HTTPS ${fault}: clients that verify it will refuse it`);
  }

  async #look(take: (options: TlsOptions) => void): Promise<void> {
    const { certFile } = this.#files;
    try {
      const before = this.#found;
      this.#found = await readAgain(this.#files);
      this.#unreadable = false;
      // Of two files one is always written first.
      if (!same(before, this.#found) || same(this.#judged, this.#found)) return;
      this.#judged = this.#found;
      this.#warn(checkPair(this.#found, this.#files));
      this.#used = this.#found;
      take(this.options);
      this.#log.info({ certFile }, 'the certificate for HTTPS has changed; new connections use the new one');
    } catch (error) {
      if (!this.#unreadable) this.#log.error({ reason: reason(error) }, refused);
      this.#unreadable = isOfFileSystem(error);
    }
  }
}

/** Callers refuse what the new one signs until they trust it. */
function tellReplaced({ replaced, fingerprint }: ClassAuthority, log: Logger): void {
  if (replaced === undefined) return;
  log.warn(
    { fingerprint },
    `there is a new class authority, since ${replaced}: everyone must trust it anew, as /ca says`,
  );
}

const refused = 'the new certificate or key for HTTPS can’t be used; the old one stays';

async function readAgain({ certFile, keyFile }: PairFiles): Promise<Pair> {
  const [cert, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')]);
  return { cert, key };
}

function isOfFileSystem(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code !== undefined;
}

function same(one: Pair, other: Pair): boolean {
  return one.cert === other.cert && one.key === other.key;
}
