import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

/*
 * The foreign tools: which versions are pinned, where `npm run test:clients` installs them, and how they are called.
 * Each runtime has one place, whose name changes with what is pinned.
 */

const here = join(import.meta.dirname, '..');
const cache = process.env.CLIENTS_CACHE || join(homedir(), '.cache/l-plate/clients');

/** The files that pin what a runtime gets, below test/foreign. */
export const manifests = {
  node: ['package.json', 'package-lock.json'],
  python: ['requirements.txt'],
  java: ['java/pom.xml'],
  go: ['go/go.mod', 'go/go.sum'],
  rust: ['rust/crates.txt'],
  dotnet: ['dotnet/requirements.txt'],
} as const;

export type Runtime = keyof typeof manifests;

export const runtimes = Object.keys(manifests) as Runtime[];

const read = (name: string) => readFileSync(join(here, name), 'utf8');

/** Where the tools of a runtime are installed. */
export function home(runtime: Runtime): string {
  const hash = createHash('sha256');
  for (const name of manifests[runtime]) hash.update(read(name));
  return join(cache, `${runtime}-${hash.digest('hex').slice(0, 12)}`);
}

/** The pinned version of each tool, by its name in its registry. */
export const pins: ReadonlyMap<string, { readonly runtime: Runtime; readonly version: string }> = new Map([
  ...Object.entries<string>(JSON.parse(read('package.json')).devDependencies).map(pinOf('node')),
  // What the tools need themselves comes below an empty line.
  ...[...(read('requirements.txt').split('\n\n')[0] ?? '').matchAll(/^(.+)==(.+)$/gm)]
    .map(captured)
    .map(pinOf('python')),
  ...[...read('java/pom.xml').matchAll(/<(.+)\.version>(.+)<\//g)].map(captured).map(pinOf('java')),
  ...goTools(read('go/go.mod')).map(pinOf('go')),
  ...[...read('rust/crates.txt').matchAll(/^(.+)==(.+)$/gm)].map(captured).map(pinOf('rust')),
  ...[...read('dotnet/requirements.txt').matchAll(/^(.+)==(.+)$/gm)].map(captured).map(pinOf('dotnet')),
]);

/** The modules of the lines `tool …`, and the libraries that have a line `require …` of their own. */
function goTools(text: string): [string, string][] {
  const packages = [...text.matchAll(/^tool (.+)$/gm)].map(([, path = '']) => path);
  return [...text.matchAll(/^(?:require |\t)(\S+) v([\d.]+)/gm)]
    .filter(([line, name]) => line.startsWith('require') || packages.some((path) => path.startsWith(`${name}/`)))
    .map(captured);
}

function captured([, name = '', version = '']: RegExpExecArray): [string, string] {
  return [name, version];
}

function pinOf(runtime: Runtime) {
  return ([name, version]: [string, string]) => [name, { runtime, version }] as const;
}

/** What a call of a tool left: with another exit code than 0 the test fails with all that it wrote. */
export interface Called {
  readonly stdout: string;
  readonly stderr: string;
}

export interface CallOptions {
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Is told each line that the program writes, while it runs. What this throws ends the program. */
  readonly heard?: (line: string) => Promise<void>;
}

/** Calls a program to its end, in UTF-8. No proxy has a part in it, and no tool reports to its maker. */
export async function call(
  file: string,
  args: readonly string[],
  { cwd = here, environment = {}, heard }: CallOptions = {},
): Promise<Called> {
  const env = {
    ...process.env,
    // Java and Python else read and write in the encoding of the system.
    ...{ LC_ALL: 'C.UTF-8', no_proxy: '*', REDOCLY_TELEMETRY: 'off', NODE_OPTIONS: '' },
    ...environment,
  };
  const running = promisify(execFile)(file, args, { cwd, env, maxBuffer: 64 * 1024 * 1024, timeout: 240_000 });
  const { child } = running;
  const hearing: Promise<void>[] = [];
  if (heard && child.stdout) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const done = heard(line);
      hearing.push(done);
      done.catch(() => child.kill());
    });
  }
  try {
    const called = await running;
    await Promise.all(hearing);
    return called;
  } catch (error) {
    // What was thrown at a line, if that ended the program.
    if (child.killed || child.exitCode === 0) await Promise.all(hearing);
    const { code, stdout = '', stderr = '' } = error as { code?: unknown } & Partial<Called>;
    throw new Error(`${file} ${args.join(' ')}\nended with ${code}:\n${stdout}\n${stderr}`);
  }
}

/** A script of the installed npm packages, by this Node.js. */
export function node(script: string, args: readonly string[], options?: CallOptions): Promise<Called> {
  return call(process.execPath, [join(home('node'), 'node_modules', script), ...args], options);
}

/** Where the Python of a virtual environment and the scripts of its packages are. */
export function pythonScripts(place = home('python')): string {
  return join(place, process.platform === 'win32' ? 'Scripts' : 'bin');
}

export function python(args: readonly string[], options?: CallOptions): Promise<Called> {
  return call(join(pythonScripts(), 'python'), args, options);
}

const javaHome = process.env.JAVA_HOME;

/** `java` or `javac`. */
export function jdk(program: string): string {
  return javaHome ? join(javaHome, 'bin', program) : program;
}

/** The class path of the installed libraries, and a folder before them. */
export async function classpath(first: string): Promise<string> {
  const jars = (await readdir(home('java'))).filter((name) => name.endsWith('.jar') && !name.startsWith('openapi-gen'));
  return [first, ...jars.map((name) => join(home('java'), name))].join(delimiter);
}

/** The parts of .NET Core that a program in C# may use. */
const assemblies =
  'Private.CoreLib Runtime Runtime.Extensions Collections ComponentModel.Primitives Console Diagnostics.Process Linq Memory Net.Http Net.Primitives Private.Uri Security.Cryptography.Algorithms Security.Cryptography.Primitives Text.Json Text.RegularExpressions Threading Threading.Tasks'.split(
    ' ',
  );

/** Mono's compiler, and the runtime of .NET Core that a package of Python brings. */
export async function dotnet(): Promise<{
  /** What runs a program. */
  readonly host: string;
  compile(program: string, files: readonly string[]): Promise<void>;
}> {
  const find = 'import dotnetcore2, os; print(os.path.dirname(dotnetcore2.__file__))';
  const { stdout } = await call(join(pythonScripts(home('dotnet')), 'python'), ['-c', find]);
  const bin = join(stdout.trim(), 'bin');
  const shared = join(bin, 'shared/Microsoft.NETCore.App');
  const [version = ''] = await readdir(shared);
  return {
    host: join(bin, 'dotnet'),
    async compile(program, files) {
      const references = assemblies.map((name) => `-r:${join(shared, version, `System.${name}.dll`)}`);
      const flags = ['-nostdlib', '-noconfig', '-nowarn:28,1701,1702', '-main:Entry', `-out:${program}`];
      await call('mcs', [...flags, ...references, ...files]);
      const framework = { name: 'Microsoft.NETCore.App', version };
      // Without it the runtime wants a library of the system for languages.
      const configProperties = { 'System.Globalization.Invariant': true };
      const settings = { runtimeOptions: { framework, configProperties } };
      await writeFile(program.replace(/dll$/, 'runtimeconfig.json'), JSON.stringify(settings));
    },
  };
}
