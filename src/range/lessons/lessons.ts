import type { Readable } from 'node:stream';
import type { SignCredential, SignStatement } from '../../clients/tokens.ts';
import type { Database, Sql } from '../../database/database.ts';
import { ProblemError } from '../../http/problems/problem.ts';
import type { Caller, Tokens } from '../../http/requests/bearer.ts';
import { shownId } from '../../http/requests/id-advice.ts';
import type { Page } from '../../http/requests/paging.ts';
import type { Randomness } from '../../randomness.ts';
import { closeLesson, type Learners } from '../exchanges/learners.ts';
import type { Recorder } from '../exchanges/recorder.ts';
import type { LiveStreams } from '../live-streams.ts';
import { badgeOf } from './badge.ts';
import type { Board } from './board.ts';
import { callsTaken } from './calls-taken.ts';
import { type CertifiedFacts, certificateType, certifiedFacts } from './certificate.ts';
import { codeParts } from './code-parts.ts';
import { type Histories, sinceBegun } from './histories.ts';
import { History } from './history.ts';
import { lessonsChanged } from './judge.ts';
import { type Catalogue, type LessonInTopic, plainAnswer } from './lesson.ts';
import type { LessonProgress, Progress } from './progress.ts';
import { proofOf } from './proof.ts';
import type { MyLessonView, OpenLesson, SolutionView, Standing } from './schemas.ts';
import { standingOf } from './standing.ts';

export interface LessonsOptions {
  readonly database: Database;
  readonly catalogue: Catalogue;
  readonly histories: Histories;
  readonly progress: Progress;
  readonly recorder: Recorder;
  readonly tokens: Tokens;
  readonly streams: LiveStreams;
  readonly board: Board;
  readonly learners: Learners;
  readonly randomness: Randomness;
  readonly sign: SignStatement;
  readonly signCredential: SignCredential;
  /** Of certificates. */
  readonly issuer: string;
  /** Of badges: `ISSUER_URL` and `ISSUER_NAME`. */
  readonly issuerUrl: string | undefined;
  readonly issuerName: string;
  /** The capstones that a client has completed. */
  readonly completed: (clientId: string) => Promise<CertifiedFacts['capstones']>;
  /** Counts a lesson that was solved. */
  readonly solved: (lessonId: string) => void;
}

/** How many lessons there are to take again a month later. */
const ofMonthLater = 10;

/** The use cases of lessons: clients look at them, take hints, and answer. */
export class Lessons {
  readonly #options: LessonsOptions;

  constructor(options: LessonsOptions) {
    this.#options = options;
  }

  get catalogue(): Catalogue {
    return this.#options.catalogue;
  }

  /** @throws {ProblemError} `lesson-not-found` */
  find(id: string): LessonInTopic {
    const lesson = this.catalogue.find(id);
    if (lesson) return lesson;
    throw new ProblemError(
      'lesson-not-found',
      `There is no lesson ${shownId(id)}. GET /range/v1/lessons lists those there are.`,
    );
  }

  /** In the order of the path. What the client called before is judged by then. */
  async ofClient(clientId: string): Promise<MyLessonView[]> {
    await this.#options.recorder.settle(clientId);
    return this.#standings(clientId);
  }

  /** @throws {ProblemError} `lesson-not-found` */
  async one(clientId: string, lessonId: string): Promise<MyLessonView> {
    const { id } = this.find(lessonId);
    return (await this.ofClient(clientId)).find((each) => each.id === id) as MyLessonView;
  }

