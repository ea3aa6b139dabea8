import type { Stage } from '../stage.ts';
import { coverageOptions } from './coverage-options.ts';

/** The stages, in the order in which a service is built. */
export const stages: readonly Stage[] = [coverageOptions];
