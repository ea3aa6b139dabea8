import { randomUUIDv7 } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../src/database/open.ts';
import type { Answer } from './answer.ts';

/*
 * The yardstick, a process of its own: node:http and nothing else. It is told its answer, and replies with its port;
 * to an empty question it replies with the seconds of processor time it has taken.
 */

interface Draft {
  readonly regNumber: string;
  readonly holder: string;
}

export interface BareOptions {
  readonly answer: Answer;
  /** Whether it reads the body and parses it as JSON. */
  readonly parses: boolean;
  /** Where it makes a database to create policies in. Without one it creates none. */
  readonly directory?: string | undefined;
}

process.on('message', (options: BareOptions | Record<string, never>) => {
  if (options.answer) void serve(options as BareOptions);
  else {
    const { user, system } = process.cpuUsage();
    process.send?.((user + system) / 1e6);
  }
});
process.on('SIGTERM', () => process.exit());

async function serve({ answer: { status, headers, body }, parses, directory }: BareOptions): Promise<void> {
  const send = (response: ServerResponse) => response.writeHead(status, headers).end(body);
  const create = directory === undefined ? undefined : await creation(directory);
  const server = createServer((request, response) => {
    if (!parses) {
      send(response);
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const parsed = JSON.parse(Buffer.concat(chunks).toString());
      if (create) create(parsed, () => send(response));
      else send(response);
    });
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

/**
 * Creates policies by the two statements of `Policies.create`: those of one turn of the event loop in one transaction. `done`
 * is called when the policy is on the disk.
 */
async function creation(directory: string): Promise<(draft: Draft, done: () => void) => void> {
  const empty = await openDatabase({ directory });
  await empty.write(
    (sql) => sql.run`
      insert into clients (id, secret_hash, scopes, preset, created_at, last_used_at) values ('bare', '', '', 0, '', '')`,
  );
  await empty.close();
  const database = new DatabaseSync(join(directory, 'l-plate.db'));
  database.exec(
    'pragma synchronous = full; pragma foreign_keys = on; pragma cache_size = -16000; pragma wal_autocheckpoint = 4000',
  );
  const [begin, commit] = [database.prepare('begin immediate'), database.prepare('commit')];
  const count = database.prepare(`
    update clients set policy_count = policy_count + 1 where id = 'bare' and removed_at is null
    returning policy_count`);
  const insert = database.prepare(`
    insert into policies (id, client_id, number, reg_number, reg_key, holder, coverage_option, status, start_date,
      end_date, created_at, updated_at, version)
    values (?, 'bare', ?, ?, ?, ?, 'MTPL-12M', 'active', '2026-01-01', '2026-12-31', ?, ?, 1)
    on conflict (reg_key) where status in ('active', 'updated') do nothing`);
  let group: [draft: Draft, done: () => void][] = [];
  const write = () => {
    const written = group;
    group = [];
    const at = new Date().toISOString();
    begin.run();
    for (const [{ regNumber, holder }] of written) {
      const number = count.get()?.policy_count as number;
      insert.run(`pol-${randomUUIDv7()}`, number, regNumber, regNumber.replace('-', ''), holder, at, at);
    }
    commit.run();
    for (const [, done] of written) done();
  };
  return (...created) => {
    if (group.push(created) === 1) setImmediate(write);
  };
}
