import { timingSafeEqual } from 'node:crypto';
import { integer, type RowOf, table, text } from '../database/columns.ts';
import type { Sql } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { secretHash } from './client.ts';
import type { Erasing } from './owned-rows.ts';

/*
 * The fictional people of a client: policyholders who sign in and let an app in. The insurer makes them. Those of a run of a
 * capstone are there besides, while it is on; they have the numbers from `firstOfRun` on.
 */

/** The number of the first person of a run. */
export const firstOfRun = 101;

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
export type Person = Omit<RowOf<typeof people>, 'clientId'>;

/** One who is to be made. */
export type NewPerson = Omit<Person, 'number'>;

const shown = people.omit('clientId');

/** Tells whether somebody belongs to a run of a capstone. */
export const isOfRun = ({ number }: Person) => number >= firstOfRun;

/** In their order, those of a run last. */
export function peopleOf(sql: Sql, clientId: string): Promise<Person[]> {
  return findAll(sql, { clientId });
}

/** The one with this user name and password. A wrong name takes as long as a wrong password. */
export function signedIn(all: readonly Person[], userName: string, password: string): Person | undefined {
  const sent = hashed(userName.trim().toLowerCase(), password);
  return all.filter((person) => timingSafeEqual(sent, hashed(person.userName, person.password)))[0];
}

const hashed = (userName: string, password: string) => Buffer.from(secretHash(`${userName}\n${password}`));

/** Adds the client’s own people. Returns them. */
export const addPeople = (sql: Sql, clientId: string, all: readonly NewPerson[]) => addFrom(1, sql, clientId, all);

/** Adds the people of a run, in a transaction that has locked the client. Returns them. */
export const addPeopleOfRun = (sql: Sql, clientId: string, all: readonly NewPerson[]) =>
  addFrom(firstOfRun, sql, clientId, all);

async function addFrom(first: number, sql: Sql, clientId: string, all: readonly NewPerson[]): Promise<Person[]> {
  const numbered = all.map((person, at) => ({ ...person, number: first + at }));
  for (const person of numbered) await insert(sql, { ...person, clientId });
  return numbered;
}

/** Removes the people of a run, in a transaction that has locked the client. */
export async function removePeopleOfRun(sql: Sql, clientId: string): Promise<void> {
  await removeFrom(sql, { clientId, number: firstOfRun });
}

/** Removes the people of a client that is removed or reset. Returns how many there were. */
export function removePeople(sql: Sql, clientId: string): Promise<number> {
  return remove(sql, { clientId });
}

const findAll = statement.all`select ${shown} from people where client_id = ${'clientId'} order by number`;

const insert = statement.run`insert into people ${people.values}`;

const removeFrom = statement.run`delete from people where client_id = ${'clientId'} and number >= ${'number'}`;

const remove = statement.run`delete from people where client_id = ${'clientId'}`;

/** How many people of a client have a name. */
export async function countNamed(sql: Sql, { clientId, name }: Erasing): Promise<number> {
  return (await findAll(sql, { clientId })).filter((person) => person.name === name.name).length;
}