  /**
   * From now on each call gets a word for this lesson.
   *
   * @throws {ProblemError} `lesson-not-found`, `lesson-solved`
   */
  async open(clientId: string, lessonId: string): Promise<OpenLesson> {
    const { id } = this.find(lessonId);
    const { recorder } = this.#options;
    await recorder.settle(clientId);
    if (await this.#open(clientId, id)) return this.readOpen(clientId);
    const detail = `You have solved the lesson ${id}. Open another one, or take it again: DELETE /range/v1/me/lessons/${id}.`;
    throw new ProblemError('lesson-solved', detail);
  }

  async readOpen(clientId: string): Promise<OpenLesson> {
    const { learners, recorder } = this.#options;
    await recorder.settle(clientId);
    return (await learners.openLesson(clientId)) ?? { lessonId: null };
  }

  async close(clientId: string): Promise<void> {
    const { database, recorder } = this.#options;
    await recorder.settle(clientId);
    await database.write((sql) => closeLesson(sql, clientId));
    database.signal(lessonsChanged);
  }

  /** @throws {ProblemError} `lesson-not-found` */
  async takeHint(clientId: string, lessonId: string): Promise<MyLessonView> {
    const { id, hints } = this.find(lessonId);
    const { progress, recorder } = this.#options;
    await recorder.settle(clientId);
    await this.#open(clientId, id, (sql) => progress.takeHint(sql, clientId, id, hints.length));
    return this.one(clientId, id);
  }

  /**
   * Lets the client take a lesson again: what it called before does not count.
   *
   * @throws {ProblemError} `lesson-not-found`
   */
  async beginAgain(clientId: string, lessonId: string): Promise<void> {
    const { id } = this.find(lessonId);
    const { progress, recorder } = this.#options;
    await recorder.settle(clientId);
    await this.#open(clientId, id, (sql) => progress.beginAgain(sql, clientId, id));
  }

  /** Opens a lesson after a change of what is kept of it. Returns false if it is solved. */
  async #open(
    clientId: string,
    lessonId: string,
    change: (sql: Sql) => Promise<void> = async () => {},
  ): Promise<boolean> {
    const { database, learners, progress, tokens } = this.#options;
    const isOpen = await database.write(async (sql) => {
      await tokens.lockClient(sql, clientId);
      // Its row comes before those of lessons in the order of locks.
      await learners.open(sql, clientId, null);
      await change(sql);
      const rows = await progress.ofClient(clientId, sql);
      if (rows.some((row) => row.lessonId === lessonId && row.solvedAt !== null)) return false;
      await learners.open(sql, clientId, lessonId);
      return true;
    });
    database.signal(lessonsChanged);
    return isOpen;
  }

  /** The lessons that the client was given to solve again, a month later. */
  async monthLater(clientId: string): Promise<MyLessonView[]> {
    return (await this.ofClient(clientId)).filter(({ solvedBefore }) => solvedBefore !== null);
  }

