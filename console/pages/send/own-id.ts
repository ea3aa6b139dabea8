import { read } from '../../api/call.ts';
import { credentials } from '../../api/session.ts';
import { type Draft, draftOf } from '../../model/draft.ts';
import { knownValues, type Route, routeFor, withValue } from '../../model/routes.ts';
import { exchanges } from '../../state/learner.ts';
import { loadRoutes } from '../../state/routes.ts';

/** Values that a parameter of a path had in the last calls that went well. */
export function knownIds(route: Route, name: string): string[] {
  const urls = exchanges.value.filter(({ status }) => status < 400).map(({ url }) => url);
  return knownValues(route, name, urls);
}

/** An address with something of the learner's own in the place of its first parameter: of the last calls, else of the list. */
export async function withOwnId(route: Route, address: string, routes: readonly Route[]): Promise<string> {
  const parameter = route.parameters.find(({ in: place, name }) => place === 'path' && address.includes(`{${name}}`));
  if (!parameter) return address;
  let [id] = knownIds(route, parameter.name);
  const list = route.path.split('/{', 1)[0] as string;
  if (id === undefined && route.needsToken && routes.some(({ method, path }) => method === 'GET' && path === list)) {
    const found = await read<{ items?: readonly object[] }>(`${list}?pageSize=1`).catch(() => undefined);
    id = Object.values(found?.items?.[0] ?? {})[0];
  }
  return typeof id === 'string' ? withValue(route, parameter, address, id) : address;
}

/** A call of a route with its example, on something of the learner's own. Of what no description has, the address alone. */
export async function draftForRoute({ method, path }: { method: string; path: string }): Promise<Draft> {
  const routes = await loadRoutes();
  const found = routeFor(routes, method, path);
  if (!found) return { method, address: path, headers: [], body: '' };
  return { ...draftOf(found, credentials.peek()), address: await withOwnId(found, path, routes) };
}
