import type { Sql } from './database.ts';

/** A step of the schema: a file in migrations/. Once released it never changes. */
export interface Migration {
  /** The steps are numbered from 1 without gaps; the file's name begins with the number. */
  readonly number: number;
  readonly name: string;
  up(sql: Sql): Promise<void>;
}
