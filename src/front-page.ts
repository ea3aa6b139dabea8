import type { FastifyInstance } from 'fastify';
import { html, page, sendPage } from './http/page.ts';

/** The addresses that a start prints and the front page lists. */
export function addresses(publicUrl: string): readonly { what: string; url: string; page?: false }[] {
  return [
    // A base of addresses is itself none, and the topic wants a token: neither is a page to open.
    { what: 'Insurer, REST interface v1', url: `${publicUrl}/insurer/v1`, page: false },
    { what: 'its description', url: `${publicUrl}/insurer/v1/openapi.yaml` },
    { what: 'its v0 draft description', url: `${publicUrl}/insurer/v0/openapi.yaml` },
    { what: 'Claims, REST interface v1', url: `${publicUrl}/claims/v1`, page: false },
    { what: 'its description', url: `${publicUrl}/claims/v1/openapi.yaml` },
    { what: 'Topic of claims events', url: `${publicUrl}/claims/v1/topics/claims.status-changed`, page: false },
    { what: 'its description', url: `${publicUrl}/claims/v1/asyncapi.yaml` },
    { what: 'Vehicle registry, SOAP v1', url: `${publicUrl}/vehicle-registry/v1` },
    { what: 'its WSDL', url: `${publicUrl}/vehicle-registry/v1?wsdl` },
    { what: 'Vehicle registry, REST v2', url: `${publicUrl}/vehicle-registry/v2/vehicles/AB-1234` },
    { what: 'its description', url: `${publicUrl}/vehicle-registry/v2/openapi.yaml` },
    { what: 'Token keys', url: `${publicUrl}/.well-known/jwks.json` },
    { what: 'OAuth 2.0 metadata', url: `${publicUrl}/.well-known/oauth-authorization-server` },
    { what: 'Reference', url: `${publicUrl}/docs` },
    { what: 'Problems explained', url: `${publicUrl}/problems` },
    { what: 'Health', url: `${publicUrl}/healthz` },
    { what: 'Readiness', url: `${publicUrl}/readyz` },
    { what: 'Metrics', url: `${publicUrl}/metrics` },
  ];
}

export function frontPage(server: FastifyInstance, publicUrl: string): void {
  const rows = addresses(publicUrl).map(({ what, url, page: isPage }) => {
    const shown = isPage === false ? html`<code>${url}</code>` : html`<a href="${url}"><code>${url}</code></a>`;
    return html`<tr><th scope="row">${what}</th><td>${shown}</td></tr>\n`;
  });
  const bytes = page(
    'L-Plate',
    html`<h1>A synthetic motor insurer to practise API integration on</h1>
<p>It keeps state, refuses like a real insurer and explains every refusal. Every insurer, vehicle, person and policy is fictional.</p>
<h2>Quick start</h2>
<p>These lines create credentials (the secret is shown only then), exchange them for a token that is good for an hour, and insure a vehicle.</p>
<pre id="quick-start">${quickStart(publicUrl)}</pre>
<p>Run the last command again to be refused, and open the <code>type</code> of the refusal: each <a href="/problems">problem</a> has a page that explains it. All endpoints are in the <a href="/docs">reference</a>.</p>
<h2>Addresses</h2>
<table><tbody>
${rows}</tbody></table>`,
  );
  server.get('/', (_request, reply) => sendPage(reply, bytes));
}

/** Shell lines from nothing to a policy. Without comments, which some shells don't take at their prompt. */
function quickStart(publicUrl: string): string {
  return `BASE=${publicUrl}/insurer/v1
curl -s -X POST $BASE/demo-clients | tee credentials.json
curl -s $BASE/auth/token \\
  -H 'Content-Type: application/json' -d @credentials.json | tee token.json
TOKEN=$(sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/' token.json)
curl -i $BASE/policies -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' -d '{"regNumber":"AB-1234"}'`;
}
