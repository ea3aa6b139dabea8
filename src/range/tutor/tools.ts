import Type, { type Static, type TSchema } from 'typebox';
import type { ProblemTable } from '../../http/problems/problem-table.ts';
import { nearName } from '../../http/requests/near-name.ts';
import { guides } from '../../navigation.ts';
import { base } from '../texts.ts';
import { differences } from './differences.ts';

/** The answer of a route of the service to a call with the token of the one who asks. */
interface RouteAnswer {
  readonly status: number;
  readonly text: string;
}

/** Where a tool works. */
export interface Place {
  /** Calls a route of this service with the token of the caller. `path` is from the root of the server. */
  call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<RouteAnswer>;
  /** Reads a document that is for all, without the token: no call of the client, so it does nothing for a lesson. */
  open(path: string): Promise<RouteAnswer>;
  readonly problems: ProblemTable;
}

/** What an assistant can have done. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The JSON Schema of its arguments. */
  readonly inputSchema: TSchema;
  /** Whether it changes nothing. */
  readonly reads: boolean;
  /** @throws {ToolRefusal} */
  run(args: never, place: Place): Promise<string>;
}

/** A tool could not do what was asked; the message says why, and is for the one who asked. */
export class ToolRefusal extends Error {}

const text = (description: string) => Type.String({ minLength: 1, maxLength: 200, description });
const lessonId = text('The id of a lesson, such as token-by-form.');
const exchangeId = text('The id of an exchange: the X-Request-Id of its answer.');
const page = Type.Optional(Type.Integer({ minimum: 1, description: 'The page. Default: 1.' }));

function tool<Schema extends TSchema>(
  about: Omit<Tool, 'inputSchema' | 'run'>,
  inputSchema: Schema,
  run: (args: Static<Schema>, place: Place) => Promise<string>,
): Tool {
  return { ...about, inputSchema, run: run as Tool['run'] };
}

const none = Type.Object({}, { additionalProperties: false });
const only = <Members extends Record<string, TSchema>>(members: Members) =>
  Type.Object(members, { additionalProperties: false });

