import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import Negotiator from 'negotiator';
import { StartupError } from '../startup-error.ts';
import { personalPrefix } from './personal-prefix.ts';
import { ProblemError } from './problem.ts';

const folder = new URL('../../console/dist/', import.meta.url);

interface Manifest {
  /** The files to begin with: the console's script, and the style of all pages. */
  readonly script: string;
  readonly style: string;
  /** All that were built. */
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
export const stylePath = () => `/assets/${manifest().style}`;
export const scriptPath = () => `/assets/${manifest().script}`;

const types: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  map: 'application/json; charset=utf-8',
};

const encodings = ['br', 'gzip', 'identity'] as const;
const endings = { br: '.br', gzip: '.gz', identity: '' };

/**
 * What `console/build.js` made. A name has the hash of its content, so a browser asks for it once. Each form of a file is
 * read when it is first asked for, and shared by all answers.
 */
export function assets(server: FastifyInstance): void {
  const names = new Set(manifest().files);
  const bytes = new Map<string, Buffer>();
  const read = (name: string) => {
    const content = bytes.get(name) ?? readFileSync(fileURLToPath(new URL(name, folder)));
    bytes.set(name, content);
    return content;
  };
  server.get<{ Params: { name: string } }>('/assets/:name', (request, reply) => {
    const { name } = request.params;
    if (!names.has(name)) {
      throw new ProblemError(
        'not-found',
        `There is no such file. Load the page ${personalPrefix(request)}/ again: it names those there are.`,
      );
    }
    const encoding = (new Negotiator(request.raw).encoding([...encodings]) ?? 'identity') as keyof typeof endings;
    reply.type(types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream').headers({
      'Cache-Control': 'public, max-age=31536000, immutable',
      Vary: 'Accept-Encoding',
      'X-Content-Type-Options': 'nosniff',
    });
    if (encoding !== 'identity') reply.header('Content-Encoding', encoding);
    return reply.send(read(name + endings[encoding]));
  });
}
