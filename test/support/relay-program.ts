import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { soon } from './consumer.ts';
import type { LPlate, TestClient } from './lplate.ts';
import { launcherOfClone, root } from './program.ts';

/* The relays that learners start, as processes. */

const noPython = spawnSync('python3', ['--version']).status !== 0 && 'NO PYTHON: the relay in Python is not run';
if (noPython) console.error(`\n*** ${noPython} ***\n`);

export interface RelayProgram {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** The variable with the file of the authority that it trusts. */
  readonly authority: string;
  readonly skip: string | false;
}

export const relayPrograms: readonly RelayProgram[] = [
  { name: 'relay.py', command: ['python3', 'kits/relay/relay.py'], authority: 'SSL_CERT_FILE', skip: noPython },
  {
    ...{ name: 'l-plate relay', command: [process.execPath, launcherOfClone, 'relay'], skip: false },
    authority: 'NODE_EXTRA_CA_CERTS',
  },
];

/** Ends with the test. */
export function startRelay(
  t: TestContext,
  { command: [file, ...before] }: RelayProgram,
  environment: Record<string, string>,
  ...flags: string[]
) {
  const { PATH = '' } = process.env;
  const child = spawn(file, [...before, ...flags], { cwd: root, env: { PATH, ...environment } });
  t.after(() => child.kill('SIGKILL'));
  let told = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (told += text));
  return { child, told: () => told, exit: once(child, 'close').then(([code]) => code as number | null) };
}

/** Starts it, and waits until it is connected. */
export async function connectRelay(
  t: TestContext,
  program: RelayProgram,
  { url }: Pick<LPlate, 'url'>,
  { id, secret }: Omit<TestClient, 'token'>,
  ...flags: string[]
) {
  const relay = startRelay(t, program, { LPLATE_URL: url, CLIENT_ID: id, CLIENT_SECRET: secret }, ...flags);
  await soon('it is connected', () => relay.told().includes('connected to'));
  return relay;
}
