import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { headOfServed, html, pageOf, sendPage, top } from '../http/answers/page.ts';
import { assetPath } from '../http/assets.ts';
import { unavailable } from '../http/problems/problem.ts';
import { originOf } from '../http/requests/absolute-url.ts';
import { personalPrefix } from '../http/requests/personal-prefix.ts';
import { isKnown } from '../http/requests/preconditions.ts';
import { remember } from '../remember.ts';

/** Where other servers have it. */
const guesses = [
  'swagger',
  'swagger-ui',
  'swagger-ui.html',
  'swagger/index.html',
  'redoc',
  'documentation',
  'api-docs',
];

const scriptPath = '/docs/scalar.js';

const scriptUnread = 'the script of the reference page can’t be read; the next request for it tries again';

/**
 * The interactive reference at `/docs`. All it needs is served from here, so it works without internet. The page may
 * talk to its own origin and to the one that the descriptions name as their server, and to nobody else. Where the browser
 * has a client of the console, a script of ours makes the documents those of the client, and then loads Scalar's.
 */
export function reference(
  server: FastifyInstance,
  documents: readonly { title: string; path: string }[],
  log: Logger,
): void {
  const pageUnder = (prefix: string) => {
    const { bar, navigation } = top(server.navigation, '/docs');
    return pageOf(
      html`${headOfServed('Reference – L-Plate', server, 'reference')}
<link rel="preload" as="script" href="${scriptPath}">`,
      html`${bar}
<div class="frame">
${navigation}
<div id="main" tabindex="-1">
<noscript><div role="main">This page needs JavaScript. Without it, read the descriptions themselves: ${documents.map(({ title, path }) => html`<a href="${path}">${title}</a> `)}</div></noscript>
<script id="api-reference" data-configuration="${JSON.stringify(configuration(documents, prefix))}"></script>
<script src="${assetPath('documents')}" data-src="${scriptPath}"></script>
</div>
</div>`,
    );
  };
  const page = pageUnder('');
  const policyAt = (origin: string) =>
    [
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src data:",
      `connect-src 'self' ${origin}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    ].join('; ');
  server.get('/docs', { config: { guesses } }, (request, reply) => {
    const prefix = personalPrefix(request);
    return sendPage(reply, prefix ? pageUnder(prefix) : page, policyAt(originOf(request)));
  });

  const script = remember(loadScript);
  server.get(scriptPath, async (request, reply) => {
    const { plain, packed, tag } = await script().catch((error: Error & { code?: string }) => {
      log.error({ requestId: request.id, error: error.name, code: error.code, stack: error.stack }, scriptUnread);
      const detail =
        'The script of the reference page can’t be read now. Try again after the number of seconds in Retry-After.';
      throw unavailable(detail);
    });
    const known = isKnown(request, reply, tag);
    reply.header('Vary', 'Accept-Encoding');
    if (known) return reply.code(304).send();
    reply.type('text/javascript; charset=utf-8');
    if (!/\bgzip\b/.test(String(request.headers['accept-encoding']))) return reply.send(plain);
    return reply.header('Content-Encoding', 'gzip').send(packed);
  });
}

/** What Scalar is told: what to show, and nothing that calls its makers' services. */
function configuration(documents: readonly { title: string; path: string }[], prefix: string) {
  return {
    sources: documents.map(({ title, path }, index) => ({
      title,
      url: prefix + path,
      slug: slug(path),
      default: index === 0,
    })),
    // Empty, not absent: else requests that a reader tries out go through a proxy of Scalar's.
    proxyUrl: '',
    withDefaultFonts: false,
    // The colours are those of all pages: console/style/reference.css.
    theme: 'none',
    hideDarkModeToggle: true,
    // As the documents have them: the alphabet would tear a payload apart.
    orderSchemaPropertiesBy: 'preserve',
    telemetry: false,
    showDeveloperTools: 'never',
    hideClientButton: true,
    agent: { disabled: true },
    mcp: { disabled: true },
  };
}

/** The name of a document in the page's own URL: `/docs?api=NAME-v1`. An interface may have a topic as well. */
function slug(url: string): string {
  return url
    .replace(/^\//, '')
    .replace(/\/openapi\.yaml$/, '')
    .replace(/\/asyncapi\.yaml$/, '-topic')
    .replaceAll('/', '-');
}

interface Script {
  plain: Buffer;
  packed: Buffer;
  /** The entity tag, so that a browser fetches the megabytes once. */
  tag: string;
}

/**
 * Scalar's plugin carries the script inside its own source. That costs time and 40 MB of memory, so it is loaded when
 * a reader first asks for it. The plugin's page isn't used: it breaks on an odd Host header.
 */
async function loadScript(): Promise<Script> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const carrier = Fastify();
  await carrier.register(scalar, { configuration: { url: '/' } });
  const { statusCode, rawPayload: plain } = await carrier.inject('/reference/js/scalar.js');
  if (statusCode !== 200) throw new Error(`The package of the script answers ${statusCode}`);
  const tag = `"${createHash('sha256').update(plain).digest('base64url')}"`;
  return { plain, packed: await promisify(gzip)(plain), tag };
}
