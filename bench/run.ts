import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { answerTo, sameBytes } from './answer.ts';
import { auto } from './auto.ts';
import { type Case, cases } from './cases.ts';
import { scratchDirectory } from './cleanup.ts';
import { inBrowser } from './console.ts';
import { growth } from './growth.ts';
import { https } from './https.ts';
import { insure, newLearner } from './learner.ts';
import { lessons } from './lessons.ts';
import { type Compared, compare, type Effort } from './pairs.ts';
import { againstPgbench } from './postgres.ts';
import { crowd, range } from './range.ts';
import { type Findings, report } from './report.ts';
import { startBare, startLPlate } from './servers.ts';
import { starts } from './start.ts';
import { streams } from './streams.ts';
import { syncTime } from './sync.ts';

/*
 * npm run bench: what L-Plate costs, always as a ratio of two measurements of the same run.
 *
 *   npm run bench                     everything, in some six minutes
 *   npm run bench -- read create      these parts only
 *   npm run bench -- --quick          everything, briefly: for a look, not for a figure to quote
 */

const parts = [
  ...Object.keys(cases),
  'postgres',
  'growth',
  'range',
  'https',
  'auto',
  'lessons',
  'streams',
  'console',
  'start',
];
const { asked, quick } = readArguments();
const effort: Effort = quick ? { pairs: 2, seconds: 1, warmUp: 1 } : { pairs: 5, seconds: 2, warmUp: 3 };

const findings: Findings = { sync: syncTime(), cases: [] };
for (const [name, each] of Object.entries(cases)) {
  if (asked.has(name)) findings.cases.push({ ...each, ...(await againstBare(each)) });
}
if (asked.has('postgres')) findings.postgres = await againstPgbench(effort, progress);
if (asked.has('growth')) findings.growth = await growth({ ...effort, pairs: quick ? 2 : 4 }, progress);
if (asked.has('range')) {
  findings.range = await range({ ...effort, pairs: quick ? 2 : 5 }, progress);
  findings.crowd = await crowd(quick ? 1 : 4, progress);
}
if (asked.has('https')) findings.https = await https(effort, progress);
if (asked.has('auto')) findings.auto = await auto(effort, progress);
if (asked.has('lessons')) {
  findings.lessons = await lessons(quick ? { rounds: 1, seconds: 5 } : { rounds: 4, seconds: 15 }, progress);
}
if (asked.has('streams')) {
  // Signs of life come every 15 seconds.
  findings.streams = await streams(quick ? { rounds: 1, quiet: 1 } : { rounds: 4, quiet: 16 }, progress);
}
if (asked.has('console')) {
  const found = await inBrowser(quick ? 1 : 5, progress);
  if (found) findings.inBrowser = found;
  else progress('NO CHROMIUM: the console is not measured');
}
if (asked.has('start')) {
  progress('starting');
  findings.started = await starts(quick ? 2 : 5);
}
process.stdout.write(report(findings));

async function againstBare({ what, bareParses = false, load }: Case): Promise<Compared> {
  progress(what);
  const lplate = await startLPlate(join(scratchDirectory(), what.replaceAll(' ', '-')));
  const learner = await newLearner(lplate.url);
  const requests = await load(learner, await insure(lplate.url, learner, 20), lplate.url);
  const answer = await answerTo(lplate.url, requests);
  const bare = await startBare(answer, bareParses);
  await sameBytes(bare.url, requests, answer);
  const compared = await compare([lplate, requests], [bare, requests], effort);
  await Promise.all([lplate.stop(), bare.stop()]);
  return compared;
}

function progress(what: string): void {
  process.stderr.write(`bench: ${what} …\n`);
}

function readArguments(): { asked: Set<string>; quick: boolean } {
  try {
    const { values, positionals } = parseArgs({ options: { quick: { type: 'boolean' } }, allowPositionals: true });
    const unknown = positionals.find((part) => !parts.includes(part));
    if (unknown) throw new Error(`there is no part ${unknown}`);
    return { asked: new Set(positionals.length > 0 ? positionals : parts), quick: values.quick === true };
  } catch (error) {
    process.stderr.write(`bench: ${(error as Error).message}\nParts: ${parts.join(', ')}. Flag: --quick\n`);
    process.exit(2);
  }
}
