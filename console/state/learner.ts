import { batch, computed, effect, signal } from '@preact/signals';
import { consoleHeader } from '../../src/http/requests/header-names.ts';
import { call, forgetToken, Refused, read, Unreachable } from '../api/call.ts';
import { follow } from '../api/follow.ts';
import { credentials } from '../api/session.ts';
import type { ExchangeSummary, Me, MyLesson, Page } from '../api/types.ts';
import type { Seen } from '../model/class-end.ts';
import { milestone } from '../model/lesson-path.ts';
import { pause, type Standing } from '../model/since-then.ts';
import { forgetShown, keepShown } from './last-seen.ts';
import { route } from './route.ts';
import { toast } from './toasts.ts';

/*
 * What the whole console knows of the learner. While there is a client, two streams are open: its exchanges and its
 * lessons. What `GET /me` tells (clock, drills, announcement) is asked for every few seconds, and after each exchange.
 */

/** As many as the service keeps. */
const maxExchanges = 300;
const meEvery = 5000;

/** Newest first. */
export const exchanges = signal<readonly ExchangeSummary[]>([]);
/** Whether the list was read; before that it is empty for no reason. */
export const exchangesKnown = signal(false);
/** In the order of the path. */
export const lessons = signal<readonly MyLesson[]>([]);
export const me = signal<Me | undefined>(undefined);

/** Whether what stands above every page is not known yet. */
export const isAsked = computed(() => me.value === undefined && connection.value === 'connecting');

/** Whether all of it was read. */
export const isKnown = computed(() => me.value !== undefined && exchangesKnown.value && lessons.value.length > 0);

/** Grows when a reset removed what the client owned: what pages have of it is not there any more. */
export const resets = signal(0);

/** `gone`: the service does not know the client any more. */
export const connection = signal<'none' | 'connecting' | 'live' | 'offline' | 'gone'>('none');

export const solved = computed(() => lessons.value.filter(({ state }) => state === 'solved').length);

/** The lesson that the learner says to work on: each call gets a word for it. */
export const openLesson = computed(() => {
  const worksOn = me.value?.worksOn;
  if (worksOn?.sign !== 'open') return undefined;
  // It is closed once it is solved, which the stream of lessons tells first.
  return lessons.value.find(({ id, state }) => id === worksOn.id && state !== 'solved');
});

/** What to do next: the open lesson, what was begun, else the first lesson to do that builds on nothing that is. */
export const nextLesson = computed(() => {
  if (openLesson.value) return openLesson.value;
  const open = lessons.value.filter(({ state }) => state !== 'solved');
  const openIds = new Set(open.map(({ id }) => id));
  const ready = open.filter(({ buildsOn }) => !buildsOn.some((id) => openIds.has(id)));
  return ready.find(({ state }) => state === 'started') ?? ready[0] ?? open[0];
});

export async function refreshMe(): Promise<void> {
  const of = credentials.peek()?.clientId;
  if (!of || document.hidden) return;
  const before = me.peek();
  try {
    // So that a clock that is wrong is told.
    const headers = { [consoleHeader]: new Date().toISOString() };
    const value = await read<Me>('/range/v1/me', { headers });
    if (credentials.peek()?.clientId !== of) return;
    batch(() => {
      me.value = value;
      connection.value = 'live';
    });
    if (before && value.resetAt !== before.resetAt) {
      await refreshExchanges();
      resets.value += 1;
    }
  } catch (error) {
    failed(error as Error);
  }
}

/** Shows an exchange once: a stream that is not over comes again when it ends. */
function keep(exchange: ExchangeSummary): void {
  const others = exchanges.peek().filter(({ id }) => id !== exchange.id);
  const at = others.findIndex(({ startedAt }) => startedAt <= exchange.startedAt);
  const index = at < 0 ? others.length : at;
  exchanges.value = [...others.slice(0, index), exchange, ...others.slice(index)].slice(0, maxExchanges);
}

function failed(error: Error | undefined): void {
  if (error instanceof Refused && error.identifier === 'invalid-client') {
    batch(() => {
      forget();
      connection.value = 'gone';
    });
  } else if (error instanceof Unreachable || error instanceof Refused) connection.value = 'offline';
}

/** Nothing of a client that is gone is shown any more. */
function forget(): void {
  exchanges.value = [];
  exchangesKnown.value = false;
  lessons.value = [];
  me.value = undefined;
  lastTime.value = undefined;
}

/** When this browser saw the client before the learner came back, and how things stood. */
export const lastTime = signal<Seen | undefined>(undefined);

const seenKey = 'lplate.seen';

/** Milliseconds within which it is not kept again. */
const seenEvery = 30_000;

export const standing = ({ calls, refusals, clock, owns, announcement, resetAt }: Me): Standing => ({
  calls,
  refusals,
  solved: solved.value,
  aheadSeconds: clock.aheadSeconds,
  policies: owns.policies,
  claims: owns.claims,
  announcedAt: announcement?.publishedAt ?? null,
  resetAt,
});

