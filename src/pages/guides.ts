import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { ServedText } from '../http/answers/served-text.ts';
import { ProblemError } from '../http/problems/problem.ts';
import { guides } from '../navigation.ts';
import { remember } from '../remember.ts';
import { servedMarkdown } from './guide-links.ts';

const root = new URL('../../', import.meta.url);

const images = new URL('docs/images/', root);

/** The guides, with links that work here, and their images. Each is read when it is first asked for. */
export function guideFiles(server: FastifyInstance): void {
  const texts = new Map(
    guides.flatMap((guide) => {
      const read = remember(async () => {
        const text = await readFile(new URL(guide.file, root), 'utf8');
        return new ServedText('text/markdown; charset=utf-8', servedMarkdown(text, guide));
      });
      return [guide.name, guide.formerly].flatMap((name) => (name === undefined ? [] : [[name, read] as const]));
    }),
  );
  server.get<{ Params: { name: string } }>('/guides/:name.md', async (request, reply) => {
    const text = texts.get(request.params.name);
    if (text) return (await text()).send(request, reply);
    const names = guides.map(({ name }) => `${name}.md`).join(', ');
    throw new ProblemError('not-found', `There is no such guide. There are: ${names}.`);
  });

  const read = new Map<string, () => Promise<Buffer>>(
    imageNames().map((name) => [name, remember(() => readFile(new URL(name, images)))]),
  );
  server.get<{ Params: { name: string } }>('/guides/images/:name.webp', async (request, reply) => {
    const image = read.get(`${request.params.name}.webp`);
    if (!image) throw new ProblemError('not-found', 'There is no such image.');
    return reply
      .type('image/webp')
      .header('Cache-Control', 'public, max-age=3600')
      .send(await image());
  });
}

function imageNames(): string[] {
  try {
    return readdirSync(images).filter((name) => name.endsWith('.webp'));
  } catch {
    return [];
  }
}
