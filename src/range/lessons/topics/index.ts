import type { Topic } from '../lesson.ts';
import { credentials } from './credentials.ts';
import { lists } from './lists.ts';
import { policies } from './policies.ts';
import { repeats } from './repeats.ts';
import { webhooks } from './webhooks.ts';

/** The path, from the first call to a consumer that survives anything. */
export const topics: readonly Topic[] = [credentials, policies, lists, webhooks, repeats];
