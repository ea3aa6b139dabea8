#!/usr/bin/env node
// The launcher. Plain JavaScript, so that an older Node.js can still read it, and hand over to the one that came with it.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { broughtNode, isNew, needed } from './brought-node.js';
import { load } from './program.js';

// It runs on an older one.
if (process.argv[2] === 'relay') await import('../kits/relay/relay.js');
else if (isNew) {
  const { main } = await load('main');
  await main(process.argv.slice(2), process.env);
} else {
  const node = broughtNode();
  if (node) handOver(node);
  else {
    const flags = process.argv.slice(2).join(' ');
    const way = `Run \`npm start${flags && ` -- ${flags}`}\`: it brings its own Node.js ${needed}.`;
    console.error(`L-Plate needs Node.js ${needed} or newer; this is ${process.version}. ${way}`);
    process.exitCode = 1;
  }
}

/** Runs the program by another Node.js, which has our streams, gets our signals, and ends when we do. */
function handOver(node) {
  const program = [fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  // The channel says nothing: that it closes is how the child notices our end.
  const child = spawn(node, program, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`L-Plate can't run ${node}: ${error.message}. Use Node.js ${needed} or newer.`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    for (const name of signals) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}
