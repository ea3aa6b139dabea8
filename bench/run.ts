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

/*
 * npm run bench: what L-Plate costs, always as a ratio of two measurements of the same run.
 *
 *   npm run bench                     everything, in some 20 minutes
 *   npm run bench -- read create      these parts only
 *   npm run bench -- --quick          everything, briefly: for a look, not for a figure to quote
 */

const findings: Findings = { cases: [] };

/** What is measured, by the name that is asked for. */
const parts: Readonly<Record<string, () => Promise<unknown>>> = {
  ...Object.fromEntries(
    Object.entries(cases).map(([name, each]) => [
      name,
      async () => findings.cases.push({ ...each, ...(await againstBare(each)) }),
    ]),
  ),
  postgres: async () => (findings.postgres = await againstPgbench(effort, progress)),
  growth: async () => (findings.growth = await growth(quick, progress)),
  range: async () => {
    findings.range = await range(effort, progress);
    findings.crowd = await crowd(quick ? 1 : 4, progress);
  },
  https: async () => (findings.https = await https(effort, progress)),
  auto: async () => (findings.auto = await auto(effort, progress)),
  lessons: async () =>
    (findings.lessons = await lessons(quick ? { rounds: 1, seconds: 2 } : { rounds: 4, seconds: 15 }, progress)),
  // Signs of life come every 15 seconds.
  streams: async () =>
    (findings.streams = await streams(quick ? { rounds: 1, quiet: 1 } : { rounds: 4, quiet: 16 }, progress)),
  console: async () => {
    const found = await inBrowser(quick ? 1 : 5, progress);
    if (found) findings.inBrowser = found;
    else progress('NO CHROMIUM: the console is not measured');
  },
  start: async () => {
    progress('starting');
    findings.started = await starts(quick ? 1 : 5);
  },
};

const { asked, quick } = readArguments();
const effort: Effort = quick ? { pairs: 1, seconds: 1, warmUp: 1 } : { pairs: 5, seconds: 2, warmUp: 3 };
if (asked.length === Object.keys(parts).length && !quick) process.stderr.write('bench: this takes some 20 minutes\n');
let part = '';
for (const [at, name] of asked.entries()) {
  part = `part ${at + 1} of ${asked.length}, ${name}`;
  await parts[name]?.();
}
process.stdout.write(report(findings));

async function againstBare({ what, bareParses = false, bareCreates = false, load }: Case): Promise<Compared> {
  progress(what);
  const directory = join(scratchDirectory(), what.replaceAll(' ', '-'));
  const lplate = await startLPlate(directory);
  const learner = await newLearner(lplate.url);
  const requests = await load(learner, await insure(lplate.url, learner, 20), lplate.url);
  const answer = await answerTo(lplate.url, requests);
  const bare = await startBare({
    answer,
    parses: bareParses,
    directory: bareCreates ? `${directory}-bare` : undefined,
  });
  await sameBytes(bare.url, requests, answer);
  const compared = await compare([lplate, requests], [bare, requests], effort);
  await Promise.all([lplate.stop(), bare.stop()]);
  return compared;
}

function progress(what: string): void {
  const minutes = (performance.now() / 60_000).toFixed(1);
  process.stderr.write(`bench: ${minutes} min, ${part}: ${what} …\n`);
}

function readArguments(): { asked: readonly string[]; quick: boolean } {
  const names = Object.keys(parts);
  try {
    const { values, positionals } = parseArgs({ options: { quick: { type: 'boolean' } }, allowPositionals: true });
    const unknown = positionals.find((name) => !names.includes(name));
    if (unknown) throw new Error(`there is no part ${unknown}`);
    return { asked: positionals.length > 0 ? positionals : names, quick: values.quick === true };
  } catch (error) {
    process.stderr.write(`bench: ${(error as Error).message}\nParts: ${names.join(', ')}. Flag: --quick\n`);
    process.exit(2);
  }
}
