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

/** The same for a text with variables in it. */
function asTemplate(value: string, variable: (name: string) => string): string {
  return `\`${value.replace(/\{\{(\w+)\}\}/g, (_, name: string) => `\${${variable(name)}}`)}\``;
}

/** Lines that set variables from the text of the answer, or from the address that it leads to. */
export function findings({ finds }: WalkRequest, set: string, sources: Readonly<Record<'body' | 'location', string>>) {
  return Object.entries(finds).map(
    ([variable, [source, pattern]]) => `${set}('${variable}', /${pattern}/.exec(${sources[source]})[1]);`,
  );
}

/** What of the address is looked at: a title, and the text that has to be in it. */
export function landmarks({ leadsTo }: WalkRequest, variable: (name: string) => string): [string, string][] {
  return leadsTo.map((part) => [`It leads to ${part.replace(/[{}]/g, '')}`, asTemplate(part, variable)]);
}

/** Lines that make `state`, the code verifier and its challenge (RFC 7636, section 4). */
export const challenge = (set: string) => [
  "const { SHA256, enc, lib } = require('crypto-js');",
  'const random = () => lib.WordArray.random(32).toString();',
  'const verifier = random();',
  `${set}('state', random());`,
  `${set}('verifier', verifier);`,
  'const base64 = SHA256(verifier).toString(enc.Base64);',
  `${set}('challenge', base64.replace(/\\+/g, '-').replace(/\\//g, '_').replace(/=/g, ''));`,
];
