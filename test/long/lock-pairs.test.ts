import { deepEqual, ok } from 'node:assert/strict';
import { createHash, randomInt } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { administer } from '../support/engines.ts';
import { chooseSeed, extent } from '../support/extent.ts';
import { type PostgresServer, postgresMissing, startPostgres } from '../support/postgres.ts';
import { expectLockWaits, type LockFault, lockFaults } from '../support/server-log.ts';
import { SharedService, type UseCase, useCases } from '../support/use-cases.ts';

/*
 * Any two use cases that write, several times at once for the same clients by two nodes: PostgreSQL never finds two of
 * their transactions waiting for each other, and none waits for long. A server of its own, whose log is read after each
 * pair: so what is found has the names of two use cases.
 */

/** How often each side is done at once. */
const atOnce = 4;

/** Milliseconds after which no other pair begins. TEST_EXTENT=full brings all of them together. */
const longest = extent(100_000, Number.POSITIVE_INFINITY);

/** Milliseconds that a transaction holds the row that it has changed before it goes on: so that two of them meet. */
const hold = 2;

describe('Decisions, one order of locks: pairs of use cases', { skip: postgresMissing() }, () => {
  let server: PostgresServer;
  let url: string;
  before(async () => {
    server = (await startPostgres()) as PostgresServer;
    await administer('create database pairs', server.url);
    const itself = new URL(server.url);
    itself.pathname = '/pairs';
    url = itself.href;
    // They are told here, by pair.
    await expectLockWaits(url);
  });
  after(() => server?.stop());

  test('no two use cases deadlock or wait for long, and none fails', async (t) => {
    const service = await SharedService.start(t, url);
    await slowDown(url);
    const faults: string[] = [];
    const met: Met = new Map(useCases.map(({ name }) => [name, { done: 0, undone: 0 }]));
    const seed = chooseSeed(randomInt(2 ** 31));
    const pairs = inOrderOf(
      seed,
      useCases.flatMap((one, at) => useCases.slice(at).map((other) => [one, other] as const)),
    );
    const began = performance.now();
    let count = 0;
    for (const [one, other] of pairs) {
      if (performance.now() - began > longest) break;
      count += 1;
      let found = await meet(service, one, other, met);
      // A machine that stands still for seconds makes anything wait. It does not do so three times in a row.
      for (let again = 0; again < 2 && found.length > 0 && !found.some(({ always }) => always); again += 1) {
        t.diagnostic(`again, ${one.name} + ${other.name}: ${found.map(({ text }) => text).join('; ')}`);
        found = await meet(service, one, other, met);
      }
      for (const { text } of found) faults.push(`${one.name} + ${other.name}: ${text}`);
    }
    t.diagnostic(`${count} of ${pairs.length} pairs, with FUZZ_SEED=${seed}`);
    ok(faults.length === 0, `faults in these pairs:\n\n${faults.join('\n\n')}`);
    // Of few pairs, those that leave it nothing to do may be the most.
    const isSeldom = extent(
      ({ done, undone }: Times) => done === 0 && undone > 8,
      ({ done, undone }: Times) => undone > done || done === 0,
    );
    const seldom = [...met].filter(([, times]) => isSeldom(times)).map(([name]) => name);
    deepEqual(seldom, [], 'each was done beside others');
  });

  /** Does both at once, notes which of them were done, and gives what went wrong. */
  async function meet(service: SharedService, one: UseCase, other: UseCase, met: Met): Promise<Fault[]> {
    const [from, brokenBefore] = [(await server.log()).length, service.broken.length];
    const done = new Set<string>();
    await service.assemble();
    await Promise.all(
      service.learners.map(async (learner) => {
        for (const { prepare } of new Set([one, other])) await prepare?.(learner);
      }),
    );
    const acts = Array.from({ length: atOnce }, (_, time) =>
      [one, other].map(async ({ name, act }, side) => {
        const learner = service.learners[(time + side) % service.learners.length];
        if (learner && (await act(learner))) done.add(name);
      }),
    );
    await Promise.all(acts.flat());
    for (const name of new Set([one.name, other.name])) {
      const times = met.get(name);
      if (times) times[done.has(name) ? 'done' : 'undone'] += 1;
    }
    const inLog = lockFaults((await server.log()).slice(from));
    return [
      ...(inLog.length > 0 ? [{ text: kindsOf(inLog), always: inLog.some(isDeadlock) }] : []),
      ...service.broken.slice(brokenBefore).map((text) => ({ text, always: !text.includes(': 503 ') })),
    ];
  }
});

/** How often each use case was done, and was not, in the pairs that it was in. */
type Met = ReadonlyMap<string, Times>;

interface Times {
  done: number;
  undone: number;
}

interface Fault {
  readonly text: string;
  /** Whether it is a fault on a slow machine, too: neither a long wait nor what answers one. */
  readonly always: boolean;
}

const isDeadlock = ({ text }: LockFault) => text.includes('deadlock detected');

/** In an order that is another one for each seed: so each run begins with other pairs. */
function inOrderOf<T>(seed: number, all: readonly T[]): T[] {
  const place = (at: number) => createHash('sha256').update(`${seed} ${at}`).digest('hex');
  return all
    .map((each, at) => ({ each, place: place(at) }))
    .toSorted((one, other) => (one.place < other.place ? -1 : 1))
    .map(({ each }) => each);
}

/** Lets each change of rows take its time, while they are locked. */
async function slowDown(url: string): Promise<void> {
  const tables = await administer<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'migrations'",
    url,
  );
  const slow = `create function slow() returns trigger language plpgsql as $$
    begin perform pg_sleep(${hold / 1000}); return null; end $$`;
  const each = tables.map(
    ({ name }) => `create trigger slow after update or delete on ${name} for each statement execute function slow()`,
  );
  await administer([slow, ...each], url);
}

/** Each kind of fault once: which statements waited for each other. */
function kindsOf(faults: readonly LockFault[]): string {
  const kinds = new Map<string, number>();
  for (const fault of faults) {
    const { text } = fault;
    const statements = isDeadlock(fault)
      ? text.matchAll(/^\tProcess \d+: ([\s\S]*?)(?=\n\tProcess|\n\S)/gm)
      : text.matchAll(/STATEMENT: {2}([\s\S]*)/g);
    const short = [...statements].map(([, statement = '']) => statement.replace(/\s+/g, ' ').trim().slice(0, 100));
    const kind = `${isDeadlock(fault) ? 'deadlock' : 'wait'}: ${short.toSorted().join(' | ')}`;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return [...kinds].map(([kind, count]) => `${count} × ${kind}`).join('\n');
}
