import type { Api } from '../http/endpoint.ts';
import { interfaceChecks } from '../http/request-checks.ts';
import type { Tokens } from '../http/requests/bearer.ts';
import {
  fleetRoutes,
  type HelpAndTransferRoutesOptions,
  helpAndTransferRoutes,
  type LearnerRoutesOptions,
  learnerActionRoutes,
  learnerRoutes,
  noteRoutes,
} from './class/learner-routes.ts';
import { type ClassRoutesOptions, classRoutes, trainerClassRoutes } from './class/routes.ts';
import { type TrainerRoutesOptions, trainerRoutes } from './class/trainer-routes.ts';
import { allClocksRoutes, type ClockRoutesOptions, clockRoutes } from './clocks/routes.ts';
import { type DrillRoutesOptions, drillRoutes, trainerDrillRoutes } from './drills/routes.ts';
import { type ExaminationRoutesOptions, examinationRoutes, stageReportRoutes } from './examinations/routes.ts';
import { type ExchangeRoutesOptions, exchangeRoutes, trainerExchangeRoutes } from './exchanges/routes.ts';
import { forCaller, forTrainer } from './learner-endpoints.ts';
import { capstoneRoutes } from './lessons/capstones/routes.ts';
import { lessonRoutes, type TrainerLessonRoutesOptions, trainerLessonRoutes } from './lessons/routes.ts';
import { type PeopleRoutesOptions, peopleRoutes } from './people/routes.ts';
import { type RelayRoutesOptions, relayRoutes } from './relay/routes.ts';
import { type TutorRoutesOptions, tutorRoutes } from './tutor/routes.ts';

export type RoutesOptions = LearnerRoutesOptions &
  HelpAndTransferRoutesOptions &
  ClassRoutesOptions &
  TrainerRoutesOptions &
  ClockRoutesOptions &
  DrillRoutesOptions &
  ExaminationRoutesOptions &
  ExchangeRoutesOptions &
  PeopleRoutesOptions &
  RelayRoutesOptions &
  TrainerLessonRoutesOptions &
  TutorRoutesOptions & {
    /** The one token of the trainer. */
    readonly trainer: Tokens;
  };

/** Puts the rooms' routes together. */
export async function routes(api: Api, options: RoutesOptions): Promise<void> {
  learnerRoutes(api, forCaller, options);
  learnerActionRoutes(api, forCaller, options);
  helpAndTransferRoutes(api, options);
  exchangeRoutes(api, options);
  fleetRoutes(api, options);
  classRoutes(api, options);
  drillRoutes(api, options);
  clockRoutes(api, forCaller, options);
  lessonRoutes(api, options);
  capstoneRoutes(api, options);
  examinationRoutes(api, forCaller, options);
  stageReportRoutes(api, options);
  peopleRoutes(api, options);
  relayRoutes(api, options);
  tutorRoutes(api, options);

  await api.register(
    async (trainer) => {
      interfaceChecks(trainer, { ...api.interfaceChecks, tokens: options.trainer });
      clockRoutes(trainer, forTrainer, options);
      allClocksRoutes(trainer, options);
      trainerExchangeRoutes(trainer, options);
      learnerRoutes(trainer, forTrainer, options);
      learnerActionRoutes(trainer, forTrainer, options);
      noteRoutes(trainer, options);
      trainerRoutes(trainer, options);
      trainerDrillRoutes(trainer, options);
      trainerClassRoutes(trainer, options);
      trainerLessonRoutes(trainer, options);
      examinationRoutes(trainer, forTrainer, options);
    },
    { prefix: '/trainer' },
  );
}
