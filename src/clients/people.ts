import { timingSafeEqual } from 'node:crypto';
import { integer, type RowOf, table, text } from '../database/columns.ts';
import type { Sql } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { secretHash } from './client.ts';

/* The fictional people of a client: policyholders who sign in and let an app in. The insurer makes them. */

export const people = table('people', {
  id: text,
  clientId: text,
  number: integer,
  name: text,
  userName: text,
  /** As it is: it guards nothing, and learners are shown it. */
  password: text,
});

/** A policyholder who can sign in. */
export type Person = Omit<RowOf<typeof people>, 'clientId' | 'number'>;

const shown = people.omit('clientId', 'number');

/** In their order; none before they were made. */
export function peopleOf(sql: Sql, clientId: string): Promise<Person[]> {
  return findAll(sql, { clientId });
}

/** The one with this user name and password. A wrong name takes as long as a wrong password. */
export function signedIn(all: readonly Person[], userName: string, password: string): Person | undefined {
  const sent = hashed(userName.trim().toLowerCase(), password);
  return all.filter((person) => timingSafeEqual(sent, hashed(person.userName, person.password)))[0];
}

const hashed = (userName: string, password: string) => Buffer.from(secretHash(`${userName}\n${password}`));

export async function addPeople(sql: Sql, clientId: string, all: readonly Person[]): Promise<void> {
  for (const [at, person] of all.entries()) await insert(sql, { ...person, clientId, number: at + 1 });
}

/** Removes the people of a client that is removed or reset. Returns how many there were. */
export function removePeople(sql: Sql, clientId: string): Promise<number> {
  return remove(sql, { clientId });
}

const findAll = statement.all`select ${shown} from people where client_id = ${'clientId'} order by number`;

const insert = statement.run`insert into people ${people.values}`;

const remove = statement.run`delete from people where client_id = ${'clientId'}`;
