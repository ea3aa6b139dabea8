import { deepEqual, ok } from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { administer } from '../support/engines.ts';
import { type PostgresServer, postgresMissing, startPostgres } from '../support/postgres.ts';
import { expectLockWaits } from '../support/server-log.ts';
import { outOfOrder, type Taking, tellStatements, tellTakings, transactionsOf } from '../support/taken-rows.ts';
import { SharedService, useCases } from '../support/use-cases.ts';

describe('Decisions, one order of locks: what is taken', { skip: postgresMissing() }, () => {
  let server: PostgresServer;
  before(async () => {
    server = (await startPostgres()) as PostgresServer;
  });
  after(() => server?.stop());

  test('each use case that writes takes its rows in the order of tables and keys, those that are guarded behind their guards', async (t) => {
    await administer('create database alone', server.url);
    const url = new URL(server.url);
    url.pathname = '/alone';
    await tellStatements(url.href);
    // So many lines take their time.
    await expectLockWaits(url.href);
    const service = await SharedService.start(t, url.href);
    await tellTakings(url.href);
    /** By what is out of order: rows, and the use cases that take them so. */
    const faults = new Map<string, { rows: string; useCases: Set<string> }>();
    const undone: string[] = [];
    for (const { name, prepare, act } of useCases) {
      await service.assemble();
      for (const learner of service.learners) {
        // Several rows of what they share, so that there is an order to keep.
        for (let time = 0; time < 2; time += 1) await learner.claim();
        for (const path of ['/takes', '/refuses', '/takes']) await learner.test(path);
        await prepare?.(learner);
      }
      const from = (await server.log()).length;
      const [learner] = service.learners;
      if (!learner || !(await act(learner))) undone.push(name);
      // What its calls left to be written.
      await learner?.me('GET', '/exchanges');
      const transactions = transactionsOf((await server.log()).slice(from));
      for (const { what, rows } of transactions.flatMap(outOfOrder)) {
        const fault = faults.get(what) ?? { rows, useCases: new Set() };
        faults.set(what, fault);
        fault.useCases.add(name);
      }
      for (const line of new Set(transactions.map(inShort))) t.diagnostic(`${name}: ${line}`);
    }
    const shown = [...faults].map(
      ([what, { rows, useCases: by }]) => `${what}\n  such as ${rows}\n  by: ${[...by].join('; ')}`,
    );
    ok(faults.size === 0, `${faults.size} kinds of rows are taken out of order:\n\n${shown.join('\n\n')}`);
    deepEqual(undone, [], 'each was done');
  });
});

/** The tables of a transaction, each as often as it is begun with. */
function inShort(takings: readonly Taking[]): string {
  const tables = takings.map(({ table, how }) => (how === 'INSERT' ? `(${table})` : table));
  return tables.filter((table, at) => table !== tables[at - 1]).join(' → ');
}
