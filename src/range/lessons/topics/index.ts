import type { Topic } from '../lesson.ts';
import { claims } from './claims.ts';
import { credentials } from './credentials.ts';
import { events } from './events.ts';
import { faults } from './faults.ts';

/** The path, from the first call to a consumer that survives anything. */
export const topics: readonly Topic[] = [credentials, claims, events, faults];
