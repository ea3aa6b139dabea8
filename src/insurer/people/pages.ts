import type { FastifyInstance } from 'fastify';
import { bar, frame, type Html, headWithoutScript, html, pageOf, words } from '../../http/answers/page.ts';

/*
 * The pages at which a person signs in and lets an app in. No script runs on them, and no page of others can show them in
 * a frame: whoever could do either would decide in the place of the person.
 */

/** The app that a person is asked about. */
interface AskingApp {
  readonly clientId: string;
  /** What people call it; its id where it has no name. */
  readonly appName: string;
}

interface SignInView extends AskingApp {
  /** Where the form is sent: a path from the root of the server, with its query. */
  readonly action: string;
  /** What stands in the field at first: what the app said, or what was typed before. */
  readonly userName?: string;
  /** Why the last try failed: a sentence. */
  readonly fault?: string;
  /** Who can sign in, to be chosen from. */
  readonly people?: readonly { readonly name: string; readonly userName: string }[];
}

interface ConsentView extends AskingApp {
  /** Where the form is sent: a path from the root of the server, with its query. */
  readonly action: string;
  /** Comes back with the decision. */
  readonly ticket: string;
  /** Who has signed in. */
  readonly person: { readonly name: string; readonly userName: string };
  /** What the app asks for, with what it permits: a line. */
  readonly scopes: readonly { readonly scope: string; readonly text: string }[];
  /** Host and port of the redirect URI. */
  readonly redirectHost: string;
  /** When the consent ends: ISO 8601, UTC. */
  readonly until: string;
}

interface RefusalView {
  readonly title: string;
  /** What is wrong with the request: sentences. */
  readonly reason: string;
  /** What to do about it: sentences. */
  readonly advice: string;
  /** Lines for a terminal that do it. */
  readonly command?: string;
}

/** The headers that these pages need, besides their policy. */
export const authorizeHeaders = {
  // The address has what the app asked for, and the page leads to the app.
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-store',
} as const;

/**
 * The `Content-Security-Policy` of these pages: style of this origin, no script, no frame around them. Where a form leads back to
 * an app, it may lead anywhere: browsers apply `form-action` to each redirect that follows, and the app’s own may lead to another
 * origin, which nobody registered.
 */
export function authorizePolicy(leadsToApp = false): string {
  const back = leadsToApp ? ' http: https:' : '';
  return `default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'self'${back}; frame-ancestors 'none'`;
}

/**
 * Asks who somebody is. The form is sent with `userName` and `password`, or with `decision=cancel` by who leaves, whatever
 * stands in the fields.
 */
export function signInPage({ action, clientId, appName, userName = '', fault, people = [] }: SignInView): Buffer {
  // What screen readers say of both fields: which of them is wrong, nobody is told.
  const wrong = fault === undefined ? '' : html` aria-invalid="true" aria-describedby="fault"`;
  // A second try goes on at the field, of which a screen reader then says what was wrong. At first, there is the page to read.
  const focused = (here: boolean) => (fault !== undefined && here ? html` autofocus` : '');
  const rows = people.map(
    (each) => html`<tr><td>${words(each.name)}</td><td><code>${words(each.userName)}</code></td></tr>\n`,
  );
  const list = html`<table><caption>Who can sign in here</caption><thead><tr><th>Name</th><th>User name</th></tr></thead><tbody>
${rows}</tbody></table>
`;
  return authorizePage(
    'Sign in',
    html`<h1>Sign in</h1>
<p>${nameOf({ clientId, appName })} sent you here. Sign in to choose what it may do with your policies.</p>
${fault === undefined ? '' : html`<p class="notice bad" id="fault" role="alert">${words(fault)}</p>\n`}<form method="post" action="${action}">
<div class="field"><label class="label" for="user-name">User name</label><input id="user-name" name="userName" value="${userName}" autocomplete="username" autocapitalize="none" spellcheck="false" required${wrong}${focused(userName === '')}></div>
<div class="field"><label class="label" for="password">Password</label><input id="password" name="password" type="password" autocomplete="current-password" required${wrong}${focused(userName !== '')}></div>
<div class="authorize-buttons"><button class="button primary">Sign in</button><button class="button" name="decision" value="cancel" formnovalidate>Cancel</button></div>
</form>`,
    html`<div class="authorize-about">
${people.length > 0 ? list : ''}<p>All people here are made up, and their passwords are no secret. User names and passwords are at <code class="nowrap">GET /range/v1/me/people</code>.</p>
</div>`,
  );
}

/**
 * Asks a person who has signed in what an app may do. The form is sent with `ticket`, `decision`, which is `allow` or
 * `deny`, and `scope` as often as there are boxes that are ticked: all are at first.
 */
export function consentPage(view: ConsentView): Buffer {
  const { action, ticket, person, scopes, redirectHost, until } = view;
  const boxes = scopes.map(
    ({ scope, text }) =>
      html`<label><input type="checkbox" name="scope" value="${scope}" checked><span>${words(text)}<br><code class="muted">${words(scope)}</code></span></label>\n`,
  );
  const title = html`Let ${words(view.appName)} in?`;
  // Who presses Enter in a box has decided nothing yet: browsers take it for the first button, which is one that sends nothing.
  return authorizePage(
    `Let ${view.appName} in?`,
    html`<h1>${title}</h1>
<p>${nameOf(view)} asks for access to your policies. You are signed in as <strong>${words(person.name)}</strong> (<code>${words(person.userName)}</code>).</p>
<form method="post" action="${action}">
<input type="hidden" name="ticket" value="${ticket}">
<button formmethod="dialog" hidden></button>
<fieldset class="box authorize-scopes" aria-describedby="some"><legend class="label">What it may do</legend>
${boxes}</fieldset>
<p class="muted small" id="some">Untick what it is not to do.</p>
<dl class="facts"><dt>Until</dt><dd><time datetime="${until}">${until.slice(0, 10)}</time>, unless you change your mind before</dd><dt>Back to</dt><dd><code>${words(redirectHost)}</code>, whichever you choose</dd></dl>
<div class="authorize-buttons"><button class="button primary" name="decision" value="allow">Allow</button><button class="button" name="decision" value="deny">Deny</button></div>
</form>`,
  );
}

/**
 * Explains a request that leads back to no app, since nobody knows whose the address is. Whoever made it reads this page, so
 * it leads on to all others.
 */
export function refusalPage(
  server: Pick<FastifyInstance, 'navigation'>,
  { title, reason, advice, command }: RefusalView,
): Buffer {
  return pageOf(
    headWithoutScript(`${title} – L-Plate`),
    frame(
      server.navigation,
      html`<h1>${words(title)}</h1>
<p>${words(reason)}</p>
<h2>What to do</h2>
<p>${words(advice)}</p>${command === undefined ? '' : html`\n<pre id="command" class="wrapped" tabindex="0">${command}</pre>`}`,
    ),
  );
}

/** A name that others chose, with the id, which is the service's own. */
function nameOf({ clientId, appName }: AskingApp): Html {
  const id = html`<code>${words(clientId)}</code>`;
  return appName === clientId ? id : html`<strong>${words(appName)}</strong> (${id})`;
}

/** One question in a card, and what stands below it. Nothing around it leads away. */
function authorizePage(title: string, question: Html, below: Html | string = ''): Buffer {
  return pageOf(
    headWithoutScript(`${title} – L-Plate`),
    html`${bar}
<main class="authorize" id="main" tabindex="-1">
<div class="card">
${question}
</div>
${below}
</main>`,
  );
}
