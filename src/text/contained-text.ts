/** What opens an isolate of the Unicode Bidirectional Algorithm, and what ends it. */
const opening = /[\u2066-\u2068]/;
const ending = '\u2069';

/**
 * A text of others that can stand in a `bdi` and turns nothing round outside of it: each isolate that it opens ends in the
 * same line, and it ends none that it did not open. An element alone does not do that: its own end would end the inner one.
 */
export function contained(text: string): string {
  return text.split('\n').map(containedLine).join('\n');
}

function containedLine(line: string): string {
  let open = 0;
  let result = '';
  for (const character of line) {
    if (character === ending && open === 0) continue;
    if (character === ending) open -= 1;
    if (opening.test(character)) open += 1;
    result += character;
  }
  return result + ending.repeat(open);
}
