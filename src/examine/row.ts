import { setTimeout as delay } from 'node:timers/promises';
import { day } from '../time/units.ts';
import { difference } from './compare.ts';
import type { Descriptions } from './descriptions.ts';
import type { Difference, Exchange } from './difference.ts';
import { done, type Moment, moveReference } from './hooks.ts';
import { Known } from './known.ts';
import type { MovedClock } from './moved-clock.ts';
import { type Raced, raced } from './race.ts';
import { type Answer, kept, type Names, type NoAnswer, type Sent, type Side, sentBy } from './side.ts';
import type { Step } from './stage.ts';
import { newToken } from './stages/policy-steps.ts';
import { hidden, without } from './waits/freedom.ts';
import { firstAnswers, type Receiver } from './waits/receiver.ts';
import { waited } from './waits/waited.ts';

/** What is the same for all rows of an examination. */
export interface Sides {
  readonly reference: Side;
  readonly yours: Side;
  readonly descriptions: Descriptions;
  readonly receiver: Receiver;
  readonly seed: number;
  readonly clock: MovedClock;
  /** Whether the examined service has created a policy. */
  readonly progress: { hasCreated: boolean };
  /** Headers that the stage does not compare yet. */
  readonly later: readonly string[];
  /** What the person who waits is to know meanwhile. */
  readonly notice: (text: string) => void;
  /** Whether its limit is what is looked at: then nothing is waited for. */
  readonly isLimited?: true;
}

/** A row that showed a difference, by its last call. */
export interface Failure {
  /** With those that get the clients and their tokens. */
  readonly steps: readonly Step[];
  readonly exchanges: readonly Exchange[];
  readonly difference: Difference;
  /** How many steps of the row were taken: the last of them showed it. */
  readonly taken: number;
  /** What the examined side gave by then. */
  readonly names: Names;
  readonly yours: Side;
  /** The operation that differs, if the descriptions have it. */
  readonly reads: string | undefined;
}

/** The calls of a stage that its side got. */
export class Budget {
  calls = 0;
  readonly most: number;
  constructor(most: number) {
    this.most = most;
  }
  get left(): number {
    return this.most - this.calls;
  }
}

const policies = '/insurer/v1/policies';

/** Seconds that a `Retry-After` is waited for, and how often for one call. */
const longestWait = 120;
const mostWaits = 3;
/** Milliseconds after which limits by the minute may have moved between two calls of a row. */
const longRow = 20_000;
/** Milliseconds after which nothing is left of what limits by the minute counted. */
const aMinute = 61_000;

/** A run of a row: one call at a time, first to the reference, until an answer differs. */
export class Row {
  readonly #sides: Sides;
  readonly #budget: Budget;
  readonly #known: Known;
  readonly #names: { readonly reference: Names; readonly yours: Names };
  readonly #clients = new Set<string>();
  readonly #steps: Step[] = [];
  readonly #exchanges: Exchange[] = [];
  /** Milliseconds since 1970, and on the scale that never goes back. */
  #begun: Moment;
  #taken = 0;

