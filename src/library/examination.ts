import { spawn } from 'node:child_process';
import { LPlateError } from './service-calls.ts';

export interface ExamineOptions {
  /** The stages to take, by their names; default: all. */
  readonly stages?: readonly string[] | undefined;
  /** The first stage to take. */
  readonly from?: string | undefined;
  /** Whether it goes on after a stage that failed. Default: it does not. */
  readonly all?: boolean | undefined;
  /** The seed of an examination before: the same calls are made again. */
  readonly seed?: number | undefined;
  /** The address of an L-Plate, that of a class, to send the outcome of each stage to: `http://trainer:8080`. */
  readonly to?: string | undefined;
  /** The client there that they are of, and its secret. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
}

/** The shortest row of calls that shows a difference. */
export interface Counterexample {
  /** What of the stage failed. */
  readonly title: string;
  /** What differs: `answer`, `status`, `body`, `header:ETag`, or the JSON pointer to a member. */
  readonly place: string;
  /** The difference, in one sentence. */
  readonly says: string;
  /** Where the descriptions say what is right: `GET /insurer/v1/policies/{policyId}`. */
  readonly reads: string;
  /** How many calls it takes, those that get clients and tokens included. */
  readonly calls: number;
  /** The calls, as commands for a shell. */
  readonly commands: string;
  /** What L-Plate answered to the last of them. */
  readonly reference: string;
  /** What the examined service answered to it. */
  readonly yours: string;
}

export interface ExaminedStage {
  readonly stage: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Calls that the examined service got. */
  readonly calls: number;
  readonly counterexample?: Counterexample;
}

export interface Examination {
  readonly seed: number;
  readonly stages: readonly ExaminedStage[];
  /** Why outcomes were not sent to `to`, in one sentence. */
  readonly notSent?: string;
}

/**
 * Runs the program to examine a service.
 *
 * @throws {LPlateError} that says what can't be examined: a wrong address, stage or seed, a service that is not there
 */
export async function examineBy(
  [file, ...args]: readonly [string, ...string[]],
  environment: Readonly<Record<string, string | undefined>>,
  url: string,
  { stages, from, all, seed, to, clientId, clientSecret }: ExamineOptions,
): Promise<Examination> {
  const flags = [
    `--examine=${url}`,
    '--report=json',
    ...(stages === undefined ? [] : [`--stage=${stages.join(',')}`]),
    ...(from === undefined ? [] : [`--from=${from}`]),
    ...(all ? ['--all'] : []),
    ...(seed === undefined ? [] : [`--seed=${seed}`]),
    ...(to === undefined ? [] : [`--to=${to}`]),
    ...(clientId === undefined ? [] : [`--client-id=${clientId}`]),
  ];
  const child = spawn(file, [...args, ...flags], {
    // Others on the machine see the arguments of a program.
    env: { ...environment, ...(clientSecret !== undefined && { CLIENT_SECRET: clientSecret }) },
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => (written[name] += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', ({ message }) => reject(new LPlateError(`Its Node.js can't be run: ${message}`)));
    child.on('close', resolve);
  });
  if (code === 0 || code === 1) {
    try {
      return JSON.parse(written.stdout);
    } catch {
      // It ended before it had examined: what it wrote says why.
    }
  }
  throw new LPlateError(written.stderr.trim() || `The examination ended with code ${code}`);
}
