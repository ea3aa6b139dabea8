import { excerpt } from '../../text/excerpt.ts';
import type { UnloggedCall } from '../exchanges/recorder.ts';
import { newClient, newToken } from './calls.ts';
import { type Entry, isReplayed, methodOf, shownPath } from './entry.ts';
import { type LessonInTopic, stepTitles } from './lesson.ts';
import type { Ticks } from './progress.ts';
import { proofOf } from './proof.ts';
import type { Word } from './word.ts';

/*
 * What is said of a call while a lesson is open: the step that it did, or what was missing. Of any other call, whether the
 * lesson needs it on the way, and what the next step is.
 */

/** What there is to say of a call by. */
type Called = Pick<Entry, 'kind' | 'call' | 'path' | 'status' | 'problem' | 'answer'>;

function isOnTheWay(lesson: LessonInTopic, { call, status, problem }: Called): boolean {
  const way = wayOf(lesson);
  if (status < 400) return way.includes(call);
  return [`${call} ${status}`, `any ${status}`, `${call} ${problem}`].some((each) => way.includes(each));
}

/** Each lesson needs a token. */
const wayOf = ({ way = [] }: LessonInTopic) => [newToken, ...way];

/** Tells whether the lesson needs such a call, whatever came of it. */
export const isCallOf = (lesson: LessonInTopic, { call }: Called): boolean =>
  wayOf(lesson).some((each) => each === call || each.startsWith(`${call} `));

/** What any lesson says of a call that leads nowhere, or that it needs but that was refused. Undefined of any other. */
export function missOf(lesson: LessonInTopic, ticks: Ticks, entry: Called): string | undefined {
  const { kind, call, path, status, problem } = entry;
  if (kind === 'delivery') return undefined;
  if (problem === 'not-found')
    return `Nothing has the path ${shownPath(path)}. Compare it with the reference, letter by letter.`;
  if (problem === 'method-not-allowed')
    return `The address ${shownPath(path)} does not take ${methodOf(entry)}. The answer names the methods that it takes.`;
  if (methodOf(entry) === 'HEAD' && isOnTheWay(lesson, { ...entry, call: call.replace('HEAD', 'GET') }))
    return 'HEAD gets the headers alone. Send a GET.';
  if (isReplayed(entry) && !lesson.own && !lesson.countsReplays && isOnTheWay(lesson, entry))
    return 'This was the kept answer of an earlier call with the same Idempotency-Key: nothing was done anew. Send another key, or none.';
  // What was created is there all the same.
  const ignored = status === 201 ? undefined : ignoredIn(entry);
  if (ignored !== undefined && isOnTheWay(lesson, entry)) return `${ignored} Compare it with the reference.`;
  const why = unheard[problem ?? ''];
  const isNeeded = isCallOf(lesson, entry);
  if (problem === 'insufficient-scope' && !isNeeded) return undefined;
  if (why !== undefined) return lesson.needsNoToken && status !== 429 ? undefined : why;
  if (status < 400 || isOnTheWay(lesson, entry) || !isNeeded) return undefined;
  return `This call was refused with ${status}${problem ? ` ${problem}` : ''}. Its answer says why. ${nextOf(lesson, ticks)}`;
}

/** Names what of a call was ignored. */
function ignoredIn({ answer }: Called): string | undefined {
  const names = answer.headers['l-plate-ignored'];
  return names && `A part of this call was ignored, since nothing has its name: ${excerpt(names, 100)}.`;
}

/** What to say of a call that was refused before anybody looked at it, by the problem. */
const unheard: Readonly<Record<string, string>> = {
  'missing-token': 'Nobody looked at this call: it had no token. Send yours in the header Authorization.',
  'invalid-token': 'Nobody looked at this call: its token was refused. The answer says why.',
  'insufficient-scope': 'Nobody looked at this call: its token lacks a scope. The answer names it.',
  'rate-limit-exceeded': 'The limit was reached before anybody looked at this call. Wait, and make it again.',
};

/**
 * `done`: the titles of steps that it did. `miss`: what was missing. Undefined of a delivery that is neither: it comes by itself,
 * and what was said of the last call stays.
 */
export function wordOf(
  lesson: LessonInTopic,
  ticks: Ticks,
  entry: Entry,
  { done, miss }: { done: readonly string[]; miss: string | undefined },
): Word | undefined {
  const exchange = proofOf(entry);
  if (done.length > 0) return { code: 'step', text: `Done: ${done.join('; ')}.`, exchange };
  if (miss !== undefined) return { code: 'miss', text: miss, exchange };
  return entry.kind === 'delivery' ? undefined : { ...generalWord(lesson, ticks, entry), exchange };
}

function generalWord(lesson: LessonInTopic, ticks: Ticks, entry: Called): Omit<Word, 'exchange'> {
  const then = nextOf(lesson, ticks);
  if (isOnTheWay(lesson, entry)) {
    const parts = ['The lesson needs such calls, but this one did no step.', ignoredIn(entry), then];
    return { code: 'on-the-way', text: parts.filter((part) => part !== undefined).join(' ') };
  }
  if (entry.call === newClient && entry.status < 400)
    return { code: 'elsewhere', text: `This made another client: go on with the one that you have. ${then}` };
  const text = `${then} This call was ${methodOf(entry)} ${shownPath(entry.path)}, answered with ${entry.status}.`;
  return { code: 'elsewhere', text };
}

const nextOf = (lesson: LessonInTopic, ticks: Ticks) =>
  `The next step is: ${stepTitles(lesson).find((_, at) => !ticks[at])}.`;

const isOfRange = ({ path }: UnloggedCall) => /^\/range\//.test(path);

/** Calls to the range that only look, or that are about lessons. */
const isLook = (call: UnloggedCall) =>
  /^\/range\/v1\/me\/(?:answers|lessons|month-later|open-lesson)(?:\/|$)/.test(call.path) ||
  (isOfRange(call) && ['GET', 'HEAD'].includes(methodOf(call)) && call.status < 400);

/** Of a call that the log does not have, which does no step and is no miss. Undefined of one that only looks. */
export function wordOfUnlogged(lesson: LessonInTopic, ticks: Ticks, call: UnloggedCall): Word | undefined {
  const own = lesson.unlogged?.[call.call];
  if (own !== undefined && call.status < 400)
    return { code: 'elsewhere', text: `${own} ${nextOf(lesson, ticks)}`, exchange: null };
  if (isLook(call)) return undefined;
  if (call.call === newClient && call.status < 400) {
    const text = `At your address another client was made. If that was you: go on with the one that you have. ${nextOf(lesson, ticks)}`;
    return { code: 'elsewhere', text, exchange: null };
  }
  const called = { ...call, kind: 'call' as const, answer: { headers: {}, text: '', bytes: 0 } };
  const then = nextOf(lesson, ticks);
  const miss = call.isPage
    ? `${then} This call was ${methodOf(call)} ${shownPath(call.path)}, answered with a page for people.`
    : missOf(lesson, ticks, called);
  if (miss !== undefined) return { code: 'elsewhere', text: miss, exchange: null };
  if (!isOfRange(call) || call.status >= 400) return { ...generalWord(lesson, ticks, called), exchange: null };
  const text = `A call to /range does no step, but may prepare one. ${then}`;
  return { code: 'on-the-way', text, exchange: null };
}
