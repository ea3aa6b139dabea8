#!/usr/bin/env node
// The launcher of the package. Plain JavaScript, so that an older Node.js can read it.
import { advice, isNew } from './node-version.js';

// It runs on an older one.
if (process.argv[2] === 'relay') await import('../kits/relay/relay.js');
else if (isNew) {
  const { load } = await import('./program.js');
  const { main } = await load('main');
  await main(process.argv.slice(2), process.env);
} else {
  console.error([advice, ...process.argv.slice(2)].join(' '));
  process.exitCode = 1;
}
