import type { ExamineOptions } from '../library/examination.ts';
import { counted } from '../text/counted.ts';
import { systemClock } from '../time/clock.ts';
import { hostOf, isLoopback } from '../webhooks/index.ts';
import { Descriptions, describedBases } from './descriptions.ts';
import { headersAfter } from './headers.ts';
import { asked } from './hooks.ts';
import { MovedClock } from './moved-clock.ts';
import { NotUsable } from './not-usable.ts';
import { startReference } from './reference.ts';
import { Budget, type Failure, type Sides } from './row.ts';
import { recipientOf, Sending } from './sending.ts';
import { Rows } from './shrink.ts';
import { Side } from './side.ts';
import type { Stage } from './stage.ts';
import { stages as allStages } from './stages/index.ts';
import { Receiver } from './waits/receiver.ts';

export interface StageResult {
  readonly stage: Stage;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Calls that the examined service got. */
  readonly calls: number;
  /** Why it was skipped; the end of a sentence. */
  readonly why?: string;
  /** What failed: the title of a case, and the shortest row of calls that shows it. */
  readonly title?: string;
  readonly failure?: Failure;
}

/** What happens meanwhile. */
export interface Listener {
  result?(result: StageResult): void;
  notice?(text: string): void;
}

export interface Examined {
  readonly seed: number;
  readonly url: string;
  readonly results: readonly StageResult[];
  /** Why the results were not sent to whom they were to be sent to. */
  readonly notSent?: string;
}

/** Why a stage is skipped whose calls your service could not make. */
const notHere = 'your service is on another machine, and could not call a receiver on this one';
/** Calls that a stage may cost the examined service. */
const mostCalls = 399;
/** Numbers of rows that a stage has for itself: what it sends is the same whichever stages were taken before. */
const rowsOfStage = 1000;

/** @throws {NotUsable} */
export async function examine(
  address: string,
  options: ExamineOptions = {},
  listener: Listener = {},
  time = systemClock,
): Promise<Examined> {
  const { stages: names, from, all = false, seed = Math.floor(Math.random() * 2 ** 31) } = options;
  const url = urlOf(address);
  const chosen = chosenStages(names, from);
  const recipient = recipientOf(options);
  const clock = new MovedClock(time);
  const yours = new Side(url, clock, { paced: true });
  const why = await yours.unreachable();
  if (why !== undefined) throw new NotUsable(`${url.href} ${why}. Start your service, then run this again.`);
  const reference = await startReference(clock);
  const receiver = new Receiver();
  try {
    await receiver.listen();
    const side = new Side(new URL('/insurer/v1', reference.url), clock, { paced: false });
    const noticed = new Set<string>();
    const notice = (text: string) => {
      if (!noticed.has(text)) listener.notice?.(text);
      noticed.add(text);
    };
    const sides: Sides = {
      ...{ reference: side, yours, descriptions: await descriptionsOf(side), receiver, seed, clock, notice },
      ...{ progress: { hasCreated: false }, later: [] },
    };
    const sending = recipient && new Sending(recipient, seed, notice);
    if (url.pathname === '/')
      notice(`The URL stands for /insurer/v1: policies are looked for at ${yours.addressOf('/insurer/v1/policies')}.`);
    const results: StageResult[] = [];
    for (const stage of chosen) {
      const result = await taken(stage, { ...sides, later: headersAfter(stage.name) });
      results.push(result);
      listener.result?.(result);
      sending?.send(stage.name, result.outcome);
      if (result.outcome === 'failed' && !all) break;
    }
    const notSent = await sending?.end();
    return { seed, url: url.href, results, ...(notSent !== undefined && { notSent }) };
  } finally {
    receiver.close();
    await reference.close();
  }
}

async function taken(stage: Stage, sides: Sides): Promise<StageResult> {
  if (stage.isCalledBack && !isLoopback(hostOf(sides.yours.base)))
    return { stage, outcome: 'skipped', calls: 0, why: notHere };
  const budget = new Budget(mostCalls);
  if (stage.needs === undefined) return passed(stage, sides, budget);
  const { sent, isThere } = await asked(sides.yours, stage.needs);
  budget.calls += 1;
  const why = `your service does not offer POST ${sent.url.pathname}`;
  if (!isThere) return { stage, outcome: 'skipped', calls: budget.calls, why };
  if (stage.needs === 'clock') return passed(stage, sides, budget);
  const limited = await startReference(sides.clock, '60');
  try {
    const reference = new Side(new URL('/insurer/v1', limited.url), sides.clock, { paced: false });
    return await passed(stage, { ...sides, reference, isLimited: true }, budget);
  } finally {
    await limited.close();
    // The service goes on without its limit.
    await asked(sides.yours, stage.needs);
  }
}

async function passed(stage: Stage, sides: Sides, budget: Budget): Promise<StageResult> {
  const rows = new Rows(sides, budget, allStages.indexOf(stage) * rowsOfStage);
  for (const cases of stage.together ? [stage.cases] : stage.cases.map((each) => [each])) {
    const failed = await rows.runTogether(cases.map(({ steps }) => steps));
    const { title, steps } = cases[failed?.at ?? 0] as (typeof cases)[number];
    if (!failed) continue;
    const shortest = await rows.shrink(steps, failed.failure);
    return { stage, outcome: 'failed', calls: budget.calls, title, failure: shortest.failure };
  }
  const found = stage.random && (await rows.random(stage.random, sides.seed));
  if (!found) return { stage, outcome: 'passed', calls: budget.calls };
  const title = `A row of ${counted(found.steps.length, 'call')} that the seed ${sides.seed} makes.`;
  return { stage, outcome: 'failed', calls: budget.calls, title, failure: found.failure };
}

async function descriptionsOf(reference: Side): Promise<Descriptions> {
  const texts = new Map<string, string>();
  for (const base of describedBases) {
    const headers = { accept: 'application/yaml' };
    const answer = await reference.call({
      method: 'GET',
      url: new URL(reference.addressOf(`${base}/openapi.yaml`)),
      headers,
      body: undefined,
    });
    if ('failure' in answer) throw new Error(`The reference ${answer.failure}`);
    texts.set(base, answer.body);
  }
  return new Descriptions(texts);
}

function urlOf(address: string): URL {
  const example = 'Use the address that stands for /insurer/v1, such as http://localhost:9000/insurer/v1.';
  if (!URL.canParse(address)) throw new NotUsable(`${JSON.stringify(address)} is no URL. ${example}`);
  const url = new URL(address);
  if (!['http:', 'https:'].includes(url.protocol) || url.search || url.hash || url.username || url.password)
    throw new NotUsable(`This URL can’t be examined: http or https, without user, query and fragment. ${example}`);
  return url;
}

function chosenStages(names: readonly string[] | undefined, from: string | undefined): readonly Stage[] {
  const known = allStages.map(({ name }) => name);
  const wrong = [...(names ?? []), ...(from === undefined ? [] : [from])].find((name) => !known.includes(name));
  if (wrong !== undefined)
    throw new NotUsable(`There is no stage ${JSON.stringify(wrong)}. The stages: ${known.join(', ')}.`);
  const first = from === undefined ? 0 : known.indexOf(from);
  return allStages.slice(first).filter(({ name }) => names?.includes(name) ?? true);
}
