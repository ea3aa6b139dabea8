import pg from 'pg';
import type { OutputColumn } from './columns.ts';

const { BYTEA } = pg.types.builtins;

/** What SQLite would give: numbers for numbers, 0 and 1 for truth, bytes for bytes, text for all else. */
const parsers = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.BOOL, (text) => (text === 't' ? 1 : 0)],
  [pg.types.builtins.INT2, Number],
  [pg.types.builtins.INT4, Number],
  [pg.types.builtins.INT8, safeInteger],
  [pg.types.builtins.FLOAT4, Number],
  [pg.types.builtins.FLOAT8, Number],
  [pg.types.builtins.NUMERIC, Number],
  [BYTEA, pg.types.getTypeParser(BYTEA)],
]);

export function getTypeParser(type: number): (text: string) => unknown {
  return parsers.get(type) ?? String;
}

/** What the program gets for a type. */
export function dataTypeOf(type: number): OutputColumn['dataType'] {
  if (type === BYTEA) return 'bytes';
  return parsers.has(type) ? 'integer' : 'text';
}

function safeInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is beyond the integers of JavaScript`);
  return number;
}
