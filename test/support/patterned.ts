/** Each schema with a pattern, wherever it is. */
export function patterned(value: unknown): { pattern: string; examples: string[] }[] {
  if (typeof value !== 'object' || value === null) return [];
  const { pattern, examples = [] } = value as { pattern?: unknown; examples?: string[] };
  const here = typeof pattern === 'string' ? [{ pattern, examples: Array.isArray(examples) ? examples : [] }] : [];
  return [...here, ...Object.values(value).flatMap(patterned)];
}
