import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { absoluteUrl, originHeaders } from '../http/absolute-url.ts';
import { acceptedType } from '../http/accepted-type.ts';
import { nearName } from '../http/near-name.ts';
import { type Html, html, page, sendPage } from '../http/page.ts';
import { ProblemError } from '../http/problem.ts';
import { ServedText } from '../http/served-text.ts';
import { remember } from '../remember.ts';
import type { Address } from '../system.ts';
import { wsdl } from '../vehicle-registry/index.ts';
import { Archive } from './archive.ts';
import { described } from './described.ts';
import { type Kit, kits } from './kits.ts';
import { placeholders } from './placeholders.ts';
import { soapOperation } from './soap-operation.ts';
import { walk } from './walk.ts';
import type { Credentials, Interface } from './walk-steps.ts';

export const kitsAddress: Address = { what: 'Kits for your tools', path: '/kits' };

/** The descriptions, by their paths. */
const descriptionPaths: Record<Interface, string> = {
  insurer: '/insurer/v1/openapi',
  claims: '/claims/v1/openapi',
  registry: '/vehicle-registry/v2/openapi',
};
const soapPath = '/vehicle-registry/v1';

type Served = { send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> };

/** `/kits`: files for tools of other makers, each with the same walk, made of the descriptions when first asked for. */
export function kitPages(server: FastifyInstance): void {
  const files: Record<Credentials, ReadonlyMap<string, () => Promise<Served>>> = {
    new: served(server, kits, 'new'),
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
  // The list is a page for people and JSON for programs.
  const onSend = async (_request: FastifyRequest, reply: FastifyReply) => {
    reply.header('Vary', `Accept, ${originHeaders}`);
  };
  server.get('/kits', { onSend }, (request, reply) => {
    const type = acceptedType(request, ['text/html', 'application/json']);
    if (type !== 'application/json') return sendPage(reply, bytes);
    const list = kits.map(({ file, tool, how, credentials }) => ({
      tool,
      how,
      url: absoluteUrl(request, `/kits/${file}`),
      ...(credentials && { ownCredentialsUrl: absoluteUrl(request, `/kits/own/${file}`) }),
    }));
    return reply.send({ kits: list });
  });
}

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
  const read = (name: Interface) => described(server.descriptions.get(descriptionPaths[name])?.() ?? {});
  const definition = wsdl(`${server.publicUrl}${soapPath}`);
  const descriptions = {
    insurer: read('insurer'),
    claims: read('claims'),
    registry: read('registry'),
    soap: soapOperation(definition),
  };
  const { publicUrl } = server;
  return { ...descriptions, publicUrl, wsdl: definition, walk: walk(descriptions, credentials) };
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
<p>A file for the tool that you have, with the addresses of this L-Plate filled in. Each does the same walk: credentials, a token, a policy that is created, read, changed, listed, refused a second time and cancelled, a claim, its events, the signed check, and a call by SOAP. Each but the one for REST Client checks the answers. Each run insures another vehicle, so that a whole class can use the same file. SoapUI’s is for SOAP only.</p>
<table><thead><tr><th>Tool</th><th>File</th><th>How</th></tr></thead><tbody>
${rows}</tbody></table>
<h2>Your own credentials</h2>
<p>The first request of a kit makes credentials. If you have some already, take the file for your own credentials, and replace <code>${placeholders.id}</code> and <code>${placeholders.secret}</code> in it.${
    console ? html` The console does that for you at <a href="/#/">Start</a>.` : ''
  }</p>
<h2>The signed check</h2>
<p>It needs the key <code>HMAC_SECRET</code>, which no kit has: your trainer has it, and L-Plate prints it when it starts. Postman, Bruno and Insomnia sign with the variable <code>hmac_secret</code>, the program in TypeScript with <code>HMAC_SECRET</code> of its environment; the other kits show what a request without a signature is answered with.</p>
<p>The list for programs: <code>curl -H 'Accept: application/json' ${publicUrl}/kits</code>. Which tools were tried is in <a href="${console ? '/#/guides/clients' : '/guides/clients.md'}">Clients and tools</a>.</p>`;
}

function withCode(text: string): Html[] {
  return text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}
