import { alias, integer } from '../../database/columns.ts';
import type { Database } from '../../database/database.ts';
import { statement } from '../../database/statement.ts';
import type { Page } from '../../http/paging.ts';
import type { Clock } from '../../time/clock.ts';
import { learners } from '../exchanges/tables.ts';
import type { Catalogue, LessonInTopic } from './lesson.ts';
import { type LessonProgress, progress } from './progress.ts';
import { isBegun } from './standing.ts';

const learner = learners.pick('clientId', 'nickname', 'firstSeenAt', 'lastSeenAt');
const lesson = progress.pick('lessonId', 'hints', 'misses', 'lastMiss', 'changedAt', 'solvedAt', 'steps');

type Row = Pick<LessonProgress, 'lessonId' | 'hints' | 'misses' | 'lastMiss' | 'changedAt' | 'solvedAt' | 'steps'>;

/** A client, for the trainer: what it solved, and what it works on. */
export interface Standing {
  readonly clientId: string;
  readonly nickname: string | null;
  readonly lastSeenAt: string;
  readonly solved: number;
  /** Those that it started or solved, in the order of the path. */
  readonly lessons: readonly {
    readonly id: string;
    readonly state: 'started' | 'solved';
    readonly solvedAt: string | null;
    readonly hints: number;
    readonly misses: number;
  }[];
  /** Null when all are solved. */
  readonly current: {
    readonly id: string;
    readonly title: string;
    /** When it solved the lesson before, or called first. */
    readonly since: string;
    readonly seconds: number;
    readonly hints: number;
    readonly misses: number;
    readonly lastMiss: string | null;
    /** Null if it is only the next one. */
    readonly triedAt: string | null;
  } | null;
}

/** Learners and lessons: who solved what, and who is stuck where. */
export class Board {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #catalogue: Catalogue;

  constructor(database: Database, clock: Clock, catalogue: Catalogue) {
    this.#database = database;
    this.#clock = clock;
    this.#catalogue = catalogue;
  }

  /** Those that called last come first. */
  async list({ page, pageSize }: Page): Promise<{ items: Standing[]; total: number }> {
    const found = await findPage(this.#database.sql, { pageSize, before: (page - 1) * pageSize });
    const byClient = Map.groupBy(
      found.filter(({ clientId }) => clientId !== null),
      ({ clientId }) => clientId as string,
    );
    const items = [...byClient.values()].map((rows) => {
      const [{ clientId, nickname, firstSeenAt, lastSeenAt }] = rows as [(typeof rows)[0]];
      const done = (rows.filter(({ lessonId }) => lessonId !== null) as unknown as Row[]).filter(isBegun);
      return {
        ...{ clientId: clientId as string, nickname, lastSeenAt: lastSeenAt as string },
        ...this.#standing(new Map(done.map((row) => [row.lessonId, row])), firstSeenAt as string),
      };
    });
    return { items, total: found[0]?.total ?? 0 };
  }

  #standing(done: ReadonlyMap<string, Row>, firstSeenAt: string): Pick<Standing, 'solved' | 'lessons' | 'current'> {
    const all = this.#catalogue.lessons;
    const lessons = doneOf(this.#catalogue, done);
    const solved = lessons.filter(({ state }) => state === 'solved');
    const since = solved.reduce(
      (latest, { solvedAt }) => (solvedAt && solvedAt > latest ? solvedAt : latest),
      firstSeenAt,
    );
    return { solved: solved.length, lessons, current: this.#current(all, done, since) };
  }

  /** What it worked at last; else the first that is open. */
  #current(all: readonly LessonInTopic[], done: ReadonlyMap<string, Row>, since: string): Standing['current'] {
    const open = all.filter(({ id }) => !done.get(id)?.solvedAt);
    const [first] = open;
    if (!first) return null;
    const started = open.filter(({ id }) => done.has(id));
    const lesson = started.reduce(
      (latest, each) => (changed(done, each) > changed(done, latest) ? each : latest),
      started[0] ?? first,
    );
    const { hints = 0, misses = 0, lastMiss = null, changedAt: triedAt = null } = done.get(lesson.id) ?? {};
    const seconds = Math.max(0, Math.round((this.#clock.now() - Date.parse(since)) / 1000));
    return { id: lesson.id, title: lesson.title, since, seconds, hints, misses, lastMiss, triedAt };
  }
}

/** Those that a client started or solved, in the order of the path. */
export function doneOf({ lessons }: Catalogue, done: ReadonlyMap<string, Row>): Standing['lessons'] {
  return lessons.flatMap(({ id }) => {
    const row = done.get(id);
    if (!row || !isBegun(row)) return [];
    const { hints, misses, solvedAt } = row;
    return [{ id, state: solvedAt === null ? 'started' : 'solved', solvedAt, hints, misses }];
  });
}

const changed = (done: ReadonlyMap<string, Row>, { id }: LessonInTopic) => done.get(id)?.changedAt ?? '';

// Without a learner on the page, one row has the total.
const findPage = statement.all`
  select t.total as ${alias('total', integer)}, ${learner.outer('l')}, ${lesson.outer('d')}
  from (select count(*) as total from learners) t
  left join (
    select client_id from learners order by last_seen_at desc, client_id limit ${'pageSize'} offset ${'before'}
  ) p on 1 = 1
  left join learners l on l.client_id = p.client_id
  left join lesson_progress d on d.client_id = l.client_id
  order by l.last_seen_at desc, l.client_id`;
