import type { FastifyReply } from 'fastify';
import { personalPrefix, withPrefix } from './personal-prefix.ts';

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

const style = `
:root { color-scheme: light dark; --line: light-dark(#d8dade, #3a3d43); --soft: light-dark(#f4f5f7, #22252a); --link: light-dark(#0b57d0, #8ab4f8); }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 50rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem; background: light-dark(#fff, #17191d); color: light-dark(#1c1e22, #e6e7ea); }
header { display: flex; align-items: baseline; gap: 1.25rem; flex-wrap: wrap; border-bottom: 1px solid var(--line); padding-bottom: .75rem; margin-bottom: 1.5rem; }
header strong a { color: inherit; text-decoration: none; border: 2px solid #d33; border-radius: .3rem; padding: .05rem .5rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 1.5rem 0 .5rem; } h2 { font-size: 1.15rem; margin: 1.75rem 0 .4rem; }
a { color: var(--link); } code, pre { font: .875rem/1.5 ui-monospace, monospace; } code { overflow-wrap: anywhere; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: .4rem; padding: .75rem 1rem; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; } tbody th { font-weight: inherit; }
.status { font: .95rem ui-monospace, monospace; opacity: .75; }
`;

/** A whole page that needs nothing from elsewhere, as the bytes to send: made once, it is shared by all answers. */
export function page(title: string, body: Html): Buffer {
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Html(style)}</style>
</head>
<body>
<header><strong><a href="/">L-Plate</a></strong><a href="/docs">Reference</a><a href="/problems">Problems</a></header>
<main>
${body}
</main>
</body>
</html>
`;
  return Buffer.from(text);
}

export function sendPage(reply: FastifyReply, bytes: Buffer): FastifyReply {
  const prefix = personalPrefix(reply.request);
  const sent = prefix ? Buffer.from(withPrefix(String(bytes), prefix, reply.server.publicUrl)) : bytes;
  return reply.type('text/html; charset=utf-8').header('Content-Security-Policy', policy).send(sent);
}

const policy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
