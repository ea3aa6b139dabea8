import { type Use, use } from '../../clients/going.ts';
import type { ErasedRows, Erasing } from '../../clients/owned-rows.ts';
import { alias, type Fragment, integer, type RowOf } from '../../database/columns.ts';
import type { Database, Sql } from '../../database/database.ts';
import { lockRows } from '../../database/lock-order.ts';
import { statement } from '../../database/statement.ts';
import type { Page } from '../../http/requests/paging.ts';
import { storable } from '../../text/storable.ts';
import { type Clock, instant } from '../../time/clock.ts';
import { hour, minute } from '../../time/units.ts';
import type { Composed } from './exchange.ts';
import { forgetOther } from './findings.ts';
import type { Help, LastCall, Note } from './learner-schemas.ts';
import { learners } from './tables.ts';

/** The columns that no export has. */
export const unexported = learners.pick(
  'nicknameLocked',
  'help',
  'helpAt',
  'note',
  'noteAt',
  'lastCall',
  'consoleClockOff',
  'programClockOff',
  'otherClient',
  'otherClientAt',
  'unattributedAt',
  'openLesson',
  'openLessonAt',
);

/** The columns that tell what the calls of a client came to. */
export const shown = learners.pick(
  'clientId',
  'nickname',
  'firstSeenAt',
  'lastSeenAt',
  'calls',
  'refusals',
  'callsWithoutToken',
  'refusalsWithoutToken',
  'lastProblem',
  'activeSince',
  'resetAt',
  'refusalsInARow',
  'lastRefusal',
);

/** A client that called, and what its calls came to. */
export type CountedLearner = RowOf<typeof shown>;

/** What was found out about how a client is used. */
interface Found extends Clocks {
  /** One of the same learner, perhaps, that was used from the same address, and when that was seen last. */
  readonly otherClient: { readonly clientId: string; readonly shownName: string } | null;
  readonly otherClientAt: string | null;
  /** Whether another client has its nickname. */
  readonly sameNickname: boolean;
  readonly unattributedAt: string | null;
}

/** The lesson that a client opened last, and when; it may be over since. */
export type OpenedLesson = Pick<RowOf<typeof unexported>, 'openLesson' | 'openLessonAt'>;

/** Seconds by which clocks were ahead. */
type Clocks = Pick<RowOf<typeof unexported>, 'consoleClockOff' | 'programClockOff'>;

/** The same with what it called last, and what learner and trainer say to each other. */
export type Learner = CountedLearner & {
  readonly opened: OpenedLesson;
  /** Null if it has only joined. */
  readonly lastCall: LastCall | null;
  /** The nickname, with a number where one before has the same; the id where there is none. */
  readonly shownName: string;
  readonly nicknameLocked: boolean;
  readonly help: Help | null;
  readonly note: Note | null;
  readonly found: Found;
};

/** The same with its last use; absent if it is being removed. */
export type UsedLearner = Learner & { readonly use: Use | undefined };

/** The counts of some calls, those that were dropped included. */
export interface Tally {
  calls: number;
  refusals: number;
  /** Those that carried no token of the client are counted apart: anybody can make them. */
  callsWithoutToken: number;
  refusalsWithoutToken: number;
  /** In milliseconds since 1970. */
  firstAt: number;
  /** 0 if it did not call. */
  lastAt: number;
  lastProblem: string | undefined;
}

const head = learners.pick('kept', 'cleared', 'lessonsBegun', 'openLesson');

/** Where the log of a client ends (`kept`), up to where resets have removed it (`cleared`), and the lesson that is open. */
export type LogHead = RowOf<typeof head>;

/** Milliseconds without a call from which on a client takes up its work anew. */
const longBreak = 5 * minute;

/** Milliseconds without a call that close a lesson. */
const longestSilence = 2 * hour;

/** That of a client of which nothing was kept. */
export const noLog: LogHead = { kept: 0, cleared: 0, lessonsBegun: 0, openLesson: null };

