import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { guides } from '../src/navigation.ts';
import { servedMarkdown } from '../src/pages/guide-links.ts';
import { asyncapiPage, openapiPage } from './reference.ts';
import { startExample } from './tour.ts';

const root = join(import.meta.dirname, '..');
const folder = join(import.meta.dirname, 'pages');
const address = 'http://localhost:8080';

async function write(name: string, markdown: string): Promise<void> {
  const file = join(folder, `${name}.md`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${markdown.trimEnd()}\n`);
}

/** Links to pages that the site has, too, lead there. What is code stays as it is. */
const withSiteLinks = (markdown: string) =>
  markdown
    .split(/(^```.*?^```$)/ms)
    .map((part) =>
      part.startsWith('```')
        ? part
        : part
            .replaceAll(/\]\(http:\/\/localhost:8080\/problems(\/[\w-]+)?\)/g, (_, name = '/') => `](/problems${name})`)
            .replaceAll(/\]\(http:\/\/localhost:8080\/docs\?api=([\w-]+)[^)]*\)/g, '](/reference/$1)'),
    )
    .join('');

/** Writes the pages that the texts of the project and a running service have: nothing is told here a second time. */
export async function writePages(): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await cp(join(import.meta.dirname, 'own'), folder, { recursive: true });
  // How one starts is told in the README.
  const [start = ''] = /^```sh\ngit clone .*?^```$/ms.exec(await readFile(join(root, 'README.md'), 'utf8')) ?? [];
  await write('index', (await readFile(join(folder, 'index.md'), 'utf8')).replace('[how to start]', start));
  await cp(join(root, 'docs/images'), join(folder, 'guides/images'), { recursive: true });
  for (const guide of guides) {
    const text = servedMarkdown(await readFile(join(root, guide.file), 'utf8'), guide);
    await write(`guides/${guide.name}`, withSiteLinks(text));
  }
  await write(
    'guides/index',
    `# Guides\n\n${[...new Set(guides.map(({ group }) => group))]
      .map((group) => {
        const those = guides.filter((guide) => guide.group === group);
        return `## ${group}\n\n${those.map(({ name, title, about }) => `- [${title}](${name}.md): ${about}`).join('\n')}`;
      })
      .join('\n\n')}`,
  );
  const changes = onlyNames(await readFile(join(root, 'CHANGELOG.md'), 'utf8'));
  await write('changelog', `---\noutline: false\n---\n\n${changes}`);
  const service = await startExample();
  try {
    const text = async (path: string) => {
      const response = await fetch(service.url + path, { headers: { Accept: 'application/json, */*;q=0.5' } });
      if (!response.ok) throw new Error(`${path}: ${response.status}`);
      return (await response.text()).replaceAll(service.url, address);
    };
    await writeProblems(text);
    await writeLessons(text);
    await writeReference(text);
  } finally {
    await service.close();
  }
}

type Get = (path: string) => Promise<string>;

/** The changelog stands elsewhere here: its links to guides lead to those, and to other files nowhere. */
const onlyNames = (markdown: string) =>
  markdown
    .replaceAll(/\]\(docs\/([\w-]+)\.md(#[^)]*)?\)/g, (all, name, heading = '') =>
      guides.some((guide) => guide.name === name) ? `](/guides/${name}${heading})` : all,
    )
    .replaceAll(/\[([^\]]*)\]\((?!https?:|\/|#)[^)]*\)/g, '$1');

interface Problem {
  readonly identifier: string;
  readonly status: number;
  readonly title: string;
}

async function writeProblems(get: Get): Promise<void> {
  const { problems }: { problems: Problem[] } = JSON.parse(await get('/problems'));
  const rows = problems.map(
    ({ identifier, status, title }) => `| ${status} | [\`${identifier}\`](/problems/${identifier}) | ${title} |`,
  );
  const head = '| Status | Identifier | Title |\n| --- | --- | --- |';
  const about =
    'Every refusal is an `application/problem+json` document (RFC 9457). Its `type` ends with one of these.';
  await write('problems/index', `# Problems\n\n${about}\n\n${head}\n${rows.join('\n')}`);
  for (const { identifier } of problems) {
    const page = await get(`/problems/${identifier}`);
    const [, content = ''] = /(<h1>.*?)(?=<h2>Your calls|<\/div>\n<\/main>)/s.exec(page) ?? [];
    await write(`problems/${identifier}`, markdownOf(content));
  }
}

/** Of the few elements that a page of a problem has. */
function markdownOf(content: string): string {
  return content
    .replace('<a href="/problems">All problems</a></div>', '')
    .replaceAll(/<h(\d)>(.*?)<\/h\d>/g, (_, level, text) => `${'#'.repeat(level)} ${text}\n`)
    .replace(/<pre[^>]*>(.*?)<\/pre>/s, (_, code) => `\`\`\`sh\n${decoded(code)}\n\`\`\``)
    .replaceAll(/<p[^>]*>(.*?)<\/p>/gs, '$1\n')
    .replaceAll(/<code>(.*?)<\/code>/gs, (_, code) => `\`${decoded(code)}\``);
}

const decoded = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#34;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

interface Lesson {
  readonly title: string;
  readonly topic: string;
  readonly goal: string;
  readonly why: string;
}

async function writeLessons(get: Get): Promise<void> {
  const lessons: Lesson[] = [];
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const { items, totalPages } = JSON.parse(await get(`/range/v1/lessons?page=${page}`));
    lessons.push(...items);
    pages = totalPages;
  }
  const topics = [...new Set(lessons.map(({ topic }) => topic))].map((topic) => {
    const those = lessons.filter((lesson) => lesson.topic === topic);
    return `## ${topic}\n\n${those.map(({ title, goal, why }) => `### ${title}\n\n${goal}\n\n*${why}*`).join('\n\n')}`;
  });
  const about =
    'A lesson says what to do; your own calls, with whatever tool, show that you did it. Hints and answers are in a running ' +
    'L-Plate. [How it works](/guides/lessons).';
  await write('lessons', `# ${lessons.length} lessons\n\n${about}\n\n${topics.join('\n\n').replaceAll('<', '&lt;')}`);
}

async function writeReference(get: Get): Promise<void> {
  const [, attribute = ''] = /data-configuration="([^"]*)"/.exec(await get('/docs')) ?? [];
  const { sources }: { sources: { title: string; url: string; slug: string }[] } = JSON.parse(decoded(attribute));
  const rows: string[] = [];
  for (const { title, url, slug } of sources) {
    const document = JSON.parse(await get(url.replace('.yaml', '.json')));
    const page = document.openapi ? openapiPage(document) : asyncapiPage(document);
    await write(`reference/${slug}`, withSiteLinks(page));
    rows.push(`- [${title}](/reference/${slug}): ${document.info.title}`);
  }
  const wsdl = await get('/vehicle-registry/v1?wsdl');
  const soap = `# Vehicle registry v1\n\nThe WSDL of the SOAP service. [How to call it](/guides/vehicle-registry).`;
  await write('reference/vehicle-registry-v1', `${soap}\n\n\`\`\`xml\n${wsdl.trim()}\n\`\`\``);
  rows.push('- [Vehicle registry v1](/reference/vehicle-registry-v1): the WSDL of the SOAP service');
  const about = 'A running L-Plate has all of it at `/docs`, to try out, and as files for generators.';
  await write('reference/index', `# Reference\n\n${about}\n\n${rows.join('\n')}`);
}
