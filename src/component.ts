import type { Role } from './database/database.ts';
import type { ProblemTable } from './http/problems/problem-table.ts';

/** A part of the program that works in the background: the events, the webhooks, each system. */
export interface Component {
  /** Its own, besides those that every interface can answer with. */
  readonly problems: Partial<ProblemTable>;
  /** The roles of its jobs, also of those that the settings leave out. */
  readonly roles?: readonly Role[];
  readonly jobs?: readonly Job[];
  readonly housekeeping?: readonly HousekeepingTask[];
  /** The machine slept for more than an hour, or its clock was set by as much. Comes before the next housekeeping. */
  woken?(): void;
  /** Forgets what it knows of the data: the database was emptied. What is open for a reader ends. */
  forget?(): void | Promise<void>;
  /** Ends what waits or is under way. Its jobs have been stopped before. */
  close?(): Promise<void>;
}

/** What is done again and again, on one node at a time. */
export interface Job {
  /** For the log: `the claims desk`. */
  readonly name: string;
  /** The node with this role runs it. Jobs can share a role. */
  readonly role: Role;
  /** Milliseconds between two runs. */
  readonly everyMs: number;
  /** Channels of `Database.signal` at which it also runs at once. */
  readonly signals?: readonly string[];
  /** Whether it runs before the server listens, too. */
  readonly atStart?: true;
  run(turn: JobTurn): Promise<unknown>;
  /** Ends a run that is under way, so that the program can stop. */
  interrupt?(): Promise<void>;
}

/** What a run of a job can ask for. */
export interface JobTurn {
  /** Whether this node still has the role: another one may have taken over. A long run checks it from time to time. */
  mayContinue(): boolean;
  /** Requests one more run, also after this one is over. */
  again(): void;
}

/** One kind of thing that is removed or renewed, once a minute and on one node at a time. */
export interface HousekeepingTask {
  /** For the log and the metrics. */
  readonly name: string;
  /** Whether it removes what is old, which waits for a day after the clock was set ahead (clock-steps.ts). */
  readonly removes?: true;
  /** Does a bounded part of the work. Returns whether there may be more of it. */
  step(): Promise<boolean>;
}
