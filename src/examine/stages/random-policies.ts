import { type Arbitrary, constantFrom, nat, option, record } from 'fast-check';
import type { Action, Random, Step } from '../stage.ts';

/** What was created so far: names of policies, whose they are, and the plates that are taken. */
interface Model {
  readonly policies: { readonly name: string; readonly as: string }[];
  readonly taken: Set<string>;
}

const clients = ['ann', 'ben'];
const who = constantFrom(...clients);
const plates = ['{plate1}', '{plate2}', '{plate3}', '{plate4}', '{plate5}', '{plate6}'];

const draft = record({
  as: who,
  regNumber: constantFrom(...plates),
  holder: option(constantFrom('Ada Example', 'Bo', 'Zoë Ødegård'), { nil: undefined }),
  coverageOption: option(constantFrom('MTPL-1M', 'MTPL-3M', 'MTPL-6M', 'MTPL-12M'), { nil: undefined }),
  startDate: option(constantFrom('{today}', '{tomorrow}', '{yearAhead}'), { nil: undefined }),
});

type Draft = typeof draft extends Arbitrary<infer Value> ? Value : never;

/** A policy for a vehicle that has none. */
const create: Action<Model, Draft> = {
  given: draft,
  possible: ({ taken }, { regNumber }) => !taken.has(regNumber),
  take({ policies, taken }, { as, ...json }): Step {
    const name = `policy${policies.length + 1}`;
    policies.push({ name, as });
    taken.add(json.regNumber);
    return { as, method: 'POST', path: '/insurer/v1/policies', json, keep: { [name]: '/id' } };
  },
};

/** One that was created, by its client or the other. */
const read: Action<Model, { as: string; at: number }> = {
  given: record({ as: who, at: nat(7) }),
  possible: ({ policies }, { at }) => at < policies.length,
  take: ({ policies }, { as, at }): Step => ({
    as,
    method: 'GET',
    path: `/insurer/v1/policies/{${policies[at]?.name}}`,
  }),
};

/** Rows in which policies are created and read. */
export function randomPolicies({ rows, most }: { rows: number; most: number }): Random {
  const model = (): Model => ({ policies: [], taken: new Set() });
  return { model, actions: [create, read], rows, most };
}
