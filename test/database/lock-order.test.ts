import { deepEqual, rejects } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import '../../src/app.ts';
import { guardedBy, LockedOutOfOrder, lockedTable, lockOrder } from '../../src/database/lock-order.ts';
import { statement, statements } from '../../src/database/statement.ts';
import { forEachEngine, openEmpty } from '../support/engines.ts';

/** What names one row of each table with a place in the order. */
const keys: Readonly<Record<(typeof lockOrder)[number], readonly (readonly string[])[]>> = {
  resets: [['target']],
  class_moves: [['number']],
  clients: [['id']],
  subscriptions: [['id']],
  relays: [['client_id']],
  policy_imports: [['id']],
  statements: [['id']],
  learners: [['client_id']],
  exchanges: [['id']],
  claims: [['id'], ['client_id', 'number']],
  policies: [['id']],
  claim_numbers: [['year']],
  clock_head: [['id']],
  event_head: [['id']],
  events: [['seq']],
  exchange_bytes: [['address']],
};

/** Statements that change several rows without locking them in order, by file and name, and why none waits in a circle. */
const allowed: Readonly<Record<string, string>> = {
  'claims/claims.ts removeSome': 'locked before',
  'claims/claims-ahead.ts dateClosed': 'closed claims of the fleet, whose row is locked: the desk does not move them',
  'claims/fleet.ts removeUpTo': 'the same',
  'events/event-removal.ts addMissed': 'locked before',
  'events/event-removal.ts addMissedOf': 'locked before',
  'insurer/fleet-renewal.ts renewEnding':
    'policies of a client whose row is locked: others hold one, and wait for none',
  'insurer/policies.ts removeLast': 'the same',
  'insurer/policy-imports.ts removeSome': 'locked when the removal of the client began',
  'insurer/statements/statements.ts removeSome': 'the same',
  'range/exchanges/findings.ts clearOther': 'locked before',
  'range/exchanges/log.ts removeSome': 'of a client whose learner is locked: others take what is free',
};

const root = join(import.meta.dirname, '../..');

const ofProgram = statements.map(({ place, texts }) => {
  const [file = '', line] = place.split(':');
  const declaration = readFileSync(join(root, file), 'utf8').split('\n')[Number(line) - 1] ?? '';
  const name = `${file.replace('src/', '')} ${/(\w+) = statement\./.exec(declaration)?.[1]}`;
  return { name, text: texts.join('?') };
});

const namesOneRow = (text: string, table: keyof typeof keys) => {
  const where = text.slice(text.lastIndexOf('where'));
  return keys[table].some((key) => key.every((column) => new RegExp(`\\b${column} = (\\?|1\\b)`).test(where)));
};

test('Decisions, nodes: every table of which a statement locks rows has a place in the order of locks, or a guard', () => {
  const known: readonly string[] = [...lockOrder, ...Object.keys(guardedBy)];
  const unknown = ofProgram.filter(({ text }) => !known.includes(lockedTable(text) ?? 'clients'));
  deepEqual(unknown, []);
});

test('Decisions, nodes: a statement changes one row, or locks several in the order of their keys, but for those with a reason', () => {
  const several = ofProgram.flatMap(({ name, text }) => {
    const table = lockOrder.find((each) => each === lockedTable(text));
    if (table === undefined || text.trim().startsWith('insert into') || namesOneRow(text, table)) return [];
    const isOrdered = /order by [^)]*\/\* lock rows \*\//.test(text) || text.includes('/* free rows */');
    return isOrdered ? [] : [name];
  });
  deepEqual(several.toSorted(), Object.keys(allowed).toSorted());
});

// As the program has them, in an order that it keeps to.
const useClient = statement.run`update clients set last_used_at = last_used_at where id = ${'id'}`;
const seeLearner = statement.run`update learners set calls = calls where client_id = ${'id'}`;
const dropCode = statement.run`delete from transfers where client_id = ${'id'}`;
const endClass = statement.run`delete from class_ends where id = 1`;
const countEvent = statement.run`update event_head set seq = seq where id = 1`;

forEachEngine((engine) => {
  test('Decisions, nodes: a transaction that locks rows out of order fails, and one that keeps to it does not', async (t) => {
    const database = await openEmpty(t, engine);
    const id = 'demo-1';
    await database.write(async (sql) => {
      await useClient(sql, { id });
      await seeLearner(sql, { id });
      await dropCode(sql, { id });
      await countEvent(sql);
      await useClient(sql, { id });
    });
    await database.write((sql) => dropCode(sql, { id }));
    const wrong = {
      'A transaction locks rows of clients when it has locked rows of a table that comes later': [
        seeLearner,
        useClient,
      ],
      'A transaction locks rows of learners when it has locked rows of a table that comes later': [
        countEvent,
        seeLearner,
      ],
      'A transaction locks rows of transfers when it has locked others, and not the row that guards them': [
        seeLearner,
        dropCode,
      ],
      'A transaction locks rows of clients when it has locked rows of transfers, which are changed alone': [
        dropCode,
        useClient,
      ],
      // Late in the list of guarded tables: each table is told from all others.
      'A transaction locks rows of class_ends when it has locked others, and not the row that guards them': [
        useClient,
        seeLearner,
        endClass,
      ],
    };
    for (const [message, steps] of Object.entries(wrong)) {
      const broken = database.write(async (sql) => {
        for (const step of steps) await step(sql, { id });
      });
      await rejects(broken, new LockedOutOfOrder(`${message} (lock-order.ts)`));
    }
  });
});
