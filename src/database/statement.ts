import { type CallSiteObject, getCallSites } from 'node:util';
import { StartupError } from '../settings/startup-error.ts';
import type { Fragment, OutputColumn } from './columns.ts';
import type { Database, Sql, Value } from './database.ts';
import { noteLock } from './lock-order.ts';

/*
 * Statements, each made once when its module is loaded:
 *
 *   const find = statement.get`select ${policies} from policies where id = ${'id'}`;
 *   const row = await find(sql, { id });
 *
 * A string in `${…}` is the name of a parameter. Anything else there is a fragment (columns.ts): it becomes text of the
 * statement, and its columns are the type of the row. Columns are named, never `*`: PostgreSQL refuses a prepared `*`
 * once a newer program adds a column.
 *
 * At every start the database is asked what each statement would return. One that does not fit the schema, or returns
 * other columns than its fragments have, stops the start (checkStatements).
 */

type Part = string | Fragment;

type Row<Parts extends readonly unknown[]> = Parts extends readonly [infer Part, ...infer Rest]
  ? (Part extends Fragment<infer R> ? R : unknown) & Row<Rest>
  : unknown;

type Named<Parts extends readonly unknown[]> = Parts extends readonly [infer Part, ...infer Rest]
  ? ParametersOf<Part> & Named<Rest>
  : unknown;

/** A string that the compiler does not know can't name a parameter: the statement could not be called. */
type ParametersOf<Part> = Part extends string
  ? string extends Part
    ? never
    : Record<Part, Value>
  : Part extends Fragment<infer _, infer Parameters>
    ? Parameters
    : unknown;

/** A statement with these parts: called with the sql of the database or of a transaction, and its parameters. */
type Statement<Parts extends readonly Part[], Result> = (
  sql: Sql,
  ...parameters: keyof Named<Parts> extends never ? [] : [Named<Parts>]
) => Promise<Result>;

/** A statement as the check sees it. */
interface Declared {
  /** The file and line. */
  readonly place: string;
  readonly texts: readonly string[];
  /** The names of the values between the texts. */
  readonly parameters: readonly string[];
  /** Undefined for a statement whose rows nobody reads. */
  readonly output: readonly OutputColumn[] | undefined;
}

/** Every statement that was made. */
export const statements: Declared[] = [];

export const statement = {
  /** The first row, or undefined. */
  get<const Parts extends readonly Part[]>(
    texts: TemplateStringsArray,
    ...parts: Parts
  ): Statement<Parts, Row<Parts> | undefined> {
    const made = declare(texts, parts, true);
    return (sql: Sql, parameters?: unknown) => sql.get(made.texts, ...made.values(parameters));
  },

  /** Every row. */
  all<const Parts extends readonly Part[]>(
    texts: TemplateStringsArray,
    ...parts: Parts
  ): Statement<Parts, Row<Parts>[]> {
    const made = declare(texts, parts, true);
    return (sql: Sql, parameters?: unknown) => sql.all(made.texts, ...made.values(parameters));
  },

  /** How many rows the statement changed. */
  run<const Parts extends readonly Part[]>(texts: TemplateStringsArray, ...parts: Parts): Statement<Parts, number> {
    const made = declare(texts, parts, false);
    return (sql: Sql, parameters?: unknown) => sql.run(made.texts, ...made.values(parameters));
  },
};

/** A part that statements share. It may have parameters, columns, and other parts. */
export function part<const Parts extends readonly Part[]>(
  texts: TemplateStringsArray,
  ...parts: Parts
): Fragment<Row<Parts>, Named<Parts>> {
  const { texts: all, names, output } = composed(texts, parts);
  return { texts: all, parameters: names, output };
}

const templates = new WeakSet<TemplateStringsArray>();

function declare(template: TemplateStringsArray, parts: readonly Part[], returnsRows: boolean) {
  // Below this function and the one that calls it.
  const place = placeOf(getCallSites(3)[2]);
  if (templates.has(template)) throw new Error(`${place}: a statement is made once, when its module is loaded`);
  templates.add(template);
  const { texts, names, output } = composed(template, parts);
  noteLock(texts);
  statements.push({ place, texts, parameters: names, output: returnsRows ? output : undefined });
  return {
    texts,
    values: (parameters: unknown): Value[] => names.map((name) => (parameters as Record<string, Value>)[name] as Value),
  };
}

function composed(template: readonly string[], parts: readonly Part[]) {
  const texts = [template[0] as string];
  const names: string[] = [];
  const output: OutputColumn[] = [];
  const append = ([first, ...others]: readonly string[]): void => {
    texts[texts.length - 1] += first as string;
    texts.push(...others);
  };
  for (const [at, part] of parts.entries()) {
    const fragment = typeof part === 'string' ? parameter(part) : part;
    append(fragment.texts);
    append([template[at + 1] as string]);
    names.push(...fragment.parameters);
    output.push(...fragment.output);
  }
  return { texts, names, output };
}

function parameter(name: string): Fragment {
  return { texts: ['', ''], parameters: [name], output: [] };
}

const projectFolder = new URL('../../', import.meta.url).href;

/** The file, below the project's folder, and the line. */
function placeOf(site: CallSiteObject | undefined): string {
  const file = site?.scriptName.replace(projectFolder, '') ?? 'somewhere';
  return `${file}:${site?.lineNumber ?? 0}`;
}

/**
 * Asks the database what each statement would return, without running any.
 *
 * @throws {StartupError} when one does not fit the schema, or returns other columns than it declares
 */
export async function checkStatements(database: Database, declared: readonly Declared[] = statements): Promise<void> {
  const described = await database.describe(declared.map(({ texts }) => texts));
  const wrong = declared.flatMap(({ place, output }, at) => {
    const found = mismatch(output, described[at] as readonly OutputColumn[] | Error);
    return found === undefined ? [] : [`${place}: ${found}`];
  });
  if (wrong.length === 0) return;
  const others = wrong.length > 1 ? ` (the first of ${wrong.length})` : '';
  throw new StartupError(1, `A statement does not fit the database${others}: ${wrong[0]}`);
}

function mismatch(declared: Declared['output'], found: readonly OutputColumn[] | Error): string | undefined {
  if (found instanceof Error) return found.message;
  if (declared === undefined) return undefined;
  const fits =
    declared.length === found.length &&
    declared.every(({ name, dataType }, at) => {
      const column = found[at] as OutputColumn;
      return column.name === name && (column.dataType ?? dataType) === dataType;
    });
  return fits ? undefined : `it returns ${list(found)}, and declares ${list(declared)}`;
}

function list(columns: readonly OutputColumn[]): string {
  if (columns.length === 0) return 'nothing';
  return columns.map(({ name, dataType }) => (dataType === undefined ? name : `${name} ${dataType}`)).join(', ');
}
