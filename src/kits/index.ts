import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Html, html, page, servePageOrJson } from '../http/answers/page.ts';
import { ServedText } from '../http/answers/served-text.ts';
import { ProblemError } from '../http/problems/problem.ts';
import { absoluteUrl } from '../http/requests/absolute-url.ts';
import { nearName } from '../http/requests/near-name.ts';
import { remember } from '../remember.ts';
import type { Address } from '../system.ts';
import { wsdl } from '../vehicle-registry/index.ts';
import { Archive } from './archive.ts';
import { described } from './described.ts';
import { type Kit, kits } from './kits.ts';
import { placeholders } from './placeholders.ts';
import { relays } from './relays.ts';
import { soapOperation } from './soap-operation.ts';
import { walk } from './walk.ts';
import type { Credentials, Interface } from './walk-steps.ts';

export const kitsAddress: Address = { what: 'Kits for your tools', path: '/kits' };

/** The descriptions, by their paths. */
const descriptionPaths: Record<Interface, string> = {
  insurer: '/insurer/v1/openapi',
  claims: '/claims/v1/openapi',
  registry: '/vehicle-registry/v2/openapi',
  range: '/range/v1/openapi',
};
const soapPath = '/vehicle-registry/v1';

type Served = { send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> };

/** `/kits`: files for tools of other makers, each with the same walk, made of the descriptions when first asked for. */
export function kitPages(server: FastifyInstance): void {
  const files: Record<Credentials, ReadonlyMap<string, () => Promise<Served>>> = {
    new: new Map([...served(server, kits, 'new'), ...servedRelays]),
    own: served(
      server,
      kits.filter(({ credentials }) => credentials),
      'own',
    ),
  };
  const send =
    (from: Credentials) => async (request: FastifyRequest<{ Params: { file: string } }>, reply: FastifyReply) => {
      const { file } = request.params;
      const found = files[from].get(file);
      if (found) return (await found()).send(request, reply);
      const near = nearName(file, files[from].keys());
      const meant = near === undefined ? '' : ` Did you mean ${near}?`;
      throw new ProblemError(
        'not-found',
        `There is no kit with this name.${meant} ${absoluteUrl(request, '/kits')} lists all of them.`,
      );
    };
  server.get('/kits/:file', send('new'));
  server.get('/kits/own/:file', send('own'));

  const bytes = page(server, 'Kits – L-Plate', listed(server), '/kits');
  servePageOrJson(server, '/kits', bytes, (request) => ({
    kits: kits.map(({ file, tool, how, credentials }) => ({
      tool,
      how,
      url: absoluteUrl(request, `/kits/${file}`),
      ...(credentials && { ownCredentialsUrl: absoluteUrl(request, `/kits/own/${file}`) }),
    })),
    relays: relays.map(({ file, tool, command, sha256 }) => ({
      ...{ tool, command, sha256 },
      url: absoluteUrl(request, `/kits/${file}`),
    })),
  }));
}

const servedRelays = relays.map(({ file, type, text }): [string, () => Promise<Served>] => {
  const relay = new ServedText(type, text);
  return [file, async () => relay];
});

function served(
  server: FastifyInstance,
  from: readonly Kit[],
  credentials: Credentials,
): ReadonlyMap<string, () => Promise<Served>> {
  const material = remember(async () => materialOf(server, credentials));
  return new Map(
    from.map(({ file, type, make }) => [
      file,
      remember(async () => {
        const made = await make(await material());
        return typeof made === 'string' ? new ServedText(type, made) : new Archive(file.replace(/\.zip$/, ''), made);
      }),
    ]),
  );
}

function materialOf(server: FastifyInstance, credentials: Credentials) {
  const find = (name: Interface) => server.descriptions.get(descriptionPaths[name])?.();
  const read = (name: Interface) => described(find(name) ?? {});
  const { publicUrl } = server;
  const definition = wsdl(`${server.publicUrl}${soapPath}`);
  const descriptions = {
    insurer: read('insurer'),
    claims: read('claims'),
    registry: read('registry'),
    // It may be switched off.
    range: find('range') && read('range'),
    soap: soapOperation(definition),
    publicUrl,
  };
  const [short, long] = [walk(descriptions, credentials), walk(descriptions, credentials, true)];
  return { ...descriptions, wsdl: definition, walk: short, longWalk: long };
}

function listed({ navigation, publicUrl }: FastifyInstance): Html {
  const console = navigation.some(({ links }) => links.some(({ path }) => path === '/#/'));
  const rows = kits.map(
    ({ file, tool, how, credentials }) =>
      html`<tr><th scope="row">${tool}</th><td><a href="/kits/${file}" download><code>${file}</code></a>${
        credentials ? html` (<a href="/kits/own/${file}" download>for your own credentials</a>)` : ''
      }</td><td>${withCode(how)}</td></tr>\n`,
  );
  return html`<h1>Kits</h1>
<p>A file for the tool that you have, with the addresses of this L-Plate filled in. Each does the same walk: credentials, a token, a policy that is created, read, changed, listed, refused a second time and cancelled, a claim, its events, the signed check, and a call by SOAP. Each but the one for REST Client checks the answers. Those for Postman, Bruno and Insomnia also let a person in: the authorization code flow with PKCE, step by step, and by the tool’s own sign-in. Each run insures another vehicle, so that a whole class can use the same file. SoapUI’s is for SOAP only.</p>
<table class="stacked"><thead><tr><th>Tool</th><th>File</th><th>How</th></tr></thead><tbody>
${rows}</tbody></table>
<h2>Your own credentials</h2>
<p>The first request of a kit makes credentials. If you have some already, take the file for your own credentials, and replace <code>${placeholders.id}</code> and <code>${placeholders.secret}</code> in it.${
    console ? html` The console does that for you at <a href="/#/">Start</a>.` : ''
  }</p>
<h2 id="relays">Relays for webhooks</h2>
<p>L-Plate can’t call a receiver behind a firewall, in a container or on your own machine. A relay can: a program that you start beside it. It asks L-Plate for the calls of your subscriptions with <code>"via":"relay"</code>, makes them there, signed as they are, and sends back what was answered. It is one file with nothing to install; it calls the machine that it runs on alone, unless you start it with <code>--allow-any-host</code>.</p>
<table class="stacked"><thead><tr><th>For</th><th>File</th><th>SHA-256</th><th>How</th></tr></thead><tbody>
${relays.map(
  ({ file, tool, command, sha256 }) =>
    html`<tr><th scope="row">${tool}</th><td><a href="/kits/${file}" download><code>${file}</code></a></td><td><code>${sha256}</code></td><td><code>LPLATE_URL=${publicUrl} CLIENT_ID=… CLIENT_SECRET=… ${command}</code></td></tr>\n`,
)}</tbody></table>
<p>Where the package is, <code>npx l-plate relay</code> is the second one.${
    console ? html` The page <a href="/#/webhooks">Webhooks</a> shows the command with your credentials filled in.` : ''
  }</p>
<h2>The signed check</h2>
<p>It needs the key <code>HMAC_SECRET</code>, which no kit has: your trainer has it, and L-Plate prints it when it starts. Postman, Bruno and Insomnia sign with the variable <code>hmac_secret</code>, the program in TypeScript with <code>HMAC_SECRET</code> of its environment; the other kits show what a request without a signature is answered with.</p>
<p>The list for programs: <code>curl -H 'Accept: application/json' ${publicUrl}/kits</code>. Which tools were tried is in <a href="${console ? '/#/guides/clients' : '/guides/clients.md'}">Clients and tools</a>.</p>`;
}

function withCode(text: string): Html[] {
  return text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}
