import { lockClient } from '../../clients/clients.ts';
import { addPeople, addPeopleOfRun, isOfRun, type NewPerson, type Person, peopleOf } from '../../clients/people.ts';
import type { Database, Sql } from '../../database/database.ts';
import type { Randomness } from '../../randomness.ts';
import type { ClientClocks } from '../../time/client-clocks.ts';
import { day } from '../../time/units.ts';
import type { GivenPolicies } from '../given-policies.ts';
import { policiesOfHolder } from '../policies.ts';
import { newPolicy } from '../policy.ts';

/* The fictional policyholders of a client: five, with three policies each. They are made when they are first asked for. */

const names = ['Ida Lindqvist', 'Mateo Ferreira', 'Priya Raman', 'Jonas Weber', 'Saoirse Byrne'];

/** The policies of a person: how many days ago they began, and what covers still. */
const held = [
  { age: 100, coverageOption: 'MTPL-12M' },
  { age: 40, coverageOption: 'MTPL-6M' },
  { age: 3, coverageOption: 'MTPL-3M' },
] as const;

/** A person, with the ids of the policies that they hold now. */
export type PersonWithPolicies = Person & { readonly policies: readonly string[] };

export interface PeopleOptions {
  readonly database: Database;
  readonly clocks: ClientClocks;
  readonly randomness: Randomness;
  readonly givenPolicies: GivenPolicies;
}

export class People {
  readonly #options: PeopleOptions;

  constructor(options: PeopleOptions) {
    this.#options = options;
  }

  /**
   * The people of a client, its own and those of the run of a capstone.
   *
   * @throws {ProblemError} `quota-exceeded` when it has no room for their policies, or `invalid-token` when it is gone
   */
  async of(clientId: string): Promise<Person[]> {
    const { database } = this.#options;
    const found = await peopleOf(database.sql, clientId);
    return hasOwn(found) ? found : this.#make(clientId);
  }

  /** The same, with their policies. */
  async withPolicies(clientId: string): Promise<PersonWithPolicies[]> {
    const people = await this.of(clientId);
    const { sql } = this.#options.database;
    return Promise.all(
      people.map(async (person) => ({ ...person, policies: await policiesOfHolder(sql, clientId, person.name) })),
    );
  }

  #make(clientId: string): Promise<Person[]> {
    const { database, clocks, randomness, givenPolicies } = this.#options;
    const now = clocks.now(clientId);
    const people = names.map((name) => personCalled(name, randomness));
    const policies = names.flatMap((holder) =>
      held.map(({ age, coverageOption }) =>
        newPolicy({ regNumber: '', coverageOption, holder }, now - age * day, randomness),
      ),
    );
    return database.write(async (sql) => {
      await lockClient(sql, clientId);
      const meanwhile = await peopleOf(sql, clientId);
      if (hasOwn(meanwhile)) return meanwhile;
      const own = await addPeople(sql, clientId, people);
      await givenPolicies.give(sql, clientId, policies);
      return [...own, ...meanwhile];
    });
  }

  /** Makes people for a run of a capstone, without policies, within a transaction that has locked the client. */
  makeForRun(sql: Sql, clientId: string, names: readonly string[]): Promise<Person[]> {
    const made = names.map((name) => personCalled(name, this.#options.randomness));
    return addPeopleOfRun(sql, clientId, made);
  }
}

const hasOwn = (people: readonly Person[]) => people.some((person) => !isOfRun(person));

function personCalled(name: string, randomness: Randomness): NewPerson {
  const userName = (name.split(' ', 1)[0] as string).toLowerCase();
  const password = `${userName}-${randomness.integer('password', 1000, 10_000)}`;
  return { id: `per-${randomness.uuid('person')}`, name, userName, password };
}
