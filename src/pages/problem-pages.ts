import type { FastifyInstance } from 'fastify';
import { type Html, html, page, sendPage, servePageOrJson } from '../http/answers/page.ts';
import { ProblemError, type ProblemIdentifier } from '../http/problems/problem.ts';
import type { ProblemEntry } from '../http/problems/problem-entry.ts';
import { absoluteUrl } from '../http/requests/absolute-url.ts';
import { nearName } from '../http/requests/near-name.ts';
import { personalPrefix } from '../http/requests/personal-prefix.ts';
import { leadsToConsole } from '../navigation.ts';

/** Where the examples on the pages take place. */
export interface ExampleBases {
  readonly publicUrl: string;
  /** The path of the interface that issues tokens: where an example takes place unless it says otherwise. */
  readonly tokens: string;
}

/** The page of the console with the calls of a client. */
const traffic = '/#/traffic';

/** The pages that the `type` of every problem points to, and a list of them. */
export function problemPages(server: FastifyInstance, bases: ExampleBases): void {
  const entries = Object.entries(server.problems) as [ProblemIdentifier, ProblemEntry][];
  const rows = entries.map(
    ([identifier, { status, title }]) =>
      html`<tr><td>${status}</td><td><a href="/problems/${identifier}"><code>${identifier}</code></a></td><td>${title}</td></tr>\n`,
  );
  const shown = leadsToConsole(server.navigation);
  const yours = (identifier: string) =>
    shown
      ? html`
<h2>Your calls</h2>
<p>The calls of your client that were answered with it are in <a href="${traffic}?problem=${identifier}">Traffic</a>.</p>`
      : html``;
  const list = page(
    server,
    'Problems – L-Plate',
    html`<h1>Problems</h1>
<p>Every error response is an <code>application/problem+json</code> document (RFC 9457). Its <code>type</code> ends with one of these identifiers.</p>
<table class="problems"><thead><tr><th>Status</th><th>Identifier</th><th>Title</th></tr></thead><tbody>
${rows}</tbody></table>`,
    '/problems',
  );
  // A page is made when it is first asked for: most starts show none.
  const pages = new Map<string, () => Buffer>(
    entries.map(([identifier, entry]) => {
      const text = () => explanation(identifier, entry, bases, yours(identifier));
      let made: Buffer | undefined;
      return [identifier, () => (made ??= page(server, `${entry.title} – L-Plate`, text(), '/problems'))];
    }),
  );
  servePageOrJson(server, '/problems', list, (request) => ({
    problems: entries.map(([identifier, { status, title }]) => ({
      identifier,
      status,
      title,
      url: absoluteUrl(request, `/problems/${identifier}`),
    })),
  }));
  server.get<{ Params: { identifier: string } }>('/problems/:identifier', (request, reply) => {
    const { identifier } = request.params;
    const found = pages.get(identifier);
    if (found) return sendPage(reply, found());
    const near = nearName(identifier, pages.keys());
    const meant = near === undefined ? '' : ` Did you mean ${near}?`;
    throw new ProblemError(
      'not-found',
      `There is no problem with this name.${meant} The page ${personalPrefix(request)}/problems lists all of them.`,
    );
  });
}

/** Sets `$TOKEN`, for examples that use it without setting it. */
const token = (base: string) => `TOKEN=$(curl -s -X POST "${base}/demo-clients" |
  curl -s "${base}/auth/token" -H 'Content-Type: application/json' -d @- |
  sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
`;

function explanation(identifier: ProblemIdentifier, entry: ProblemEntry, bases: ExampleBases, calls: Html): Html {
  const { status, title, meaning, cause, remedy, example, base = bases.tokens } = entry;
  return html`<div class="row ends page-head"><h1>${title}</h1><a href="/problems">All problems</a></div>
<p class="status">${status} · <code>${identifier}</code></p>
<h2>What it means</h2>
<p>${prose(meaning)}</p>
<h2>Why it happens</h2>
<p>${prose(cause)}</p>
<h2>How to fix it</h2>
<p>${prose(remedy)}</p>
<h2>See it happen</h2>
${example === null ? html`<p>No request can cause it on purpose.</p>` : html`<pre id="example" tabindex="0">${lines(example, base, bases)}</pre>`}${calls}`;
}

function lines(example: string, base: string, { publicUrl, tokens }: ExampleBases): string {
  const needsToken = example.includes('$TOKEN') && !/^TOKEN=/m.test(example);
  const issuer = base === tokens ? '$BASE' : `${publicUrl}${tokens}`;
  const root = example.includes('$ROOT') ? `ROOT=${publicUrl}\n` : '';
  const plate = example.includes('$PLATE') ? `${ownPlate}\n` : '';
  // In a shell of its own: the reader has variables with these names.
  return `(\nBASE=${publicUrl}${base}\n${root}${plate}${needsToken ? token(issuer) : ''}${example}\n)`;
}

/** A registration number that nobody else in a class has, and no earlier run of the example. */
const ownPlate = 'PLATE=LP-$(date +%s)-$RANDOM$RANDOM';

/** Text whose code stands between backticks. */
function prose(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
}
