import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isOfConsole, leadsToConsole, type NavigationGroup, purpose } from '../../navigation.ts';
import { contained } from '../../text/contained-text.ts';
import { assetPath } from '../assets.ts';
import { atAddress, linkBaseOf, originHeaders } from '../requests/absolute-url.ts';
import { acceptedType } from '../requests/accepted-type.ts';
import { isKnown } from '../requests/preconditions.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** What every page leads to. */
    readonly navigation: readonly NavigationGroup[];
  }
}

/** Text that is safe inside HTML, made by the tag `html`. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Builds HTML: every value is escaped, unless it is Html itself. Lists are joined. */
export function html(parts: TemplateStringsArray, ...values: (string | number | Html | Html[])[]): Html {
  return new Html(String.raw({ raw: parts }, ...values.map(escaped)));
}

function escaped(value: string | number | Html | Html[]): string {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(escaped).join('');
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Keeps a text that people wrote apart from the text around it. */
export const words = (text: string): Html => html`<bdi>${contained(text)}</bdi>`;

/** Writes the head of every page. Its script sets the theme that was chosen, before anything is seen. */
export function head(title: string, style: 'style' | 'reference' = 'style'): Html {
  return html`${headWithoutScript(title, style)}
<script src="${assetPath('theme')}"></script>`;
}

/** The same of a page that no script may touch. Its theme is that of the browser. */
export function headWithoutScript(title: string, style: 'style' | 'reference' = 'style'): Html {
  return html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="${title}: ${purpose}.">
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="${assetPath(style)}">`;
}

/** The same of a page that is no part of the console. Where there is one, a second script shows whose browser it is. */
export function headOfServed(
  title: string,
  { navigation }: Pick<FastifyInstance, 'navigation'>,
  style: 'style' | 'reference' = 'style',
): Html {
  const script = html`\n<script type="module" src="${assetPath('served')}"></script>`;
  return html`${head(title, style)}${leadsToConsole(navigation) ? script : ''}`;
}

/** A white plate with a red L. */
const icon = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="30" height="30" x="1" y="1" rx="5" fill="#fff" stroke="#888"/><path d="M10 6h5v16h9v4H10z" fill="#d0021b"/></svg>')}`;

/** The bar of every page. It is all that a page has around its content from which nobody is to be led away. */
export const bar = html`<a class="skip button" href="#main">Skip to the content</a>
<header class="top"><a class="brand" href="/"><span class="plate" aria-hidden="true">L</span>L-Plate</a><span class="spread"></span></header>`;

/** The bar and the navigation of every page, as the console has them (`console/parts/frame.tsx`). */
export function top(
  groups: readonly NavigationGroup[],
  current?: string,
): { readonly bar: Html; readonly navigation: Html } {
  const [first, ...others] = groups.map(({ title, links }) => {
    const items = links.map((link) => {
      const { name, path, icon } = link;
      // A crawler finds nothing in the console.
      const rel = isOfConsole(link) ? ' rel="nofollow"' : '';
      const here = path === current ? ' aria-current="page"' : '';
      return html`<li><a class="icon icon-${icon}" href="${path}"${new Html(rel + here)}><span class="name">${name}</span></a></li>`;
    });
    return title ? html`<p class="nav-group">${title}</p><ul>${items}</ul>` : html`<ul class="nav-first">${items}</ul>`;
  });
  return {
    bar,
    navigation: html`<nav class="nav" aria-label="Pages">${first ?? ''}<button type="button" class="nav-more icon icon-more" popovertarget="more-pages">More</button><div class="nav-rest" id="more-pages" popover>${others}</div></nav>`,
  };
}

/** The element that holds what a page is about. A `main` may not stand in a `noscript`. */
const mains = {
  main: { tag: new Html('main'), role: '' },
  noscript: { tag: new Html('div'), role: new Html(' role="main"') },
};

/** Writes what is between `<body>` and its end. `current` is the path of the page, as the navigation has it. */
export function frame(
  groups: readonly NavigationGroup[],
  body: Html,
  current?: string,
  within: keyof typeof mains = 'main',
): Html {
  const { tag, role } = mains[within];
  const { bar, navigation } = top(groups, current);
  return html`${bar}
<div class="frame">
${navigation}
<${tag} id="main"${role} tabindex="-1">
<div class="prose">
${body}
</div>
</${tag}>
</div>`;
}

/** A whole page that needs nothing from other servers, as the bytes to send: made once, it is shared by all answers. */
export function page(server: Pick<FastifyInstance, 'navigation'>, title: string, body: Html, current?: string): Buffer {
  return pageOf(headOfServed(title, server), frame(server.navigation, body, current));
}

export function pageOf(head: Html, body: Html): Buffer {
  const { text } = html`<!doctype html>
<html lang="en">
<head>
${head}
</head>
<body>
${body}
</body>
</html>
`;
  return Buffer.from(text);
}

/** Sends a page, but not to those who have it. */
export function sendPage(reply: FastifyReply, bytes: Buffer, policy = pagePolicy): FastifyReply {
  const sent = atPlace(reply, bytes);
  const tag = `"${createHash('sha256').update(sent).digest('base64url')}"`;
  const known = isKnown(reply.request, reply, tag);
  reply.headers({ Vary: originHeaders, 'Content-Security-Policy': policy });
  return known ? reply.code(304).send() : reply.type(pageType).send(sent);
}

/** Serves a list at `path`: a page for people, and JSON for programs, by `Accept`. */
export function servePageOrJson(
  server: FastifyInstance,
  path: string,
  bytes: Buffer,
  list: (request: FastifyRequest) => object,
): void {
  const onSend = async (_request: FastifyRequest, reply: FastifyReply) => {
    reply.header('Vary', `Accept, ${originHeaders}`);
  };
  server.get(path, { onSend }, (request, reply) => {
    const type = acceptedType(request, ['text/html', 'application/json']);
    return type === 'application/json' ? reply.send(list(request)) : sendPage(reply, bytes);
  });
}

/** Sends a page of one reader as it is. It is not to be kept. */
export function sendOwnPage(reply: FastifyReply, bytes: Buffer): FastifyReply {
  return reply.type(pageType).header('Content-Security-Policy', pagePolicy).send(bytes);
}

function atPlace(reply: FastifyReply, bytes: Buffer): Buffer {
  const { publicUrl } = reply.server;
  const place = linkBaseOf(reply.request);
  const here = place.origin === publicUrl && place.prefix === '';
  return here ? bytes : Buffer.from(atAddress(String(bytes), publicUrl, place));
}

const pageType = 'text/html; charset=utf-8';

/** Nothing but style, scripts and answers of this origin, and no HTML that a script makes from text. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; require-trusted-types-for 'script'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
