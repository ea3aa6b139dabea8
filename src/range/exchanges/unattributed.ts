import type { FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { absoluteUrl } from '../../http/requests/absolute-url.ts';
import { instant } from '../../time/clock.ts';
import { moment } from '../shapes.ts';
import type { Recorder } from './recorder.ts';

/*
 * What a client is told of calls that may be its own, but count for nobody: with what is known of it, and with each lesson.
 */

export const UnattributedCalls = Type.Array(
  Type.Object(
    {
      method: Type.String({ description: 'The method.', examples: ['GET'] }),
      path: Type.String({
        description: 'The path without its query, the first 200 characters.',
        examples: ['/insurer/v1/coverage-options'],
      }),
      at: moment('When it was answered.'),
      why: Type.String({
        description: 'Why nobody knows whose it is.',
        examples: [
          'It had no token that holds, and more than one client was used from this address in the last 15 minutes.',
        ],
      }),
      instead: Type.String({
        description:
          'The call that counts as yours, with its query: the nearest one, where nothing is at its path. A query of more than 500 characters is left out.',
        examples: ['GET http://localhost:8080/for/demo-3f9a1c5e7b2d4f60a8c1/insurer/v1/coverage-options'],
      }),
    },
    { $id: 'UnattributedCall', description: 'A call that may be yours, but counts for nobody.' },
  ),
  {
    description:
      'The last calls from your address, at most 5 of the last 15 minutes, that may be yours and count for nobody. Latest first.',
  },
);

export function unattributedCalls(
  recorder: Recorder,
  request: FastifyRequest,
  clientId: string,
): Static<typeof UnattributedCalls> {
  return recorder.unattributed(request).map(({ method, path, query, at, why, nearest = `${method} ${path}` }) => {
    const instead = nearest.replace(' ', () => ` ${absoluteUrl(request, `/for/${clientId}`)}`) + query;
    return { method, path, at: instant(at), why, instead };
  });
}
