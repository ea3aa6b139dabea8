import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { root } from '../support/program.ts';
import { pins } from './support/tools.ts';

/** A row of the table: the tool's name in its registry, its version and the test that runs it. */
interface Row {
  readonly tool: string;
  readonly version: string;
  readonly test: string;
}

const page = await readFile(join(root, 'docs/clients.md'), 'utf8');
const rows: Row[] = [...page.matchAll(/^\|[^|]*`([^|`]+)` \| ([\d.]+) \|.*\| `([^|`]+)` \|$/gm)].map(
  ([, tool = '', version = '', test = '']) => ({ tool, version, test }),
);

/** What is pinned elsewhere: the tools of `npm test`. */
async function pinnedElsewhere(): Promise<Map<string, string>> {
  const { dependencies, devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const zeep = await readFile(join(root, 'test/vehicle-registry/zeep-requirements.txt'), 'utf8');
  const python = [...zeep.matchAll(/^(.+)==(.+)$/gm)].map(([, name = '', version = '']) => [name, version] as const);
  return new Map([...Object.entries<string>({ ...dependencies, ...devDependencies }), ...python]);
}

describe('docs/clients.md', () => {
  test('Decisions, program: each version in the table is the one that is pinned, and the test that it names runs the tool', async () => {
    const elsewhere = await pinnedElsewhere();
    const [table = ''] = /^\| tool \| version \|(?:.*\n)+?(?=\n)/m.exec(page) ?? [];
    const lines = table.trimEnd().split('\n').length;
    // All but the two lines of its head.
    assert.equal(rows.length, lines - 2);
    for (const { tool, version, test } of rows) {
      const here = test.startsWith('test/foreign/');
      assert.equal(version, here ? pins.get(tool)?.version : elsewhere.get(tool), tool);
      const source = await readFile(join(root, test), 'utf8');
      // Named there, or in a table of those that run in one way.
      const runs = here ? [...source.matchAll(/(?:toolTest\(\s*|\btools: )\[.*?\]|\btool: '[^']*'/gs)].join() : source;
      assert.ok(here ? runs.includes(`'${tool}'`) : runs.includes(tool), `${test} does not run ${tool}`);
    }
  });

  test('Decisions, program: every tool that is pinned is in the table', () => {
    const named = new Set(rows.map(({ tool }) => tool));
    assert.deepEqual(
      [...pins.keys()].filter((tool) => !named.has(tool)),
      [],
    );
  });
});
