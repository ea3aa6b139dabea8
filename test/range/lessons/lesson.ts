import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Note, Summary } from '../../../src/range/exchanges/schemas.ts';
import { lessonsOf } from '../../../src/range/lessons/lesson.ts';
import { topics } from '../../../src/range/lessons/topics/index.ts';
import type { Config } from '../../../src/settings/config.ts';
import { forEachEngineInFull } from '../../support/engines.ts';
import { type Answer, type LPlate, startLPlate, type TestClient } from '../../support/lplate.ts';

const ways = new Map(lessonsOf(topics).map(({ id, way }) => [id, way]));

/** A client that learns, and what it can do. */
export interface Learner extends TestClient {
  readonly lplate: LPlate;
  /** A call with its token. */
  call: LPlate['call'];
  /** One without it, under its personal prefix. `path` begins with a system's prefix. */
  bare: LPlate['call'];
}

export interface LessonCase {
  /** What solves the lesson. Returns the answer of the exchange that proves it, if it has one. */
  readonly solve: (learner: Learner) => Promise<unknown>;
  /** What is nearly that, by what it lacks. None of it solves the lesson. */
  readonly misses: Readonly<Record<string, (learner: Learner) => Promise<unknown>>>;
  /** What solves it, too. One whose name begins with `the shortest way` takes fewer calls than `solve`. */
  readonly alsoSolvedBy?: LessonCase['misses'];
  /** What is said of a miss while the lesson is open, by its name. Of those that are not here, only what the next step is. */
  readonly remarks?: Readonly<Record<string, RegExp>>;
  /** How many steps are done after a miss, by its name: none where it is not here. */
  readonly done?: Readonly<Record<string, number>>;
}

/** What one lesson's state is for a client. */
export async function stateOf({ lplate, token }: Learner, lessonId: string) {
  const { json, status, text } = await lplate.call('GET', `/range/v1/me/lessons/${lessonId}`, { token });
  equal(status, 200, text);
  return json;
}

export async function answer({ lplate, token }: Learner, lesson: string, sent: unknown) {
  const { json, status, text } = await lplate.call('POST', '/range/v1/me/answers', {
    token,
    json: { lesson, answer: sent },
  });
  equal(status, 200, text);
  return json;
}

/** An answer that must be refused with advice; the lesson stays as it was. */
export async function wrongAnswer(learner: Learner, lesson: string, sent: unknown, advice: RegExp): Promise<void> {
  const result = await answer(learner, lesson, sent);
  deepEqual([result.correct, result.lesson.state === 'solved'], [false, false]);
  match(result.advice, advice);
}

/** Has the learner begin with nothing, also where it did the lesson before. */
export async function reset({ call }: Learner): Promise<void> {
  equal((await call('POST', '/range/v1/me/reset')).status, 204);
}

/** Opens a lesson: each call gets a word for it. One that making the client has solved is taken again. */
export async function open({ call }: Learner, lessonId: string): Promise<void> {
  const { status, text } = await call('PUT', '/range/v1/me/open-lesson', { json: { lessonId } });
  if (status !== 409) equal(status, 200, text);
  else equal((await call('DELETE', `/range/v1/me/lessons/${lessonId}`)).status, 204);
}

export async function newLearner(lplate: LPlate): Promise<Learner> {
  const client = await lplate.client();
  const learner: Learner = {
    ...client,
    lplate,
    call: (method, path, options = {}) => lplate.call(method, path, { token: learner.token, ...options }),
    bare: (method, path, options) => lplate.call(method, `/for/${client.id}${path}`, options),
  };
  return learner;
}

let plates = 0;

/** A registration number that no test has. */
export function newPlate(): string {
  plates += 1;
  return `LE-${String(process.pid % 10_000)}-${plates}`;
}

/** Takes a lesson again; what was called until now does not count. */
async function takeAgain({ lplate, call }: Learner, lesson: string): Promise<void> {
  lplate.clock.advance(1);
  equal((await call('DELETE', `/range/v1/me/lessons/${lesson}`)).status, 204);
}

