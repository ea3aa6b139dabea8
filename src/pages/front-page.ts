import type { FastifyInstance } from 'fastify';
import { frame, type Html, head, html, page, pageOf, sendPage } from '../http/answers/page.ts';
import { assetPath, earlyPaths } from '../http/assets.ts';
import { kitsAddress } from '../kits/index.ts';
import { navigationWithoutConsole } from '../navigation.ts';
import type { Address, System } from '../system.ts';

/** The addresses that no system brings. */
const common: readonly Address[] = [
  { what: 'Reference', path: '/docs' },
  { what: 'Problems, explained', path: '/problems' },
  kitsAddress,
  { what: 'Health', path: '/healthz' },
  { what: 'Readiness', path: '/readyz' },
  { what: 'Metrics', path: '/metrics' },
];

/** The addresses that a start prints and the front page lists. */
export function addressesOf(systems: readonly System[], hasAuthority: boolean): readonly Address[] {
  const authority = hasAuthority ? [{ what: 'Class authority, to trust', path: '/ca' }] : [];
  return [...systems.flatMap(({ addresses }) => addresses), ...common, ...authority];
}

/**
 * The address `/`: the console, and for those without JavaScript the addresses and first commands. Without the range the
 * console would have nothing to show, so then the latter is the page.
 */
export function frontPage(
  server: FastifyInstance,
  publicUrl: string,
  addresses: readonly Address[],
  range: boolean,
): void {
  const rows = addresses.map(({ what, path, page: isPage }) => {
    const url = `${publicUrl}${path}`;
    const shown = isPage === false ? html`<code>${url}</code>` : html`<a href="${url}"><code>${url}</code></a>`;
    return html`<tr><th scope="row">${what}</th><td>${shown}</td></tr>\n`;
  });
  const body = html`<h1>A synthetic motor insurer to practise API integration on</h1>
<p>It stores what you do, returns errors like a real insurer and explains each of them. Every insurer, vehicle, person and policy is fictional.</p>
<h2>Quick start</h2>
<p>These commands create credentials (the secret is shown only once), exchange them for a token that is valid for an hour, and insure a vehicle.</p>
<pre id="quick-start" tabindex="0">${quickStart(publicUrl)}</pre>
<p>Run the last command again to get an error, and open the address in its <code>type</code>: each <a href="/problems">problem</a> has a page that explains it. All endpoints are in the <a href="/docs">reference</a>.</p>
<h2>Addresses</h2>
<table><tbody>
${rows}</tbody></table>`;
  const bytes = range ? console(body) : page(server, 'L-Plate', body, '/');
  server.get('/', (_request, reply) => {
    return range ? sendPage(reply, bytes, policy) : sendPage(reply, bytes);
  });
}

/** Only what this origin serves, and no HTML that a script makes from text. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; require-trusted-types-for 'script'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function console(withoutScript: Html): Buffer {
  const hint = html`<p>With JavaScript this page has more: lessons, your calls and their answers, your own clock.</p>`;
  const early = earlyPaths().map((path) => html`\n<link rel="modulepreload" href="${path}">`);
  return pageOf(
    html`${head('L-Plate')}${early}`,
    html`<div id="console"><noscript>${frame(
      navigationWithoutConsole,
      html`${withoutScript}
${hint}`,
      '/',
      'noscript',
    )}</noscript></div>
<script type="module" src="${assetPath('console')}"></script>`,
  );
}

/** Shell lines from nothing to a policy. Without comments, which some shells don't take at their prompt. */
function quickStart(publicUrl: string): string {
  return `BASE=${publicUrl}/insurer/v1
curl -s -X POST $BASE/demo-clients | tee credentials.json
curl -s $BASE/auth/token \\
  -H 'Content-Type: application/json' -d @credentials.json | tee token.json
TOKEN=$(sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/' token.json)
PLATE=LP-$(sed 's/.*demo-\\(.\\{8\\}\\).*/\\1/' credentials.json)
curl -i $BASE/policies -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' -d '{"regNumber":"'$PLATE'"}'`;
}
