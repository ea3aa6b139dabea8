import type { FastifyInstance } from 'fastify';
import { html, sendPage } from './http/page.ts';

/** The addresses that a start prints and the front page lists. */
export function addresses(publicUrl: string): readonly { what: string; url: string }[] {
  return [
    { what: 'Insurer, REST interface v1', url: `${publicUrl}/insurer/v1` },
    { what: 'its description', url: `${publicUrl}/insurer/v1/openapi.yaml` },
    { what: 'its v0 draft description', url: `${publicUrl}/insurer/v0/openapi.yaml` },
    { what: 'Token keys', url: `${publicUrl}/.well-known/jwks.json` },
    { what: 'OAuth 2.0 metadata', url: `${publicUrl}/.well-known/oauth-authorization-server` },
    { what: 'Reference', url: `${publicUrl}/docs` },
    { what: 'Problems explained', url: `${publicUrl}/problems` },
    { what: 'Health, readiness, metrics', url: `${publicUrl}/healthz` },
  ];
}

export function frontPage(server: FastifyInstance, publicUrl: string): void {
  const rows = addresses(publicUrl).map(
    ({ what, url }) => html`<tr><td>${what}</td><td><a href="${url}"><code>${url}</code></a></td></tr>\n`,
  );
  server.get('/', (_request, reply) =>
    sendPage(
      reply,
      'L-Plate',
      html`<h1>A synthetic motor insurer to practise API integration on</h1>
<p>It keeps state, refuses like a real insurer and explains every refusal. Every insurer, vehicle, person and policy is fictional.</p>
<h2>Quick start</h2>
<pre id="quick-start">${quickStart(publicUrl)}</pre>
<p>Then open the <a href="/docs">reference</a>, or provoke a refusal and follow the <code>type</code> of the <a href="/problems">problem</a>.</p>
<h2>Addresses</h2>
<table><tbody>
${rows}</tbody></table>`,
    ),
  );
}

/** Shell lines from nothing to a policy. */
function quickStart(publicUrl: string): string {
  return `BASE=${publicUrl}/insurer/v1

# credentials: the secret is shown only now
curl -s -X POST $BASE/demo-clients | tee credentials.json

# a token, good for an hour
curl -s $BASE/auth/token -H 'Content-Type: application/json' -d @credentials.json | tee token.json
TOKEN=$(sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/' token.json)

# a policy; run it again to see a refusal
curl -s $BASE/policies -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' -d '{"regNumber":"AB-1234"}'`;
}