/** Each lesson of a topic: what nearly solves it does not, what solves it does, and only for who did it. */
export function testLessons(cases: Readonly<Record<string, LessonCase>>, settings: Partial<Config> = {}): void {
  forEachEngineInFull((engine) => {
    describe('lessons', () => {
      let lplate: LPlate;
      before(async () => {
        lplate = await startLPlate(engine, settings);
      });
      after(() => lplate.close());

      for (const [lesson, lessonCase] of Object.entries(cases)) {
        const { solve, alsoSolvedBy = {}, misses, remarks = {}, done = {} } = lessonCase;
        test(`Lessons: ${lesson} is solved by what it asks for, and by nothing less, also when it is taken again`, async () => {
          const [bystander, learner] = [await newLearner(lplate), await newLearner(lplate)];
          for (const name of Object.keys({ ...remarks, ...done })) ok(name in misses, name);
          for (const [lacking, miss] of Object.entries(misses)) {
            const other = await newLearner(lplate);
            await open(other, lesson);
            await miss(other);
            const { title, solvedAt, lastMiss, lastMissExchange, lastWord, steps } = await stateOf(other, lesson);
            equal(solvedAt, null, lacking);
            equal(countDone(steps), done[lacking] ?? 0, `${lacking}: steps that are done`);
            const expected = remarks[lacking];
            const said = [...(await remarksOn(other, lesson, title)), lastWord?.text ?? ''];
            // What was missing before a step is over.
            if (lastMiss !== null) ok(said.includes(lastMiss) && lastMissExchange.exchangeId, lacking);
            if (expected)
              ok(
                said.some((sentence) => expected.test(sentence)),
                `${lacking}: ${said.join(' / ')}`,
              );
            else ok(isGeneral(lastMiss), `${lacking}: ${lastMiss}`);
          }
          let least: number | undefined;
          for (const [way, attempt] of Object.entries(alsoSolvedBy)) {
            const other = await newLearner(lplate);
            const isShortest = way.startsWith('the shortest way');
            if (isShortest) await takeAgain(other, lesson);
            await attempt(other);
            const { state, steps, question, calls } = await stateOf(other, lesson);
            deepEqual([state, countDone(steps, question)], ['solved', steps.length], way);
            if (isShortest) least = calls;
          }
          const before = await stateOf(learner, lesson);
          const proof = await solve(learner);
          const { state, solvedAt, steps, question, proof: kept } = await stateOf(learner, lesson);
          deepEqual([state, typeof solvedAt, countDone(steps, question)], ['solved', 'string', steps.length]);
          const missing = (await callsOf(learner)).filter(
            (call) => !ways.get(lesson)?.some((way) => way === call || call.endsWith(way.replace('any ', ' '))),
          );
          deepEqual(missing, [], 'on the way, but not in the `way` of the lesson');
          // Some are solved by what made the client.
          if (before.state === 'open' && proof) equal(kept.exchangeId, (proof as Answer).headers.get('x-request-id'));
          if (before.state === 'open') equal((await stateOf(bystander, lesson)).state, 'open');
          lplate.clock.advance(1);
          learner.token = await lplate.token(learner.id, learner.secret);
          await takeAgain(learner, lesson);
          equal((await stateOf(learner, lesson)).state === 'solved', false);
          await solve(learner);
          const again = await stateOf(learner, lesson);
          equal(again.state, 'solved', 'taken again');
          equal(least ?? again.calls, again.shortestWay, 'the calls of the shortest way');
          // A lesson that fails to judge an exchange is not solved by it either.
          deepEqual(
            lplate.log.filter((line) => line.includes('could not be judged')),
            [],
          );
        });
      }
    });
  });
}

/** Those with the exchange that did them. An answer may have none. */
function countDone(
  steps: readonly { done: boolean; exchange: object | null }[],
  question: string | null = null,
): number {
  return steps.filter(({ done, exchange }, at) => done && (exchange || (question && at === steps.length - 1))).length;
}

/** Tells whether nothing was missing that this lesson has a sentence for. */
export const isGeneral = (lastMiss: string | null) =>
  lastMiss === null ||
  /^(?:This call was refused with|Nobody looked at this call|The limit was|Nothing has the path|The address \S+ does not|HEAD gets|A part of this call|This was the kept answer)/.test(
    lastMiss,
  );

/** The calls that a learner has made, without those that every lesson needs, or that lacked something. */
async function callsOf({ lplate, token }: Learner): Promise<string[]> {
  const { json } = await lplate.call('GET', '/range/v1/me/exchanges?pageSize=300', { token });
  const calls = json.items.map(({ method, route, status }: Summary) =>
    [method, route, ...(status < 400 ? [] : [status])].join(' '),
  );
  return calls.filter((call: string) => !/(?:demo-clients|auth\/token| 400)$/.test(call));
}

/** What remarks in the log say of a lesson that it was nearly solved. */
async function remarksOn({ lplate, token }: Learner, lesson: string, title: string): Promise<string[]> {
  const { json } = await lplate.call('GET', '/range/v1/me/exchanges?pageSize=300', { token });
  const notes: Note[] = json.items.flatMap((each: Summary) => each.notes ?? []);
  const start = `Lesson “${title}”: `;
  return notes.filter((each) => each.lesson === lesson).map(({ text }) => text.replace(start, ''));
}
