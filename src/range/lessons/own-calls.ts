import type { FastifyInstance } from 'fastify';
import { nearName } from '../../http/near-name.ts';
import type { OwnLessonData } from './own-lesson.ts';

/**
 * What no call can ever fit in the lessons of a class's own: an address that nobody serves, a method that it does not take,
 * a problem that is nearly one that there is. Once the server knows its routes.
 */
export function callFaults(
  lessons: readonly Pick<OwnLessonData, 'id' | 'calls'>[],
  { servedPaths, problems }: FastifyInstance,
): string[] {
  return lessons.flatMap(({ id, calls }) =>
    calls.flatMap((call, index) => {
      const place = `the call ${index + 1} of the lesson ${id}`;
      const { method, path, problem } = call;
      // A star stands for one segment.
      const example = path?.replaceAll('*', 'x');
      const methods = example === undefined ? [] : servedPaths.methodsOf(example);
      const faults: string[] = [];
      if (example !== undefined && methods.length === 0) {
        const near = servedPaths.nearest(method ?? 'GET', example, []);
        faults.push(`${place} has the path ${path}, which nobody serves${near[0] ? `: did you mean ${near[0]}?` : ''}`);
      } else if (method !== undefined && !(methods.length > 0 ? methods : known).includes(method)) {
        const taken = methods.length > 0 ? `, which ${path} does not take: it takes ${methods.join(', ')}` : '';
        faults.push(`${place} has the method ${method}${taken || ', which no address takes'}`);
      }
      const near = problem === undefined || problem in problems ? undefined : nearName(problem, Object.keys(problems));
      if (near) faults.push(`${place} has the problem ${problem}, which does not exist: did you mean ${near}?`);
      return faults;
    }),
  );
}

const known = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