export class Learners {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** One whose calls were not seen is seen now. */
  async read(clientId: string): Promise<Learner> {
    const row = await find(this.#database.sql, { clientId });
    return row ? learnerOf(row) : { ...newLearner(clientId, instant(this.#clock.now())), ...nothingSaid(clientId) };
  }

  /** The lesson that a client has open. Null if there is none. */
  async openLesson(clientId: string): Promise<{ lessonId: string; openedAt: string } | null> {
    const row = await findOpened(this.#database.sql, { clientId });
    return row ? openIn(row, row.lastSeenAt, this.#clock.now()) : null;
  }

  /**
   * Notes that a client opens a lesson, also by a hint or by taking it again: what any node knows of its lessons no longer
   * holds. Its first calls may not be written yet. Null leaves the lesson open that is.
   */
  async open(sql: Sql, clientId: string, lessonId: string | null): Promise<void> {
    const now = this.#clock.now();
    const opened = { openLesson: lessonId, openLessonAt: lessonId && instant(now), lessonsBegun: 1 };
    await addOpened(sql, { ...newRow(clientId, now), ...opened });
  }

  /** Those that called last come first. */
  async list({ page, pageSize }: Page): Promise<{ items: UsedLearner[]; total: number }> {
    const rows = await findPage(this.#database.sql, { pageSize, before: (page - 1) * pageSize });
    const items = rows.flatMap(({ total, lastUsedAt, noticedAt, preset, ...row }) => {
      if (row.clientId === null) return [];
      const used = lastUsedAt === null ? undefined : ({ lastUsedAt, noticedAt, preset } as Use);
      return [{ ...learnerOf(row as unknown as LearnerRow), use: used }];
    });
    return { items, total: rows[0]?.total ?? 0 };
  }
}

const clocksUnseen = { consoleClockOff: null, programClockOff: null };
const alone = { otherClient: null, otherClientAt: null, unattributedAt: null };
const saidNothing = { nicknameLocked: 0, help: null, helpAt: null, note: null, noteAt: null, lastCall: null };
const noneOpened = { openLesson: null, openLessonAt: null };
const unsaid = { ...saidNothing, ...clocksUnseen, ...alone, ...noneOpened };

const nothingSaid = (clientId: string) => ({
  shownName: clientId,
  opened: noneOpened,
  lastCall: null,
  nicknameLocked: false,
  help: null,
  note: null,
  found: { ...clocksUnseen, ...alone, sameNickname: false },
});

type LearnerRow = CountedLearner & RowOf<typeof unexported> & RowOf<typeof ofOthers>;

export function learnerOf({ nicknameLocked, help, helpAt, note, noteAt, lastCall, ...more }: LearnerRow): Learner {
  const { sameBefore, sameAfter, otherNickname, otherClient, ...found } = more;
  const { consoleClockOff, programClockOff, otherClientAt, unattributedAt, openLesson, openLessonAt, ...row } = found;
  const { clientId, nickname } = row;
  // Who goes by different names is no one learner: they only share an address.
  const isAnother = nickname !== null && otherNickname !== null && nickname !== otherNickname;
  return {
    ...row,
    found: {
      consoleClockOff,
      programClockOff,
      otherClient:
        otherClient === null || isAnother ? null : { clientId: otherClient, shownName: otherNickname ?? otherClient },
      otherClientAt,
      sameNickname: sameBefore + sameAfter > 0,
      unattributedAt,
    },
    opened: { openLesson, openLessonAt },
    shownName: nickname === null ? clientId : sameBefore === 0 ? nickname : `${nickname} (${sameBefore + 1})`,
    lastCall: lastCallIn(lastCall),
    nicknameLocked: nicknameLocked === 1,
    help: help === null ? null : { message: help, at: helpAt as string },
    note: note === null ? null : { text: note, at: noteAt as string },
  };
}

/** The lesson that is open at `now`: not one whose client has been silent for long. */
export function openIn({ openLesson, openLessonAt }: OpenedLesson, lastSeenAt: string, now: number) {
  if (openLesson === null || openLessonAt === null) return null;
  const last = lastSeenAt > openLessonAt ? lastSeenAt : openLessonAt;
  return now - Date.parse(last) < longestSilence ? { lessonId: openLesson, openedAt: openLessonAt } : null;
}

/** Returns whether the client is there and has this lesson open, which it then has until the transaction ends. */
export async function holdOpenLesson(sql: Sql, clientId: string, lessonId: string): Promise<boolean> {
  return (await hold(sql, { clientId, lessonId })) !== undefined;
}

/** Closes the lesson that is open: only this one, where it is named. */
export async function closeLesson(sql: Sql, clientId: string, lessonId: string | null = null): Promise<void> {
  await close(sql, { clientId, lessonId });
}

/** The row of a client whose calls were not seen yet. */
export function newRow(clientId: string, now: number) {
  return { ...newLearner(clientId, instant(now)), ...unsaid, ...noLog, refusedAs: null };
}

/** Of the column. */
export function lastCallIn(json: string | null): LastCall | null {
  return json === null ? null : (JSON.parse(json) as LastCall);
}

function newLearner(clientId: string, at: string): CountedLearner {
  const nothing = {
    nickname: null,
    calls: 0,
    refusals: 0,
    callsWithoutToken: 0,
    refusalsWithoutToken: 0,
    lastProblem: null,
    resetAt: null,
  };
  const times = { firstSeenAt: at, lastSeenAt: at, activeSince: at };
  return { clientId, ...times, ...nothing, refusalsInARow: 0, lastRefusal: null };
}

/**
 * Adds what the calls of a client came to, and that so many exchanges of it are kept. Returns where its log ends then.
 * Nobody else adds to it until the transaction ends.
 */
export async function addTally(
  sql: Sql,
  clientId: string,
  tally: Tally,
  exchanges: readonly Composed[],
): Promise<LogHead> {
  const { firstAt, lastAt, lastProblem = null, ...sums } = tally;
  // What was delivered to it does not show that it is there.
  const seen = lastAt > 0 ? 1 : 0;
  const began = instant(Math.floor(firstAt));
  const times = { firstSeenAt: began, lastSeenAt: instant(Math.floor(lastAt || firstAt)), activeSince: began };
  const counts = { ...noLog, ...unsaid, ...sums, lastProblem, kept: exchanges.length, resetAt: null };
  const { times: refusalsInARow, problem: refusedAs, text: lastRefusal, unbroken } = refusalRun(exchanges);
  const run = { refusalsInARow, refusedAs, lastRefusal, goesOn: unbroken ? 1 : 0 };
  const lastCall = lastCallOf(exchanges);
  const restedSince = instant(Math.floor(firstAt) - longBreak);
  const silentSince = instant(Math.floor(firstAt) - longestSilence);
  const row = { clientId, nickname: null, ...times, ...counts, ...run, lastCall };
  return (await add(sql, { ...row, seen, restedSince, silentSince })) as LogHead;
}

/** Where the log of a client ends, and where it begins. */
export async function readHead(sql: Sql, clientId: string): Promise<LogHead> {
  return (await findHead(sql, { clientId })) ?? noLog;
}

/** Removes what is kept of a client that is being removed. Returns how many rows that were. */
export async function removeLearner(sql: Sql, clientId: string): Promise<number> {
  await lockWithOthers(sql, { clientId });
  await forgetOther(sql, clientId);
  return remove(sql, { clientId });
}

/** Removes what `addTally` has made of a client that is gone. */
export function takeBackTally(sql: Sql, clientId: string): Promise<number> {
  return remove(sql, { clientId });
}

/** Forgets what the calls of a client came to whose log is removed by a reset `at`. Its nickname stays. */
export async function clearTally(sql: Sql, clientId: string, at: number): Promise<number> {
  await clear(sql, { clientId, resetAt: instant(at) });
  return 0;
}

/** Takes a name out of what a client called last, and of what it and the trainer say to each other. */
export async function eraseInLearner(sql: Sql, { clientId, name }: Erasing): Promise<ErasedRows> {
  const row = await lockTexts(sql, { clientId });
  if (!row) return { changed: 0 };
  const call = lastCallIn(row.lastCall);
  const texts = {
    lastCall: call && JSON.stringify({ ...call, path: name.erase(call.path) }),
    lastRefusal: row.lastRefusal && name.erase(row.lastRefusal),
    help: row.help && name.erase(row.help),
    note: row.note && name.erase(row.note),
  };
  if (JSON.stringify(texts) === JSON.stringify(row)) return { changed: 0 };
  return { changed: await setTexts(sql, { clientId, ...texts }) };
}

/** Makes each node read anew what it knows of the calls and the lessons of a client. */
export function forgetKnown(sql: Sql, clientId: string): Promise<number> {
  return addChange(sql, { clientId });
}

/** Tells whether a client calls itself by a name. */
export async function countNickname(sql: Sql, { clientId, name }: Erasing): Promise<number> {
  const nickname = (await find(sql, { clientId }))?.nickname ?? '';
  return name.erase(nickname) === nickname ? 0 : 1;
}

/** Refusals with one problem, one after the other, up to the latest call. */
interface RefusalRun {
  readonly times: number;
  /** Null if the latest call was not refused. */
  readonly problem: string | null;
  /** The text of the last of them. */
  readonly text: string | null;
  /** Tells whether a run before these calls goes on in them: none of them was answered otherwise. */
  readonly unbroken: boolean;
}

/** Characters of what a refusal said. */
const longestRefusal = 300;

/** Whoever tries again and again may get a token before each try. */
const tokenRoute = '/insurer/v1/auth/token';

/** Those of some exchanges of a client, oldest first. What the console called, what anybody may have
 * sent, streams and deliveries don't count. */
function refusalRun(exchanges: readonly Composed[]): RefusalRun {
  let run: RefusalRun = { times: 0, problem: null, text: null, unbroken: true };
  for (const { summary, details } of exchanges) {
    const { kind, fromConsole, fromElsewhere, status, route, problem } = summary;
    if (kind !== 'call' || fromConsole || fromElsewhere) continue;
    if (status < 400 && route === tokenRoute) continue;
    if (status < 400 || problem === null) run = { times: 0, problem: null, text: null, unbroken: false };
    else {
      const same = problem === run.problem;
      const text = said(details.response.body?.text) ?? problem;
      run = { times: same ? run.times + 1 : 1, problem, text, unbroken: run.unbroken && (same || run.times === 0) };
    }
  }
  return run;
}

/** Characters of a path that are kept. */
const longestPath = 200;

/** Whoever has made nothing but a client has only joined. */
export const createRoute = '/insurer/v1/demo-clients';

/** The last call in some exchanges of a client, as JSON; null if there is none. A stream was called when it began. */
function lastCallOf(exchanges: readonly Composed[]): string | null {
  const last = exchanges.findLast(
    ({ summary: { kind, end, fromConsole, fromElsewhere, route } }) =>
      (kind === 'call' || (kind === 'stream' && end === 'open')) &&
      !fromConsole &&
      !fromElsewhere &&
      route !== createRoute,
  );
  if (!last) return null;
  const { startedAt: at, method, status, problem } = last.summary;
  return JSON.stringify({ at, method, path: last.path.slice(0, longestPath), status, problem } satisfies LastCall);
}

/** The first error of a problem, with its place, else its detail. Undefined of what is no problem. */
function said(body = ''): string | undefined {
  try {
    const { detail, errors } = JSON.parse(body);
    const [{ pointer, parameter, header, detail: what } = {} as Record<string, unknown>] = errors ?? [];
    const text = what === undefined ? detail : `${pointer ?? parameter ?? header} ${what}`;
    return typeof text === 'string' ? storable(text.slice(0, longestRefusal)) : undefined;
  } catch {
    return undefined;
  }
}

// Whoever gives one name to very many clients need not be told how many.
const ofSameName = (side: '<' | '>', most: number) => `(
    select count(*) from (
      select 1 from learners o where o.nickname = l.nickname
      and (o.first_seen_at, o.client_id) ${side} (l.first_seen_at, l.client_id) limit ${most}
    ) s
  )`;

/** How many of the same name came before and after, and the name of the other client that was used beside one. */
export const ofOthers: Fragment<{ sameBefore: number; sameAfter: number; otherNickname: string | null }> = {
  texts: [
    `${ofSameName('<', 99)} as "sameBefore", ${ofSameName('>', 1)} as "sameAfter",
    (select o.nickname from learners o where o.client_id = l.other_client) as "otherNickname"`,
  ],
  parameters: [],
  output: [
    { name: 'sameBefore', dataType: 'integer' },
    { name: 'sameAfter', dataType: 'integer' },
    { name: 'otherNickname', dataType: 'text' },
  ],
};

const find = statement.get`
  select ${shown.of('l')}, ${unexported.of('l')}, ${ofOthers}
  from learners l where l.client_id = ${'clientId'}`;

const add = statement.get`
  insert into learners ${learners.values}
  on conflict (client_id) do update set
    last_seen_at = case when cast(${'seen'} as integer) = 1 then excluded.last_seen_at else learners.last_seen_at end,
    calls = learners.calls + excluded.calls,
    refusals = learners.refusals + excluded.refusals,
    calls_without_token = learners.calls_without_token + excluded.calls_without_token,
    refusals_without_token = learners.refusals_without_token + excluded.refusals_without_token,
    last_problem = coalesce(excluded.last_problem, learners.last_problem),
    last_call = coalesce(excluded.last_call, learners.last_call), kept = learners.kept + excluded.kept,
    active_since = case
      when cast(${'seen'} as integer) = 1 and learners.last_seen_at < ${'restedSince'} then excluded.active_since
      else learners.active_since end,
    refusals_in_a_row = excluded.refusals_in_a_row + case
      when cast(${'goesOn'} as integer) = 1 and (excluded.refused_as is null or excluded.refused_as = learners.refused_as)
      then learners.refusals_in_a_row else 0 end,
    refused_as = case when cast(${'goesOn'} as integer) = 1
      then coalesce(excluded.refused_as, learners.refused_as) else excluded.refused_as end,
    last_refusal = case when cast(${'goesOn'} as integer) = 1
      then coalesce(excluded.last_refusal, learners.last_refusal) else excluded.last_refusal end,
    open_lesson = case
      when learners.last_seen_at <= ${'silentSince'} and learners.open_lesson_at <= ${'silentSince'} then null
      else learners.open_lesson end
  returning ${head}`;

const findHead = statement.get`select ${head} from learners where client_id = ${'clientId'}`;

// Without a learner on the page, one row has the total.
const findPage = statement.all`
  select t.total as ${alias('total', integer)}, ${shown.outer('l')}, ${unexported.outer('l')}, ${ofOthers},
    ${use.outer('c')}
  from (select count(*) as total from learners) t
  left join (
    select client_id from learners order by last_seen_at desc, client_id limit ${'pageSize'} offset ${'before'}
  ) p on 1 = 1
  left join learners l on l.client_id = p.client_id
  left join clients c on c.id = l.client_id and c.removed_at is null
  order by l.last_seen_at desc, l.client_id`;

const clear = statement.run`
  update learners set calls = 0, refusals = 0, calls_without_token = 0, refusals_without_token = 0, last_problem = null,
    last_call = null, cleared = kept, reset_at = ${'resetAt'}, refusals_in_a_row = 0, refused_as = null, last_refusal = null
  where client_id = ${'clientId'}`;

const addOpened = statement.run`
  insert into learners ${learners.values}
  on conflict (client_id) do update set lessons_begun = learners.lessons_begun + 1,
    open_lesson = coalesce(excluded.open_lesson, learners.open_lesson),
    open_lesson_at = coalesce(excluded.open_lesson_at, learners.open_lesson_at)`;

const addChange = statement.run`
  update learners set lessons_begun = lessons_begun + 1 where client_id = ${'clientId'}`;

const findOpened = statement.get`
  select ${learners.pick('openLesson', 'openLessonAt', 'lastSeenAt')} from learners where client_id = ${'clientId'}`;

const hold = statement.get`
  select 1 as ${alias('held', integer)} from learners
  where client_id = ${'clientId'} and open_lesson = ${'lessonId'} ${lockRows}`;

const close = statement.run`
  update learners set open_lesson = null
  where client_id = ${'clientId'} and open_lesson = coalesce(cast(${'lessonId'} as text), open_lesson)`;

const lockTexts = statement.get`
  select ${learners.pick('lastCall', 'lastRefusal', 'help', 'note')} from learners
  where client_id = ${'clientId'} ${lockRows}`;

const setTexts = statement.run`
  update learners set last_call = ${'lastCall'}, last_refusal = ${'lastRefusal'}, help = ${'help'}, note = ${'note'}
  where client_id = ${'clientId'}`;

// It may be known as the other client that was used beside one.
const lockWithOthers = statement.all`
  select ${learners.pick('clientId')} from learners
  where client_id = ${'clientId'} or other_client = ${'clientId'} order by client_id ${lockRows}`;

const remove = statement.run`delete from learners where client_id = ${'clientId'}`;
