import type { FastifyReply } from 'fastify';
import { atAddress, originHeaders, placeOf } from './absolute-url.ts';
import { stylePath } from './assets.ts';
import { navigation } from './navigation.ts';

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

/** What stands at the head of every page. */
export function head(title: string): Html {
  return html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="${stylePath()}">`;
}

/** A white plate with a red L. */
const icon = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="30" height="30" x="1" y="1" rx="5" fill="#fff" stroke="#888"/><path d="M10 6h5v16h9v4H10z" fill="#d0021b"/></svg>')}`;

/** The bar and the navigation of every page, as the console has them (`console/parts/frame.tsx`). */
export function frame(path: string | undefined, body: Html): Html {
  const groups = navigation.map(({ title, places }) => {
    const items = places.map(
      ({ name, path: to }) =>
        html`<li><a href="${to}"${new Html(to === path ? ' aria-current="page"' : '')}>${name}</a></li>`,
    );
    return html`<div class="nav-part">${title ? html`<p class="nav-group">${title}</p>` : ''}<ul>${items}</ul></div>`;
  });
  return html`<a class="skip button" href="#main">Skip to the content</a>
<header class="top"><a class="brand" href="/"><span class="plate" aria-hidden="true">L</span>L-Plate</a></header>
<div class="frame">
<nav class="nav" aria-label="Pages">${groups}</nav>
<main id="main" tabindex="-1">
${body}
</main>
</div>`;
}

/**
 * A whole page that needs nothing from other servers, as the bytes to send: made once, it is shared by all answers. `path` is
 * that of its place in the navigation.
 */
export function page(title: string, body: Html, path?: string): Buffer {
  const { text } = html`<!doctype html>
<html lang="en">
<head>
${head(title)}
</head>
<body>
${frame(
  path,
  html`<div class="prose">
${body}
</div>`,
)}
</body>
</html>
`;
  return Buffer.from(text);
}

export function sendPage(reply: FastifyReply, bytes: Buffer): FastifyReply {
  const { publicUrl } = reply.server;
  const place = placeOf(reply.request);
  const here = place.origin === publicUrl && place.prefix === '';
  const sent = here ? bytes : Buffer.from(atAddress(String(bytes), publicUrl, place));
  reply.type('text/html; charset=utf-8').headers({ 'Content-Security-Policy': policy, Vary: originHeaders });
  return reply.send(sent);
}

const policy =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
