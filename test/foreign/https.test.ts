import { equal, match, ok } from 'node:assert/strict';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe } from 'node:test';
import { programPath } from './support/programs.ts';
import { type Place, toolTest } from './support/tool-test.ts';
import { call, pythonScripts } from './support/tools.ts';

/* HTTPS with the class authority, by the commands that the page /ca shows, in a shell, as a learner runs them. */

const path = '/insurer/v1/coverage-options';

/** The commands of the page, by the ids of their blocks. */
async function commandsOf({ origin }: Place): Promise<(id: string) => string> {
  const { stdout } = await call('curl', ['-sk', `${origin}/ca`]);
  return (id) => {
    const [, text] = new RegExp(`<pre id="${id}"[^>]*>(.*?)</pre>`, 's').exec(stdout) ?? [];
    ok(text, id);
    // As they are copied from a browser: what keeps a flag on one line is not part of the text.
    return text.replace(/<\/?span[^>]*>/g, '').replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code));
  };
}

function shell({ folder }: Place, commands: string, environment: Record<string, string> = {}) {
  return call('bash', ['-ec', commands], { cwd: folder, environment });
}

/** With the authority in `lplate-ca.pem`, after its fingerprint was compared with the one of the banner. */
async function fetchAuthority(place: Place, command: (id: string) => string): Promise<void> {
  const { stdout } = await shell(place, command('fetch'));
  const [, fetched] = /Fingerprint=([\dA-F:]+)/i.exec(stdout) ?? [];
  ok(fetched && place.program.stdout().includes(`its fingerprint (SHA-256)   ${fetched}\n`));
  equal(command('expected'), fetched);
}

describe('Operations: HTTPS with the class authority is verified by the commands of its page', () => {
  const secure = { args: ['--tls', 'self'] };

  toolTest(['requests'], 'curl, by HTTP/2 and HTTP/1.1, requests, urllib', secure, async (place) => {
    const command = await commandsOf(place);
    await fetchAuthority(place, command);
    match((await shell(place, command('curl'))).stdout, /"options"/);
    for (const version of ['2', '1.1']) {
      const asked = `curl -s --http${version} -o answer -w '%{http_version}' --cacert lplate-ca.pem ${place.origin}${path}`;
      equal((await shell(place, asked)).stdout, version);
    }
    const unverified = shell(place, `curl -s ${place.origin}${path} || echo "refused: $?"`);
    match((await unverified).stdout, /refused: 60/);
    const client = `import sys, json, urllib.request, requests
url = "${place.origin}${path}"
print(json.dumps({"requests": requests.get(url).status_code, "urllib": urllib.request.urlopen(url).status}))
`;
    await writeFile(join(place.folder, 'client.py'), client);
    const environment = { PATH: `${pythonScripts()}:${process.env.PATH}` };
    const called = await shell(place, command('python'), environment);
    equal(called.stdout.trim(), '{"requests": 200, "urllib": 200}');
  });

  toolTest(['requests'], 'Java’s HttpClient, Node.js', { ...secure, runtime: 'java' }, async (place) => {
    const command = await commandsOf(place);
    await fetchAuthority(place, command);
    await copyFile(programPath('Client.java'), join(place.folder, 'Client.java'));
    const java = command('java').replaceAll('Client.java', `Client.java ${place.origin}${path}`);
    const { stdout } = await shell(place, java);
    match(stdout, /^HTTP_2 200$/m);
    const client = `const answer = await fetch('${place.origin}${path}'); console.log(answer.status);`;
    await writeFile(join(place.folder, 'client.js'), client);
    await writeFile(join(place.folder, 'package.json'), '{"type":"module"}');
    const environment = { PATH: `${join(process.execPath, '..')}:${process.env.PATH}` };
    equal((await shell(place, command('node'), environment)).stdout, '200\n');
  });
});
