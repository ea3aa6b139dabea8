import type { FastifyInstance } from 'fastify';
import { problemsOf } from '../../http/descriptions/description.ts';
import type { ProblemIdentifier } from '../../http/problems/problem.ts';
import { nearName } from '../../http/requests/near-name.ts';
import type { ServedRoute } from '../../http/requests/served-paths.ts';
import type { Redactor } from '../exchanges/redaction.ts';
import { looksBack } from './histories.ts';
import { type OwnLessonData, tells } from './own-lesson.ts';
import { type AskedOfCall, isOf, isOfPattern } from './wanted-call.ts';

/*
 * What no call can ever fit in the lessons of a class's own, and what gives their answers away.
 */

/** What the server knows that decides whether a call can come. */
export interface Served extends Pick<FastifyInstance, 'servedPaths' | 'problems'> {
  readonly redactor: Redactor;
  /** The first segments of the paths whose calls are in the log. */
  readonly systems: readonly string[];
}

/** Once the server knows its routes. */
export function callFaults(lessons: readonly Pick<OwnLessonData, 'id' | 'calls'>[], served: Served): string[] {
  return lessons.flatMap(({ id, calls = [] }) =>
    calls.flatMap(({ misses = [], ...call }, index) => {
      const place = `the call ${index + 1} of the lesson ${id}`;
      const ofMisses = misses.flatMap((miss, at) => faultsOf(miss, `the miss ${at + 1} of ${place}`, served));
      return [...faultsOf(call, place, served), ...ofMisses];
    }),
  );
}

function faultsOf(call: AskedOfCall, place: string, served: Served): string[] {
  return [...addressFaults(call, served), ...answerFaults(call, served), ...sentFaults(call, served)].map(
    (fault) => `${place} has ${fault}`,
  );
}

const known = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** An address that nobody serves, a method that it does not take: unless this is what is wanted. */
function addressFaults({ method, path, status, problem }: AskedOfCall, served: Served): string[] {
  const routes = routesAt(path, served);
  if (path !== undefined && routes.length === 0) {
    if (problem === 'not-found') return [];
    const near = served.servedPaths.nearest(method ?? 'GET', path.replaceAll('*', 'x'), []);
    return [`the path ${path}, which nobody serves${near[0] ? `: did you mean ${near[0]}?` : ''}`];
  }
  if (path !== undefined && !routes.some(({ url }) => isLogged(url, served)))
    return [`the path ${path}, whose calls are not in the log, so no lesson sees them`];
  if (method === undefined) return [];
  if (!known.includes(method)) return [`the method ${method}, which no address takes`];
  const methods = new Set(routes.flatMap((route) => (route.method === 'GET' ? ['GET', 'HEAD'] : route.method)));
  const isMeant = method === 'OPTIONS' || status === 405 || problem === 'method-not-allowed';
  if (isMeant || path === undefined || methods.has(method)) return [];
  return [`the method ${method}, which ${path} does not take: it takes ${[...methods].sort().join(', ')}`];
}

/** The routes to which a path leads, with its stars; all where there is none. */
function routesAt(path: string | undefined, { servedPaths }: Served): ServedRoute[] {
  if (path === undefined) return servedPaths.routes;
  const wanted = path.replace(/\/$/, '').split('/');
  return servedPaths.routes.filter(({ url }) => {
    const segments = url.split('/');
    const fits = (segment: string, at: number) => segment.includes(':') || isOfPattern(segment, wanted[at] as string);
    return segments.length === wanted.length && segments.every(fits);
  });
}

const isLogged = (path: string, { systems }: Served) => systems.includes(path.split('/')[1] ?? '');

