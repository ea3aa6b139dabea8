/*
 * Columns, each list of them written once. A list is a fragment of statements (statement.ts), and the type of its rows
 * comes with it. In the program a column has a camelCase name, in the database the same in snake_case: `regNumber` is
 * `reg_number`. Rows and parameters have the names of the program.
 */

/** What can be bound to a statement. No booleans, dates or undefined: integers, ISO text and null instead. */
export type Value = string | number | null | Uint8Array;

/** A part of a statement: texts with named parameters between them, and the columns that it adds to the result. */
export interface Fragment<Row = unknown, Parameters = unknown> {
  /** One more than there are parameters. */
  readonly texts: readonly string[];
  readonly parameters: readonly string[];
  readonly output: readonly OutputColumn[];
  /** For the compiler only. */
  readonly types?: { row: Row; parameters: Parameters };
}

/** A row of the columns that a fragment adds. */
export type RowOf<F> = F extends Fragment<infer Row> ? Row : never;

/** A column of a result. */
export interface OutputColumn {
  readonly name: string;
  /** Undefined when the engine can't tell. */
  readonly dataType: DataType | undefined;
}

type DataType = 'text' | 'integer' | 'bytes';

/** What a column holds. */
export interface Kind<T extends Value = Value> {
  readonly dataType: DataType;
  readonly nullable: boolean;
  /** For the compiler only. */
  readonly type?: T;
}

export const text: Kind<string> = { dataType: 'text', nullable: false };
export const integer: Kind<number> = { dataType: 'integer', nullable: false };
/** The content of a file, which the schema calls `bytea` on both engines. */
export const bytes: Kind<Uint8Array> = { dataType: 'bytes', nullable: false };

/** Text that is one of a few. */
export function textOf<T extends string>(): Kind<T> {
  return text as Kind<T>;
}

/** An integer that is one of a few. */
export function integerOf<T extends number>(): Kind<T> {
  return integer as Kind<T>;
}

export function nullable<T extends Value>(kind: Kind<T>): Kind<T | null> {
  return { ...kind, nullable: true };
}

type Kinds = Record<string, Kind>;
type RowOfKinds<K> = { [Name in keyof K]: K[Name] extends Kind<infer T> ? T : never };

/** A list of columns. In a statement: the list, as `select` and `returning` take it. */
export interface Columns<K extends Kinds = Kinds> extends Fragment<RowOfKinds<K>> {
  readonly kinds: K;
  /** Some of them. */
  pick<Name extends keyof K & string>(...names: Name[]): Columns<Pick<K, Name>>;
  /** All but some. */
  omit<Name extends keyof K & string>(...names: Name[]): Columns<Omit<K, Name>>;
  /** Those of the table that the statement calls `alias`. */
  of(alias: string): Fragment<RowOfKinds<K>>;
  /** The same, where a left join may find no row: then all are null. */
  outer(alias: string): Fragment<RowOfKinds<K> | Record<keyof K, null>>;
  /** Names and values as `insert into` takes them; each column is a parameter. */
  readonly values: Fragment<unknown, RowOfKinds<K>>;
}

/** A table, as far as the program uses it. */
export interface Table {
  readonly name: string;
  readonly kinds: Kinds;
}

/** Every table that was declared. The tests compare them with the schema. */
export const tables: Table[] = [];

/** The columns of a table of the schema. */
export function table<K extends Kinds>(name: string, kinds: K): Columns<K> {
  tables.push({ name, kinds });
  return columns(kinds);
}

function columns<K extends Kinds>(kinds: K): Columns<K> {
  return {
    kinds,
    ...listed(kinds, ''),
    pick: (...names) => columns(Object.fromEntries(names.map((name) => [name, kinds[name]])) as never),
    omit: (...names) =>
      columns(Object.fromEntries(Object.entries(kinds).filter(([name]) => !names.includes(name as never))) as never),
    of: (alias) => listed(kinds, `${alias}.`),
    outer: (alias) => listed(kinds, `${alias}.`),
    values: inserted(Object.keys(kinds)),
  };
}

/** The name of a hand-written column: `count(*) as ${alias('total', integer)}`. */
export function alias<Name extends string, T extends Value>(name: Name, kind: Kind<T>): Fragment<Record<Name, T>> {
  return { texts: [`"${name}"`], parameters: [], output: [{ name, dataType: kind.dataType }] };
}

function listed(kinds: Kinds, prefix: string): Fragment<never> {
  const list = Object.keys(kinds).map((name) => {
    const column = columnName(name);
    return column === name ? prefix + column : `${prefix}${column} as "${name}"`;
  });
  const output = Object.entries(kinds).map(([name, { dataType }]) => ({ name, dataType }));
  return { texts: [list.join(', ')], parameters: [], output };
}

function inserted(names: readonly string[]): Fragment<unknown, never> {
  const texts = [`(${names.map(columnName).join(', ')}) values (`, ...names.slice(1).fill(', '), ')'];
  return { texts, parameters: names, output: [] };
}

/** `reg_number` for `regNumber`. */
export function columnName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
