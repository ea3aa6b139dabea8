import { type ClockMoves, furthest, type MoveRefusal, maxYearsAhead } from '../../clients/clock-moves.ts';
import { callerOf, clientGone, isClientId, type Tokens } from '../../http/bearer.ts';
import { type Api, endpoint } from '../../http/endpoint.ts';
import type { ProblemError } from '../../http/problem.ts';
import { invalid } from '../../http/validation.ts';
import type { ClientClocks } from '../../time/client-clocks.ts';
import { type Clock, instant } from '../../time/clock.ts';
import { tokenProblems as problems } from '../problems.ts';
import { noSuchClient, presetClient, refuseUnknown } from '../refusals.ts';
import type { Service } from '../service.ts';
import { readAdvance } from './duration.ts';
import { noWayBack, clockTexts as texts } from './texts.ts';

export interface ClockRoutesOptions {
  readonly clock: Clock;
  readonly clocks: ClientClocks;
  readonly clockMoves: ClockMoves;
  readonly tokens: Tokens;
  readonly service: Pick<Service, 'time' | 'catchUp'>;
  /** Writes the log of a client. */
  readonly settle: (clientId: string) => Promise<void>;
}

/** Any token will do. */
const scope = '';

/** The clock of the caller. */
export function clockRoutes(api: Api, options: ClockRoutesOptions): void {
  const { show, advance } = handling(options);
  endpoint(api, 'GET', '/me/clock', texts.readClock, {
    handler: async (request) => show(callerOf(request).clientId),
    scope,
    problems,
  });
  endpoint(api, 'POST', '/me/clock', texts.advanceClock, {
    handler: async (request) => advance(callerOf(request).clientId, request.body.advance, clientGone),
    scope,
    body: 'json',
    problems: [...problems, 'preset-client'],
  });
}

/** For the trainer: the clocks of others, below a prefix whose requests have the trainer's token. */
export function othersClockRoutes(api: Api, options: ClockRoutesOptions): void {
  const { clock, tokens, clockMoves, service } = options;
  const { show, advance } = handling(options);
  endpoint(api, 'GET', '/learners/:clientId/clock', texts.readLearnerClock, {
    handler: async ({ params: { clientId } }) => {
      await refuseUnknown(tokens, clientId);
      return show(clientId);
    },
    scope,
    problems: [...problems, 'client-not-found'],
  });
  endpoint(api, 'POST', '/learners/:clientId/clock', texts.advanceLearnerClock, {
    handler: async ({ params, body }) => advance(params.clientId, body.advance, noSuchClient),
    scope,
    body: 'json',
    problems: [...problems, 'client-not-found', 'preset-client'],
  });
  endpoint(api, 'POST', '/clock', texts.advanceAllClocks, {
    handler: async ({ body }) => {
      // The same for all: in the calendar of one client, two years may be longer than in another's.
      const by = readAdvance(body.advance)(clock.now());
      if (service.time) checkTime(service.time.ahead + by);
      const { moved, unmoved } = await clockMoves.advanceAll(by);
      if (service.time) await service.catchUp();
      return { moved, notMoved: unmoved, note: noWayBack };
    },
    scope,
    body: 'json',
    problems,
  });
}

function handling({ clock, clocks, clockMoves, service, settle }: ClockRoutesOptions) {
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

  async function advance(clientId: string, text: string, gone: () => ProblemError) {
    const by = readAdvance(text);
    // By time alone, calls before the move could not be told from those after it.
    if (service.time) await settle(clientId);
    const reason = isClientId(clientId) ? await clockMoves.advance(clientId, by) : 'gone';
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
