import { writeSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/*
 * Loaded into the program before its own code: on SIGUSR2 it collects its garbage and writes the bytes that
 * are left to the standard error.
 * What the operating system counts has room besides, which V8 takes for young objects whenever there is a load.
 */
setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

process.on('SIGUSR2', () => {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  writeSync(2, `kept: ${heapUsed + external} bytes\n`);
});
