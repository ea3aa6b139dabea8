import { Counter, Gauge } from 'prom-client';
import type { ClientsPart } from '../../clients/index.ts';
import type { Context } from '../../context.ts';
import type { Sql } from '../../database/database.ts';
import { fleetId, readerId } from '../../insurer/index.ts';
import { announcedOrigin } from '../../settings/network-origins.ts';
import { nobody, trainerId } from '../exchanges/attribution.ts';
import { type Learners, readHead } from '../exchanges/learners.ts';
import { readKept } from '../exchanges/log.ts';
import type { Recorder } from '../exchanges/recorder.ts';
import { LiveStreams } from '../live-streams.ts';
import { Board } from './board.ts';
import { capstones } from './capstones/index.ts';
import { type ReadClassFile, readClassFile } from './class-file.ts';
import { lessonHeaders } from './entry.ts';
import { Histories, type Known, type ReadKept } from './histories.ts';
import { LessonJudge, lessonsChanged } from './judge.ts';
import { addOwnership } from './judged-exchange.ts';
import { Catalogue, type Lesson, lessonsOf } from './lesson.ts';
import { Lessons, type LessonsOptions } from './lessons.ts';
import { headersIn } from './own-lesson.ts';
import { clearSteps, eraseInProgress, Progress, removeProgress, ticksOf } from './progress.ts';
import { topics } from './topics/index.ts';

/** The parts that lessons need, and that are opened after the judge. */
export interface LessonParts {
  readonly recorder: Recorder;
  readonly learners: Learners;
  readonly board: Board;
  readonly completed: LessonsOptions['completed'];
}

/** Streams of lessons, of all clients together. */

/** Bytes of memory for the exchanges before: those of some 280 clients that call without end. */
const historyBytes = 64e6;

/** Whose calls are of several people, or of nobody. */
const shared = new Set([nobody, trainerId, fleetId, readerId]);

export const isLearner = (clientId: string): boolean => !shared.has(clientId);

/** The lessons: what judges exchanges, for the recorder, and then what clients ask for. */
export function openLessons(context: Context, { tokens, sign, signCredential, registerRows }: ClientsPart) {
  const { config, database, clock, clocks, log, metrics, randomness } = context;
  const classFile = classFileOf(config);
  const { catalogue } = classFile;
  const progress = new Progress(database, clock);
  // What was solved stays when a client is reset.
  registerRows({ name: 'lessons', remove: removeProgress, reset: clearSteps, erase: eraseInProgress });
  const readWithOwnership: ReadKept = async (sql, clientId, after, limit) => {
    const rows = (await readKept(sql, clientId, after, limit)).map(({ kept, exchange }) => ({ ...exchange, kept }));
    return (await addOwnership(sql, clientId, rows)).map((exchange) => ({ kept: exchange.kept, exchange }));
  };
  const readLessons = (sql: Sql, clientId: string) => knownLessons(progress, sql, clientId);
  const headers = new Set([...lessonHeaders, ...headersIn(classFile.own)]);
  const histories = new Histories({ readKept: readWithOwnership, readHead, readLessons }, historyBytes, headers);
  const solved = countSolved(metrics.registry, () => histories.bytes);
  const judge = new LessonJudge({
    database,
    catalogue,
    histories,
    progress,
    log,
    solved,
    isLearner,
  });
  const streams = new LiveStreams({
    database,
    clock,
    clocks,
    tokens,
    channel: lessonsChanged,
    what: 'its lessons',
    heartbeat: config.eventsHeartbeatSeconds * 1000,
    cap: config.streamsPerClient,
  });
  // Once: certificates of one class name one issuer, wherever the machine goes.
  const issuer = announcedOrigin(config);
  return {
    judge,
    catalogue,
    board: new Board(database, clock, catalogue, progress),
    classFile,
    histories,
    streams,
    lessons: ({ recorder, learners, board, completed }: LessonParts) =>
      new Lessons({
        database,
        catalogue,
        histories,
        progress,
        recorder,
        tokens,
        streams,
        solved,
        board,
        learners,
        randomness,
        sign,
        signCredential,
        issuer,
        issuerUrl: config.issuerUrl,
        issuerName: config.issuerName,
        completed,
      }),
  };
}

function classFileOf({ lessons: file, tlsClientCa }: Context['config']): ReadClassFile {
  const isThere = ({ needsCertificate }: Lesson) => !needsCertificate || tlsClientCa !== undefined;
  const all = lessonsOf(topics);
  const there = all.filter(isThere);
  if (!file) return { catalogue: new Catalogue(there), faults: [], own: [] };
  const lacking = all.filter((lesson) => !isThere(lesson));
  return readClassFile(file, there, { capstones: idsOf(capstones), lacking: idsOf(lacking) });
}

const idsOf = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id);

async function knownLessons(progress: Progress, sql: Sql, clientId: string): Promise<Known['lessons']> {
  const rows = await progress.ofClient(clientId, sql);
  return new Map(
    rows.map((row) => {
      const begunAt = row.begunAt === null ? 0 : Date.parse(row.begunAt);
      const { lessonId, solvedAt, lastMiss } = row;
      return [lessonId, { solved: solvedAt !== null, ticks: ticksOf(row), begunAt, lastMiss }];
    }),
  );
}

function countSolved(registry: Context['metrics']['registry'], bytes: () => number): (lessonId: string) => void {
  const solved = new Counter({
    name: 'lplate_lessons_solved_total',
    help: 'Lessons that were solved, by lesson',
    labelNames: ['lesson'],
    registers: [registry],
  });
  new Gauge({
    name: 'lplate_lessons_history_bytes',
    help: 'Bytes of exchanges that are kept in memory to judge the next ones, at most 64 MB',
    registers: [registry],
    collect() {
      this.set(bytes());
    },
  });
  return (lesson) => solved.inc({ lesson });
}
