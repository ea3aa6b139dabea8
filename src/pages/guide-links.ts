import { type Guide, guides } from '../navigation.ts';

/**
 * The Markdown of a guide with links that work where it is served: to other guides and to images beside it. A file that
 * only the repository has is named.
 */
export function servedMarkdown(markdown: string, guide: Guide): string {
  // What is code stays as it is.
  const parts = markdown.split(/(^```.*?^```$)/ms);
  return parts.map((part) => (part.startsWith('```') ? part : withLinks(part, guide))).join('');
}

function withLinks(text: string, guide: Guide): string {
  return text.replace(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (all, mark: string, label: string, link: string) => {
    if (/^#|^[a-z][a-z\d+.-]*:/i.test(link)) return all;
    const target = targetOf(link, guide);
    if (target !== undefined) return `${mark}[${label}](${target})`;
    const [path = ''] = pathFrom(link, guide).split('#', 1);
    return label.replaceAll('`', '') === path ? label : `${label} (\`${path}\`)`;
  });
}

/** Seen from `/guides/`. Undefined for a file that is not served. */
function targetOf(link: string, from: Guide): string | undefined {
  const [path = '', heading] = pathFrom(link, from).split('#', 2);
  const [, image] = /^docs\/(images\/[\w.-]+\.webp)$/.exec(path) ?? [];
  if (image) return image;
  const guide = guides.find(({ file }) => file === path);
  return guide && `${guide.name}.md${heading ? `#${heading}` : ''}`;
}

/** The path from the root of the project, with what stands after `#`. */
function pathFrom(link: string, { file }: Guide): string {
  const { pathname, hash } = new URL(link, `http://project/${file}`);
  return pathname.slice(1) + hash;
}
