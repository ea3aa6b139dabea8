import type { Token, Tokens } from 'marked';
import { type Guide, guides } from '../../../src/navigation.ts';

/** The address in all guides, as a default start has it. */
const written = 'http://localhost:8080';

/** The command that writes a new client to a file. */
const makesClient = /^curl -s .*\/demo-clients (?=[|>] *(?:tee )?credentials\.json$)/gm;

/** The command that reads the secret of the signed endpoint where L-Plate runs, which is not where a learner is. */
const readsSecret = /^HMAC_SECRET=\$\(.*secrets\.json.*\)$/m;

export interface ShownTo {
  /** The address by which the browser reached the service. */
  readonly origin: string;
  /** Whose the commands are to be; without, each guide makes a client of its own. */
  readonly client?: { readonly clientId: string; readonly clientSecret: string } | undefined;
}

/** A comment has what stands in the place of the line before it, for whoever has a client. */
const forOwnClient = /^(.*)\n<!-- With a client: (.*) -->$/gm;

/** Whether a guide makes a client that the reader's own could take the place of. */
export function takesClient(markdown: string): boolean {
  return markdown.search(makesClient) >= 0;
}

/** A guide with the addresses of its reader. The commands with a client of theirs go to the addresses that say whose calls they are. */
export function adapted(markdown: string, { origin, client }: ShownTo): string {
  const text = markdown
    .replace(readsSecret, `HMAC_SECRET='…'   # printed when L-Plate starts; in a class, ask your trainer`)
    .replace(forOwnClient, client ? '$2' : '$1');
  if (!client || !takesClient(text)) return text.replaceAll(written, origin);
  const { clientId, clientSecret } = client;
  const json = `'{"client_id":"${inJson(clientId)}","client_secret":"${inJson(clientSecret)}"}'`;
  // A prefix comes once: some guides write it themselves.
  const address = text.includes('/for/$CLIENT_ID') ? origin : `${origin}/for/${clientId}`;
  return text
    .replace(/^```sh.*?^```$/gms, (block) =>
      block.replace(makesClient, () => `echo ${json} `).replaceAll(written, address),
    )
    .replaceAll(written, origin);
}

/** Text within a string of JSON that stands between single quotes of a shell. */
const inJson = (text: string) => JSON.stringify(text).slice(1, -1).replaceAll("'", `'\\''`);

/** Stands in a guide for the secret of the reader's client: others may look at the page. */
export const hiddenSecret = '•'.repeat(12);

/** Commands as they are copied: with the secret. */
export function withSecret(commands: string, secret = hiddenSecret): string {
  return commands.replaceAll(hiddenSecret, () => inJson(secret));
}

/** The name of a heading in an address, as GitHub makes it. `taken` are those of the headings before it. */
export function slug(text: string, taken: Set<string> = new Set()): string {
  const plain = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
  let name = plain;
  for (let number = 1; taken.has(name); number += 1) name = `${plain}-${number}`;
  taken.add(name);
  return name;
}

/** A place in a guide that one can go to. */
export interface Stop {
  readonly slug: string;
  readonly text: string;
  /** Of its heading: 2 or 3. */
  readonly depth: number;
}

/** The headings below the title. */
export function stopsOf(tokens: readonly Token[]): Map<Token, Stop> {
  const taken = new Set<string>();
  const headings = tokens.filter((token): token is Tokens.Heading => token.type === 'heading' && token.depth > 1);
  return new Map(
    headings.map((token) => {
      const text = plainText(token.tokens);
      return [token, { slug: slug(text, taken), text, depth: token.depth }];
    }),
  );
}

/** What is read of tokens: without what marks them. */
function plainText(tokens: readonly Token[] = []): string {
  return tokens
    .map((token) =>
      'tokens' in token && token.tokens ? plainText(token.tokens) : unescaped('text' in token ? token.text : token.raw),
    )
    .join('');
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: '\u00a0' };

/** Text in which `&lt;` and its like stand for characters; an unknown one stays as it is. */
export function unescaped(text: string): string {
  return text.replace(/&(?:#(\d{1,6})|(amp|lt|gt|quot|nbsp));/g, (all, number, name) => {
    if (name) return entities[name] as string;
    return Number(number) <= 0x10ffff ? String.fromCodePoint(Number(number)) : all;
  });
}

/** Where a link of a guide leads. Undefined for addresses that no page should lead to, such as `javascript:`. */
export function targetOf(link: string, from: Guide): string | undefined {
  if (/^https?:\/\//i.test(link)) return URL.canParse(link) ? link : undefined;
  if (link.startsWith('#')) return `#/guides/${from.name}/${link.slice(1)}`;
  const [, name, heading] = /^([\w-]+)\.md(?:#(.+))?$/.exec(link) ?? [];
  if (!guides.some((guide) => guide.name === name)) return undefined;
  return `#/guides/${name}${heading ? `/${heading}` : ''}`;
}

/** The address of an image of a guide. */
export function imageOf(link: string): string | undefined {
  return /^images\/[\w.-]+\.webp$/.test(link) ? `/guides/${link}` : undefined;
}