  constructor(sides: Sides, budget: Budget, number: number) {
    this.#sides = sides;
    this.#budget = budget;
    this.#known = new Known(sides.reference, sides.yours);
    this.#begun = this.#time;
    const series = `EX-${sides.seed.toString(36).toUpperCase()}-${number}`;
    const plates = Array.from({ length: 9 }, (_, at): [string, string] => [`plate${at + 1}`, `${series}-${at + 1}`]);
    const given = [...plates, ['longPlate', `${series}-`.padEnd(40, '0')] as const, ...dates(this.#begun.now)];
    this.#names = { reference: new Map(given), yours: new Map(given) };
    for (const hook of ['1', '2']) {
      const [right, yours] = (['reference', 'yours'] as const).map((side) => {
        const address = sides.receiver.address(side, `${series}-${hook}`);
        this.#names[side].set(`hook${hook}`, address);
        return address;
      });
      for (const first of firstAnswers) this.#known.idFault(`${right}${first}`, `${yours}${first}`);
    }
  }

  /** Whether what it showed may be due to the time that it took: a new day, a minute that ended. */
  get isDoubtful(): boolean {
    const { now, elapsed } = this.#time;
    const days = [this.#begun.now, now].map((at) => Math.floor(at / day));
    return days[0] !== days[1] || elapsed - this.#begun.elapsed > longRow;
  }

  get #time(): Moment {
    const { clock } = this.#sides;
    return { now: clock.now(), elapsed: clock.elapsed() };
  }

  /** @throws {NameMissing} */
  async take(step: Step): Promise<Failure | undefined> {
    this.#taken += 1;
    for (const { as } of [step, ...(step.besides ?? [])]) {
      if (as === undefined || this.#clients.has(as)) continue;
      this.#clients.add(as);
      for (const before of toGetToken(as)) {
        const failure = await this.#send(before);
        if (failure) return failure;
      }
    }
    return this.#send(step);
  }

  async #send(step: Step, isLater = false): Promise<Failure | undefined> {
    const { clock, descriptions, later } = this.#sides;
    const made = await this.#made(step);
    const first = made.exchanges[0] as Exchange;
    const answer = first.yours.answer as Answer;
    let [exchange, found] = [first, made.found];
    for (const each of found ? [] : made.exchanges) {
      exchange = each;
      found = this.#leftOver(each) ?? difference(without(step.free, each), this.#known, descriptions, later);
      if (found) break;
    }
    found ??=
      made.more ?? hidden(step.hides, answer, this.#names.yours) ?? this.#keep(step, first.reference.answer, answer);
    if (!found && step.hook) this.#begun = moveReference(step.hook, first.yours.sent, clock, this.#begun);
    const isLimit = [200, 429].includes(answer.status);
    if (found && step.firstOfMinute && !isLater && isLimit) {
      this.#sides.notice(
        `Waiting ${aMinute / 1000} s, so that a new minute begins: your service may have counted calls of before.`,
      );
      await delay(aMinute);
      this.#begun = this.#time;
      return this.#send(step, true);
    }
    this.#steps.push(step);
    this.#exchanges.push(exchange);
    if (!found) return undefined;
    const { yours } = this.#sides;
    const [steps, exchanges, names] = [this.#steps, this.#exchanges, this.#names.yours];
    const reads = descriptions.operationOf(step.method, exchange.reference.sent.url.pathname);
    return { steps, exchanges, difference: found, taken: this.#taken, names, yours, reads };
  }

  /** Calls both sides, the reference first. */
  async #made(step: Step): Promise<Raced & { readonly more?: Difference | undefined }> {
    const { reference, yours, clock, descriptions, receiver } = this.#sides;
    const sent = [step, ...(step.besides ?? [])].map((each) => ({
      right: sentBy(reference, each, this.#names.reference),
      given: sentBy(yours, each, this.#names.yours),
    }));
    const { right, given } = sent[0] as (typeof sent)[number];
    if (step.besides) {
      const expected = await Promise.all(sent.map((each) => this.#callReference(each.right)));
      this.#budget.calls += sent.length;
      const answers = await yours.callAtOnce(sent.map((each) => each.given));
      const race = {
        reference: sent.map((each, at) => ({ sent: each.right, answer: expected[at] as Answer })),
        yours: sent.map((each, at) => ({ sent: each.given, answer: answers[at] as Answer | NoAnswer })),
      };
      return raced(race, step.open);
    }
    if (step.wait) {
      const count = (...args: Parameters<Side['call']>) => {
        this.#budget.calls += 1;
        return yours.call(...args);
      };
      const { exchange, late, more } = await waited(step.wait, {
        reference: { sent: right, names: this.#names.reference, call: (...args) => reference.call(...args) },
        yours: { sent: given, names: this.#names.yours, call: count },
        ...{ known: this.#known, descriptions, receiver, free: step.free },
      });
      return { exchanges: [exchange], ...(late && { found: late }), more };
    }
    const expected = step.hook ? done(clock) : await this.#callReference(right);
    const answer = await this.#callYours(given, expected);
    return { exchanges: [{ reference: { sent: right, answer: expected }, yours: { sent: given, answer } }] };
  }

  async #callReference(sent: Sent): Promise<Answer> {
    const answer = await this.#sides.reference.call(sent);
    if ('failure' in answer) throw new Error(`The reference ${answer.failure}`);
    return answer;
  }

  /** Calls again what was refused by a limit, after the time that the service says. */
  async #callYours(sent: Sent, expected: Answer): Promise<Answer | NoAnswer> {
    for (let waits = this.#sides.isLimited ? mostWaits : 0; ; waits += 1) {
      this.#budget.calls += 1;
      const answer = await this.#sides.yours.call(sent);
      if ('failure' in answer || answer.status !== 429 || expected.status === 429 || waits === mostWaits) return answer;
      const seconds = Number(answer.headers['retry-after']);
      if (!(seconds >= 0 && seconds <= longestWait)) return answer;
      this.#sides.notice(
        `Your service limits how often it is called (429): waiting ${seconds} s. Start it with its limit off.`,
      );
      await delay(seconds * 1000);
    }
  }

  /** The plates follow from the seed: a service may have them of an examination before. */
  #leftOver({ reference, yours }: Exchange): Difference | undefined {
    const { progress } = this.#sides;
    if (progress.hasCreated || reference.answer.status !== 201 || reference.sent.url.pathname !== policies)
      return undefined;
    if ('failure' in yours.answer || yours.answer.status !== 409) {
      progress.hasCreated = true;
      return undefined;
    }
    const says =
      'Your service answered 409 to the first new vehicle; 201 is right. If it has policies of an examination before, start it without data, or take another seed.';
    return { place: 'status', says };
  }

  #keep(step: Step, expected: Answer, answer: Answer): Difference | undefined {
    for (const [name, place] of Object.entries(step.keep ?? {})) {
      const [right, given] = [kept(expected, place), kept(answer, place)];
      if (right === undefined) continue;
      if (given === undefined) return { place, says: `The answer of your service has no ${place}.` };
      this.#names.reference.set(name, right);
      this.#names.yours.set(name, given);
    }
    return undefined;
  }
}

/** The days that decide what can be insured, in UTC. */
function dates(now: number): [string, string][] {
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO('UTC').toPlainDate();
  const isPast = today.month > 1;
  const yearAhead = today.add({ years: 1 });
  const days = {
    ...{ yesterday: today.subtract({ days: 1 }), today, tomorrow: today.add({ days: 1 }), yearAhead },
    dayTooLate: yearAhead.add({ days: 1 }),
    endOfJanuary: Temporal.PlainDate.from({ year: isPast ? today.year + 1 : today.year, month: 1, day: 31 }),
  };
  const lastDay =
    today.day === 1 ? today.with({ day: today.daysInMonth }) : today.subtract({ days: 1 }).add({ months: 1 });
  const toLastDay = today.until(lastDay, { largestUnit: 'day' });
  const waits = { toLastDay, toExpiry: toLastDay.add({ days: 1 }) };
  return Object.entries({ ...days, ...waits }).map(([name, date]) => [name, date.toString()]);
}

/** How a client of a row comes to its token. */
function toGetToken(name: string): readonly Step[] {
  return [
    {
      method: 'POST',
      path: '/insurer/v1/demo-clients',
      keep: { [`${name}.id`]: '/client_id', [`${name}.secret`]: '/client_secret' },
    },
    newToken(name),
  ];
}
