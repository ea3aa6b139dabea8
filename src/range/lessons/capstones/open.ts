import { Counter } from 'prom-client';
import type { GivenClaims } from '../../../claims/index.ts';
import type { ClientsPart } from '../../../clients/index.ts';
import type { Context } from '../../../context.ts';
import type { GivenPolicies, People, Statements } from '../../../insurer/index.ts';
import type { Drills } from '../../drills/drills.ts';
import type { Recorder } from '../../exchanges/recorder.ts';
import type { Histories } from '../histories.ts';
import { Capstones } from './capstones.ts';
import { capstones } from './index.ts';
import { atLevel } from './level-two.ts';
import { eraseInRuns, type Level, type Outcome, outcomes, removeRecords, removeRuns } from './runs.ts';
import { Scheduler } from './scheduler.ts';

export interface CapstoneParts {
  readonly clients: ClientsPart;
  readonly givenPolicies: GivenPolicies;
  readonly claims: GivenClaims;
  readonly people: People;
  readonly statements: Statements;
  readonly drills: Drills;
  readonly histories: Histories;
  readonly recorder: Recorder;
}

/** The capstones, and what conducts their runs. */
export function openCapstones(context: Context, parts: CapstoneParts) {
  const { database, clock, clocks, randomness, metrics } = context;
  const { clients, consents, tokens, clockMoves, registerRows } = parts.clients;
  registerRows({ name: 'runs of capstones', remove: removeRuns, erase: eraseInRuns });
  // What was achieved stays when a client is reset.
  registerRows({ name: 'records of capstones', remove: removeRecords, reset: async () => 0 });
  const options = {
    ...parts,
    database,
    clock,
    clocks,
    randomness,
    capstones,
    clients,
    consents,
    tokens,
    secretFinder: context.secretFinder,
    clockMoves,
    find(id: string, level: Level = 1) {
      const capstone = capstones.find((each) => each.id === id);
      return capstone && atLevel(capstone, level);
    },
    ended: countEnded(metrics.registry),
  };
  const scheduler = new Scheduler(options);
  return { capstones: new Capstones({ ...options, scheduler }), scheduler };
}

function countEnded(registry: Context['metrics']['registry']): (capstone: string, outcome: Outcome) => void {
  const counter = new Counter({
    name: 'lplate_capstone_runs_total',
    help: 'Runs of capstones that have ended, by capstone and how they ended',
    labelNames: ['capstone', 'outcome'],
    registers: [registry],
  });
  for (const { id } of capstones) for (const outcome of outcomes) counter.inc({ capstone: id, outcome }, 0);
  return (capstone, outcome) => counter.inc({ capstone, outcome });
}
