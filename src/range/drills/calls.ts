import type { FieldError } from '../../http/problems/problem.ts';
import { describedPath, type ServedPaths } from '../../http/requests/served-paths.ts';
import { pointerTo } from '../../text/json-pointer.ts';
import { quoted } from '../../text/shown-value.ts';

/* The calls that a drill concerns, named as the descriptions write them: `GET /insurer/v1/policies/{policyId}`. */

/** A call by its route. HEAD is the GET that it comes with. */
export function describedCall(method: string, route: string): string {
  return `${method === 'HEAD' ? 'GET' : method} ${describedPath(route)}`;
}

/** What of the calls that a drill is to concern is none that drills hit: those of the systems. With the nearest one. */
export function unknownCalls(calls: readonly string[], served: ServedPaths, systems: readonly string[]): FieldError[] {
  const hit = served.routes.filter(({ url, config }) => systems.includes(url.split('/')[1] ?? '') && !config.document);
  const known = new Set(hit.map(({ method, url }) => describedCall(method, url)));
  return calls.flatMap((call, at) => {
    if (known.has(call)) return [];
    const [method = '', path = ''] = call.trim().split(/\s+/, 2);
    const [near] = served.nearest(method.toUpperCase(), path, []).filter((each) => known.has(each));
    const meant = near ? `Did you mean ${quoted(near)}?` : 'Write one such as "POST /insurer/v1/policies".';
    const detail = `is no call that drills hit: ${quoted(call)}. ${meant}`;
    return [{ pointer: pointerTo('parameters', 'calls', String(at)), detail }];
  });
}
