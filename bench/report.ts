import type { Case } from './cases.ts';
import type { InBrowser } from './console.ts';
import { type Grown, type Growth, whyItGrows } from './growth.ts';
import type { Class } from './lessons.ts';
import { connections } from './load.ts';
import { generatorName } from './measure.ts';
import type { Compared } from './pairs.ts';
import { type AgainstPgbench, leastOfPgbench } from './postgres.ts';
import type { Crowded } from './range.ts';
import type { Started } from './start.ts';
import { streamTable } from './stream-report.ts';
import type { Streamed } from './streams.ts';

export interface Findings {
  cases: (Case & Compared)[];
  postgres?: AgainstPgbench[];
  growth?: Growth;
  /** With the range, and without. */
  range?: Record<string, Compared>;
  /** By HTTPS, and by HTTP. */
  https?: Record<string, Compared>;
  /** With the address of each request, and with one that is set. */
  auto?: Record<string, Compared>;
  crowd?: { readonly a: Crowded; readonly b: Crowded };
  lessons?: { readonly a: Class; readonly b: Class };
  streams?: Streamed[];
  inBrowser?: InBrowser;
  started?: Started;
}

const maxGrowth = 1.3;
/** The part of its requests a second that an interface may lose to the range. */
const maxForRange = 0.08;
/** Megabytes that the logs of 10,000 clients may take. */
const maxForCrowd = 100;
/** Milliseconds from a call until it is judged, and the part by which answers may be slower for it. */
const maxToJudge = 2000;
const maxForLessons = 0.1;
/** Bytes of the console’s first load, milliseconds until it can be used, and of one task in it. */
const maxToLoad = 120 * 1024;
const longestToUsable = 1000;
const longestTask = 100;
const longestStart = 600;
const maxMemory = 140;

