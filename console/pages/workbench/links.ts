/** The targets of a `Link` header (RFC 8288) by their relation: `{ next: '/insurer/v1/policies?page=2' }`, without origin. */
export function linksOf(header: string | null): Readonly<Record<string, string>> {
  const found = (header ?? '').matchAll(/<([^>]*)>\s*;\s*rel="?([\w-]+)"?/g);
  const targets = [...found].flatMap(([, target = '', relation = '']) => {
    const url = URL.parse(target, 'http://localhost');
    return url ? [[relation, url.pathname + url.search] as const] : [];
  });
  return Object.fromEntries(targets);
}
