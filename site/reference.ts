/* A description as a page of Markdown, to be read and searched; the one in a running L-Plate can be tried out. */

// biome-ignore lint/suspicious/noExplicitAny: descriptions are read as they come; the tests of the service check them.
type Described = any;

/** Of the headings beside the page: tags alone, since operations are too many to see. */
const outline = '---\noutline: 2\n---';

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** Markdown whose text is no HTML: `<` is one in code alone. */
const plain = (markdown = '') =>
  markdown
    .split(/(^```.*?^```$|`[^`\n]*`)/ms)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;')))
    .join('');

/** As a cell of a table. */
const cell = (markdown?: string) =>
  plain(markdown)
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|');

/** Below a point of a list. */
const inList = (markdown?: string) => plain(markdown).replaceAll('\n', '\n  ');

const json = (value: unknown) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  return [[head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')];
}

/** The first example of a body. */
function exampleOf(document: Described, { content }: Described = {}): string[] {
  const [media] = Object.values<Described>(content ?? {});
  const [named] = Object.values<Described>(media?.examples ?? {});
  const value = media?.example ?? (named && resolve(document, named).value);
  if (value === undefined) return [];
  return [typeof value === 'string' ? `\`\`\`text\n${value}\n\`\`\`` : json(value)];
}

function resolve(document: Described, value: Described): Described {
  const path: string[] = value.$ref?.slice(2).split('/') ?? [];
  return path.length === 0 ? value : path.reduce((part, name) => part[name], document);
}

function typeOf({ $ref, type, format, items, anyOf, oneOf, enum: values, const: only }: Described): string {
  if ($ref) return $ref.split('/').at(-1);
  if (only !== undefined) return JSON.stringify(only);
  if (values) return values.map((value: unknown) => JSON.stringify(value)).join(', ');
  if (anyOf ?? oneOf) return (anyOf ?? oneOf).map(typeOf).join(' or ');
  if (type === 'array') return `array of ${typeOf(items ?? {})}`;
  return [type].flat().filter(Boolean).join(' or ') + (format ? ` (${format})` : '');
}

function schemas(document: Described): string[] {
  const all = Object.entries<Described>(document.components?.schemas ?? {});
  const told = all.filter(([, { properties }]) => properties);
  if (told.length === 0) return [];
  return [
    '## Shapes',
    ...told.flatMap(([name, { description, properties, required = [] }]) => [
      `### ${name}`,
      plain(description),
      ...table(
        ['member', 'type', 'required', 'meaning'],
        Object.entries<Described>(properties).map(([member, schema]) => [
          `\`${member}\``,
          cell(typeOf(schema)),
          required.includes(member) ? 'yes' : '',
          cell(schema.description),
        ]),
      ),
    ]),
  ];
}

function operation(document: Described, method: string, path: string, item: Described): string[] {
  const { summary, description, parameters = [], requestBody, responses } = item;
  const answers = Object.entries<Described>(responses).map(([status, it]) => [status, resolve(document, it)] as const);
  const [, success] = answers.find(([status]) => status.startsWith('2')) ?? [];
  const asked = exampleOf(document, resolve(document, requestBody ?? {}));
  const answered = exampleOf(document, success);
  return [
    `### ${summary ?? path}`,
    `\`\`\`http\n${method.toUpperCase()} ${path}\n\`\`\``,
    plain(description),
    ...table(
      ['parameter', 'in', 'type', 'meaning'],
      parameters
        .map((parameter: Described) => resolve(document, parameter))
        .map(({ name, in: where, schema, description }: Described) => [
          `\`${name}\``,
          where,
          cell(typeOf(schema ?? {})),
          cell(description),
        ]),
    ),
    ...(asked.length > 0 ? ['A request:', ...asked] : []),
    ...(answered.length > 0 ? ['Its answer:', ...answered] : []),
    answers
      .map(([status, { description: told = '' }]) =>
        told.startsWith('- ') ? `- **${status}**\n  ${inList(told)}` : `- **${status}** ${inList(told)}`,
      )
      .join('\n'),
  ];
}

/** A page of an OpenAPI document. */
export function openapiPage(document: Described): string {
  const operations = Object.entries<Described>(document.paths).flatMap(([path, item]) =>
    methods.filter((method) => item[method]).map((method) => ({ method, path, item: item[method] })),
  );
  const tags = [...new Set(operations.map(({ item }) => item.tags?.[0] ?? 'Calls'))];
  return [
    outline,
    `# ${document.info.title}`,
    `OpenAPI ${document.openapi}. All paths begin with \`${document.servers[0].url}\`.`,
    plain(document.info.description),
    ...tags.flatMap((tag) => [
      `## ${tag}`,
      ...operations
        .filter(({ item }) => (item.tags?.[0] ?? 'Calls') === tag)
        .flatMap(({ method, path, item }) => operation(document, method, path, item)),
    ]),
    ...schemas(document),
  ].join('\n\n');
}

/** A page of an AsyncAPI document. */
export function asyncapiPage(document: Described): string {
  const messages = Object.values<Described>(document.components.messages);
  return [
    outline,
    `# ${document.info.title}`,
    `AsyncAPI ${document.asyncapi}.`,
    plain(document.info.description),
    '## Operations',
    ...Object.values<Described>(document.operations).flatMap(({ title, summary, description }) => [
      `### ${title}`,
      plain(summary),
      plain(description),
    ]),
    '## Messages',
    ...messages.flatMap(({ title, name, summary, description, examples = [] }) => [
      `### ${title ?? name}`,
      plain(summary),
      plain(description),
      ...examples.slice(0, 1).map(({ payload }: Described) => json(payload)),
    ]),
    ...schemas(document),
  ].join('\n\n');
}
