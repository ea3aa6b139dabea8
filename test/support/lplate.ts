import { createHmac } from 'node:crypto';
import { createServer } from 'node:net';
import { after, before, type TestContext } from 'node:test';
import { type Running, type StartOptions, start } from '../../src/app.ts';
import { type Config, readConfig } from '../../src/settings/config.ts';
import { TestClock } from './clock.ts';
import { checkAgainstDescription } from './description.ts';
import type { Engine } from './engines.ts';
import { type Answer, hasHeader, type Sent, send } from './http1.ts';
import { assertNoSecrets, type SentSecrets } from './no-secrets.ts';
import { testSecrets } from './test-secrets.ts';

/** A real L-Plate on a real socket, with secrets that tests know and a clock that they move. */
export interface LPlate extends Running {
  readonly clock: TestClock;
  /** Log lines so far. */
  readonly log: string[];
  /**
   * Sends one request and checks the answer against the published description. A path that does not begin with a
   * system's prefix is one of the insurer's v1.
   */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** New demo credentials, and a token of them. */
  client(scope?: string): Promise<TestClient>;
  /** A token of given credentials. */
  token(clientId: string, secret: string, scope?: string): Promise<string>;
}

export interface TestClient {
  id: string;
  secret: string;
  token: string;
}

export interface CallOptions {
  token?: string | undefined;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is, with the content type that `headers` give. */
  body?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
  /** What is presented in TLS. */
  certificate?: Sent['certificate'];
}

export { type Answer, testSecrets };

type Rest = [settings?: Partial<Config>, clock?: TestClock, options?: Pick<StartOptions, 'resolve' | 'extraSystems'>];

/**
 * Limits so high that only tests of limits meet them are set here; every other setting is the default. It closes after
 * the test whose context is given, else the test closes it.
 */
export function startLPlate(t: TestContext, engine: Engine, ...rest: Rest): Promise<LPlate>;
export function startLPlate(engine: Engine, ...rest: Rest): Promise<LPlate>;
export async function startLPlate(first: TestContext | Engine, ...rest: unknown[]): Promise<LPlate> {
  if ('location' in first) return open(first, ...(rest as Rest));
  const lplate = await open(...(rest as [Engine, ...Rest]));
  first.after(() => lplate.close());
  return lplate;
}

/** The same, with a client of its own. */
export async function startWithClient(t: TestContext, engine: Engine, ...rest: Rest) {
  const lplate = await startLPlate(t, engine, ...rest);
  const client = await lplate.client();
  return { lplate, client, token: client.token };
}

/** The same, where no event comes twice unless it is said. */
export function startUndoubled(t: TestContext, engine: Engine, settings?: Partial<Config>): Promise<LPlate> {
  return startLPlate(t, engine, { eventsDuplicateRate: 0, ...settings });
}

/** One that all tests of this suite share. It opens before the first of them, and closes after the last. */
export function sharedLPlate(engine: Engine, ...rest: Rest): LPlate {
  const lplate = {} as LPlate;
  before(async () => void Object.assign(lplate, await open(engine, ...rest)));
  after(() => lplate.close?.());
  return lplate;
}

/** A client of a shared one, for all tests of this suite. */
export function sharedClient(lplate: LPlate, scope?: string): TestClient {
  const client = {} as TestClient;
  before(async () => void Object.assign(client, await lplate.client(scope)));
  return client;
}

async function open(engine: Engine, ...[settings = {}, clock = new TestClock(), options = {}]: Rest): Promise<LPlate> {
  const location = await engine.location({ migrated: true });
  const where = 'directory' in location ? { dataDir: location.directory } : { databaseUrl: location.url };
  const defaults = readConfig([], {}) as Config;
  const config: Config = {
    ...defaults,
    ...testSecrets,
    ...where,
    port: 0,
    publicUrlGiven: settings.publicUrl !== undefined,
    rateLimitPerMinute: 1_000_000,
    ...settings,
  };
  const log: string[] = [];
  const running = await start(config, { ...options, clock, log: { write: (line) => void log.push(line) } });
  return connect(running, clock, log);
}

function connect(running: Running, clock: TestClock, log: string[]): LPlate {
  // By the name that absolute URLs have, so that those of answers are the ones of the settings.
  const url = running.config.publicUrlGiven ? running.url : running.config.publicUrl;
  const base = `${url}/insurer/v1`;
  const secrets: SentSecrets = new Set(Object.values(testSecrets));

  async function call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const given = options.headers ?? {};
    const headers = {
      ...given,
      ...(options.token !== undefined && { Authorization: `Bearer ${options.token}` }),
      ...(options.json !== undefined && !hasHeader(given, 'Content-Type') && { 'Content-Type': 'application/json' }),
    };
    const body = options.json === undefined ? options.body : JSON.stringify(options.json);
    // A Location or Link names the public address, which leads here.
    const local = path.replace(running.config.publicUrl, '');
    const address = prefixes.test(local) ? `${url}${local}` : `${base}${local}`;
    const answer = await send(address, { method, headers, body, certificate: options.certificate });
    for (const name of ['client_secret', 'access_token', 'secret']) {
      if (typeof answer.json?.[name] === 'string' && answer.json[name].length > 20) secrets.add(answer.json[name]);
    }
    const described = new URL(address).pathname.replace(/^\/for\/[^/]+/, '');
    await checkAgainstDescription(url, method, described, answer);
    return answer;
  }

  async function token(clientId: string, secret: string, scope?: string): Promise<string> {
    const answer = await call('POST', '/auth/token', { json: { client_id: clientId, client_secret: secret, scope } });
    if (answer.status !== 200) throw new Error(`no token: ${answer.text}`);
    return answer.json.access_token;
  }

  return {
    ...running,
    url,
    clock,
    log,
    call,
    token,
    async close() {
      await running.close();
      await assertNoSecrets(running.config, log, secrets);
    },
    async client(scope) {
      const { json } = await call('POST', '/demo-clients');
      const { client_id: id, client_secret: secret } = json;
      return { id, secret, token: await token(id, secret, scope) };
    },
  };
}

const prefixes = /^\/(?:insurer|vehicle-registry|claims|range|\.well-known|for)\//;

/** What the log has from a level on: warnings from 40, errors from 50. */
export function linesFrom({ log }: Pick<LPlate, 'log'>, least: number) {
  return log.map((line) => JSON.parse(line)).filter(({ level }) => level >= least);
}

/** What a test compares of a refusal: its status and its identifier. */
export function problem({ status, json }: Answer): [number, string | undefined] {
  return [status, json?.type?.split('/').at(-1)];
}

/** The hexadecimal HMAC-SHA256 that the signed endpoint wants. */
export function sign(body: string | Uint8Array, secret: string = testSecrets.hmacSecret): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** A port that nobody listens on at the moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}
