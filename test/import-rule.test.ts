import { match, ok } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');

/** What the linter, with the project's rules, says of one file in a scratch tree. */
async function lint(path: string, source: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'l-plate-lint-'));
  try {
    const rules = JSON.parse(await readFile(join(root, 'biome.json'), 'utf8'));
    await writeFile(join(directory, 'biome.json'), JSON.stringify({ ...rules, vcs: { enabled: false } }));
    await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
    await mkdir(join(directory, path, '..'), { recursive: true });
    await writeFile(join(directory, path), source);
    const { stdout, stderr } = spawnSync('biome', ['lint', path], { cwd: directory, encoding: 'utf8' });
    return stdout + stderr;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

test('Design: a system may import another one’s index and nothing else of it', async () => {
  const refused = await lint('src/insurer/a.ts', "import { desk } from '../claims/desk.ts';\nexport const a = desk;\n");
  match(refused, /Systems are siblings/);
  const allowed = await lint(
    'src/insurer/a.ts',
    "import { claims } from '../claims/index.ts';\nexport const a = claims;\n",
  );
  ok(!/Systems are siblings/.test(allowed), allowed);
});

test('Design: what the systems share imports none of them', async () => {
  for (const folder of ['http', 'database']) {
    const refused = await lint(`src/${folder}/a.ts`, "import { i } from '../insurer/index.ts';\nexport const a = i;\n");
    match(refused, /What the systems share knows none of them/);
  }
});

test('Design: only the clock asks the system for the time', async () => {
  const files = (await readdir(join(root, 'src'), { recursive: true })).filter(
    (name) => name.endsWith('.ts') && name !== 'clock.ts',
  );
  for (const file of files) {
    const source = await readFile(join(root, 'src', file), 'utf8');
    ok(!/Date\.now\(|new Date\(\)|performance\.now|Temporal\.Now/.test(source), file);
  }
});
