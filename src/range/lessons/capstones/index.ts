import { badLine } from './bad-line.ts';
import { brokersApp } from './brokers-app.ts';
import type { Capstone } from './capstone.ts';
import { monthEnd } from './month-end.ts';
import { movingDay } from './moving-day.ts';
import { nightJob } from './night-job.ts';
import { nightShift } from './night-shift.ts';

/** From the shortest to the one that takes most. */
export const capstones: readonly Capstone[] = [badLine, monthEnd, nightShift, nightJob, movingDay, brokersApp];
