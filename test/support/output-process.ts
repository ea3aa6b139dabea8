import { LogFile } from '../../src/output/log-file.ts';
import { Output } from '../../src/output/output.ts';

/*
 * A process that writes numbered lines to its standard output, or to the file that is named: as many as a message asks for, all in one turn of the
 * event loop. It replies with the figures of its output, and ends when it is told nothing more.
 */

const failures: string[] = [];
const [, , path] = process.argv;
const output = new Output(path === undefined ? 1 : new LogFile(path), {
  lossLine: (dropped) => `${dropped} dropped\n`,
  onFailure: (reason) => failures.push(reason),
});
let number = 0;

process.on('message', (lines: number) => {
  for (let line = 0; line < lines; line += 1) {
    number += 1;
    output.write(`${String(number).padStart(299, '.')}\n`);
  }
  const { dropped, waiting } = output;
  process.send?.({ dropped, waiting, failures });
});
process.on('disconnect', async () => {
  await output.flush(500);
  process.exit();
});