/** All of them. Each calls the routes of the range, so their rules, limits and log hold; none calls a system, sends an answer or reads a solution. */
export const tools: readonly Tool[] = [
  tool(
    {
      name: 'list_exchanges',
      title: 'List my calls',
      description: 'The calls of this client with status and problem, newest first, 20 a page.',
      reads: true,
    },
    only({
      status: Type.Optional(text('A status such as 404, or a class such as 4xx.')),
      path: Type.Optional(text('How the path begins, such as /insurer/v1/policies.')),
      problem: Type.Optional(text('The identifier of a problem, such as validation-error.')),
      page,
    }),
    (args, place) => read(place, `${base}/me/exchanges?${query({ ...args, pageSize: 20 })}`),
  ),
  tool(
    {
      name: 'read_exchange',
      title: 'Read a call',
      description: 'One call with its answer: headers, bodies and remarks. Secrets are replaced.',
      reads: true,
    },
    only({ id: exchangeId }),
    async ({ id }, place) => read(place, exchangePath(id)),
  ),
  tool(
    {
      name: 'compare_exchanges',
      title: 'Compare two calls',
      description: 'Where two calls and their answers differ, member by member.',
      reads: true,
    },
    only({ one: exchangeId, other: exchangeId }),
    async ({ one, other }, place) => {
      const [first, second] = [await read(place, exchangePath(one)), await read(place, exchangePath(other))];
      return shown(differences(JSON.parse(first), JSON.parse(second)));
    },
  ),
  tool(
    {
      name: 'explain_problem',
      title: 'Explain a problem',
      description: 'What a problem means, why it happens and how to fix it.',
      reads: true,
    },
    only({ type: text('The type of the problem document, or its last segment, such as version-conflict.') }),
    async ({ type }, { problems }) => {
      const identifier = type.slice(type.lastIndexOf('/') + 1);
      const entry = Object.hasOwn(problems, identifier) && problems[identifier as keyof ProblemTable];
      if (!entry) throw new ToolRefusal(`There is no such problem.${meant(identifier, Object.keys(problems))}`);
      const { status, title, meaning, cause, remedy } = entry;
      return shown({ identifier, status, title, meaning, cause, remedy });
    },
  ),
  tool(
    {
      name: 'list_lessons',
      title: 'List the lessons',
      description: 'All lessons in the order of the path, with their level and how far this client got; 100 a page.',
      reads: true,
    },
    only({ page }),
    async (args, place) => {
      const { items, ...rest } = JSON.parse(
        await read(place, `${base}/me/lessons?${query({ ...args, pageSize: 100 })}`),
      );
      const short = items.map(({ id, title, topic, level, state }: Record<string, unknown>) => ({
        ...{ id, title, topic, level, state },
      }));
      return shown({ items: short, ...rest });
    },
  ),
  tool(
    {
      name: 'read_lesson',
      title: 'Read a lesson',
      description:
        'The goal of a lesson, its steps, what is done of them, the hints that were taken, and what the last call lacked (lastMiss, lastWord). Without an id: the open lesson.',
      reads: true,
    },
    only({ lesson: Type.Optional(lessonId) }),
    async ({ lesson }, place) => {
      const id = lesson ?? JSON.parse(await read(place, `${base}/me/open-lesson`)).lessonId;
      if (!id) throw new ToolRefusal('No lesson is open. Name one, or open one with open_lesson.');
      return read(place, `${base}/me/lessons/${segment(id)}`);
    },
  ),
  tool(
    {
      name: 'open_lesson',
      title: 'Open a lesson',
      description: 'Opens a lesson: from then on each call is told what it lacked for it.',
      reads: false,
    },
    only({ lesson: lessonId }),
    ({ lesson }, place) => send(place, 'PUT', `${base}/me/open-lesson`, { lessonId: lesson }),
  ),
  tool(
    {
      name: 'take_hint',
      title: 'Take a hint',
      description: 'Takes the next hint of a lesson. It is counted, and the trainer sees it: ask the learner first.',
      reads: false,
    },
    only({ lesson: lessonId }),
    async ({ lesson }, place) => send(place, 'POST', `${base}/me/lessons/${segment(lesson)}/hints`),
  ),
  tool(
    {
      name: 'list_drills',
      title: 'List the drills',
      description: 'The faults that can be switched on, with their parameters, and those that are on.',
      reads: true,
    },
    none,
    async (_args, place) => {
      const kinds = JSON.parse(await read(place, `${base}/drills?pageSize=100`));
      const on = JSON.parse(await read(place, `${base}/me/drills?pageSize=100`));
      return shown({ on: on.items, kinds: kinds.items });
    },
  ),
  tool(
    {
      name: 'start_drill',
      title: 'Start a drill',
      description: 'Switches a fault on for the calls of this client.',
      reads: false,
    },
    only({
      name: text('The name of a drill, from list_drills.'),
      parameters: Type.Optional(Type.Object({}, { description: 'Those of the drill that differ from their default.' })),
      minutes: Type.Optional(Type.Number({ description: 'How long it lasts. Default: 5.' })),
    }),
    (args, place) => send(place, 'POST', `${base}/me/drills`, args),
  ),
  tool(
    { name: 'end_drill', title: 'End a drill', description: 'Switches a fault off.', reads: false },
    only({ name: text('The name of a drill.') }),
    async ({ name }, place) => send(place, 'DELETE', `${base}/me/drills/${segment(name)}`),
  ),
  tool(
    { name: 'read_clock', title: 'Read the clock', description: 'The time that it is for this client.', reads: true },
    none,
    (_args, place) => read(place, `${base}/me/clock`),
  ),
  tool(
    {
      name: 'move_clock',
      title: 'Move the clock',
      description: 'Moves the clock of this client ahead. There is no way back: ask the learner first.',
      reads: false,
    },
    only({ advance: text('How far, as ISO 8601 has durations: PT1H, P30D.') }),
    (args, place) => send(place, 'POST', `${base}/me/clock`, args),
  ),
  tool(
    { name: 'list_guides', title: 'List the guides', description: 'The guides, with what each is about.', reads: true },
    none,
    async () => shown(guides.map(({ name, title, about }) => ({ name, title, about }))),
  ),
  tool(
    { name: 'read_guide', title: 'Read a guide', description: 'One guide, in Markdown.', reads: true },
    only({ name: text('The name of a guide, from list_guides.') }),
    async ({ name }, place) => readDocument(place, guidePath(name)),
  ),
];

/**
 * A name as a segment of a path. One of dots alone would lead to another path, and half a character has no form in a URL.
 *
 * @throws {ToolRefusal}
 */
function segment(name: string): string {
  if (/^\.\.?$/.test(name) || !name.isWellFormed()) throw new ToolRefusal('There is nothing with this name.');
  return encodeURIComponent(name);
}

/** Where a guide is. */
export const guidePath = (name: string) => `/guides/${segment(name)}.md`;

const exchangePath = (id: string) => `${base}/me/exchanges/${segment(id)}`;

/** @throws {ToolRefusal} */
export async function readDocument(place: Place, path: string): Promise<string> {
  return accepted(await place.open(path));
}

/** @throws {ToolRefusal} */
async function read(place: Place, path: string): Promise<string> {
  return accepted(await place.call('GET', path));
}

/** @throws {ToolRefusal} */
async function send(place: Place, method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<string> {
  return accepted(await place.call(method, path, body)) || 'Done.';
}

function accepted({ status, text }: RouteAnswer): string {
  if (status >= 400) throw new ToolRefusal(text);
  return text;
}

const shown = (value: unknown) => JSON.stringify(value);

function query(members: Readonly<Record<string, string | number | undefined>>): URLSearchParams {
  const given = Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, `${value}`]]));
  return new URLSearchParams(given);
}

function meant(name: string, known: readonly string[]): string {
  const near = nearName(name, known);
  return near === undefined ? '' : ` Did you mean ${near}?`;
}
