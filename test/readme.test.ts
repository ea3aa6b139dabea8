import { ok } from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { help } from '../src/settings/config.ts';
import { root } from './support/program.ts';

const readme = await readFile(join(root, 'README.md'), 'utf8');

/* What its commands print is in test/walks/pages.test.ts. */
describe('README', () => {
  test('docs/events.md: the receivers it shows are those in examples/', async () => {
    const receiver = await readFile(join(root, 'examples/webhook-receiver.ts'), 'utf8');
    const eventsGuide = await readFile(join(root, 'docs/events.md'), 'utf8');
    ok(eventsGuide.includes(`\`\`\`ts\n${receiver}\`\`\``));
    const inPython = await readFile(join(root, 'examples/webhook_receiver.py'), 'utf8');
    ok(eventsGuide.includes(`\`\`\`python\n${inPython}\`\`\``));
  });

  test('the settings are those of --help', () => {
    const table = help().slice(help().indexOf('  FLAG'));
    ok(readme.includes(table.trimEnd()));
  });

  test('every link to a file leads somewhere', async () => {
    for (const page of [
      'README.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'CHANGELOG.md',
      'examples/README.md',
      ...(await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`),
    ]) {
      const text = await readFile(join(root, page), 'utf8');
      for (const [, target] of text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
        await readFile(join(root, page, '..', target as string)).catch(() => ok(false, `${page} links to ${target}`));
      }
    }
  });
});
