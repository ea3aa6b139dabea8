import { examinationStages, isStageName, type StageName, stageNames } from '../../examination-stages.ts';
import { type Api, endpoint } from '../../http/endpoint.ts';
import { ProblemError } from '../../http/problems/problem.ts';
import { callerOf, type Tokens } from '../../http/requests/bearer.ts';
import { invalid } from '../../http/requests/validation.ts';
import { shownValue } from '../../text/shown-value.ts';
import { instant } from '../../time/clock.ts';
import type { LearnerEndpoints } from '../learner-endpoints.ts';
import { anyScope, clientTokenProblems, refusePreset, tokenProblems } from '../refusals.ts';
import type { Examinations, StageOutcome } from './examinations.ts';
import type { ExaminedStageView } from './schemas.ts';
import { listTexts, reportText } from './texts.ts';

export interface ExaminationRoutesOptions {
  readonly clients: { readonly tokens: Tokens };
  readonly examinations: Examinations;
}

/** The stages of a client's own insurer, for itself or for the trainer. */
export function examinationRoutes(api: Api, endpoints: LearnerEndpoints, options: ExaminationRoutesOptions): void {
  const { clients, examinations } = options;
  endpoint(api, 'GET', `${endpoints.path}/examinations`, listTexts(endpoints), {
    async handler(request) {
      const outcomes = await examinations.of(await endpoints.clientOf(request, clients.tokens));
      const byStage = new Map(outcomes.map((each) => [each.stage, each]));
      return { items: stageNames.map((stage) => viewOf(stage, byStage.get(stage))) };
    },
    scope: anyScope,
    problems: [...tokenProblems, ...endpoints.problems],
  });
}

/** What the machine of the caller reports. */
export function stageReportRoutes(api: Api, { examinations }: ExaminationRoutesOptions): void {
  endpoint(api, 'PUT', '/me/examinations/:stage', reportText, {
    async handler(request) {
      const { clientId } = callerOf(request);
      refusePreset(clientId);
      const { stage } = request.params;
      if (!isStageName(stage)) {
        const detail = `There is no stage ${shownValue(stage)}. GET /range/v1/me/examinations lists them.`;
        throw new ProblemError('stage-not-found', detail);
      }
      const { outcome, at, seed } = request.body;
      const reported = { stage, outcome, at: instantOf(at), seed };
      await examinations.put(clientId, reported);
      return viewOf(stage, reported);
    },
    scope: anyScope,
    body: 'json',
    problems: [...clientTokenProblems, 'stage-not-found', 'preset-client'],
  });
}

function viewOf(stage: StageName, reported: StageOutcome | undefined): ExaminedStageView {
  const { goal, lessons } = examinationStages[stage];
  const { outcome = null, at = null, seed = null } = reported ?? {};
  return { stage, goal, lessons: [...lessons], outcome, at, seed };
}

/** In the one form in which instants are stored. A leap second is no time of JavaScript. */
function instantOf(at: string): string {
  const time = Date.parse(at);
  if (time >= 0 && time < lastYearEnds) return instant(time);
  throw invalid([
    { pointer: '/at', detail: 'must be an instant of the years 1970 to 9999, such as 2026-03-02T10:15:30Z.' },
  ]);
}

const lastYearEnds = Date.UTC(10_000, 0);
