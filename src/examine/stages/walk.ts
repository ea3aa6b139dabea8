import fc from 'fast-check';
import type { Action, Step } from '../stage.ts';
import { cancel, list, policies, read, update } from './policy-steps.ts';

/*
 * What random rows are made of. Each stage takes the actions that its service knows by then. `ann` has
 * most of the policies; `ben` is another client. The model knows what there is, not what the answers are: those the reference gives.
 */

export interface Register {
  readonly policies: Known[];
}

interface Known {
  readonly name: string;
  readonly owner: string;
  readonly vehicle: number;
  inForce: boolean;
  /** What its tags are kept as. The last one is that which it has. */
  readonly tags: string[];
}

export const emptyRegister = (): Register => ({ policies: [] });

const owner = fc.constantFrom('ann', 'ann', 'ann', 'ben');
const vehicle = fc.nat({ max: 2 });

/** How people write the number of a vehicle. */
const spellings = ['AB-{plate}', 'ab{plate}', '-A-b-{plate}-'] as const;
const spelling = fc.constantFrom(...spellings);

const spelt = (form: string, number: number) => form.replace('{plate}', `{plate${number + 1}}`);

export const create: Action<Register, { as: string; vehicle: number; form: string; holder?: string | undefined }> = {
  given: fc.record({
    as: owner,
    vehicle,
    form: spelling,
    holder: fc.option(fc.constantFrom('Ada Example', 'Zoë Example'), { nil: undefined }),
  }),
  possible: () => true,
  take(model, { as, vehicle, form, holder }): Step {
    const step = {
      as,
      method: 'POST',
      path: policies,
      json: { regNumber: spelt(form, vehicle), ...(holder && { holder }) },
    };
    if (model.policies.some((each) => each.vehicle === vehicle && each.inForce)) return step;
    const name = `policy${model.policies.length + 1}`;
    model.policies.push({ name, owner: as, vehicle, inForce: true, tags: [] });
    return { ...step, keep: { [name]: '/id' } };
  },
};

/** Of some policy that there is, by its owner or somebody else. */
function ofOne<Given>(
  given: fc.Arbitrary<Given>,
  step: (as: string, policy: Known, given: Given) => Step,
): Action<Register, { as: string; which: number; given: Given }> {
  return {
    given: fc.record({ as: owner, which: fc.nat({ max: 20 }), given }),
    possible: (model) => model.policies.length > 0,
    take(model, { as, which, given }) {
      const policy = model.policies[which % model.policies.length] as Known;
      return step(as, policy, given);
    },
  };
}

export const readOne = ofOne(fc.constant(undefined), (as, { name }) => read(as, name));

export const updateOne = ofOne(fc.constantFrom('Ben Example', ' Cy Example ', ''), (as, { name }, holder) =>
  update(as, name, { holder }),
);

export const cancelOne = ofOne(fc.constant(undefined), (as, policy) => {
  if (as === policy.owner) policy.inForce = false;
  return cancel(as, policy.name);
});

export const listPage: Action<Register, { page: number; pageSize: number }> = {
  given: fc.record({ page: fc.integer({ min: 1, max: 3 }), pageSize: fc.integer({ min: 1, max: 3 }) }),
  possible: () => true,
  take: (_model, { page, pageSize }) => list('ann', `?page=${page}&pageSize=${pageSize}`),
};

export const listFiltered: Action<
  Register,
  { status: string | undefined; vehicle: number | undefined; form: string; page: number; pageSize: number }
> = {
  given: fc.record({
    status: fc.option(fc.constantFrom('active', 'updated', 'cancelled'), { nil: undefined }),
    vehicle: fc.option(vehicle, { nil: undefined }),
    form: spelling,
    page: fc.integer({ min: 1, max: 2 }),
    pageSize: fc.integer({ min: 1, max: 3 }),
  }),
  possible: () => true,
  take(_model, { status, vehicle, form, page, pageSize }) {
    const filters = [
      ...(status === undefined ? [] : [`status=${status}`]),
      ...(vehicle === undefined ? [] : [`regNumber=${spelt(form, vehicle)}`]),
    ];
    return list('ann', `?${[...filters, `page=${page}`, `pageSize=${pageSize}`].join('&')}`);
  },
};

/** What an answer that changed a policy keeps of it. */
function keepTag(policy: Known): NonNullable<Step['keep']> {
  const name = `${policy.name}tag${policy.tags.length + 1}`;
  policy.tags.push(name);
  return { [name]: 'header:ETag' };
}

/** A policy whose tag is kept. */
export const createTagged: typeof create = {
  ...create,
  take(model, given) {
    const step = create.take(model, given);
    return step.keep ? { ...step, keep: { ...step.keep, ...keepTag(model.policies.at(-1) as Known) } } : step;
  },
};

/** Only by its owner: others are not told of tags. */
const ofTagged = <Given>(given: fc.Arbitrary<Given>, step: (policy: Known, tag: string, given: Given) => Step) =>
  ofOne(fc.record({ which: fc.nat({ max: 20 }), given }), (_as, policy, { which, given: more }) =>
    step(policy, policy.tags[which % policy.tags.length] as string, more),
  );

export const readTagged = ofTagged(fc.constantFrom('If-None-Match', 'If-Match'), ({ owner, name }, tag, header) =>
  read(owner, name, { [header]: `{${tag}}` }),
);

export const updateTagged = ofTagged(fc.constantFrom('Ben Example', 'Cy Example'), (policy, tag, holder) => {
  const step = update(policy.owner, policy.name, { holder }, { 'If-Match': `{${tag}}` });
  const isDone = policy.inForce && tag === policy.tags.at(-1);
  return isDone ? { ...step, keep: keepTag(policy) } : step;
});

export const cancelTagged = ofTagged(fc.constant(undefined), (policy, tag) => {
  const step = cancel(policy.owner, policy.name, { 'If-Match': `{${tag}}` });
  if (!policy.inForce || tag !== policy.tags.at(-1)) return step;
  policy.inForce = false;
  return { ...step, keep: keepTag(policy) };
});

/** With one of two keys. Whether it creates anything is known to nobody here, so nothing of it is named. */
export const createKeyed: Action<Register, { as: string; key: string; vehicle: number; holder: string }> = {
  given: fc.record({
    as: owner,
    key: fc.constantFrom('key-1', '"key-1"', 'key-2'),
    vehicle: fc.nat({ max: 1 }),
    holder: fc.constantFrom('Ada Example', 'Ben Example'),
  }),
  possible: () => true,
  take: (_model, { as, key, vehicle, holder }) => ({
    as,
    method: 'POST',
    path: policies,
    headers: { 'Idempotency-Key': key },
    json: { regNumber: spelt('{plate}', vehicle), holder },
  }),
};
