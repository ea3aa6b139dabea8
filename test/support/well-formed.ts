import assert from 'node:assert/strict';

const voidElements = ['meta', 'link', 'br', 'hr', 'img', 'input'];

/** Elements that are opened and closed in order, quoted attributes, and no bare `&` or `<`. */
export function assertWellFormed(page: string, where: string): void {
  const open: string[] = [];
  const rest = page.replace(/^<!doctype html>/, '').replace(/(<style>)[\s\S]*?(<\/style>)/, '$1$2');
  for (const [piece] of rest.matchAll(/<[^>]*>?|[^<]+/g)) {
    assert.doesNotMatch(piece, /&(?!#\d+;|[a-z]+;)/, `${where}: ${piece}`);
    if (!piece.startsWith('<')) continue;
    const [, slash, name] = /^<(\/?)([a-z][a-z0-9]*)(?: [a-z-]+(?:="[^"<]*")?)*>$/.exec(piece) ?? [];
    assert(name, `${where}: ${piece}`);
    if (slash) assert.equal(open.pop(), name, `${where}: ${piece}`);
    else if (!voidElements.includes(name)) open.push(name);
  }
  assert.deepEqual(open, [], where);
}