/** Everything that was found, as tables, and then one line for each target. */
export function report({
  cases,
  postgres = [],
  growth = {},
  range = {},
  https = {},
  auto = {},
  crowd,
  lessons,
  streams = [],
  inBrowser,
  started,
}: Findings): string {
  const lines = [`Load by ${generatorName}, ${connections} connections.`];
  if (generatorName === 'autocannon') {
    lines.push(
      'autocannon is slower than a bare server, which flatters L-Plate: install wrk, or go by the CPU column.',
    );
  }
  const targets: string[] = [];
  if (cases.length > 0) {
    lines.push('', ...header('against a bare node:http server'));
    for (const { what, a, b, ratio, target, bareCreates } of cases) {
      const bare = bareCreates ? 'bare, creates' : 'bare';
      lines.push(row(what, 'L-Plate', a, ratio), row('', bare, b));
      if (!target) continue;
      const { least, aim } = target;
      targets.push(verdict(`${what}: ${ratio.toFixed(2)} of ${bare} (at least ${least}, aim ${aim})`, least / ratio));
      const most = 2 * b.p99;
      targets.push(
        verdict(`${what}: p99 ${a.p99.toFixed(2)} ms (at most 2 × ${bare} = ${most.toFixed(2)} ms)`, a.p99 / most),
      );
    }
  }
  for (const [engine, grown] of Object.entries(growth)) {
    lines.push('', ...growthTable(engine, grown));
    for (const [what, { ratio }] of Object.entries(grown.compared)) {
      const found = `${what}: ${ratio.toFixed(2)} times the cost at ${grown.many} rows on ${engine}`;
      const reason = whyItGrows(what);
      targets.push(
        reason ? `grows   ${found}: ${reason}` : verdict(`${found} (at most ${maxGrowth})`, ratio / maxGrowth),
      );
    }
  }
  if (Object.keys(range).length > 0) lines.push('', ...header('with the range against RANGE=off'));
  for (const [what, { a, b, ratio }] of Object.entries(range)) {
    lines.push(row(what, 'on', a, ratio), row('', 'off', b));
    const lost = `${((1 - ratio) * 100).toFixed(1)} % of the requests, ${((a.cpu / b.cpu - 1) * 100).toFixed(1)} % more CPU`;
    targets.push(verdict(`range, ${what}: ${lost} (at most ${maxForRange * 100} %)`, (1 - maxForRange) / ratio));
  }
  if (Object.keys(https).length > 0) lines.push('', ...header('by HTTPS against HTTP'));
  for (const [what, { a, b, ratio }] of Object.entries(https)) {
    lines.push(row(what, 'HTTPS', a, ratio), row('', 'HTTP', b));
  }
  if (Object.keys(auto).length > 0) lines.push('', ...header('PUBLIC_URL=auto against one set'));
  for (const [what, { a, b, ratio }] of Object.entries(auto)) {
    lines.push(row(what, 'auto', a, ratio), row('', 'set', b));
  }
  if (crowd) {
    const { a, b } = crowd;
    const slowest = `slowest answer ${a.slowest.toFixed(0)} ms, without ${b.slowest.toFixed(0)} ms; p99 ${a.p99.toFixed(1)} and ${b.p99.toFixed(1)} ms`;
    const more = a.memory - b.memory;
    targets.push(
      verdict(
        `range, 10,000 clients: ${more.toFixed(0)} MB more memory (at most ${maxForCrowd}); ${slowest}`,
        Math.max(0, more) / maxForCrowd,
      ),
    );
  }
  if (lessons) {
    const { a, b } = lessons;
    const slower = a.p50 / b.p50 - 1;
    const cpu = `CPU ${(a.cpu * 100).toFixed(0)} and ${(b.cpu * 100).toFixed(0)} %, p99 ${a.p99.toFixed(1)} and ${b.p99.toFixed(1)} ms`;
    targets.push(
      verdict(
        `lessons, 200 learners: judged within ${a.judgedWithin} ms (at most ${maxToJudge}), ${a.solved} solved`,
        a.judgedWithin / maxToJudge,
      ),
      verdict(
        `lessons, 200 learners: answers ${(slower * 100).toFixed(1)} % slower than with one lesson (at most ${maxForLessons * 100} %); ${cpu}`,
        (1 + slower) / (1 + maxForLessons),
      ),
    );
  }
  if (postgres.length > 0) lines.push('', ...header('creates on PostgreSQL, 32 clients'));
  for (const { workers, a, b, ratio } of postgres) {
    const what = `${workers} worker${workers === 1 ? '' : 's'}`;
    lines.push(row(what, 'L-Plate', a, ratio), row('', 'pgbench', b));
    const found = `create on PostgreSQL, ${what}: ${ratio.toFixed(2)} of pgbench (at least ${leastOfPgbench})`;
    targets.push(verdict(found, leastOfPgbench / ratio));
  }
  for (const streamed of streams) lines.push('', ...streamTable(streamed));
  if (inBrowser) {
    const { firstLoad, usable, traffic, board } = inBrowser;
    targets.push(
      verdict(
        `console, first load: ${(firstLoad / 1024).toFixed(0)} KB (at most ${maxToLoad / 1024})`,
        firstLoad / maxToLoad,
      ),
      verdict(
        `console, usable on a processor four times slower: ${usable.toFixed(0)} ms (at most ${longestToUsable})`,
        usable / longestToUsable,
      ),
      verdict(
        `console, 300 exchanges and 20 a second: longest task ${traffic.toFixed(0)} ms (at most ${longestTask})`,
        traffic / longestTask,
      ),
      verdict(
        `console, 200 learners on the board: longest task ${board.toFixed(0)} ms (at most ${longestTask})`,
        board / longestTask,
      ),
    );
  }
  if (started) {
    const { firstAnswer, idle } = started;
    targets.push(
      verdict(
        `start to first answer: ${firstAnswer.toFixed(0)} ms (under ${longestStart})`,
        firstAnswer / longestStart,
      ),
      verdict(`idle memory: ${idle.toFixed(0)} MB (under ${maxMemory})`, idle / maxMemory),
    );
  }
  if (targets.length > 0) lines.push('', ...targets);
  return `${lines.join('\n')}\n`;
}

const widths = [34, 15, 10, 10, 10, 12, 8];

function header(what: string): string[] {
  const names = columns([what, '', 'req/s', 'p50 ms', 'p99 ms', 'CPU µs/req', 'ratio']);
  return [names, '-'.repeat(names.length)];
}

function growthTable(engine: string, { few, many, compared }: Grown): string[] {
  const names = columns([engine, '', `ms at ${few}`, `at ${many}`, 'ratio']);
  const figures = Object.entries(compared).map(([what, { a, b, ratio }]) =>
    columns([what, '', (1000 / a.perSecond).toFixed(3), (1000 / b.perSecond).toFixed(3), ratio.toFixed(2)]),
  );
  return [names, '-'.repeat(names.length), ...figures];
}

function row(what: string, server: string, { perSecond, p50, p99, cpu }: Compared['a'], ratio?: number): string {
  const figure = (value: number, digits: number) => (Number.isNaN(value) ? '' : value.toFixed(digits));
  const figures = [figure(perSecond, 0), figure(p50, 2), figure(p99, 2), figure(cpu, 1), ratio?.toFixed(2) ?? ''];
  return columns([what, server, ...figures]);
}

function columns(cells: string[]): string {
  return cells
    .map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
    .join('')
    .trimEnd();
}

/** `share` is what was found as a part of what is allowed. */
function verdict(what: string, share: number): string {
  return share <= 1 ? `held    ${what}` : `missed  ${what} by ${Math.ceil((share - 1) * 100)} %`;
}
