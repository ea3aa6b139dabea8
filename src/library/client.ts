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
  /**
   * Makes a statement, and resolves when it is completed, with its file. These are calls of the client, as above. With `now`,
   * what the drill `late-statement` holds up goes on when time is moved.
   *
   * @param draft as `POST /insurer/v1/statements` takes it
   * @throws {LPlateError} what refuses it, such as `validation-error`; or that it was not completed for six minutes, with `now`
   *   for three seconds
   */
  makeStatement(draft: StatementDraft): Promise<Statement>;
  /**
   * Adds a document to a claim, by a call of the client.
   *
   * @param file a JPEG, PNG or WebP image or a PDF, at most 1 MiB
   * @throws {LPlateError} what refuses it, such as `claim-not-found`, `validation-error` or `payload-too-large`
   */
  addDocument(claimId: string, file: { readonly name: string; readonly bytes: Uint8Array }): Promise<ClaimDocument>;
  /**
   * Erases a holder, and resolves when nothing has the name but what is in `kept`. These are calls of the client, as above.
   *
   * @throws {LPlateError} what refuses it; or that it went on in no way for three minutes, with `now` for three seconds
   */
  eraseHolder(holder: string): Promise<Erasure>;
}

export interface StatementDraft {
  /** `YYYY-MM`. */
  readonly month: string;
  readonly format: 'csv' | 'csv-1252' | 'ndjson';
  readonly currency?: 'EUR' | 'JPY' | 'KWD';
}

/** A statement that is completed. */
export interface Statement {
  readonly id: string;
  /** Policies in the file. */
  readonly count: number;
  /** Decimal text: read it as a decimal, never as a float. */
  readonly premiums: { readonly amount: string; readonly currency: string };
  readonly commissions: { readonly amount: string; readonly currency: string };
  /** The text of its file. */
  readonly content: string;
}

/** A document of a claim, without its bytes. */
export interface ClaimDocument {
  readonly id: string;
  readonly claimId: string;
  readonly name: string;
  /** What its first bytes say that it is. */
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
  /** As `Content-Digest` has it (RFC 9530). */
  readonly digest: string;
  /** In ISO 8601. */
  readonly createdAt: string;
}

/** An erasure that is completed. */
export interface Erasure {
  readonly id: string;
  /** How many rows of each kind had the name. */
  readonly touched: readonly { readonly what: string; readonly count: number }[];
  /** What has it still, and why. */
  readonly kept: readonly { readonly what: string; readonly count: number; readonly why: string }[];
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

/** Milliseconds in which nothing of a job is done until it is given up. The drill `late-statement` holds one up for 300,000. */
const patience = 180_000;
const patienceForLate = 360_000;

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
  /** Asks for a job, and then for what became of it until it is completed, or for too long nothing of it was done. */
  const completed = async <Made extends Job>(
    path: string,
    options: ServiceCall,
    why: (job: Made) => string,
    longest = patience,
  ): Promise<Made> => {
    let seconds = 0;
    const onHeaders: ServiceCall['onHeaders'] = (answered) => (seconds = Number(answered['retry-after'] ?? 0));
    let job = await call<Made>('POST', path, { ...options, onHeaders });
    for (let idle = 0; job.status !== 'completed'; ) {
      if (idle >= (stands ? standing.patience : longest)) throw new LPlateError(why(job));
      const after = stands ? standing.pause : Math.max(1, seconds) * 1000;
      const before = JSON.stringify(job);
      job = await call<Made>('GET', `${path}/${job.id}`, { token: options.token, after, onHeaders });
      idle = JSON.stringify(job) === before ? idle + after : 0;
    }
    return job;
  };
  /** Why a job is given up that a drill may hold up. */
  const stillOpen = (what: string, drill: string, method: string) => {
    const then = `With now, time stands still, and so does what the drill ${drill} holds up: call advance() while ${method}() waits, or end the drill before.`;
    return `${what}. ${stands ? then : 'It is not known when it goes on.'}`;
  };
  const heldUp = ({ id, done, total }: ImportJob) =>
    stillOpen(
      `The import ${id} has done ${done} of ${total} rows, and no other for a while`,
      'slow-imports',
      'importPolicies',
    );
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
      const job = await completed<ImportJob>(imports, { token, lines, headers }, heldUp);
      const rows: ImportedRow[] = [];
      for (let page = 1; rows.length < job.total; page += 1) {
        const path = `${imports}/${job.id}/rows?page=${page}&pageSize=500`;
        rows.push(...(await call<{ items: ImportedRow[] }>('GET', path, { token })).items);
      }
      return { id: job.id, created: job.created, refused: job.refused, rows };
    },
    async makeStatement(json) {
      const token = await getToken();
      const statements = '/insurer/v1/statements';
      const late = ({ id }: Job) =>
        stillOpen(`The statement ${id} is not completed`, 'late-statement', 'makeStatement');
      const job = await completed<StatementJob>(statements, { token, json }, late, patienceForLate);
      const { id, count, premiums, commissions } = job;
      const content = await call<string>('GET', `${statements}/${id}/content`, { token, isText: true });
      return { id, count, premiums, commissions, content };
    },
    async addDocument(claimId, file) {
      const path = `/claims/v1/claims/${encodeURIComponent(claimId)}/documents`;
      return call<ClaimDocument>('POST', path, { token: await getToken(), file });
    },
    async eraseHolder(holder) {
      const erasures = '/insurer/v1/erasures';
      const still = (job: Job) => `The erasure ${job.id} does not go on. It is not known when it does.`;
      const job = await completed<Job & Erasure>(erasures, { token: await getToken(), json: { holder } }, still);
      return { id: job.id, touched: job.touched, kept: job.kept };
    },
  };
}

/** Work that is done later, as it is answered. */
interface Job {
  readonly id: string;
  readonly status: 'accepted' | 'running' | 'completed';
}

interface ImportJob extends Job {
  readonly total: number;
  readonly done: number;
  readonly created: number;
  readonly refused: number;
}

type StatementJob = Job & Omit<Statement, 'content'>;

function unlessItHasEnded(error: unknown): void {
  if (!(error instanceof LPlateError && error.problem?.status === 404)) throw error;
}
