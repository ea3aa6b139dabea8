import type { DrillName, DrillParameters } from '../drill-parameters.ts';
import { type CallService, dateOf, LPlateError, type Problem, type ServiceCall } from './service-calls.ts';

/** A demo client. Clients don't see each other's data, so give each test one of its own. */
export interface Client {
  readonly clientId: string;
  readonly clientSecret: string;
  /**
   * Gets a new token, which is valid for an hour of this client's clock.
   *
   * @param scope such as `policies:read policies:write`; by default all that there are
   * @throws {LPlateError} `invalid-scope`; `invalid-client` if the client was removed; or what a drill of this client answers
   */
  token(scope?: string): Promise<string>;
  /** A registration number that nobody has insured yet. */
  plate(): string;
  /**
   * Starts a drill: a fault that hits the calls of this client alone, by default for five minutes, which `end()` cuts short.
   * Get a token first where the drill would hit that call too.
   *
   * @param parameters those that are not to have their default; `sequence` says what the calls meet one after the other,
   *   `['hit', 'hit', 'pass']`, and `calls` which ones it concerns, `['POST /insurer/v1/policies']`
   * @throws {LPlateError} `validation-error`: a parameter is out of its bounds
   */
  drill<Name extends DrillName>(name: Name, parameters?: Partial<DrillParameters[Name]>): Promise<Drill>;
  /**
   * Moves the clock of this client ahead. What is due by then has happened when it resolves.
   *
   * @param duration in ISO 8601, such as `PT61M`, `P8D` or `P1Y`; at most two years
   * @throws {LPlateError} `validation-error`: it is no duration, or too long
   */
  advance(duration: string): Promise<void>;
  /** The calls of this client, and those of its webhooks, the oldest first. The last 300 are kept, for a day. */
  exchanges(filter?: ExchangeFilter): Promise<Exchange[]>;
  /**
   * Imports policies, and resolves when each row is created or refused; it asks as often as `Retry-After` says. These are
   * calls of the client: they count against its limit, drills hit them, and `exchanges()` has them. With `now`, what the drill
   * `slow-imports` holds up goes on when time is moved.
   *
   * @param rows at most 1,000, as `POST /insurer/v1/policies` takes them
   * @param options with an `idempotencyKey` the same rows are imported once, however often they are sent
   * @throws {LPlateError} what refuses the import as a whole, such as `quota-exceeded`; or that no row was done for
   *   three minutes, with `now` for three seconds. A row that is refused throws nothing
   */
  importPolicies(rows: readonly object[], options?: { readonly idempotencyKey?: string }): Promise<PolicyImport>;
}

/** An import that is completed. */
export interface PolicyImport {
  readonly id: string;
  /** How many rows became policies, and how many did not. */
  readonly created: number;
  readonly refused: number;
  /** In the order in which they were given. */
  readonly rows: readonly ImportedRow[];
}

export interface ImportedRow {
  /** From 1. */
  readonly line: number;
  readonly status: 'created' | 'refused';
  readonly policyId: string | null;
  /** Why it was refused, as `POST /insurer/v1/policies` would tell it. */
  readonly problem?: Problem;
}

