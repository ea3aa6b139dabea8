import type { LessonTopic } from '../lesson.ts';
import { access } from './access.ts';
import { betweenSystems } from './between-systems.ts';
import { claims } from './claims.ts';
import { credentials } from './credentials.ts';
import { descriptions } from './descriptions.ts';
import { events } from './events.ts';
import { faults } from './faults.ts';
import { files } from './files.ts';
import { jobs } from './jobs.ts';
import { limits } from './limits.ts';
import { lists } from './lists.ts';
import { people } from './people.ts';
import { policies } from './policies.ts';
import { registry } from './registry.ts';
import { repeats } from './repeats.ts';
import { signatures } from './signatures.ts';
import { sync } from './sync.ts';
import { webhooks } from './webhooks.ts';

/** The path, from the first call to a consumer that survives anything. */
export const topics: readonly LessonTopic[] = [
  credentials,
  policies,
  lists,
  access,
  limits,
  signatures,
  descriptions,
  registry,
  claims,
  events,
  webhooks,
  repeats,
  jobs,
  sync,
  files,
  people,
  faults,
  betweenSystems,
];
