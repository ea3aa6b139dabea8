// In a process of its own: its statements fit none of the databases that other tests open.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import '../../src/app.ts';
import { alias, columnName, integer, nullable, table, tables, text, textOf } from '../../src/database/columns.ts';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { checkStatements, statement, statements } from '../../src/database/statement.ts';
import { StartupError } from '../../src/settings/startup-error.ts';
import { forEachEngine, openEmpty } from '../support/engines.ts';

const ofProgram = [...statements];
const tablesOfProgram = [...tables];

const cars = table('cars', {
  id: text,
  regNumber: text,
  fuel: textOf<'petrol' | 'electric'>(),
  doors: integer,
  soldAt: nullable(text),
});

const insert = statement.run`insert into cars ${cars.values} on conflict (id) do nothing`;
const find = statement.get`select ${cars} from cars where id = ${'id'}`;
const list = statement.all`select ${cars.pick('id', 'soldAt')} from cars where doors >= ${'doors'} order by id`;
const sell = statement.get`
  update cars set sold_at = ${'at'} where id = ${'id'} and (sold_at is null or sold_at <> ${'at'})
  returning ${cars.omit('fuel', 'doors')}`;
const count = statement.get`select count(*) as ${alias('howMany', integer)} from cars`;
const pairs = statement.all`
  select a.id as ${alias('first', text)}, ${cars.pick('id', 'regNumber').outer('b')}
  from cars a left join cars b on b.doors = a.doors and b.id > a.id order by a.id`;

// The statements of this file are taken out of the list again: those in it are checked at every start.
const ofThisFile = statements.splice(ofProgram.length);

const unknownColumn = table('cars', { id: text, colour: text });
const wrong: [string, unknown, RegExp][] = [
  [
    'a column more',
    statement.get`select ${cars.pick('id')}, doors from cars`,
    /returns id text, doors integer, and declares id text$/,
  ],
  ['a column less', statement.get`select id from (select ${cars.pick('id', 'doors')} from cars) c`, /returns id/],
  ['another name', statement.all`select id as ${alias('a', text)}, ${cars.pick('id')} as b from cars`, /, b text/],
  ['no columns', statement.get`update cars set id = 'a' where id = ${'id'} --${cars}`, /returns nothing/],
  ['another type', statement.get`select doors as ${alias('doors', text)} from cars`, /returns doors integer/],
  ['a column that the table lacks', statement.all`select ${unknownColumn} from cars`, /colour/],
  ['an insert into a column that the table lacks', statement.run`insert into cars ${unknownColumn.values}`, /colour/],
  ['no such table', statement.run`delete from lorries where id = ${'id'}`, /lorries/],
  ['a mistake', statement.run`delete cars where`, /syntax/],
];
const wrongOnes = statements.splice(ofProgram.length);

forEachEngine((engine) => {
  async function open(t: test.TestContext): Promise<Database> {
    const database = await openEmpty(t, engine);
    await database.write(async (sql) => {
      await sql.run`create table cars (id text not null primary key, reg_number text not null, fuel text not null,
        doors integer not null, sold_at text)`;
    });
    return database;
  }

  const beetle = { id: 'a', regNumber: 'AB-1', fuel: 'petrol', doors: 3, soldAt: null } as const;

  test('a statement takes named parameters, and its rows have the names of the program', async (t) => {
    const database = await open(t);
    const { sql } = database;
    const add = (car: Parameters<typeof insert>[1]) => database.write((sql) => insert(sql, car));
    const sellAt = (at: string) => database.write((sql) => sell(sql, { id: 'a', at }));
    assert.equal(await find(sql, { id: 'a' }), undefined);
    assert.equal(await add(beetle), 1);
    assert.equal(await add(beetle), 0);
    assert.deepEqual(await find(sql, { id: 'a' }), beetle);
    await add({ ...beetle, id: 'b', doors: 5 });
    assert.deepEqual(await list(sql, { doors: 4 }), [{ id: 'b', soldAt: null }]);
    assert.deepEqual(await count(sql), { howMany: 2 });
    assert.deepEqual(await sellAt('now'), { id: 'a', regNumber: 'AB-1', soldAt: 'now' });
    assert.equal(await sellAt('now'), undefined, 'one parameter in two places');
    await add({ ...beetle, id: 'c' });
    assert.deepEqual(await pairs(sql), [
      { first: 'a', id: 'c', regNumber: 'AB-1' },
      { first: 'b', id: null, regNumber: null },
      { first: 'c', id: null, regNumber: null },
    ]);
  });

  test('a parameter is a value, whatever it contains, and one that is left out is refused', async (t) => {
    const { sql } = await open(t);
    assert.equal(await find(sql, { id: "' or 1 = 1 --" }), undefined);
    await assert.rejects(find(sql, {} as { id: string }), TypeError);
  });

  test('Decisions, the program: statements that return what they declare pass the check, which runs none', async (t) => {
    const database = await open(t);
    await checkStatements(database, ofThisFile);
    assert.deepEqual(await count(database.sql), { howMany: 0 });
  });

  for (const [at, [what, , told]] of wrong.entries()) {
    test(`Decisions, the program: the check refuses a statement with ${what}, and names its place`, async (t) => {
      const database = await open(t);
      const declared = [...ofThisFile, ...wrongOnes.slice(at, at + 1)];
      await assert.rejects(checkStatements(database, declared), (error) => {
        assert.ok(error instanceof StartupError && error.exitCode === 1, String(error));
        assert.match(error.message, told);
        assert.match(
          error.message,
          /^A statement does not fit the database: test\/database\/statement\.test\.ts:\d+: /,
        );
        return true;
      });
    });
  }

  test('Decisions, the program: each statement has its own result, whichever others do not fit', async (t) => {
    const database = await openEmpty(t, engine);
    const texts = [
      ['select number, name from migrations'],
      ['select colour from migrations'],
      ['delete from migrations where number = ', ''],
      ['selec 1'],
      ['select name from nowhere'],
      ['insert into migrations (number, name, applied_at) values (1, ', ", 'x')"],
      ['select name from migrations where number = ', ''],
    ];
    const results = await database.describe(texts);
    const names = results.map((each) => (each instanceof Error ? 'refused' : each.map(({ name }) => name).join()));
    assert.deepEqual(names, ['number,name', 'refused', '', 'refused', 'refused', '', 'name']);
  });

  test('Decisions, the program: a statement of the program that does not fit stops the start', async (t) => {
    const location = await engine.location();
    statements.push(...ofThisFile);
    t.after(() => statements.splice(ofProgram.length));
    await assert.rejects(openDatabase(location), (error) => {
      assert.ok(error instanceof StartupError);
      assert.match(error.message, new RegExp(`^[^\\n]*the first of ${ofThisFile.length}[^\\n]*cars[^\\n]*$`));
      return true;
    });
    statements.splice(ofProgram.length);
    await (await openDatabase(location)).close();
  });

  test('Decisions, the program: what the program says of its tables is what the schema says: type and null', async (t) => {
    const database = await openEmpty(t, engine);
    for (const { name, kinds } of tablesOfProgram) {
      const columns = await columnsOf(database, name);
      for (const [member, { dataType, nullable }] of Object.entries(kinds)) {
        assert.deepEqual(columns.get(columnName(member)), { dataType, nullable }, `${name}.${columnName(member)}`);
      }
    }
  });
});

