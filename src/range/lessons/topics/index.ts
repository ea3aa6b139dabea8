import type { Topic } from '../lesson.ts';
import { access } from './access.ts';
import { credentials } from './credentials.ts';
import { descriptions } from './descriptions.ts';
import { limits } from './limits.ts';
import { registry } from './registry.ts';
import { signatures } from './signatures.ts';

/** The path, from the first call to a consumer that survives anything. */
export const topics: readonly Topic[] = [credentials, access, limits, signatures, descriptions, registry];
