import type { Sql } from '../database.ts';

/** A step of the schema. Once released it never changes; its number is its place in the list. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  up(sql: Sql): Promise<void>;
}
