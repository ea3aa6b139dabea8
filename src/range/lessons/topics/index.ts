import type { Topic } from '../lesson.ts';
import { credentials } from './credentials.ts';
import { webhooks } from './webhooks.ts';

/** The path, from the first call to a consumer that survives anything. */
export const topics: readonly Topic[] = [credentials, webhooks];
