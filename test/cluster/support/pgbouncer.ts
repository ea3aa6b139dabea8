import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { administer } from '../../support/engines.ts';
import { unprivilegedUser } from '../../support/postgres.ts';
import { ServerProcess } from '../../support/server-process.ts';
import { steadyPort } from '../../support/steady-port.ts';
import { programs } from './requirements.ts';

export type PoolMode = 'session' | 'transaction' | 'statement';

/** The address of a database through PgBouncer as it comes, but for its mode. It ends with the test. */
export async function throughPgBouncer(t: TestContext, url: string, mode: PoolMode): Promise<string> {
  const { hostname, port: onward, username, password } = new URL(url);
  const home = await mkdtemp(join(tmpdir(), 'l-plate-pgbouncer-'));
  t.after(() => rm(home, { recursive: true, force: true, maxRetries: 3 }));
  const port = await steadyPort();
  const settings = `[databases]
* = host=${hostname} port=${onward} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
`;
  const file = join(home, 'pgbouncer.ini');
  await writeFile(file, settings, { mode: 0o600 });
  const through = Object.assign(new URL(url), { port: String(port) }).href;
  // It does not run as root, either.
  const user = await unprivilegedUser();
  if (user) for (const path of [home, file]) await chown(path, user.uid, user.gid);
  const server = new ServerProcess({
    ...{ name: 'PgBouncer', file: programs.pgbouncer, args: [file], home, user, orderly: 'SIGINT' },
    answers: async () => (await administer('select 1', through)).length === 1,
  });
  t.after(() => server.kill());
  await server.start();
  return through;
}