async function columnsOf({ engine, sql }: Database, name: string) {
  const rows =
    engine === 'sqlite'
      ? await sql.all<{ name: string; type: string; required: number }>`
          select name, type, "notnull" as required from pragma_table_info(${name})`
      : await sql.all<{ name: string; type: string; required: number }>`
          select column_name as name, data_type as type, is_nullable = 'NO' as required
          from information_schema.columns where table_schema = current_schema() and table_name = ${name}`;
  return new Map(
    rows.map(({ name, type, required }) => [
      name,
      { dataType: type === 'bytea' ? 'bytes' : /int/i.test(type) ? 'integer' : 'text', nullable: required === 0 },
    ]),
  );
}

test('Decisions, the program: every statement of src is made when its module is loaded, so that every start checks it', async () => {
  const folder = join(import.meta.dirname, '../../src');
  const places: string[] = [];
  for (const file of await readdir(folder, { recursive: true })) {
    // The file that tells how has an example.
    if (!file.endsWith('.ts') || file === join('database', 'statement.ts')) continue;
    const lines = (await readFile(join(folder, file), 'utf8')).split('\n');
    for (const [at, line] of lines.entries()) {
      if (/\bstatement\.(get|all|run)`/.test(line)) places.push(`src/${file.replaceAll('\\', '/')}:${at + 1}`);
    }
  }
  assert.deepEqual(ofProgram.map(({ place }) => place).sort(), places.sort());
});

test('a statement that is made again and again is refused', () => {
  const make = () => statement.get`select ${cars} from cars`;
  make();
  assert.throws(make, /made once/);
});

test('Decisions, the program: outside of database/ every statement is made once, and so is checked at the start', async () => {
  const src = join(import.meta.dirname, '../../src');
  const files = (await readdir(src, { recursive: true })).filter(
    (name) => name.endsWith('.ts') && !name.startsWith('database/'),
  );
  const written: string[] = [];
  for (const name of files) {
    const lines = (await readFile(join(src, name), 'utf8')).split('\n');
    // A type argument may stand before the template.
    const raw = lines.filter((line) => /(?<!\bstatement)\.(get|all|run)(<.*>)?`/.test(line));
    written.push(...raw.map((line) => `${name}: ${line.trim()}`));
  }
  assert.deepEqual(written, []);
});

/** Not called: the compiler refuses each of these. */
export async function refusedByTheCompiler(database: Database): Promise<void> {
  const { sql } = database;
  // @ts-expect-error: a parameter is missing
  await find(sql, {});
  // @ts-expect-error: and here they all are
  await find(sql);
  // @ts-expect-error: no such parameter
  await find(sql, { id: 'a', doors: 3 });
  // @ts-expect-error: no value
  await find(sql, { id: true });
  // @ts-expect-error: no parameters are taken
  await count(sql, { id: 'a' });
  // @ts-expect-error: a column is forgotten
  await insert(sql, { id: 'a', regNumber: 'AB-1', fuel: 'petrol', doors: 3 });
  // @ts-expect-error: a column of another type
  await insert(sql, { id: 'a', regNumber: 'AB-1', fuel: 'petrol', doors: '3', soldAt: null });
  // @ts-expect-error: not one of the texts of this column
  await insert(sql, { id: 'a', regNumber: 'AB-1', fuel: 'coal', doors: 3, soldAt: null });
  // @ts-expect-error: no such column
  cars.pick('colour');
  const [row] = await list(sql, { doors: 3 });
  // @ts-expect-error: a column that is not selected
  row?.regNumber;
  // @ts-expect-error: it may be null
  row?.soldAt.length;
  const [pair] = await pairs(sql);
  // @ts-expect-error: a left join may find none
  pair?.regNumber.length;
  if (pair && pair.id !== null) pair.regNumber.length;
  const name: string = 'id';
  const unknownName = statement.get`select ${cars} from cars where id = ${name}`;
  // @ts-expect-error: a parameter is named by a literal
  await unknownName(sql, { id: 'a' });
  // @ts-expect-error: a value is no part of a statement
  statement.get`select ${cars} from cars where doors = ${3}`;
}
