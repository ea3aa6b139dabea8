import { alias, integer } from '../../database/columns.ts';
import type { Database } from '../../database/database.ts';
import { statement } from '../../database/statement.ts';
import type { Page } from '../../http/requests/paging.ts';
import type { Clock } from '../../time/clock.ts';
import { type Learner, lastCallIn, openIn } from '../exchanges/learners.ts';
import { learners } from '../exchanges/tables.ts';
import { circumstancesOf } from './circumstances.ts';
import type { Catalogue } from './lesson.ts';
import { type LessonProgress, type Progress, progress } from './progress.ts';
import type { Standing } from './schemas.ts';
import { isBegun } from './standing.ts';
import { type Now, worksOn } from './works-on.ts';

const learner = learners.pick(
  'clientId',
  'nickname',
  'firstSeenAt',
  'lastSeenAt',
  'lastCall',
  'openLesson',
  'openLessonAt',
);
const lesson = progress.omit('clientId', 'proof');

type Row = Omit<LessonProgress, 'proof'>;

/** The lesson that a client works on, in short. */
export type WorksOn = Pick<NonNullable<Standing['current']>, 'id' | 'title' | 'sign'> & { readonly at: string | null };

/** Learners and lessons: who solved what, and who is stuck where. */
export class Board {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #catalogue: Catalogue;
  readonly #progress: Progress;

  constructor(database: Database, clock: Clock, catalogue: Catalogue, progress: Progress) {
    this.#database = database;
    this.#clock = clock;
    this.#catalogue = catalogue;
    this.#progress = progress;
  }

  /** Those that called last come first. */
  async list({ page, pageSize }: Page): Promise<{ items: Standing[]; total: number }> {
    const found = await findPage(this.#database.sql, { pageSize, before: (page - 1) * pageSize });
    const byClient = Map.groupBy(
      found.filter(({ clientId }) => clientId !== null),
      ({ clientId }) => clientId as string,
    );
    const items = [...byClient.values()].map((rows) => {
      const [{ clientId, nickname, firstSeenAt, lastSeenAt, lastCall, stagesPassed, ...opened }] = rows as [
        (typeof rows)[0],
      ];
      const done = rows.filter(({ lessonId }) => lessonId !== null) as unknown as Row[];
      return {
        ...{ clientId: clientId as string, nickname, lastSeenAt: lastSeenAt as string, stagesPassed },
        ...this.#standing(done, firstSeenAt as string, {
          lastCall: lastCallIn(lastCall),
          open: openIn(opened, lastSeenAt as string, this.#clock.now()),
        }),
      };
    });
    return { items, total: found[0]?.total ?? 0 };
  }

  /** Null when all lessons are solved. */
  async worksOn({ clientId, firstSeenAt, lastSeenAt, lastCall, opened }: Learner): Promise<WorksOn | null> {
    const open = openIn(opened, lastSeenAt, this.#clock.now());
    return worksOnOf(this.#standing(await this.#progress.ofClient(clientId), firstSeenAt, { lastCall, open }));
  }

  /** The same for the learners of a page of the list. */
  async worksOnOfPage(page: Page): Promise<ReadonlyMap<string, WorksOn | null>> {
    const { items } = await this.list(page);
    return new Map(items.map((each) => [each.clientId, worksOnOf(each)]));
  }

  #standing(
    rows: readonly Row[],
    firstSeenAt: string,
    now: Now,
  ): Pick<Standing, 'solved' | 'lessons' | 'current' | 'circumstances'> {
    const all = new Map(rows.map((row) => [row.lessonId, row]));
    const lessons = doneOf(this.#catalogue, all);
    const solved = lessons.filter(({ state }) => state === 'solved');
    const since = solved.reduce(
      (latest, { solvedAt }) => (solvedAt && solvedAt > latest ? solvedAt : latest),
      firstSeenAt,
    );
    const taken = rows.flatMap((row) => {
      const found = this.#catalogue.find(row.lessonId);
      const solvedAt = row.solvedBefore ?? row.solvedAt;
      return found && solvedAt ? [{ ...row, solvedAt, shortestWay: found.shortestWay ?? null }] : [];
    });
    return {
      solved: solved.length,
      lessons,
      current: this.#current(all, since, now),
      circumstances: circumstancesOf(taken),
    };
  }

  #current(done: ReadonlyMap<string, Row>, since: string, now: Now): Standing['current'] {
    const found = worksOn(this.#catalogue.lessons, done, now);
    if (!found) return null;
    const { id, title } = found.lesson;
    const { hints = 0, misses = 0, lastMiss = null } = done.get(id) ?? {};
    const seconds = Math.max(0, Math.round((this.#clock.now() - Date.parse(since)) / 1000));
    return { id, title, since, seconds, hints, misses, lastMiss, sign: found.sign, triedAt: found.at };
  }
}

function worksOnOf({ current }: Pick<Standing, 'current'>): WorksOn | null {
  return current && { id: current.id, title: current.title, sign: current.sign, at: current.triedAt };
}

/** Those that a client started or solved, in the order of the path. */
export function doneOf(
  { lessons }: Catalogue,
  done: ReadonlyMap<string, Pick<Row, 'solvedAt' | 'hints' | 'misses' | 'steps'>>,
): Standing['lessons'] {
  return lessons.flatMap(({ id }) => {
    const row = done.get(id);
    if (!row || !isBegun(row)) return [];
    const { hints, misses, solvedAt } = row;
    return [{ id, state: solvedAt === null ? 'started' : 'solved', solvedAt, hints, misses }];
  });
}

// Without a learner on the page, one row has the total.
const findPage = statement.all`
  select t.total as ${alias('total', integer)}, coalesce(p.passed, 0) as ${alias('stagesPassed', integer)},
    ${learner.outer('l')}, ${lesson.outer('d')}
  from (select count(*) as total from learners) t
  left join (
    select client_id, (
      select count(*) from examinations e where e.client_id = learners.client_id and e.outcome = 'passed'
    ) as passed
    from learners order by last_seen_at desc, client_id limit ${'pageSize'} offset ${'before'}
  ) p on 1 = 1
  left join learners l on l.client_id = p.client_id
  left join lesson_progress d on d.client_id = l.client_id
  order by l.last_seen_at desc, l.client_id`;
