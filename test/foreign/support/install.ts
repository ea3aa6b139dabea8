import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { home, jdk, pins, pythonScripts, type Runtime } from './tools.ts';

/* Installs the pinned tools of a runtime, unless that was done. */

const here = join(import.meta.dirname, '..');
const python = process.env.PYTHON || 'python3';

/** Building it takes minutes, and more than a machine may have: what it is for is left out then, also under CI. */
export const optional: readonly Runtime[] = ['rust'];

interface Installation {
  /** What is missing on this machine, and how to get it; or false. */
  readonly missing: () => string | false;
  readonly install: (place: string) => void;
}

const installations: Record<Runtime, Installation> = {
  node: {
    missing: () => false,
    install(place) {
      for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(here, name), join(place, name));
      run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], place);
    },
  },
  python: {
    missing: () =>
      !succeeds(python, ['-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))']) &&
      'NO PYTHON 3.11 with venv: apt-get install python3-venv, or set PYTHON to the program',
    install: (place) => installPython(place, 'requirements.txt'),
  },
  java: {
    missing: () =>
      !(javaVersion() >= 17 && succeeds(jdk('javac'), ['-version']) && succeeds('mvn', ['-version'])) &&
      'NO JAVA 17 with its compiler, or no Maven: apt-get install default-jdk-headless maven, or set JAVA_HOME',
    install: (place) => run('mvn', ['-B', '-q', '-f', join(here, 'java'), `-Djars=${place}`, 'package']),
  },
  go: {
    missing: () => !succeeds('go', ['version']) && 'NO GO: install it from https://go.dev/dl',
    install: (place) => run('go', ['install', 'tool'], join(here, 'go'), { GOBIN: place }),
  },
  rust: {
    missing: () =>
      !(succeeds('cargo', ['--version']) && succeeds('pkg-config', ['--exists', 'libcurl', 'libxml-2.0'])) &&
      'NO RUST 1.95, or no headers: https://rustup.rs, and apt-get install pkg-config libcurl4-openssl-dev libxml2-dev libclang-dev',
    install(place) {
      const version = pins.get('hurl')?.version ?? '';
      const args = ['install', 'hurl', '--version', version, '--locked', '--quiet', '--root', place];
      // It makes a few calls: to optimise it takes far longer than all of them.
      run('cargo', [...args, '--debug'], here, { CARGO_PROFILE_DEV_DEBUG: '0' });
    },
  },
  dotnet: {
    missing: () =>
      installations.python.missing() || (!succeeds('mcs', ['--version']) && 'NO mcs: apt-get install mono-mcs'),
    install: (place) => installPython(place, 'dotnet/requirements.txt'),
  },
};

/** A virtual environment with exactly what a file pins. */
function installPython(place: string, requirements: string): void {
  run(python, ['-m', 'venv', place]);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps'];
  run(join(pythonScripts(place), 'python'), [...pip, '-r', join(here, requirements)]);
}

/** What is missing, or undefined when the tools of this runtime are there. */
export function provide(runtime: Runtime): string | undefined {
  const { missing, install } = installations[runtime];
  const place = home(runtime);
  const lack = missing();
  if (lack) return lack;
  const stamp = join(place, 'complete');
  if (existsSync(stamp)) return undefined;
  console.error(`Installing the tools of ${runtime} in ${place} (once) …`);
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  try {
    install(place);
  } catch (error) {
    if (optional.includes(runtime)) return (error as Error).message;
    throw error;
  }
  writeFileSync(stamp, '');
  return undefined;
}

function run(file: string, args: readonly string[], cwd = here, environment: Record<string, string> = {}): void {
  const { status } = spawnSync(file, args, {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} failed`);
}

function succeeds(file: string, args: readonly string[]): boolean {
  return spawnSync(file, args).status === 0;
}

function javaVersion(): number {
  const { stderr } = spawnSync(jdk('java'), ['-version'], { encoding: 'utf8' });
  return Number(/version "(\d+)/.exec(stderr ?? '')?.[1] ?? 0);
}
