import { deepEqual, ok } from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse, type Token } from 'acorn';
import { check } from 'recheck';

interface Pattern {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

const root = join(import.meta.dirname, '../..');

/** Places where only texts of this project meet a pattern: its guides, and the links that it gives to pages. */
const ofOwnTexts = new Set(['src/pages/guide-links.ts', 'src/range/lessons/topics/lists.ts']);

/** One of a list of emoji and nothing else, which the tool does not know. */
const ofEmoji = /^\^\\p\{RGI_Emoji\}\$$/;

/** Those that the program writes down. */
async function literals(): Promise<Pattern[]> {
  const found: Pattern[] = [];
  for await (const file of glob('src/**/*.ts', { cwd: root })) {
    const code = stripTypeScriptTypes(await readFile(join(root, file), 'utf8'));
    const onToken = (token: Token) => {
      if (token.type.label !== 'regexp') return;
      const literal = code.slice(token.start, token.end);
      const end = literal.lastIndexOf('/');
      const place = `${file}:${token.loc?.start.line}`;
      found.push({ place, source: literal.slice(1, end), flags: literal.slice(end + 1) });
    };
    parse(code, { ecmaVersion: 'latest', sourceType: 'module', locations: true, onToken });
  }
  return found;
}

/** Those that it composes while its modules are loaded. */
async function composed(): Promise<Pattern[]> {
  const found: Pattern[] = [];
  const Original = RegExp;
  globalThis.RegExp = new Proxy(Original, {
    construct(target, [source, flags]) {
      const made = new target(source, flags);
      const place = /\/(src\/[^\s)]+)/.exec(new Error().stack?.split('\n')[2] ?? '')?.[1];
      if (place) found.push({ place, source: made.source, flags: made.flags });
      return made;
    },
  });
  try {
    await import('../../src/app.ts');
  } finally {
    globalThis.RegExp = Original;
  }
  return found;
}

/** What a text could make of it, or undefined. */
async function attackOn({ place, source, flags }: Pattern): Promise<string | undefined> {
  if (ofOwnTexts.has(place.replace(/:.*/, ''))) return undefined;
  if (ofEmoji.test(source)) return undefined;
  // The tool knows no sets of characters as `v` has them; nothing else here uses them.
  // It counts steps. A limit in time takes a busy machine for a slow pattern.
  const limits = { timeout: 200_000, attackTimeout: null, incubationTimeout: null };
  const found = await check(source, flags.replace('v', 'u'), limits);
  if (found.status === 'safe') return undefined;
  const why = found.status === 'vulnerable' ? `${found.complexity.summary}, by ${found.attack.pattern}` : found.status;
  return `${place}: /${source}/${flags} (${why})`;
}

test('Decisions, bounds: no pattern of the program takes a time that grows with the square of a text', async () => {
  const quadratic = await attackOn({ place: 'here', source: 'eyJ[\\w-]{8,}\\.', flags: 'g' });
  ok(quadratic?.includes('2nd degree'), 'the check finds one');
  const patterns = [...(await literals()), ...(await composed())];
  ok(patterns.length > 250, `${patterns.length} patterns`);
  for (const name of ['text/secret-finder', 'time/duration', 'range/lessons/entry']) {
    ok(
      patterns.some(({ place }) => place.startsWith(`src/${name}.ts`)),
      name,
    );
  }
  const attacks: string[] = [];
  for (const pattern of patterns) {
    const attack = await attackOn(pattern);
    if (attack) attacks.push(attack);
  }
  deepEqual(attacks, []);
});
