#!/usr/bin/env node
import module from 'node:module';
import { fileURLToPath } from 'node:url';

// The launcher. Plain JavaScript, so that an older Node.js can still read it and say what is needed.
const needed = 26;
if (Number(process.versions.node.split('.')[0]) < needed) {
  console.error(
    `L-Plate needs Node.js ${needed} or newer; this is ${process.version}. Run \`npm start\`: it brings its own Node.js ${needed}.`,
  );
  process.exit(1);
}
// What is compiled at one start is kept for the next, beside the packages, where no other user can write.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/l-plate', import.meta.url)));
const { main } = await import('../src/main.ts');
await main(process.argv.slice(2), process.env);
