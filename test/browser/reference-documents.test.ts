import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { promisify } from 'node:util';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, startLPlate } from '../support/lplate.ts';

const chromium = spawnSync('chromium', ['--version']).status === 0;

onSqlite((engine) => {
  let lplate: LPlate;
  before(async () => {
    lplate = await startLPlate(engine);
  });
  after(() => lplate.close());

  const shown = [
    { name: 'claims-v1', kind: 'OpenAPI 3.1.0', titles: ['L-Plate claims', 'Register a claim'] },
    {
      name: 'claims-v1-topic',
      kind: 'AsyncAPI 3.0.0',
      titles: ['L-Plate claims topic', 'Read a batch', 'Stream events'],
    },
  ];
  for (const { name, kind, titles } of shown) {
    it(`Decisions, addresses: a browser shows ${name}, refused nothing by the page’s policy`, {
      skip: !chromium,
    }, async () => {
      const { text, messages } = await browse(`${lplate.config.publicUrl}/docs?api=${name}`);
      for (const expected of [kind, ...titles]) assert(text.includes(expected), expected);
      // Scalar says its version; what a policy refuses or a script throws would stand beside it.
      assert.deepEqual(
        messages.filter((message) => !message.includes('"@scalar/api-reference@')),
        [],
      );
    });
  }
});

/** The page as it stands when its scripts have come to rest, and what was said on the browser's console. */
async function browse(url: string): Promise<{ text: string; messages: string[] }> {
  const profile = await mkdtemp(join(tmpdir(), 'l-plate-browser-'));
  try {
    const flags = ['--headless', '--disable-gpu', '--window-size=1280,4000', `--user-data-dir=${profile}`];
    // The browser's own time: it runs ahead while nothing is under way.
    flags.push('--virtual-time-budget=30000', '--enable-logging=stderr');
    if (process.getuid?.() === 0) flags.push('--no-sandbox');
    const options = { maxBuffer: 64 * 1024 * 1024, env: { ...process.env, no_proxy: '*' } };
    const { stdout, stderr } = await promisify(execFile)('chromium', [...flags, '--dump-dom', url], options);
    const messages = stderr.split('\n').filter((line) => line.includes(':CONSOLE:'));
    return { text: stdout.replaceAll(/<script[\s\S]*?<\/script>/g, ''), messages };
  } finally {
    await rm(profile, { recursive: true, force: true });
  }
}
