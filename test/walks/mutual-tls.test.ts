import { equal } from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { codeParts, type Language } from '../../src/range/lessons/code-parts.ts';
import { onSqlite } from '../support/engines.ts';
import { startLPlate, testSecrets } from '../support/lplate.ts';
import { asking, files } from '../support/mutual-tls.ts';
import { root } from '../support/program.ts';

/* The solution of the lesson that needs a client certificate, in each language: of its program, what leads to it alone. */

const run = promisify(execFile);
const examples = join(root, 'examples');
const read = (name: string) => readFile(join(examples, name), 'utf8');

const without = (...calls: [string, ...string[]][]) =>
  calls.some(([command, ...args]) => spawnSync(command, args).status !== 0) &&
  `NO ${calls.map((call) => call.join(' ')).join(', ')}`;

/** A program up to its second lesson, and then the solution. */
async function shortened(language: Language, name: string, between: string): Promise<string> {
  const [begin] = (await read(name)).split(/^# lesson: coverage-options$/m);
  const part = (await codeParts()).get('mutual-tls')?.find((each) => each.language === language);
  return `${begin}${between}\n${part?.text}\n`;
}

interface Walk {
  readonly skip: string | false;
  /** Its command; files that it needs are made in the folder. */
  readonly command: (folder: string) => Promise<[string, ...string[]]>;
}

const walks: Record<Language, Walk> = {
  JavaScript: {
    skip: false,
    command: async () => {
      const [learner, access] = ['learner', 'access'].map((name) => JSON.stringify(join(examples, `path/${name}.js`)));
      const program = `import { newLearner } from ${learner}; import { access } from ${access}; await access(await newLearner());`;
      return [process.execPath, '--input-type=module', '--eval', program];
    },
  },
  curl: {
    skip: without(['bash', '--version'], ['curl', '--version']),
    command: async () => ['bash', '-c', await shortened('curl', 'walk-the-path.sh', 'new_token')],
  },
  Python: {
    skip: without(['python3', '-c', 'import requests']),
    command: async () => ['python3', '-c', await shortened('Python', 'walk_the_path.py', '')],
  },
  Java: {
    skip: without(['java', '-version'], ['keytool', '-help']),
    async command(folder) {
      const program = (await read('WalkThePath.java')).replace(/^ {4}(?!credentials|access)\w+\(\);\n/gm, '');
      const [source, store] = [join(folder, 'WalkThePath.java'), join(folder, 'trusted.p12')];
      await writeFile(source, program.replace('System.exit(open.isEmpty() ? 0 : 1)', 'System.exit(0)'));
      const kept = ['-keystore', store, '-storepass', 'changeit', '-noprompt'];
      await run('keytool', ['-importcert', '-alias', 'authority', '-file', files.authority, ...kept]);
      const trust = [`-Djavax.net.ssl.trustStore=${store}`, '-Djavax.net.ssl.trustStorePassword=changeit'];
      return ['java', ...trust, source];
    },
  },
};

onSqlite((engine) => {
  for (const [language, { skip, command }] of Object.entries(walks))
    test(`Lessons: the solution of mutual-tls in ${language} solves it`, { skip }, async (t) => {
      const folder = await mkdtemp(join(tmpdir(), 'l-plate-walk-'));
      t.after(() => rm(folder, { recursive: true, force: true }));
      const lplate = await startLPlate(t, engine, asking);
      const [program, ...args] = await command(folder);
      await run(program, args, {
        env: {
          ...process.env,
          ...{ LPLATE_URL: lplate.url, HMAC_SECRET: testSecrets.hmacSecret },
          ...{ CLIENT_CERT: files.cert, CLIENT_KEY: files.key },
          ...{
            NODE_EXTRA_CA_CERTS: files.authority,
            CURL_CA_BUNDLE: files.authority,
            REQUESTS_CA_BUNDLE: files.authority,
          },
        },
      });
      const { json } = await lplate.call('GET', '/range/v1/trainer/lessons', { token: testSecrets.trainerToken });
      const solved = json.items[0].lessons.find(({ id }: { id: string }) => id === 'mutual-tls');
      equal(solved?.state, 'solved');
    });
});