  /**
   * Gives the client lessons at random that it solved, to take them again. Those that it was given before and has not solved
   * again stay.
   *
   * @throws {ProblemError} `lesson-not-solved`
   */
  async beginMonthLater(clientId: string): Promise<void> {
    const { database, learners, progress, recorder, tokens } = this.#options;
    await recorder.settle(clientId);
    await database.write(async (sql) => {
      await tokens.lockClient(sql, clientId);
      await learners.open(sql, clientId, null);
      await progress.endMonthLater(sql, clientId);
      const rows = (await progress.ofClient(clientId, sql)).filter(({ lessonId }) => this.catalogue.find(lessonId));
      const left = rows.filter(({ solvedBefore }) => solvedBefore !== null).length;
      const solved = rows.filter(({ solvedAt }) => solvedAt !== null);
      if (left + solved.length === 0) {
        const detail = 'You have solved no lesson yet, so there is none to take again a month later.';
        throw new ProblemError('lesson-not-solved', detail);
      }
      for (const { lessonId, solvedAt } of this.#drawn(solved, ofMonthLater - left))
        await progress.beginAgain(sql, clientId, lessonId, solvedAt);
    });
    database.signal(lessonsChanged);
  }

  /** So many at random, each once; all if there are fewer. */
  #drawn<Item>(items: readonly Item[], count: number): Item[] {
    const left = [...items];
    const draw = () => left.splice(this.#options.randomness.integer('month later', 0, left.length), 1);
    return Array.from({ length: Math.min(count, left.length) }, draw).flat();
  }

  /** @throws {ProblemError} `lesson-not-found`, `lesson-not-solved` */
  async solution(clientId: string, lessonId: string): Promise<SolutionView> {
    const { id, state } = await this.one(clientId, lessonId);
    if (state !== 'solved') {
      const detail = `You have not solved the lesson ${id}. Its solution is shown once you have.`;
      throw new ProblemError('lesson-not-solved', detail);
    }
    // A lesson of a class's own has none.
    const { remember = null, without = null } = this.find(id);
    return { remember, without, code: [...((await codeParts()).get(id) ?? [])] };
  }

  /** @throws {ProblemError} `lesson-not-found`, `no-question` */
  async answer(clientId: string, lessonId: string, answer: unknown) {
    const { id, asks, steps } = this.find(lessonId);
    const { database, histories, progress, recorder, tokens, solved } = this.#options;
    if (!asks) throw new ProblemError('no-question', `The lesson ${id} asks for no answer: do what its goal says.`);
    await recorder.settle(clientId);
    const known = await histories.upTo(database.sql, clientId);
    const { ticks: kept = [], begunAt = 0 } = known.lessons.get(id) ?? {};
    const found = asks.check(plainAnswer(answer), new History(sinceBegun(known.entries, begunAt)));
    if (typeof found === 'string')
      return { correct: false, advice: found, lesson: await this.one(clientId, id), run: null };
    const proof = found.entry ? proofOf(found.entry) : null;
    const ticks = [...steps.map((_, at) => kept[at] ?? null), proof];
    const calls = callsTaken(id, { before: known, entries: known.entries, outcomes: [] });
    const isNew = await database.write(async (sql) => {
      await tokens.lockClient(sql, clientId);
      await closeLesson(sql, clientId, id);
      return progress.solve(sql, clientId, id, { proof, ticks, calls });
    });
    if (isNew) solved(id);
    database.signal(lessonsChanged);
    return { correct: true, advice: null, lesson: await this.one(clientId, id), run: null };
  }

  /**
   * A stream of the lessons that the caller started or solved, and of each one again when it changes.
   *
   * @throws {ProblemError} `quota-exceeded`
   */
  watch(caller: Caller, ip: string): Readable {
    const sent = new Map<string, string>();
    return this.#options.streams.open(caller, ip, 'your lessons follow, and what changes', async () => {
      const changed: string[] = [];
      const rows = await this.#rows(caller.clientId);
      for (const lesson of this.catalogue.lessons) {
        const row = rows.get(lesson.id);
        if (!row) continue;
        const standing = standingOf(lesson, row);
        if (standing.state === 'open' && standing.lastWord === null) continue;
        const text = JSON.stringify(standing);
        if (sent.get(standing.id) === text) continue;
        sent.set(standing.id, text);
        changed.push(`data: ${text}\n\n`);
      }
      return { text: changed.join(''), more: false };
    });
  }

  /** For the trainer. Those that called last come first. */
  async standings(page: Page): Promise<{ items: Standing[]; total: number }> {
    const { board, recorder } = this.#options;
    await recorder.flush();
    return board.list(page);
  }

  /** The lessons that the client solved, as data and signed with the key of the tokens. */
  async certificate(clientId: string) {
    const { completed, learners, sign, issuer } = this.#options;
    const lessons = await this.ofClient(clientId);
    const learner = await learners.read(clientId);
    const facts = certifiedFacts(learner, lessons, await completed(clientId), this.catalogue);
    const { claims, jws } = await sign(facts, certificateType, issuer);
    return { certificate: { ...facts, ...claims }, jws };
  }

  /** The certificate as a badge: signed, it names its key, so that it is checked without the service. */
  async badge(clientId: string) {
    const { completed, learners, randomness, signCredential, issuerUrl, issuerName } = this.#options;
    const lessons = await this.ofClient(clientId);
    const learner = await learners.read(clientId);
    const facts = certifiedFacts(learner, lessons, await completed(clientId), this.catalogue);
    const id = randomness.uuid('badge');
    return signCredential((key, issuedAt) => badgeOf(facts, key, { id, issuedAt, issuerUrl, issuerName }));
  }

  async #standings(clientId: string): Promise<MyLessonView[]> {
    const rows = await this.#rows(clientId);
    return this.catalogue.lessons.map((lesson) => standingOf(lesson, rows.get(lesson.id)));
  }

  async #rows(clientId: string): Promise<ReadonlyMap<string, LessonProgress>> {
    return new Map((await this.#options.progress.ofClient(clientId)).map((row) => [row.lessonId, row]));
  }
}
