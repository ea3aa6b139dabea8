import { shownValue } from '../text/shown-value.ts';
import type { Difference } from './difference.ts';
import type { Known } from './known.ts';

/*
 * What a registry says of vehicles. The descriptions say which numbers have one, and which form each fact has; the facts
 * are the service's own. They have to be the same each time, in each spelling, and in both versions of the interface.
 */

/** A fact, by its element in v1 and its member in v2. Without `optional`, each vehicle has it. */
interface Fact {
  readonly element: string;
  readonly member: string;
  readonly form: RegExp;
  /** The end of a sentence. */
  readonly right: string;
  readonly optional?: true;
}

const day = { form: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/, right: 'a day such as 2022-12-19' };
const name = { form: /\S/, right: 'a text' };
const oneOf = (...values: string[]) => ({
  form: new RegExp(`^(?:${values.join('|')})$`),
  right: `one of ${values.join(', ')}`,
});

const facts: readonly Fact[] = [
  {
    ...{ element: 'VinCode', member: 'vin_code', form: /^[A-HJ-NPR-Z0-9]{17}$/, optional: true },
    right: '17 capital letters and digits without I, O and Q',
  },
  { element: 'Make', member: 'make', ...name },
  { element: 'Model', member: 'model', ...name },
  { element: 'FirstRegDate', member: 'first_reg_date', ...day },
  {
    ...{ element: 'EngineCapacityCcm', member: 'engine_capacity_ccm', form: /^[1-9]\d{0,9}$/, optional: true },
    right: 'a whole number from 1 on',
  },
  {
    ...{ element: 'FuelType', member: 'fuel_type' },
    ...oneOf('PETROL', 'DIESEL', 'ELECTRIC', 'HYBRID', 'GAS', 'OTHER'),
  },
  { element: 'OwnerType', member: 'owner_type', ...oneOf('NATURAL_PERSON', 'LEGAL_PERSON') },
  { element: 'InspectionValidTo', member: 'inspection_valid_to', ...day, optional: true },
  { element: 'VehicleStatus', member: 'vehicle_status', ...oneOf('REGISTERED', 'SUSPENDED', 'DEREGISTERED') },
];

/** A fact as your service told it. */
interface Told {
  readonly place: string;
  /** `The member /make` */
  readonly named: string;
  /** As it was sent; undefined where it was not. */
  readonly given: unknown;
  /** The same in the spelling of v1; undefined where the kind of value is wrong. */
  readonly value?: string | undefined;
  /** What is right, in the spelling of this version. */
  readonly right: string;
}

/** What a vehicle with the one fact does not have: the other. */
const excluded = [
  { element: 'FuelType', value: 'ELECTRIC', without: 'EngineCapacityCcm' },
  { element: 'VehicleStatus', value: 'DEREGISTERED', without: 'InspectionValidTo' },
] as const;

/** The first fact of a vehicle that can’t be right, or is not what your service said before. */
function factDifference(regNumber: string, known: Known, tell: (fact: Fact) => Told): Difference | undefined {
  const plate = regNumber.replaceAll('-', '').toUpperCase();
  const all = new Map(facts.map((fact) => [fact.element, { fact, ...tell(fact) }]));
  for (const [element, { fact, place, named, given, value, right }] of all) {
    if (given === undefined && !fact.optional)
      return { place, says: `${named} is missing in the answer of your service.` };
    if (given !== undefined && (value === undefined || !fact.form.test(value)))
      return { place, says: `${named} is ${shownValue(given)}; ${right} is right.` };
    const isTaken = element === 'VinCode' && value !== undefined && known.idFault(`VIN of ${plate}`, value);
    const says = known.factFault(`${element} of ${plate}`, value) ?? isTaken;
    if (says) return { place, says: `${named} ${says}.` };
  }
  for (const { element, value, without } of excluded) {
    const other = all.get(without);
    if (all.get(element)?.value === value && other?.value !== undefined)
      return { place: other.place, says: `${other.named} is there; a vehicle that is ${value} has none.` };
  }
  return undefined;
}

/** The facts of an answer of v2. */
export function memberDifference(
  regNumber: string,
  given: Readonly<Record<string, unknown>>,
  place: string,
  known: Known,
): Difference | undefined {
  return factDifference(regNumber, known, ({ element, member, right }) => {
    const value = Object.hasOwn(given, member) ? given[member] : undefined;
    const at = `${place}/${member}`;
    const told = { place: at, named: `The member ${at}`, given: value, right };
    if (element === 'EngineCapacityCcm') return { ...told, ...(typeof value === 'number' && { value: String(value) }) };
    if (typeof value !== 'string') return told;
    if (element !== 'FuelType') return { ...told, value };
    return {
      ...told,
      right: right.toLowerCase(),
      ...(value === value.toLowerCase() && { value: value.toUpperCase() }),
    };
  });
}

/** The facts of an answer of v1. `textOf` is undefined where an element is not there. */
export function elementDifference(
  regNumber: string,
  textOf: (element: string) => string | undefined,
  place: string,
  known: Known,
): Difference | undefined {
  return factDifference(regNumber, known, ({ element, right }) => {
    const given = textOf(element);
    const at = `${place}/${element}`;
    return {
      place: at,
      named: `The element ${at}`,
      given,
      value: given && (lexical[element]?.(given) ?? given),
      right,
    };
  });
}

/** What XML Schema has several spellings for. */
const date = (text: string) => text.trim().replace(/(?:Z|[+-]\d\d:\d\d)$/, '');
const lexical: Readonly<Record<string, (text: string) => string>> = {
  FirstRegDate: date,
  InspectionValidTo: date,
  EngineCapacityCcm: (text) => text.trim().replace(/^\+?0*(?=\d)/, ''),
};
