import { deepEqual, equal, ok } from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'docs/decisions');
const decided = { header: ['what L-Plate does', 'file', 'test'], row: /^\| [^|]+ \| `[^|]+` \| `[^|]+` \|$/ };
const needed = { header: ['package', 'reason'], row: /^\| `[^|]+` \| [^|]+ \|$/ };
const pages = readdirSync(folder).filter((name) => name !== 'README.md');

/** The cells of the rows of a page, whose lines are headings, text and whole tables of one kind. */
function rowsOf(page: string, { header, row }: typeof decided): string[][] {
  const rows: string[][] = [];
  // A row that a blank line cuts off from its table has no header.
  for (const part of readFileSync(join(folder, page), 'utf8').trimEnd().split('\n\n')) {
    if (!part.includes('|')) continue;
    const [names, rule, ...lines] = part.split('\n');
    deepEqual([names, rule], [`| ${header.join(' | ')} |`, `| ${header.map(() => '---').join(' | ')} |`], page);
    ok(lines.length > 0, `${page}: a table has rows`);
    for (const line of lines) {
      ok(row.test(line) && !/\| {2}| {2}\|/.test(line), `${page}, not a row: ${line}`);
      rows.push(line.slice(2, -2).split(' | '));
    }
  }
  ok(rows.length > 0, `${page} has rows`);
  return rows;
}

function quotedIn(cell = ''): string[] {
  for (const part of cell.split(', ')) ok(/^`[@\w./-]+`$/.test(part), `a name in backticks: ${part}`);
  return cell.split(', ').map((part) => part.slice(1, -1));
}

const rows = pages
  .filter((page) => page !== 'dependencies.md')
  .flatMap((page) => rowsOf(page, decided).map((cells) => ({ page, cells })));

test('Decisions: every row is whole and names files and tests that exist', () => {
  for (const { page, cells } of rows) {
    const [decision = '', files, tests] = cells;
    for (const [names, home] of [
      [quotedIn(files), 'src'],
      [quotedIn(tests), 'test'],
    ] as const) {
      for (const name of names) {
        ok(existsSync(join(root, home, name)) || existsSync(join(root, name)), `${page}, ${name}: ${decision}`);
      }
    }
  }
});

test('Decisions: no row is there twice', () => {
  const seen = new Map<string, string>();
  for (const { page, cells } of rows) {
    const decision = `${cells[0]}`.toLowerCase().replace(/\W+/g, ' ');
    equal(seen.get(decision), undefined, `${page}: ${cells[0]}`);
    seen.set(decision, page);
  }
});

test('Decisions: the list of files has each of them', () => {
  const list = readFileSync(join(folder, 'README.md'), 'utf8');
  const linked = [...list.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, name]) => name);
  deepEqual(linked.toSorted(), pages.toSorted());
});

test('Decisions, dependencies: every package has a reason, and no other', () => {
  const wanted = ['package.json', 'console/package.json'].flatMap((path) => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, path), 'utf8'));
    return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  });
  const listed = rowsOf('dependencies.md', needed).flatMap(([names]) => quotedIn(names));
  deepEqual(listed.toSorted(), [...new Set(wanted)].toSorted());
});
