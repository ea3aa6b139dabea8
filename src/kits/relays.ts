import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/* The programs that make the calls of webhooks on the machine of a learner. They have no address in them: their bytes are the same everywhere. */

const javascript = 'text/javascript; charset=utf-8';

export const relays = [
  { file: 'relay.py', tool: 'Python 3.9 or newer', command: 'python3 relay.py', type: 'text/x-python; charset=utf-8' },
  { file: 'relay.js', tool: 'Node.js 18 or newer', command: 'node relay.js', type: javascript },
].map((relay) => {
  const text = readFileSync(new URL(`../../kits/relay/${relay.file}`, import.meta.url), 'utf8');
  return { ...relay, text, sha256: createHash('sha256').update(text).digest('hex') };
});
