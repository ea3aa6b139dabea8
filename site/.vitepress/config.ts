import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';
import { slug } from '../../console/pages/guides/guide.ts';
import { guides, purpose } from '../../src/navigation.ts';

const groups = [...new Set(guides.map(({ group }) => group))];
const lessons = readFileSync(new URL('../pages/lessons.md', import.meta.url), 'utf8');
const reference = readFileSync(new URL('../pages/reference/index.md', import.meta.url), 'utf8');

/** The links of a list, as those of a sidebar. */
const linksOf = (markdown: string) =>
  [...markdown.matchAll(/^- \[([^\]]*)\]\(([^)]*)\)/gm)].map(([, text = '', link = '']) => ({ text, link }));

const mark =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="30" height="30" x="1" y="1" rx="5" fill="#fff" stroke="#888"/><path d="M10 6h5v16h9v4H10z" fill="#c8102e"/></svg>';

export default defineConfig({
  title: 'L-Plate',
  description: `L-Plate: ${purpose}.`,
  lang: 'en',
  base: process.env.SITE_BASE || '/',
  srcDir: 'pages',
  outDir: '../dist/site',
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(mark)}` }]],
  // Addresses of the reader's own L-Plate.
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    // The headings of the guides have the names that they have in the console and at the repository's host.
    anchor: { slugify: (text: string) => slug(text) },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    nav: [
      { text: 'Tour', link: '/tour' },
      { text: 'Guides', link: '/guides/', activeMatch: '/guides/' },
      { text: 'Lessons', link: '/lessons' },
      { text: 'Reference', link: '/reference/', activeMatch: '/reference/' },
      { text: 'Problems', link: '/problems/', activeMatch: '/problems/' },
      { text: 'Changelog', link: '/changelog' },
    ],
    sidebar: {
      '/guides/': groups.map((group) => ({
        text: group,
        items: guides
          .filter((guide) => guide.group === group)
          .map(({ name, title }) => ({ text: title, link: `/guides/${name}` })),
      })),
      '/reference/': [{ text: 'Reference', items: linksOf(reference) }],
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
