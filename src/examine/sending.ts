import { consoleHeader } from '../http/requests/header-names.ts';
import type { ExamineOptions } from '../library/examination.ts';
import { instant, systemClock } from '../time/clock.ts';
import { NotUsable } from './not-usable.ts';
import { type Answer, type NoAnswer, parsed, Side } from './side.ts';
import { printable } from './tell.ts';

/** An L-Plate that gets what came of stages, and the client that it is of. */
interface Recipient {
  readonly to: URL;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Characters of what a recipient says that are told. */
const longestSaid = 300;

/**
 * Undefined where nothing is to be sent.
 *
 * @throws {NotUsable}
 */
export function recipientOf({ to, clientId, clientSecret }: ExamineOptions): Recipient | undefined {
  if (to === undefined && clientId === undefined && clientSecret === undefined) return undefined;
  if (!to || !clientId || !clientSecret)
    throw new NotUsable(
      '--to, --client-id and --client-secret go together; CLIENT_ID and CLIENT_SECRET are variables for the last two.',
    );
  const url = URL.canParse(to) ? new URL(to) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.search || url.hash || url.username || url.password)
    throw new NotUsable('--to needs the address of an L-Plate, such as http://trainer:8080.');
  return { to: url, clientId, clientSecret };
}

/**
 * Sends what came of stages to an L-Plate, one after the other and while the examination goes on. A failure is told once,
 * and is none of the examination.
 */
export class Sending {
  readonly #recipient: Recipient;
  readonly #seed: number;
  readonly #tell: (text: string) => void;
  readonly #side: Side;
  #token: string | undefined;
  #last: Promise<void> = Promise.resolve();
  #failure: string | undefined;
  /** There is no use in sending more. */
  #over = false;

  constructor(recipient: Recipient, seed: number, tell: (text: string) => void) {
    this.#recipient = recipient;
    this.#seed = seed;
    this.#tell = tell;
    this.#side = new Side(new URL(`${recipient.to.href.replace(/\/$/, '')}/insurer/v1`), systemClock, {
      paced: false,
    });
  }

  send(stage: string, outcome: string): void {
    const at = instant(systemClock.now());
    this.#last = this.#last.then(() => this.#put(stage, { outcome, at, seed: this.#seed }));
  }

  /** Resolves when all that could be sent was, with what failed first. */
  async end(): Promise<string | undefined> {
    await this.#last;
    return this.#failure;
  }

  async #put(stage: string, report: object): Promise<void> {
    if (this.#over) return;
    this.#token ??= await this.#newToken();
    if (this.#token === undefined) return;
    const answer = await this.#call('PUT', `/range/v1/me/examinations/${stage}`, report, this.#token);
    if ('failure' in answer || answer.status !== 200) this.#fail(answer);
  }

  async #newToken(): Promise<string | undefined> {
    const { clientId, clientSecret } = this.#recipient;
    const credentials = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    const answer = await this.#call('POST', '/insurer/v1/auth/token', credentials);
    const token = 'failure' in answer ? undefined : memberOf(answer, 'access_token');
    // What is no token of HTTP could not be sent.
    if (token !== undefined && /^[\w.~+/=-]+$/.test(token)) return token;
    this.#fail(answer);
    return undefined;
  }

  #call(method: string, path: string, json: object, token?: string): Promise<Answer | NoAnswer> {
    const headers = {
      'Content-Type': 'application/json',
      // No lesson counts it.
      [consoleHeader]: 'examine',
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    };
    return this.#side.call({ method, url: new URL(this.#side.addressOf(path)), headers, body: JSON.stringify(json) });
  }

  #fail(answer: Answer | NoAnswer): void {
    // A recipient of another version may know the other stages.
    this.#over = 'failure' in answer || !/\/stage-not-found$/.test(memberOf(answer, 'type') ?? '');
    if (this.#failure !== undefined) return;
    this.#failure = `What came of the stages was not sent to ${this.#recipient.to.href}, which ${reasonOf(answer)}`;
    this.#tell(this.#failure);
  }
}

function reasonOf(answer: Answer | NoAnswer): string {
  if ('failure' in answer) return `${answer.failure}.`;
  const said = memberOf(answer, 'detail');
  if (said === undefined) return `answered ${answer.status}, and not as an L-Plate with its range does.`;
  return `answered ${answer.status}: ${printable(said).replaceAll(/\s+/g, ' ').slice(0, longestSaid)}`;
}

function memberOf({ body }: Answer, name: string): string | undefined {
  const value = (parsed(body) as Record<string, unknown> | null | undefined)?.[name];
  return typeof value === 'string' ? value : undefined;
}
