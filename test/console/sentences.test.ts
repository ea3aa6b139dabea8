import { deepEqual } from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

/* What the console must understand is a member, never a sentence: no text of the service is searched for a meaning. */

const folder = join(import.meta.dirname, '../../console');

/** Members of answers that have sentences. As `text` goes much else, so it counts where it is a member, or just came. */
const sentences = '(?:detail|title|question|goal|why|remarks?|advice|hints?|description|message|lastMiss|reason)';
const searches = '(?:test|exec|match|matchAll|includes|startsWith|endsWith|search|indexOf|split|replace|replaceAll)';
const isSearch = (names: string) =>
  new RegExp(
    `\\b${names}(?: \\?\\? '')?\\)?[?!]?\\.${searches}\\(|\\.(?:test|exec)\\((?:\\w+[?!]?\\.)*${names}[),]|(?<!typeof [\\w.?]*)\\b${names} [=!]== ['"\`][^'"\`]`,
  );
const search = isSearch(sentences);
const searchOfText = isSearch('\\w[?!]?\\.text');
const searchOfAnswer = isSearch('text');

/** Lines that search such a text and take no meaning from a sentence. */
const others: Readonly<Record<string, string>> = {
  'api/problem.ts: return errors.length > 0 && errors.every((error) => detail.includes(error.detail));':
    'whether the same stands there twice, whatever it says',
  'model/lesson-path.ts: return clientId === undefined ? goal : goal.replace(madeUp, own);':
    'a placeholder as it is sent; lesson-texts.test.ts holds each goal to its form',
  "pages/lessons/lesson.tsx: {goal.includes('/for/') && credentials.value && (":
    'a placeholder as it is sent, whose value the page shows as it does that of $TOKEN',
};

test('Design, the shape: the console searches no text of the service for what it means', async () => {
  const found: string[] = [];
  for (const name of await readdir(folder, { recursive: true })) {
    if (!/\.tsx?$/.test(name) || /^(dist|node_modules)\//.test(name)) continue;
    const source = await readFile(join(folder, name), 'utf8');
    const asks = /import \{[^}]*\b(?:call|send)\b[^}]*\} from '[./]+\/api\/call\.ts'/.test(source);
    for (const line of source.split('\n')) {
      if (search.test(line) || searchOfText.test(line) || (asks && searchOfAnswer.test(line)))
        found.push(`${name}: ${line.trim()}`);
    }
  }
  deepEqual(found.sort(), Object.keys(others).sort());
});
