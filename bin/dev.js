// What `npm run dev` runs: the program, and beside it the build of the console whenever one of its sources changes. Node.js
// watches what is built, as it watches `src`, and starts the program again.
import { watch } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildConsole } from '../console/build.js';

// What is wrong with a source the bundler has told; the console stays as it was.
const build = () => buildConsole().catch(() => {});

let soon;
watch(fileURLToPath(new URL('../console', import.meta.url)), { recursive: true, persistent: false }, (_event, name) => {
  if (name?.startsWith('dist')) return;
  clearTimeout(soon);
  soon = setTimeout(build, 50);
});
await build();
await import('./lplate.js');
