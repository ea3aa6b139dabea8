import { ok } from 'node:assert/strict';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');

test('Decisions: every row names files and tests that exist', async () => {
  const page = await readFile(join(root, 'docs/decisions.md'), 'utf8');
  const rows = page.split('\n').filter((line) => /^\| .* \| `.*` \| `.*` \|$/.test(line));
  ok(rows.length > 30, 'the tables are there');
  for (const row of rows) {
    const [, files = '', tests = ''] = row.split(' | ');
    for (const [column, cell] of [
      ['src', files],
      ['test', tests],
    ] as const) {
      for (const [, name] of cell.matchAll(/`([\w./-]+)`/g)) {
        const places = [join(root, column, name as string), join(root, name as string)];
        const found = await Promise.any(places.map((place) => access(place))).then(
          () => true,
          () => false,
        );
        ok(found, `${name} of: ${row.slice(0, 80)}`);
      }
    }
  }
});
