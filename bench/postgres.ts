import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { type PostgresServer, startPostgres } from '../test/support/postgres.ts';
import { create } from './cases.ts';
import { endWithUs, openDirectory, scratchDirectory } from './cleanup.ts';
import { type Learner, newLearner } from './learner.ts';
import { installed, type Measured, measure } from './measure.ts';
import { type Compared, type Effort, inPairs } from './pairs.ts';
import { startLPlate } from './servers.ts';

/*
 * What L-Plate adds to PostgreSQL: policies created over HTTP, against pgbench running the same transaction on the same
 * server by as many connections. Both for as many clients, since the creates of one client wait for each other.
 */

export interface AgainstPgbench extends Compared {
  workers: number;
}

/** The least share of pgbench's transactions per second. */
export const leastOfPgbench = 0.5;

const clients = 32;

/** Connections of each worker. */
const poolSize = 10;

/** What `Policies.create` does, to the clients named bench-1, bench-2 and so on. */
const transaction = `
\\set owner random(1, ${clients})
\\set vehicle random(1, 9999999999)
begin isolation level read committed read write;
update clients set policy_count = policy_count + 1 where id = 'bench-' || :owner returning policy_count \\gset
insert into policies (id, client_id, number, reg_number, reg_key, holder, coverage_option, status, start_date, end_date,
    created_at, updated_at)
  values ('pol-' || uuidv7(), 'bench-' || :owner, :policy_count, 'P-' || :vehicle, 'P' || :vehicle, 'Ada Example',
    'MTPL-12M', 'active', '2026-01-01', '2026-12-31', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')
  on conflict (reg_key) where status in ('active', 'updated') do nothing;
commit;
`;

export async function againstPgbench(effort: Effort, progress: (what: string) => void): Promise<AgainstPgbench[]> {
  const missing = installed('pgbench') ? undefined : 'NO PGBENCH (Debian: postgresql-contrib)';
  const server = missing ? undefined : await startPostgres({ dataIn: openDirectory(), durable: true });
  if (!server) {
    process.stderr.write(
      `\n*** ${missing ?? 'NO POSTGRESQL for this platform'}: creates on it are not measured ***\n\n`,
    );
    return [];
  }
  try {
    const found: AgainstPgbench[] = [];
    for (const workers of [1, 2]) {
      progress(`create a policy on PostgreSQL, workers: ${workers}`);
      found.push({ workers, ...(await compareOn(server, workers, effort)) });
    }
    return found;
  } finally {
    await server.stop();
  }
}

async function compareOn({ url }: PostgresServer, workers: number, effort: Effort): Promise<Compared> {
  const lplate = await startLPlate(scratchDirectory(), {
    ...{ DATABASE_URL: url, DATABASE_POOL_SIZE: String(poolSize), WORKERS: String(workers) },
    ...{ HMAC_SECRET: 'bench', READER_CLIENT_SECRET: 'bench', FLEET_CLIENT_SECRET: 'bench' },
  });
  try {
    await addClients(url);
    const learners: Learner[] = [];
    while (learners.length < clients) learners.push(await newLearner(lplate.url));
    const load = { ...create(learners[0] as Learner), turns: learners.map(({ authorization }) => authorization) };
    // Of several processes one would tell the time of its own only.
    const target = { ...lplate, cpu: async () => Number.NaN };
    return await inPairs(
      (seconds) => measure(target, load, seconds),
      (seconds) => pgbench(url, workers * poolSize, seconds),
      effort,
    );
  } finally {
    await lplate.stop();
  }
}

async function addClients(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const at = '2026-01-01T00:00:00.000Z';
  await client.query(
    `insert into clients (id, secret_hash, scopes, preset, created_at, last_used_at)
     select 'bench-' || number, '', '', 1, $1, $1 from generate_series(1, $2::integer) as number
     on conflict (id) do nothing`,
    [at, clients],
  );
  await client.end();
}

async function pgbench(url: string, connections: number, seconds: number): Promise<Measured> {
  const file = join(scratchDirectory(), 'create.sql');
  writeFileSync(file, transaction);
  const options = ['--no-vacuum', '--protocol=prepared', `--client=${connections}`, `--time=${seconds}`];
  const child = spawn('pgbench', [...options, `--file=${file}`, url], { stdio: ['ignore', 'pipe', 'pipe'] });
  endWithUs(child);
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  const perSecond = Number(/^tps = ([\d.]+)/m.exec(output)?.[1]);
  if (code !== 0 || !(perSecond > 0)) throw new Error(`pgbench failed: ${errors}`);
  return { perSecond, p50: Number.NaN, p99: Number.NaN, cpu: Number.NaN };
}
