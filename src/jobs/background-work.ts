import type { Component, Job } from '../component.ts';
import type { Context } from '../context.ts';
import type { Role } from '../database/database.ts';
import { PeriodicJob, reason } from '../time/periodic-job.ts';
import { hour } from '../time/units.ts';
import { Housekeeping, housekeepingRole } from './housekeeping.ts';

/** The jobs of all components, and their housekeeping. */
export interface BackgroundWork {
  /** Runs each job once, in order; otherwise they run by themselves. */
  runJobs(): Promise<void>;
  /** From now on housekeeping runs once a minute, for the first time now. */
  startHousekeeping(): void;
  /** Runs it once. */
  housekeeping(): Promise<void>;
  /** Ends what is under way, gives up the roles and closes the components. A second call waits for the first. */
  stop(): Promise<void>;
}

/** Milliseconds between two rounds of housekeeping. */
const housekeepingEveryMs = 60_000;

/** Milliseconds between two, from which on the machine slept, or its clock was set. */
const sleep = hour;

/** Starts the jobs of all components. A job that fails is tried again; the log tells of it once, and when it succeeds. */
export async function startWork(components: readonly Component[], context: Context): Promise<BackgroundWork> {
  const { database, clock, log, metrics } = context;
  checkRoles(components);
  const jobs: RunningJob[] = [];
  for (const job of components.flatMap((component) => component.jobs ?? [])) jobs.push(await startJob(job, context));
  const role = await database.role(housekeepingRole);
  const tasks = components.flatMap((component) => component.housekeeping ?? []);
  const housekeeping = new Housekeeping({ tasks, clock, log, metrics, mayContinue: () => role.held });
  let timer: NodeJS.Timeout | undefined;
  let stopping: Promise<void> | undefined;

  async function stop(): Promise<void> {
    clearInterval(timer);
    const closed = components.map((component) => component.close?.());
    await Promise.all([...jobs.map((job) => job.stop()), housekeeping.stop(), ...closed]);
    await database.leave();
  }

  return {
    async runJobs() {
      for (const { periodic } of jobs) await periodic.run();
    },
    startHousekeeping() {
      // What went idle while the program was not running need not wait.
      void housekeeping.run();
      let last = clock.now();
      timer = setInterval(() => {
        const passed = clock.now() - last;
        last += passed;
        if (Math.abs(passed) > sleep && !clock.stands) for (const component of components) component.woken?.();
        void housekeeping.run();
      }, housekeepingEveryMs).unref();
    },
    housekeeping: () => housekeeping.run(),
    stop: () => (stopping ??= stop()),
  };
}

/** Two roles of one name or lock would stand in each other's way; so would one that is not listed. */
function checkRoles(components: readonly Component[]): void {
  const roles: readonly Role[] = [housekeepingRole, ...components.flatMap((component) => component.roles ?? [])];
  for (const { name, lock } of roles) {
    const same = roles.filter((role) => role.name === name || role.lock === lock);
    if (same.length > 1) throw new Error(`Two roles have the name ${name} or the lock ${lock}`);
  }
  for (const { name, role } of components.flatMap((component) => component.jobs ?? [])) {
    if (!roles.includes(role)) throw new Error(`The role ${role.name} of ${name} is in no list of roles`);
  }
}

interface RunningJob {
  readonly periodic: PeriodicJob;
  stop(): Promise<void>;
}

async function startJob(job: Job, { database, log }: Context): Promise<RunningJob> {
  const role = await database.role(job.role);
  const turn = { mayContinue: () => role.held, again: () => void periodic.run() };
  const periodic: PeriodicJob = new PeriodicJob(
    async () => role.held && job.run(turn),
    (error) => {
      const facts = { error: (error as Error).name, reason: reason(error) };
      log.warn(facts, `${job.name} failed; it is retried until it succeeds`);
    },
    () => log.info(`${job.name} succeeded again`),
  );
  periodic.every(job.everyMs);
  if (job.atStart) await periodic.run();
  const unlisten = (job.signals ?? []).map((channel) => database.onSignal(channel, () => void periodic.run()));
  return {
    periodic,
    async stop() {
      for (const each of unlisten) each();
      // Marked first, so that nothing begins after the interruption.
      const stopped = periodic.stop();
      await job.interrupt?.();
      await stopped;
    },
  };
}
