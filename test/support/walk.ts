import { equal } from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/*
 * Pages that are read with a terminal beside them: their blocks of commands are run as a reader pastes them, one after
 * the other, and each must print what the page says. A block that is marked `sh second terminal` goes on running while
 * those after it run.
 */

/** A block of commands and what the page says it prints. */
export interface Step {
  commands: string;
  output: string;
  secondTerminal: boolean;
}

const missing = ['bash', 'curl', 'openssl', 'sed'].filter((tool) => spawnSync(tool, ['--version']).error);

/** Why pages can't be walked here, or false. */
export const unwalkable = missing.length > 0 && `NO ${missing.join(', ')}: the commands of README and docs are not run`;
if (unwalkable) console.error(`\n*** ${unwalkable} ***\n`);

export function stepsOf(page: string): Step[] {
  const blocks = [...page.matchAll(/```(sh|text)( second terminal)?\n(.*?)```/gs)].map(([, kind, second, text]) => ({
    kind,
    secondTerminal: second !== undefined,
    text: text as string,
  }));
  return blocks.flatMap(({ kind, secondTerminal, text }, at) => {
    if (kind !== 'sh') return [];
    equal(blocks[at + 1]?.kind, 'text', `every block of commands has its output: ${text}`);
    return [{ commands: text, output: blocks[at + 1]?.text ?? '', secondTerminal }];
  });
}

/**
 * What differs from one run to the next, made the same. An event that was delivered twice on purpose becomes one, and so
 * do tries of a webhook that ended alike. The latest delivery is left out: it may be under way. So is a comment in a
 * stream, which comes only while there is no event.
 */
export function plain(text: string): string {
  return (
    text
      .replace(/(\{"eventId":[^{}]*\{[^{}]*\}\})(?:(?:,|\n\nid: \d+-[12]\ndata: )\1)+/g, '$1')
      .replace(/http:\/\/(?:localhost|127\.0\.0\.1):\d+/g, 'ORIGIN')
      .replace(/([Ss]eed) \d+/g, '$1 N')
      .replace(/^ready \d+/gm, 'ready PORT')
      .replace(/"client_id":"demo-[0-9a-f]{20}"/g, 'CLIENT')
      .replace(/([?&]client_id=)demo-[0-9a-f]{20}/g, '$1CLIENT')
      .replace(/([?&](?:state|code|code_challenge)=)[\w-]{20,}/g, '$1RANDOM')
      .replace(/%3A%2F%2Flocalhost%3A\d+/g, '%3A%2F%2FHOST')
      .replace(/"client_secret":"[\w-]{43}"/g, 'SECRET')
      .replace(/"secret":"whsec_[\w+/]{43}="/g, 'SECRET')
      .replace(/(pol|sub|imp|stm|doc)-[0-9a-f-]{36}/g, '$1-ID')
      .replace(/LP(-?)[0-9a-f]{8}/g, 'LP$1PLATE')
      .replace(/MY-\d+/g, 'MY-PLATE')
      .replace(/CLM-\d{4}-\d{6}/g, 'CLAIM')
      .replace(/"eventId":"[0-9a-f-]{36}"/g, 'EVENT')
      .replace(/("next":"|^id: )\d+-[12]/gm, '$1CURSOR')
      .replace(/urn:uuid:[0-9a-f-]{36}/g, 'INSTANCE')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'INSTANT')
      .replace(/"attempt":\d+/g, '"attempt":N')
      .replace(/(\{"attempt":[^{}]*\})(?:,\1)+/g, '$1')
      .replace(/("lastDelivery":\{)[^{}]*/g, '$1DELIVERY')
      .replace(/\d{4}-\d\d-\d\d/g, 'DATE')
      .replace(/free in \d+ s/g, 'free in N s')
      .replace(/Try again in (?:5\d|60) s/g, 'Try again in N s')
      // What npm says before it runs a script.
      .replace(/^> (?:l-plate@|node bin\/).*\n/gm, '')
      .replace(/\r/g, '')
      .replace(/^: .*\n/gm, '')
      .trim()
  );
}

/** Where a page is walked. */
export interface Folder {
  readonly directory: string;
  /** Variables besides those of this process. */
  readonly environment: Readonly<Record<string, string>>;
  /** Puts the addresses of a page where they are here. */
  local(commands: string): string;
}

/** Milliseconds after which a walk that has not come to its end is broken off. */
const shellTimeout = 120_000;

/** Runs the steps in one shell and compares what each prints. */
export async function walk(steps: readonly Step[], { directory, environment, local }: Folder): Promise<void> {
  const mark = '----8<----';
  const aside = (at: number) => join(directory, `.terminal-${at}`);
  const script = steps.map(({ commands, secondTerminal }, at) => {
    if (!secondTerminal) return `${commands}\necho '${mark}'\n`;
    // The reader goes on when it has said something.
    return `(\n${commands}\n) > ${aside(at)} &\nuntil [ -s ${aside(at)} ]; do sleep 0.1; done\necho '${mark}'\n`;
  });
  const [stdout, stderr] = [join(directory, '.stdout'), join(directory, '.stderr')];
  const [out, error] = [await open(stdout, 'w'), await open(stderr, 'w')];
  const shell = spawn('bash', ['-c', local(script.join(''))], {
    cwd: directory,
    env: { ...process.env, ...environment, no_proxy: '*' },
    // Files, since what runs beside the shell would keep a pipe open; and a group, which can be ended as a whole.
    stdio: ['ignore', out.fd, error.fd],
    detached: true,
  });
  const late = setTimeout(() => endGroup(shell.pid), shellTimeout);
  try {
    await once(shell, 'exit');
    const printed = (await readFile(stdout, 'utf8')).split(`${mark}\n`);
    for (const [at, { commands, output, secondTerminal }] of steps.entries()) {
      const said = secondTerminal ? await saidAside(aside(at), output) : (printed[at] ?? '');
      equal(plain(said), plain(output), commands);
    }
    equal(await readFile(stderr, 'utf8'), '');
  } finally {
    clearTimeout(late);
    endGroup(shell.pid);
    await Promise.all([out.close(), error.close()]);
  }
}

/** What a second terminal shows, at the latest after a generous while. */
async function saidAside(file: string, expected: string): Promise<string> {
  for (let left = 200; ; left -= 1) {
    const said = await readFile(file, 'utf8');
    if (left === 0 || plain(said) === plain(expected)) return said;
    await pause(100);
  }
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody of it is left.
  }
}
