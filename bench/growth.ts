import { join } from 'node:path';
import { openDatabase } from '../src/database/open.ts';
import { create, list } from './cases.ts';
import { scratchDirectory } from './cleanup.ts';
import { insure, insurer, type Learner, newLearner } from './learner.ts';
import { type Load, scatter } from './load.ts';
import { type Compared, compare, type Effort } from './pairs.ts';
import { type LPlate, startLPlate } from './servers.ts';

/** A server with one client that owns so many policies. */
interface Stock {
  server: LPlate;
  learner: Learner;
  /** Paths of policies all over the stock. */
  paths: string[];
  size: number;
}

const few = 10;
const many = 1_000_000;

/** Items of a page: both stocks can fill the first page and the last one. */
const pageSize = 5;

/** The same requests at few policies (A) and at very many (B): what stands at 1.00 does not grow dearer. */
export async function growth(effort: Effort, told: (what: string) => void): Promise<Record<string, Compared>> {
  told(`putting ${many} policies into the database`);
  const small = await open('few', few);
  const large = await open('many', many);
  // Creating comes last, for it lets the small stock grow.
  const requests: Record<string, (stock: Stock) => Load> = {
    'read a policy': ({ learner, paths }) => ({ method: 'GET', paths, headers: learner.authorization }),
    'list, first page': ({ learner }) => list(learner, 1, pageSize),
    'list, last page': ({ learner, size }) => list(learner, size / pageSize, pageSize),
    'create a policy': ({ learner }) => create(learner),
  };
  const compared: Record<string, Compared> = {};
  for (const [what, load] of Object.entries(requests)) {
    told(what);
    compared[what] = await compare([small.server, load(small)], [large.server, load(large)], effort);
  }
  await Promise.all([small.server.stop(), large.server.stop()]);
  return compared;
}

async function open(name: string, size: number): Promise<Stock> {
  const directory = join(scratchDirectory(), name);
  const first = await startLPlate(directory);
  const learner = await newLearner(first.url);
  await insure(first.url, learner, few);
  await first.stop();
  const paths = await fill(directory, learner, size);
  return { server: await startLPlate(directory), learner, paths, size };
}

/** Brings the client's policies to `size`, without HTTP but through the program's own database. */
async function fill(directory: string, { id }: Learner, size: number): Promise<string[]> {
  const database = await openDatabase({ directory });
  const today = new Date().toISOString();
  const later = new Date(Date.now() + 300 * 86_400_000).toISOString();
  const chunk = 100_000;
  for (let from = few; from < size; from += chunk) {
    await database.write(async (sql) => {
      await sql.run`
        insert into policies (id, client_id, number, reg_number, reg_key, holder, coverage_option, status, start_date,
          end_date, created_at, updated_at)
        with recursive numbers (n) as (
          select cast(${from} + 1 as integer) union all select n + 1 from numbers where n < ${Math.min(size, from + chunk)}
        ), plates (n, plate) as (
          select n, printf('%010d', n * cast(${scatter.factor} as integer) % cast(${scatter.modulus} as integer)) from numbers
        )
        select printf('pol-%08x-%04x-7000-8000-%012x', n / 65536, n % 65536, n), ${id}, n, 'B-' || plate, 'B' || plate,
          'Ada Example', 'MTPL-12M', 'active', ${today.slice(0, 10)}, ${later.slice(0, 10)}, ${today}, ${today}
        from plates`;
      await sql.run`update clients set policy_count = ${Math.min(size, from + chunk)} where id = ${id}`;
    });
  }
  const rows = await database.sql.all<{ id: string }>`
    select id from policies where client_id = ${id} and number % ${Math.ceil(size / 1000)} = 0`;
  await database.close();
  return rows.map((row) => `${insurer}/policies/${row.id}`);
}
