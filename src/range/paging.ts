import type { FastifyReply, FastifyRequest } from 'fastify';
import { absoluteUrl } from '../http/requests/absolute-url.ts';
import { asPage, links, type Page, pageOf } from '../http/requests/paging.ts';
import { base } from './texts.ts';

/** Answers with the page that was asked for of a list that is short, which is at `path`. */
export function answerPage<Item>(request: FastifyRequest, reply: FastifyReply, path: string, all: readonly Item[]) {
  const page = pageOf(request.query as Partial<Page>);
  const before = (page.page - 1) * page.pageSize;
  reply.header('Link', links(absoluteUrl(request, base + path), page, all.length));
  return asPage(all.slice(before, before + page.pageSize), all.length, page);
}