/** A drill that was started. */
export interface Drill {
  readonly name: DrillName;
  /** All its parameters, the defaults included. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** When it ends by itself. */
  readonly endsAt: Date;
  end(): Promise<void>;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Which exchanges are meant: those that have all of it. */
export interface ExchangeFilter {
  /** `503`, or a class: `5xx`. */
  readonly status?: number | '1xx' | '2xx' | '3xx' | '4xx' | '5xx' | undefined;
  readonly kind?: 'call' | 'stream' | 'delivery' | undefined;
  /** The identifier of the problem that was answered: `policy-not-found`. */
  readonly problem?: string | undefined;
  /** Of the trace that their `traceparent` names. */
  readonly traceId?: string | undefined;
  /** What the path begins with: `/insurer/v1/policies`. */
  readonly path?: string | undefined;
}

/** A call, and what it was answered, in short. */
export interface Exchange {
  /** The `X-Request-Id` of the answer. */
  readonly id: string;
  /** `delivery`: a call of a webhook, so one that L-Plate made. */
  readonly kind: 'call' | 'stream' | 'delivery';
  /** In ISO 8601, in real time, or, with `now`, in the time that stands still. */
  readonly startedAt: string;
  readonly method: string;
  /** From the root of the server; of a delivery, that of the webhook. */
  readonly url: string;
  /** 499 if the call was cut before its answer, 0 if a webhook gave none. */
  readonly status: number;
  /** Milliseconds; 0 with `now`. */
  readonly durationMs: number;
  /** The identifier of the problem, or the SOAP fault, that was answered. */
  readonly problem: string | null;
  /** The drills that hit it. */
  readonly drills: readonly string[];
  /** What is worth knowing, in sentences. */
  readonly remarks: readonly string[];
  /** The trace that its `traceparent` names: 32 hexadecimal digits. Absent without one. */
  readonly traceId?: string | undefined;
}

/** What a client is made with. */
export interface ClientOptions {
  readonly call: CallService;
  /** Undefined where there is no trainer: then nobody starts drills, moves clocks or reads exchanges. */
  readonly trainerToken: string | undefined;
  /** Whether time stands still until it is moved. */
  readonly stands: boolean;
  readonly plate: () => string;
}

/** Milliseconds in which no row of an import is done until it is given up. */
const patience = 180_000;

/** The same where time stands still, and those between two looks: nothing there becomes due by waiting. */
const standing = { patience: 3000, pause: 300 };

// Some test runners give tests a `Symbol` without it; compilers of `await using` look for the same then.
export const disposal: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');

/** Creates a demo client. What it does as the trainer counts as no call of the client, and no drill hits it. */
export async function createClient({ call, trainerToken: token, stands, plate }: ClientOptions): Promise<Client> {
  const credentials = await call<{ client_id: string; client_secret: string }>('POST', '/insurer/v1/demo-clients');
  const clientId = credentials.client_id;
  const learner = `/range/v1/trainer/learners/${clientId}`;
  const getToken = async (scope?: string) => {
    const json = { ...credentials, ...(scope !== undefined && { scope }) };
    const asked = call<{ access_token: string }>('POST', '/insurer/v1/auth/token', { json });
    return (await asked.catch(unlessItWasRemoved)).access_token;
  };
  // The answer to wrong credentials doesn't say whether there is such a client; the trainer may know.
  const unlessItWasRemoved = async (error: unknown) => {
    if (!(error instanceof LPlateError && error.problem?.status === 401)) throw error;
    const there = await call('GET', `${learner}/clock`, { token }).then(
      () => true,
      ({ problem }: LPlateError) => problem?.status !== 404 || !problem.type.endsWith('/client-not-found'),
    );
    if (there) throw error;
    const why = 'reset() removes all, an end of the class too, and time those that do nothing for keepClientsDays';
    throw new LPlateError(`${error.message} This client was removed: ${why}. Make another one by client().`, {
      problem: error.problem,
    });
  };
  return {
    clientId,
    clientSecret: credentials.client_secret,
    token: getToken,
    plate,
    async drill(name, parameters = {}) {
      const started = await call<{ parameters: Record<string, unknown>; endsAt: string }>('POST', `${learner}/drills`, {
        token,
        json: { name, parameters },
      });
      const end = () => call<void>('DELETE', `${learner}/drills/${name}`, { token }).catch(unlessItHasEnded);
      return { name, parameters: started.parameters, endsAt: dateOf(started.endsAt), end, [disposal]: end };
    },
    async advance(duration) {
      await call('POST', `${learner}/clock`, { token, json: { advance: duration } });
    },
    async exchanges(filter = {}) {
      const given = Object.entries(filter ?? {}).filter(([, value]) => value !== undefined);
      const query = new URLSearchParams([...given.map(([name, value]) => [name, String(value)]), ['pageSize', '500']]);
      const { items } = await call<{ items: Exchange[] }>('GET', `${learner}/exchanges?${query}`, { token });
      return items.reverse();
    },
    async importPolicies(lines, { idempotencyKey } = {}) {
      if (!Array.isArray(lines)) throw new LPlateError('importPolicies() takes a list of policies');
      const token = await getToken();
      const imports = '/insurer/v1/policy-imports';
      const headers = idempotencyKey === undefined ? undefined : { 'Idempotency-Key': JSON.stringify(idempotencyKey) };
      let seconds = 0;
      const asked = async (method: 'GET' | 'POST', path: string, options?: ServiceCall) =>
        call<Job>(method, path, {
          ...options,
          token,
          onHeaders: (answered) => (seconds = Number(answered['retry-after'] ?? 0)),
        });
      let job = await asked('POST', imports, { lines, headers });
      for (let idle = 0; job.status !== 'completed'; ) {
        if (idle >= (stands ? standing.patience : patience)) throw heldUp(job, stands);
        const after = stands ? standing.pause : Math.max(1, seconds) * 1000;
        const { done } = job;
        job = await asked('GET', `${imports}/${job.id}`, { after });
        idle = job.done > done ? 0 : idle + after;
      }
      const rows: ImportedRow[] = [];
      for (let page = 1; rows.length < job.total; page += 1) {
        const path = `${imports}/${job.id}/rows?page=${page}&pageSize=500`;
        rows.push(...(await call<{ items: ImportedRow[] }>('GET', path, { token })).items);
      }
      return { id: job.id, created: job.created, refused: job.refused, rows };
    },
  };
}

/** An import, as it is answered. */
interface Job {
  readonly id: string;
  readonly status: 'accepted' | 'running' | 'completed';
  readonly total: number;
  readonly done: number;
  readonly created: number;
  readonly refused: number;
}

function heldUp({ id, done, total }: Job, stands: boolean): LPlateError {
  const then = stands
    ? 'With now, time stands still, and so does an import that the drill slow-imports holds up: call advance() while importPolicies() waits, or end the drill before.'
    : 'It is not known when it goes on.';
  return new LPlateError(`The import ${id} has done ${done} of ${total} rows, and no other for a while. ${then}`);
}

function unlessItHasEnded(error: unknown): void {
  if (!(error instanceof LPlateError && error.problem?.status === 404)) throw error;
}
