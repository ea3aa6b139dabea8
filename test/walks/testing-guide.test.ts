import { equal, ok } from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { banner, launch, root } from '../support/program.ts';
import { stepsOf, unwalkable, walk } from '../support/walk.ts';

const page = await readFile(join(root, 'docs/testing.md'), 'utf8');

test('docs/testing.md: its commands print what it says, to the letter of each id and secret', {
  skip: unwalkable,
}, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'l-plate-testing-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  // The command that a reader starts it with, whose file is in the reader's folder.
  const [, command = ''] = /^```bash\nnpm start -- (.*?)```$/ms.exec(page) ?? [];
  const ready = join(directory, 'ready.json');
  const args = command
    .replaceAll('\\\n', '')
    .trim()
    .split(/\s+/)
    .map((arg) => (arg === 'ready.json' ? ready : arg));
  ok(args.includes(ready));
  await banner(launch(t, { args }));
  const { publicUrl, secrets } = JSON.parse(await readFile(ready, 'utf8'));
  await walk(stepsOf(page), {
    directory,
    environment: {},
    local: (commands) => commands.replaceAll('http://localhost:8080', publicUrl),
  });

  const post = async (path: string, token: string, json?: object) => {
    const headers = { Authorization: `Bearer ${token}`, ...(json && { 'Content-Type': 'application/json' }) };
    const response = await fetch(publicUrl + path, {
      method: 'POST',
      headers,
      body: json ? JSON.stringify(json) : null,
    });
    return response.text();
  };
  equal(await post('/range/v1/trainer/reset?what=everything', secrets.trainerToken), '{"clients":0}');
  const client = await post('/insurer/v1/demo-clients', '');
  ok(page.includes(client), client);
  const { access_token } = JSON.parse(await post('/insurer/v1/auth/token', '', JSON.parse(client)));
  const { id } = JSON.parse(await post('/insurer/v1/policies', access_token, { regNumber: 'CI-0001' }));
  ok(page.includes(id), id);
});

test('docs/testing.md: the ready line has the members that it says', async () => {
  const [, line = ''] = /^```json\n(.*)\n```$/m.exec(page) ?? [];
  const { secrets, ...members } = JSON.parse(line);
  for (const name of [...Object.keys(members), 'secrets']) ok(page.includes(`| \`${name}\` |`), name);
  equal(Object.keys(secrets).join(), 'hmacSecret,readerClientSecret,fleetClientSecret,trainerToken');
});
