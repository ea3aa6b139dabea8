import { type ClockMoves, furthest, type MoveRefusal, maxYearsAhead } from '../../clients/clock-moves.ts';
import type { Going } from '../../clients/going.ts';
import { type Api, endpoint } from '../../http/endpoint.ts';
import type { ProblemError } from '../../http/problems/problem.ts';
import type { Tokens } from '../../http/requests/bearer.ts';
import { invalid } from '../../http/requests/validation.ts';
import type { ClientClocks } from '../../time/client-clocks.ts';
import { type Clock, instant } from '../../time/clock.ts';
import type { Recorder } from '../exchanges/recorder.ts';
import type { LearnerEndpoints } from '../learner-endpoints.ts';
import { anyScope, presetClient, tokenProblems } from '../refusals.ts';
import type { Service } from '../service.ts';
import { readAdvance } from './duration.ts';
import { allClocksText, clockTexts, noWayBack } from './texts.ts';

export interface ClockRoutesOptions {
  readonly clock: Clock;
  readonly clocks: ClientClocks;
  readonly clockMoves: ClockMoves;
  readonly going: Going;
  readonly tokens: Tokens;
  readonly service: Pick<Service, 'time' | 'catchUp'>;
  readonly recorder: Pick<Recorder, 'flush' | 'settle'>;
}

/** The clock of a client, for itself or for the trainer. */
export function clockRoutes(api: Api, endpoints: LearnerEndpoints, options: ClockRoutesOptions): void {
  const { tokens } = options;
  const { show, advance } = handling(options);
  const { readClock, advanceClock } = clockTexts(endpoints);
  endpoint(api, 'GET', `${endpoints.path}/clock`, readClock, {
    handler: async (request) => show(await endpoints.clientOf(request, tokens)),
    scope: anyScope,
    problems: [...tokenProblems, ...endpoints.problems],
  });
  endpoint(api, 'POST', `${endpoints.path}/clock`, advanceClock, {
    handler: async (request) => {
      const by = readAdvance(request.body.advance);
      return advance(await endpoints.clientOf(request, tokens), by, endpoints.gone);
    },
    scope: anyScope,
    body: 'json',
    problems: [...tokenProblems, ...endpoints.problems, 'preset-client'],
  });
}

/** The clocks of all clients, for the trainer. */
export function allClocksRoutes(api: Api, options: ClockRoutesOptions): void {
  const { clock, clockMoves, going, service, recorder } = options;
  endpoint(api, 'POST', '/clock', allClocksText, {
    handler: async ({ body }) => {
      // The same for all: in the calendar of one client, two years may be longer than in another's.
      const by = readAdvance(body.advance)(clock.now());
      if (service.time) {
        checkTime(service.time.ahead + by);
        // What is written after a client was removed would stay.
        await recorder.flush();
      }
      const { moved, unmoved } = await clockMoves.advanceAll(by);
      if (service.time) {
        going.moved(by);
        await service.catchUp();
      }
      return { moved, notMoved: unmoved, note: noWayBack };
    },
    scope: anyScope,
    body: 'json',
    problems: tokenProblems,
  });
}

function handling({ clock, clocks, clockMoves, service, recorder }: ClockRoutesOptions) {
  function show(clientId: string) {
    const now = clock.now();
    const ahead = clocks.offset(clientId);
    return {
      now: instant(now + ahead),
      present: instant(now),
      aheadSeconds: Math.round(ahead / 1000),
      note: noWayBack,
    };
  }

  async function advance(clientId: string, by: (now: number) => number, gone: () => ProblemError) {
    // By time alone, calls before the move could not be told from those after it.
    if (service.time) await recorder.settle(clientId);
    const reason = await clockMoves.advance(clientId, by);
    if (reason) throw reason === 'gone' ? gone() : refusal(reason, clientId);
    // What is due comes at once everywhere. Where time stands still, what is seen next has it for certain.
    if (service.time) await service.catchUp();
    return show(clientId);
  }

  return { show, advance };
}

function refusal(reason: Exclude<MoveRefusal, 'gone'>, clientId: string): ProblemError {
  if (reason === 'preset') return presetClient(clientId);
  return tooFar('Continue with a new client.');
}

/** @throws {ProblemError} `validation-error` */
function checkTime(ahead: number): void {
  if (ahead > furthest) throw tooFar('Reset everything, or start the service again.');
}

function tooFar(then: string): ProblemError {
  const detail = `would bring the clock more than ${maxYearsAhead} years ahead of the present, the most for all moves together. ${then}`;
  return invalid([{ pointer: '/advance', detail }]);
}