function keepSeen(clientId: string, value: Me): void {
  const before = lastSeen();
  const at = Date.parse(value.clock.now) - value.clock.aheadSeconds * 1000;
  const away = before ? Math.abs(at - Date.parse(before.at)) : Number.POSITIVE_INFINITY;
  if (away < seenEvery) return;
  // What an earlier release kept does not say how things stood.
  if (before?.stood && away >= pause) lastTime.value = before;
  const seen: Seen = { clientId, at: new Date(at).toISOString(), keptUntil: value.keptUntil, stood: standing(value) };
  localStorage.setItem(seenKey, JSON.stringify(seen));
}

/** When the service knew the client of this browser last; undefined for another one. */
export function lastSeen(): Seen | undefined {
  try {
    const kept: Seen = JSON.parse(localStorage.getItem(seenKey) ?? 'null');
    return kept?.clientId === credentials.peek()?.clientId ? kept : undefined;
  } catch {
    // Not ours. What is kept next replaces it.
    return undefined;
  }
}

/** Takes over how far the learner got with a lesson, and celebrates it once when it is solved. */
export function lessonChanged(lesson: MyLesson): void {
  const before = lessons.peek().find(({ id }) => id === lesson.id);
  if (!before) return;
  lessons.value = lessons.peek().map((each) => (each.id === lesson.id ? lesson : each));
  if (lesson.state !== 'solved' || before.state === 'solved') return;
  // Its own page says so.
  if (route.peek().page !== 'lessons' || route.peek().rest[0] !== lesson.id)
    toast('Solved', lesson.title, `#/lessons/${encodeURIComponent(lesson.id)}`);
  const more = milestone(lessons.peek(), lesson);
  if (more) toast('Well done', more, '#/lessons');
}

/** Opens a lesson, whose page says the same while the service can't be reached. */
export async function takeUp(lessonId: string): Promise<void> {
  await call('PUT', '/range/v1/me/open-lesson', { json: { lessonId } }).catch(failed);
  await refreshMe();
}

export async function refreshLessons(): Promise<void> {
  lessons.value = (await read<Page<MyLesson>>(`${lessonsPath}?pageSize=500`)).items;
}

const exchangesPath = '/range/v1/me/exchanges';
const lessonsPath = '/range/v1/me/lessons';

/** What came by the stream while the list was asked for, which may not have it. */
let meanwhile: ExchangeSummary[] = [];

async function refreshExchanges(): Promise<void> {
  meanwhile = [];
  const { items } = await read<Page<ExchangeSummary>>(`${exchangesPath}?pageSize=${maxExchanges}`);
  batch(() => {
    exchanges.value = items;
    exchangesKnown.value = true;
    for (const each of meanwhile) keep(each);
  });
}

/** Follows the client until the returned function is called. */
function watch(): () => void {
  let soon: ReturnType<typeof setTimeout> | undefined;
  /** What came before the stream was there, or while it was lost, is in the list. */
  const after = (refresh: () => Promise<void>) => (state: 'live' | 'waiting', reason?: Error) => {
    if (state === 'live') refresh().catch(failed);
    else failed(reason);
  };
  const onExchange = (data: string) => {
    const exchange: ExchangeSummary = JSON.parse(data);
    meanwhile = [...meanwhile, exchange].slice(-maxExchanges);
    // Before the list is there, one alone would look like all of it.
    if (exchangesKnown.peek()) keep(exchange);
    // Several come at once; what they changed is asked for once.
    soon ??= setTimeout(() => {
      soon = undefined;
      void refreshMe();
    }, 1000);
  };
  connection.value = 'connecting';
  void refreshMe();
  const timer = setInterval(refreshMe, meEvery);
  const ends = [
    follow(exchangesPath, { onEvent: onExchange, onState: after(refreshExchanges) }),
    follow(lessonsPath, { onEvent: (data) => lessonChanged(JSON.parse(data)), onState: after(refreshLessons) }),
  ];
  return () => {
    clearInterval(timer);
    clearTimeout(soon);
    for (const end of ends) end();
    forgetToken();
    batch(() => {
      forget();
      connection.value = 'none';
    });
  };
}

/** Keeps what every page shows, while it is known. */
function keepFrame(): void {
  const clientId = credentials.value?.clientId;
  if (connection.value === 'gone') forgetShown();
  else if (clientId && me.value && exchangesKnown.value) {
    keepShown(clientId, me.value, { solved: solved.value, all: lessons.value.length });
    // Before the lessons are there, none would look solved.
    if (lessons.value.length > 0) keepSeen(clientId, me.value);
  }
}

/** Begins with the client of this browser, and again when it is another one. */
export function watchLearner(): void {
  effect(keepFrame);
  let stop: (() => void) | undefined;
  let of: string | undefined;
  effect(() => {
    const id = credentials.value?.clientId;
    if (id === of) return;
    of = id;
    stop?.();
    stop = id === undefined ? undefined : watch();
  });
}
