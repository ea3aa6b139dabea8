import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';
import { slug } from '../../console/pages/guides/guide.ts';
import { guides, purpose } from '../../src/navigation.ts';

const base = process.env.SITE_BASE || '/';
const groups = [...new Set(guides.map(({ group }) => group))];
const page = (name: string) => readFileSync(new URL(`../pages/${name}.md`, import.meta.url), 'utf8');
const lessons = page('lessons');
const problems = page('problems/index');
const reference = page('reference/index');

/** As a sidebar has it. */
const linkOf = ([, text = '', link = '']: RegExpExecArray) => ({ text, link });

const mark =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="30" height="30" x="1" y="1" rx="5" fill="#fff" stroke="#888"/><path d="M10 6h5v16h9v4H10z" fill="#c8102e"/></svg>';

export default defineConfig({
  title: 'L-Plate',
  description: `L-Plate: ${purpose}.`,
  lang: 'en',
  base,
  srcDir: 'pages',
  outDir: '../dist/site',
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(mark)}` }]],
  // Addresses of the reader's own L-Plate.
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    // The headings of the guides have the names that they have in the console and at the repository's host.
    image: { lazyLoading: true },
    anchor: { slugify: (text: string) => slug(text) },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  // A page shows with its first answer: the style is in it, scripts come after. The theme's style of icons is empty.
  transformHtml: (html) =>
    html
      .replaceAll(/<link rel="(?:modulepreload|prefetch)"[^>]*>/g, '')
      .replace(/<link rel="preload stylesheet" href="[^"]*vp-icons.css" as="style">/, '')
      .replace(/<link rel="preload stylesheet" href="([^"]*)" as="style">/, (_, href: string) => {
        const file = new URL(`../../dist/site/${href.slice(base.length)}`, import.meta.url);
        return `<style>${readFileSync(file, 'utf8')}</style>`;
      }),
  themeConfig: {
    nav: [
      { text: 'Tour', link: '/tour' },
      { text: 'Guides', link: '/guides/', activeMatch: '/guides/' },
      { text: 'Lessons', link: '/lessons' },
      { text: 'Reference', link: '/reference/', activeMatch: '/reference/' },
      { text: 'Problems', link: '/problems/', activeMatch: '/problems/' },
      { text: 'Changelog', link: '/changelog' },
      { text: 'Check a badge', link: '/verify' },
    ],
    sidebar: {
      '/guides/': groups.map((group) => ({
        text: group,
        items: guides
          .filter((guide) => guide.group === group)
          .map(({ name, title }) => ({ text: title, link: `/guides/${name}` })),
      })),
      '/reference/': [{ text: 'Reference', items: [...reference.matchAll(/^- \[(.+?)\]\((.+?)\)/gm)].map(linkOf) }],
      '/problems/': [{ text: 'Problems', items: [...problems.matchAll(/\[`(.+?)`\]\((.+?)\)/g)].map(linkOf) }],
      '/lessons': [
        {
          text: 'Lessons',
          items: [...lessons.matchAll(/^## (.+)$/gm)].map(([, topic = '']) => ({
            text: topic,
            link: `/lessons#${slug(topic)}`,
          })),
        },
      ],
    },
    outline: { level: [2, 3] },
    search: { provider: 'local' },
  },
});
