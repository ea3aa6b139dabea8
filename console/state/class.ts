import { batch, signal } from '@preact/signals';
import { Refused, read, Unreachable } from '../api/call.ts';
import { keepTrainerToken, trainerToken } from '../api/session.ts';
import type { Lesson, Page, Standing, TransferList, TreatedLearner } from '../api/types.ts';
import { afterLook, type Class, type ClassPage, isIncomplete, kept, mustGoOn, nobodyYet } from '../model/class.ts';
import { type MatrixRow, matrixRows } from '../model/matrix.ts';
import { type ClassRow, rowsOf } from '../model/need.ts';

/*
 * What the trainer's page knows of the class. A look reads the learners that called last; every few looks it reads all, since
 * a hint, an answer or a new nickname is no call. A row that is as it was stays the same object, so it is not drawn anew.
 */

/** Milliseconds between two looks. */
export const lookEvery = 3000;

const wholeLookEach = 5;
const pageSize = 50;

let known: Class = nobodyYet;
let looks = 0;
let looking: Promise<void> | undefined;

/** By client id. */
export const classRows = signal<ReadonlyMap<string, ClassRow>>(new Map());
export const lessonRows = signal<ReadonlyMap<string, MatrixRow>>(new Map());
/** All that there are, in the order of the path. */
export const path = signal<readonly Lesson[]>([]);
/** `since`: when the class was seen last, in milliseconds since 1970; undefined before that. */
export const sight = signal<{ readonly since?: number; readonly error?: Error }>({});

/** The codes that were made for all, and whether all in the room may read them. They are kept nowhere else. */
export const codes = signal<{ readonly made: TransferList; readonly onWall: boolean } | undefined>(undefined);

/** Why the trainer's page asks for the token again. */
export const refusedToken = signal<Error | undefined>(undefined);

export function standingOf(clientId: string): Standing | undefined {
  return known.standings.get(clientId);
}

/** Looks at the class, at all of it if `whole`. One look at a time. */
export function look(whole = false): Promise<void> {
  if (whole) {
    looks = 0;
    // The one that is under way may have begun before what is looked for.
    if (looking) return looking.then(() => look(true));
  }
  looking ??= lookOnce().finally(() => {
    looking = undefined;
  });
  return looking;
}

/** How many there are, without the clients that all may use. */
export function learnersHere(): number {
  return [...classRows.value.values()].filter(({ need }) => need !== 'shared').length;
}

/** Leaves the class: nothing of it stays in this tab. */
export function leaveClass(reason?: Error): void {
  known = nobodyYet;
  looks = 0;
  batch(() => {
    keepTrainerToken(undefined);
    classRows.value = new Map();
    lessonRows.value = new Map();
    sight.value = {};
    codes.value = undefined;
    refusedToken.value = reason;
  });
}

async function lookOnce(): Promise<void> {
  const token = trainerToken.peek();
  if (token === undefined) return;
  try {
    if (path.peek().length === 0)
      path.value = (await read<Page<Lesson>>('/range/v1/lessons?pageSize=500', { as: 'nobody' })).items;
    const whole = looks % wholeLookEach === 0;
    const pages = await readPages(whole);
    if (trainerToken.peek() !== token) return;
    looks += 1;
    show(afterLook(known, pages, whole));
    const [first] = pages;
    if (first && isIncomplete(known, first)) looks = 0;
  } catch (error) {
    if (trainerToken.peek() !== token) return;
    if (error instanceof Refused && error.status === 401) leaveClass(error);
    else if (error instanceof Refused || error instanceof Unreachable)
      sight.value = { ...sight.peek(), error: error as Error };
    else throw error;
  }
}

async function readPages(whole: boolean): Promise<readonly ClassPage[]> {
  const pages: ClassPage[] = [];
  for (;;) {
    const query = `page=${pages.length + 1}&pageSize=${pageSize}`;
    // The list of learners has what is not written yet written first, so the board that is read after it is as new.
    const learners = await read<Page<TreatedLearner>>(`/range/v1/trainer/learners?${query}`, { as: 'trainer' });
    const board = await read<Page<Standing>>(`/range/v1/trainer/lessons?${query}`, { as: 'trainer' });
    const page = { learners, board };
    pages.push(page);
    if (whole ? pages.length >= learners.totalPages : !mustGoOn(known, page)) return pages;
  }
}

function show(now: Class): void {
  known = now;
  batch(() => {
    classRows.value = kept(classRows.peek(), rowsOf(now));
    lessonRows.value = kept(lessonRows.peek(), matrixRows(now, path.peek()));
    sight.value = { since: Date.now() };
  });
}
