import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { type MadeRequest, type ProgramLanguage, requestCode } from '../../console/model/request-code.ts';

const holder = `O'Hara "& Sons" $HOME \`id\` !! ä \u202egnp.exe\u{e0041}`;

const request = (origin: string): MadeRequest => ({
  method: 'PUT',
  url: `${origin}/insurer/v1/policies/pol-'1?a=%7B`,
  headers: [
    { name: 'Authorization', value: 'Bearer {{token}}' },
    { name: 'If-Match', value: '"1-active"' },
    { name: 'Content-Type', value: 'application/json' },
  ],
  body: JSON.stringify({ holder, client_secret: '{{client_secret}}' }),
});

const environment = { ...process.env, TOKEN: 'abc', CLIENT_SECRET: 's-1' };

/** What a server gets from a command. */
async function received(work: (origin: string) => [command: string, args: string[]]) {
  let got: (Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { body: string }) | undefined;
  const server = createServer(async (incoming, answer) => {
    const body = (await incoming.toArray()).join('');
    got = { method: incoming.method, url: incoming.url, headers: incoming.headers, body };
    answer.end('done');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  try {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const child = spawn(...work(origin), { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
    const said = (await child.stdout.toArray()).join('');
    return { got, said };
  } finally {
    server.close();
  }
}

describe('Console, calls as code: a program sends what the page sends', () => {
  const commands: Record<Exclude<ProgramLanguage, 'java' | 'curl'>, (text: string) => [string, string[]]> = {
    javascript: (text) => [process.execPath, ['--input-type=module', '-e', text]],
    python: (text) => ['python3', ['-c', text]],
  };
  for (const language of ['javascript', 'python'] as const) {
    test(`Console, calls as code: ${language} sends it whole, with what is secret from variables`, async () => {
      const { got, said } = await received((origin) => commands[language](requestCode(language, request(origin))));
      assert.equal(said.trim(), '200 done');
      assert.deepEqual([got?.method, got?.url], ['PUT', "/insurer/v1/policies/pol-'1?a=%7B"]);
      assert.equal(got?.headers.authorization, 'Bearer abc');
      assert.equal(got?.headers['if-match'], '"1-active"');
      assert.equal(got?.headers['content-type'], 'application/json');
      assert.deepEqual(JSON.parse(got?.body ?? ''), { holder, client_secret: 's-1' });
    });
  }

  test('Console, calls as code: a shell gives curl the same, whatever the text has', () => {
    const text = requestCode('curl', request('http://localhost:8080'));
    assert.doesNotMatch(text, /\p{Cf}/u);
    const script = `curl() { printf '%s\\0' "$@"; }; ${text}`;
    const words = execFileSync('sh', ['-c', script], { encoding: 'utf8', env: environment }).split('\0');
    assert.deepEqual(words.slice(0, -2), [
      '-i',
      '-X',
      'PUT',
      "http://localhost:8080/insurer/v1/policies/pol-'1?a=%7B",
      '-H',
      'Authorization: Bearer abc',
      '-H',
      'If-Match: "1-active"',
      '-H',
      'Content-Type: application/json',
      '-d',
    ]);
    assert.deepEqual(JSON.parse(words.at(-2) ?? ''), { holder, client_secret: 's-1' });
  });

  test('Console, calls as code: curl adds no type to a body that has none, and reads no file', () => {
    const text = requestCode('curl', { method: 'POST', url: 'http://localhost/', headers: [], body: '@/etc/passwd' });
    assert.equal(
      text,
      ["curl -i -X POST 'http://localhost/'", "-H 'Content-Type:'", "--data-raw '@/etc/passwd'"].join(' \\\n  '),
    );
  });

  test('Console, calls as code: Java has the secret from a variable, and ASCII alone', () => {
    const text = requestCode('java', request('http://localhost:8080'));
    assert.match(text, /\.header\("Authorization", "Bearer " \+ System\.getenv\("TOKEN"\)\)/);
    assert.match(text, /\.method\("PUT", BodyPublishers\.ofString\(/);
    assert.match(text, /^[\n -~]*$/);
  });
});

test('Console, calls as code: curl sends a file whose name has what a shell and curl have a meaning for', () => {
  const file = `a "b\\c"; it's {{token}}.pdf`;
  const text = requestCode('curl', { method: 'POST', url: 'http://localhost/', headers: [], file });
  const name = String.raw`a \"b\\c\"; it'\''s {{token}}.pdf`;
  assert.equal(text, `curl -i -X POST 'http://localhost/' \\\n  -F 'file=@"${name}"'`);
});
