import type { Composed } from './exchange.ts';

/** Refusals with one problem, one after the other, up to the latest call. */
export interface RefusalRun {
  readonly times: number;
  /** Null if the latest call was not refused. */
  readonly problem: string | null;
  /** What the last of them said. */
  readonly text: string | null;
  /** Whether a run before these calls goes on in them: none of them was answered otherwise. */
  readonly unbroken: boolean;
}

/** Characters of what a refusal said. */
const longest = 300;

/** Whoever tries again and again may get a token before each try. */
const tokenRoute = '/insurer/v1/auth/token';

/** Those of some exchanges of a client, oldest first. What the console called, streams and deliveries don't count. */
export function refusalRun(exchanges: readonly Composed[]): RefusalRun {
  let run: RefusalRun = { times: 0, problem: null, text: null, unbroken: true };
  for (const { summary, details } of exchanges) {
    const { kind, fromConsole, status, route, problem } = summary;
    if (kind !== 'call' || fromConsole) continue;
    if (status < 400 && route === tokenRoute) continue;
    if (status < 400 || problem === null) run = { times: 0, problem: null, text: null, unbroken: false };
    else {
      const same = problem === run.problem;
      const text = said(details.response.body?.text) ?? problem;
      run = { times: same ? run.times + 1 : 1, problem, text, unbroken: run.unbroken && (same || run.times === 0) };
    }
  }
  return run;
}

/** The first error of a problem, with its place, else its detail. Undefined of what is no problem. */
function said(body = ''): string | undefined {
  try {
    const { detail, errors } = JSON.parse(body);
    const [{ pointer, parameter, header, detail: what } = {} as Record<string, unknown>] = errors ?? [];
    const text = what === undefined ? detail : `${pointer ?? parameter ?? header} ${what}`;
    // It may repeat what was sent, and PostgreSQL stores no NUL.
    return typeof text === 'string' ? text.slice(0, longest).toWellFormed().replaceAll('\0', '\ufffd') : undefined;
  } catch {
    return undefined;
  }
}
