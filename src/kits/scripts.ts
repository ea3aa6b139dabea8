import type { WalkRequest } from './walk.ts';

/* Parts of scripts that several tools run, in JavaScript. */

/**
 * A plate that nobody else is likely to have: one of 2.9 million. The letters are those that examples, the preconfigured
 * fleet and no vehicle leave free.
 */
const freePlate =
  "['ABCDEGHIJKLMNOPRSTUWY', 'ABCDEGHIJKLMNOPRSTUWY', '-', ...Array(4).fill('123456789')].map((characters) => characters[Math.floor(Math.random() * characters.length)]).join('')";

/** Lines that set variables from the answer, by the tool's way to set one. */
export function settings({ keeps, choosesPlate }: WalkRequest, set: string, body: string): string[] {
  return [
    ...Object.entries(keeps).map(([variable, member]) => `${set}('${variable}', ${body}.${member});`),
    ...(choosesPlate ? [`${set}('plate', ${freePlate});`] : []),
  ];
}

/** A value as JavaScript: a text that is one variable is that variable. */
export function asScript(value: string | number | boolean, variable: (name: string) => string): string {
  const [, name] = /^\{\{(\w+)\}\}$/.exec(String(value)) ?? [];
  if (name !== undefined) return variable(name);
  return typeof value === 'string' ? `'${value}'` : String(value);
}
