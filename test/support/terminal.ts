import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import xterm from '@xterm/headless';
import { launcher } from './program.ts';
import { until } from './until.ts';

/** Why the tests on a terminal are left out, or false. */
export const terminalMissing =
  process.platform === 'linux' && spawnSync('script', ['--version']).status === 0
    ? false
    : 'NO script OF LINUX: there is no terminal';

/** What a terminal shows. When it becomes narrower, it wraps all rows anew but that of the cursor, which it cuts. */
export class Screen {
  readonly #terminal: InstanceType<typeof xterm.Terminal>;

  constructor(columns: number, rows: number) {
    this.#terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 1000, allowProposedApi: true });
  }

  write(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.#terminal.write(bytes, resolve));
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
  }

  /** Its rows, those included that are above what is seen. */
  get all(): string[] {
    const { active } = this.#terminal.buffer;
    return Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? '');
  }

  get seen(): string[] {
    return this.all.slice(this.#terminal.buffer.active.baseY);
  }

  get cursorColumn(): number {
    return this.#terminal.buffer.active.cursorX;
  }
}

export interface OnTerminal {
  readonly screen: Screen;
  readonly child: ChildProcess;
  readonly url: string;
  readonly exit: Promise<number | null>;
  resize(columns: number, rows: number): void;
  type(text: string): void;
}

/** The program on a pseudo terminal, once its banner is there. */
export async function startOnTerminal(
  t: TestContext,
  directory: string,
  options: { args: string; environment?: Record<string, string>; columns?: number; rows?: number },
): Promise<OnTerminal> {
  const { args, environment, columns = 100, rows = 70 } = options;
  const command = `tty && stty cols ${columns} rows ${rows} && exec "${process.execPath}" "${launcher}" ${args}`;
  const { PATH = '', TMPDIR = '/tmp' } = process.env;
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: { PATH, TMPDIR, TERM: 'xterm-256color', PORT: '0', DATA_DIR: directory, SHELL: '/bin/sh', ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  t.after(() => {
    try {
      process.kill(-(child.pid as number), 'SIGKILL');
    } catch {
      // It has ended.
    }
  });
  const screen = new Screen(columns, rows);
  child.stdout.on('data', (bytes) => void screen.write(bytes));
  const exit = once(child, 'close').then(([code]) => code);
  await until(() => screen.all.join('').includes('Stop with Ctrl+C.'), 'the banner is there');
  const terminal = screen.all.find((row) => row.startsWith('/dev/pts/')) as string;
  const url = / listens on http:\/\/\S+:(\d+)/.exec(screen.all.join('\n'));
  return {
    screen,
    child,
    exit,
    url: `http://127.0.0.1:${url?.[1]}`,
    resize(to, high) {
      screen.resize(to, high);
      spawnSync('stty', ['-F', terminal, 'cols', String(to), 'rows', String(high)]);
    },
    type: (text) => void child.stdin.write(text),
  };
}
