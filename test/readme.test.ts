import { deepEqual, ok } from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { slug } from '../console/pages/guides/guide.ts';
import { help } from '../src/settings/config.ts';
import { root } from './support/program.ts';

const read = (file: string) => readFile(join(root, file), 'utf8');

const docs = (await readdir(join(root, 'docs'), { recursive: true }))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);
const integrations = ['pytest', 'junit', 'testcontainers'].map((name) => `integrations/${name}/README.md`);
const roots = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'examples/README.md'];
const pages = [...roots, ...integrations, ...docs];

/** The names of a page's headings in addresses. What is code has none. */
function headings(markdown: string): Set<string> {
  const taken = new Set<string>();
  for (const [, text = ''] of markdown.replaceAll(/^```.*?^```$/gms, '').matchAll(/^#+ (.+)$/gm)) slug(text, taken);
  return taken;
}

/* What the commands print is in test/walks/pages.test.ts. */
describe('README and docs', () => {
  test('README: it begins with a picture, and has less than 1,000 words', async () => {
    const readme = await read('README.md');
    ok(readme.startsWith('# L-Plate\n\n!['));
    const words = readme.split(/\s+/).length;
    ok(words < 1000, `${words} words`);
  });

  test('README: its commands are those of a first start, which are walked, and npm test', async () => {
    const blocks = [...(await read('README.md')).matchAll(/^```sh\n(.*?)```$/gms)].map(([, commands = '']) => commands);
    const [start = '', quickStart = '', ...rest] = blocks;
    ok(start.startsWith('git clone ') && start.endsWith('\nnpm start\n'), start);
    deepEqual(quickStart.match(/^\S+=\S|^curl /gm)?.length, 6, quickStart);
    deepEqual(rest, ['npm test\n']);
    ok((await read('docs/class.md')).includes(start.replace('npm start\n', 'npm start -- --class\n')), 'the guide');
  });

  test('every command of npm that a page names is a script, and every flag of npm start one of --help', async () => {
    const { scripts } = JSON.parse(await read('package.json'));
    for (const page of pages.filter((each) => each !== 'CHANGELOG.md')) {
      const text = (await read(page)).replaceAll('\\\n', '');
      for (const [, script = ''] of text.matchAll(/npm run ([\w:]+)/g)) ok(script in scripts, `${page}: ${script}`);
      for (const [, line = ''] of text.matchAll(/npm start -- ([^`\n]*)/g))
        for (const [flag] of line.matchAll(/--[\w-]+/g)) ok(help().includes(` ${flag}`), `${page}: ${flag}`);
    }
  });

  test('docs/events.md: the receivers it shows are those in examples/', async () => {
    const guide = await read('docs/events.md');
    ok(guide.includes(`\`\`\`ts\n${await read('examples/webhook-receiver.ts')}\`\`\``));
    ok(guide.includes(`\`\`\`python\n${await read('examples/webhook_receiver.py')}\`\`\``));
  });

  test('docs/settings.md: the settings are those of --help', async () => {
    const table = help().slice(help().indexOf('  FLAG'));
    ok((await read('docs/settings.md')).includes(table.trimEnd()));
  });

  test('every link leads to a file, and to a heading that it has', async () => {
    for (const page of pages) {
      for (const [, path = '', heading] of (await read(page)).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)) {
        const target = path === '' ? page : join(page, '..', path);
        const text = await read(target).catch(() => undefined);
        ok(text !== undefined || path.endsWith('/'), `${page} links to ${path}`);
        if (heading) ok(headings(text ?? '').has(heading), `${page} links to ${path}#${heading}`);
      }
    }
  });
});
