import { claimsOf } from './compare.ts';
import type { Failure } from './row.ts';
import { type Answer, bodyOf, headersOf, hmacKey, isForm, type NoAnswer, nameInBraces, streamId } from './side.ts';
import type { Step } from './stage.ts';
import { waitedCommand } from './waits/told.ts';

/*
 * A row of calls as people read it: commands for a shell, and answers.
 */

/** The row as commands that can be pasted: what an answer gave stands in variables of the shell. */
export function commandsOf({ steps, names, yours }: Failure): string {
  const plates = [...names.keys()].filter((name) => isPlate(name) && JSON.stringify(steps).includes(`{${name}}`));
  const given = new Set([...steps.flatMap(({ keep = {} }) => Object.keys(keep)), ...plates]);
  // What else the examination itself gave, such as dates, is written out.
  const word = (text: string) => {
    const written = text.replace(nameInBraces, (whole, name) => (given.has(name) ? whole : (names.get(name) ?? '')));
    const parts = written.split(nameInBraces);
    return parts.map((part, at) => (at % 2 === 1 ? `"$${variable(part)}"` : part && single(part))).join('') || "''";
  };
  const curl = (step: Step) => {
    const { method } = step;
    const kind = method === 'HEAD' ? ' -I' : method === 'GET' ? '' : ` -X ${method}`;
    const parts = [`curl -si -g${kind} ${word(yours.addressOf(step.path))}`];
    const body = bodyOf(step);
    for (const [name, value] of Object.entries(headersOf(step, body))) {
      const [before = '', after] = value.split('{signature}');
      const signature = `"$(printf %s ${word(body ?? '')} | openssl dgst -sha256 -hmac ${hmacKey} | sed 's/.* //')"`;
      const rest = after === undefined ? '' : signature + (after && single(after));
      parts.push(`-H ${word(`${name}: ${before}`)}${rest}`);
    }
    if (body !== undefined && isForm(step))
      // What a service gave may have any characters.
      for (const part of body.split('&'))
        parts.push(`${nameInBraces.test(part) ? '--data-urlencode' : '-d'} ${word(part)}`);
    else if (body !== undefined) parts.push(`--data-raw ${word(body)}`);
    return parts.join(' \\\n  ');
  };
  const commands = steps.map((step, at) => {
    const { keep = {}, wait, besides } = step;
    const isLast = at === steps.length - 1;
    const call = besides ? `${[step, ...besides].map((each) => `${curl(each)} &\n`).join('')}wait` : curl(step);
    const waited = wait && waitedCommand(wait, call, word(step.path).replaceAll("'", ''));
    const wanted = isLast ? [] : Object.entries(keep).map(([name, place]) => taken(name, place));
    if (waited?.isKept) return [waited.command, ...(isLast ? [`printf '%s\\n' "$answer"`] : wanted)].join('\n');
    const command = waited?.command ?? call;
    return wanted.length === 0 ? command : [`answer=$(${command})`, ...wanted].join('\n');
  });
  return [...platesOf(plates), ...often(commands)].join('\n');
}

const isPlate = (name: string) => /^(plate\d|longPlate)$/.test(name);

/** Plates that nobody has insured yet, each time that the commands are pasted. */
function platesOf(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  // The time has ten digits.
  const plates = names.map((name) => `${name}="EX-$now-${name === 'longPlate' ? '0'.repeat(26) : name.slice(-1)}"`);
  return ['now=$(date +%s)', ...plates];
}

/** What is done several times in a row is written once. */
function often(commands: readonly string[]): string[] {
  return commands.flatMap((command, at) => {
    if (command === commands[at - 1]) return [];
    const other = commands.findIndex((each, after) => after > at && each !== command);
    const times = (other < 0 ? commands.length : other) - at;
    return times < 4 ? Array<string>(times).fill(command) : [`for call in $(seq ${times}); do\n${command}\ndone`];
  });
}

/** Takes a value out of an answer, by what every shell has. */
function taken(name: string, place: string): string {
  const from = `${variable(name)}=$(printf '%s\\n' "$answer" |`;
  if (place.startsWith('header:'))
    return `${from} tr -d '\\r' | sed -n 's/^${place.slice('header:'.length)}: *//Ip' | head -n 1)`;
  if (place === streamId) return `${from} tr -d '\\r' | sed -n 's/^id: *//p' | tail -n 1)`;
  const way = place.split('/').slice(1);
  const index = way.map(Number).find((step) => Number.isInteger(step)) ?? 0;
  return `${from} grep -o '"${way.at(-1)}" *: *"[^"]*"' | sed -n '${index + 1}s/.*: *"\\(.*\\)"$/\\1/p')`;
}

const variable = (name: string) => name.replaceAll('.', '_');

const single = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Characters of a body that are shown. */
const longestBody = 800;

/** An answer as it is told: its status, the header that the difference is about, and its body. */
export function answerShown(answer: Answer | NoAnswer, place: string): string {
  if ('failure' in answer) return `It ${answer.failure}.`;
  const header = place.startsWith('header:') ? place.slice('header:'.length) : undefined;
  const value = header && answer.headers[header.toLowerCase()];
  const whole = answer.body.replaceAll(/[\w.-]+/g, tokenShown);
  const body = whole.length > longestBody ? `${whole.slice(0, longestBody)}…` : whole;
  // What a hook got has no status.
  const status = answer.status === 0 ? [] : [String(answer.status)];
  if (status.length === 0 && body === '') return 'Nothing.';
  return [...status, ...(value === undefined ? [] : [`${header}: ${value}`]), ...(body ? [body] : [])]
    .map(printable)
    .join('\n');
}

/** A token opens a service: in its place stands what it says. */
function tokenShown(word: string): string {
  if (!word.includes('eyJ') || !word.includes('.')) return word;
  const claims = claimsOf(word);
  return claims ? `<a JWT with the claims ${JSON.stringify(claims)}>` : '<a token that is no JWT>';
}

/** What others sent, for a terminal: it moves no cursor and colours nothing. */
export function printable(text: string): string {
  return text.replaceAll(/[^\P{C}\n\t]/gu, '\u{fffd}');
}