/** A status or a problem with which nobody answers such a call. */
function answerFaults({ method, path, status, problem }: AskedOfCall, served: Served): string[] {
  const { problems } = served;
  const wanted = method === 'HEAD' ? 'GET' : method;
  const routes = routesAt(path, served).filter((route) => wanted === undefined || route.method === wanted);
  // What has no description, such as SOAP, can answer with anything that there is.
  const isAny = routes.length === 0 || routes.some(({ schema }) => schema.response === undefined);
  const answers = (isAny ? served.servedPaths.routes : routes)
    .filter(({ url }) => isLogged(url, served))
    .map((route) => answersOf(route, problems));
  const names = new Set([...answers.flatMap((each) => each.problems), 'not-found', 'method-not-allowed']);
  const statuses = [404, 405, ofProxy, ...answers.flatMap((each) => each.statuses)];
  const begin = String(status ?? '').replace('xx', '');
  const fits = (each: string | number) => String(each).startsWith(begin);
  const to = path === undefined ? '' : ` to ${path}`;
  const faults = statuses.some(fits) ? [] : [`the status ${status}, with which no call${to} is answered`];
  if (problem === undefined || (isAny && soapProblem.test(problem))) return faults;
  const entry = Object.hasOwn(problems, problem) ? problems[problem as ProblemIdentifier] : undefined;
  if (!entry) {
    const near = nearName(problem, Object.keys(problems));
    faults.push(`the problem ${problem}, which does not exist${near ? `: did you mean ${near}?` : ''}`);
  } else if (!names.has(problem)) faults.push(`the problem ${problem}, with which no call${to} is answered`);
  else if (!fits(entry.status)) faults.push(`the problem ${problem}, whose status is ${entry.status}, not ${status}`);
  return faults;
}

/** As the log names faults of SOAP. */
const soapProblem = /^(?:soap:\w+|VehicleNotFound)$/;

/** The drill `html-from-a-proxy` answers with it, whatever was called. */
const ofProxy = 502;

function answersOf({ method, config, schema }: ServedRoute, table: FastifyInstance['problems']) {
  const route = { method: method.toLowerCase(), config, schema } as Parameters<typeof problemsOf>[0];
  const problems = [...problemsOf(route)];
  return { problems, statuses: [...Object.keys(schema.response ?? {}), ...problems.map((each) => table[each].status)] };
}

/** A body where there is none, and a value that the log hides: lessons see what the log has. */
function sentFaults({ method, query = {}, headers = {}, body = {} }: AskedOfCall, { redactor }: Served): string[] {
  const faults: string[] = [];
  if ((method === 'GET' || method === 'HEAD') && Object.keys(body).length > 0)
    faults.push(`a body, of which nobody takes notice in a ${method}`);
  const hidden = (what: string, wanted: string, shown: string | null | undefined) => {
    if (!isOf(shown ?? '', wanted)) faults.push(`a value for ${what}, which the log hides: write * in its place`);
  };
  const lower = Object.keys(headers).map((name) => name.toLowerCase());
  for (const [at, name] of lower.entries()) if (lower.indexOf(name) < at) faults.push(`the header ${name} twice`);
  for (const [name, value] of Object.entries(headers))
    hidden(`the header ${name}`, value, redactor.begin().requestHeader(name, value).value);
  for (const [name, value] of Object.entries(query)) {
    const url = redactor.begin().url(`/?${new URLSearchParams({ [name]: value })}`);
    hidden(`the parameter ${name}`, value, new URLSearchParams(url.slice(2)).get(name));
  }
  for (const [pointer, value] of Object.entries(body)) {
    const name = pointer.slice(pointer.lastIndexOf('/') + 1);
    if (typeof value !== 'string') continue;
    const shown = JSON.parse(redactor.begin().text(JSON.stringify({ [name]: value })));
    hidden(`the member ${pointer}`, value, shown[name]);
  }
  return faults;
}

/** What is wrong with a lesson in itself. */
export function lessonFaults({ id, calls, asks }: OwnLessonData): string[] {
  const faults: string[] = [];
  if (!calls && !asks) faults.push(`the lesson ${id} has neither calls nor a question, so nothing solves it`);
  const count = (calls ?? []).reduce((sum, call) => sum + (call.count ?? 1), 0);
  if (count > looksBack)
    faults.push(`the lesson ${id} asks for ${count} calls, but lessons look back at the last ${looksBack}`);
  const shown = [
    ...(calls ?? []).flatMap(({ title, misses = [] }, at) => [
      [`the title of the call ${at + 1}`, title] as const,
      ...misses.map(({ says }, index) => [`what the miss ${index + 1} of the call ${at + 1} says`, says] as const),
    ]),
    ['the title of the question', asks?.title] as const,
    ['the advice', asks?.advice] as const,
  ];
  for (const [what, text] of shown)
    if (text !== undefined && tells(text, asks?.answers ?? []))
      faults.push(`the lesson ${id} gives its answer away: ${what} has it`);
  return faults;
}
