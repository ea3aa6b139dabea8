/*
 * Registration numbers of a learner's own for the examples, so that nobody in a class meets the vehicle of somebody else.
 * They follow from the client: two letters, and nine numbers one after the other.
 */

/** As the first letter of a plate. The examples of the documentation, the preconfigured fleet and no vehicle have the others. */
const first = 'ABCDEGHIJKLMNOPRSTUWY';
const second = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/**
 * A plate such as the vehicle registry knows: never XX or ZZ, never 0000.
 *
 * @param number which one: 1 to 9. Each example has its own, so that each works at the first try
 */
export function plateOf(clientId: string, number: number): string {
  const hash = hashOf(clientId);
  const letters = hash % (first.length * second.length);
  const tens = Math.floor(hash / (first.length * second.length)) % 1000;
  const written = first.charAt(letters % first.length) + second.charAt(Math.floor(letters / first.length));
  return `${written}-${String(tens * 10 + number).padStart(4, '0')}`;
}

/** A plate with the letters of a client, and any number: for an example that is sent again and again. */
export function freshPlate(clientId: string, random = Math.random()): string {
  return `${plateOf(clientId, 1).slice(0, 3)}${1000 + Math.floor(random * 9000)}`;
}

/** FNV-1a in 32 bits, with the last mixing of MurmurHash3, so that ids that are nearly the same are far apart. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) as number), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
