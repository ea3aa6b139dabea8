import { existsSync, readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { StartupError } from '../settings/startup-error.ts';
import { ProblemError } from './problems/problem.ts';
import { noLimit } from './rate-limit.ts';
import { chosenCoding } from './requests/content-coding.ts';
import { personalPrefix } from './requests/personal-prefix.ts';

const folder = new URL('../../console/dist/', import.meta.url);

/**
 * What a page names: the console's script, that of the pages which the server makes, the style of all pages and that of the
 * reference, the script that sets the theme, and the one of the reference.
 */
type Entry = 'console' | 'served' | 'style' | 'reference' | 'theme' | 'documents';

interface Manifest {
  readonly entries: Readonly<Record<Entry, string>>;
  /** What the console's script imports at once. */
  readonly early: readonly string[];
  /** All that were built, also what the console's script loads later. */
  readonly files: readonly string[];
}

let kept: Manifest | undefined;

function manifest(): Manifest {
  kept ??= readManifest();
  return kept;
}

function readManifest(): Manifest {
  const file = new URL('manifest.json', folder);
  if (!existsSync(file))
    throw new StartupError(1, 'The console is not built. “npm start” builds it; so does “node console/build.js”.');
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** From the root of the server. */
export function assetPath(entry: Entry): string {
  return `/assets/${manifest().entries[entry]}`;
}

/** Lists what the console's script imports at once, for a page to name: from the root of the server. */
export function earlyPaths(): string[] {
  return manifest().early.map((name) => `/assets/${name}`);
}

const types: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  map: 'application/json; charset=utf-8',
};

const endings = { br: '.br', gzip: '.gz', identity: '' };

/**
 * What `console/build.js` made. A name has the hash of its content, so a browser asks for it once. Each form of a file is
 * read when it is first asked for, and shared by all answers.
 */
export function assets(server: FastifyInstance): void {
  const names = new Set(manifest().files);
  const contents = new Map<string, Buffer>();
  const read = (name: string) => {
    const bytes = contents.get(name) ?? readFileSync(new URL(name, folder));
    contents.set(name, bytes);
    return bytes;
  };
  // A page asks for many, and they are there already.
  const config = { limit: noLimit };
  server.get<{ Params: { name: string } }>('/assets/:name', { config }, (request, reply) => {
    const { name } = request.params;
    if (!names.has(name)) {
      throw new ProblemError(
        'not-found',
        `There is no such file. Load the page ${personalPrefix(request)}/ again: it names those there are.`,
      );
    }
    const coding = name.endsWith('.map') ? 'identity' : chosenCoding(request);
    const bytes = read(name + endings[coding]);
    reply.type(types[name.slice(name.lastIndexOf('.') + 1)] as string).headers({
      'Cache-Control': 'public, max-age=31536000, immutable',
      Vary: 'Accept-Encoding',
    });
    if (coding !== 'identity') reply.header('Content-Encoding', coding);
    return reply.send(bytes);
  });
}
