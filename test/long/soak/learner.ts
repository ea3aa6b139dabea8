import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, send } from '../../support/http1.ts';
import type { TestClient } from '../../support/lplate.ts';
import { until } from '../../support/until.ts';

/** Milliseconds between two calls: fewer than a learner may make in a minute. */
const gapMs = 1100;

/** Who works at an address, slowly enough for every limit, and watches the log and the lessons. */
export class Learner {
  /** Milliseconds that each call took, and when it began. */
  readonly timed: { readonly at: number; readonly ms: number }[] = [];
  readonly #url: string;
  readonly #address: string;
  readonly #client: TestClient;
  readonly #ids: string[] = [];
  readonly #streams: { readonly answer: IncomingMessage; text: string; ended: boolean }[] = [];
  #policies = 0;

  private constructor(url: string, address: string, client: TestClient) {
    this.#url = url;
    this.#address = address;
    this.#client = client;
  }

  static async open(t: TestContext, url: string, address: string, client: TestClient): Promise<Learner> {
    const learner = new Learner(url, address, client);
    for (const path of ['/range/v1/me/exchanges', '/range/v1/me/lessons']) await learner.#watch(t, path);
    return learner;
  }

  async work(running: () => boolean): Promise<void> {
    await pause(Math.random() * gapMs);
    for (let round = 0; running(); round += 1) {
      const create = { regNumber: `L${this.#client.id.slice(-6).toUpperCase()}${round}` };
      const created = await this.#timed('POST', '/insurer/v1/policies', create);
      assert.equal(created.status, 201, created.text);
      this.#policies += 1;
      const { id } = created.json;
      for (const path of [`/policies/${id}`, '/policies', '/coverage-options'])
        assert.equal((await this.#timed('GET', `/insurer/v1${path}`)).status, 200);
    }
  }

  /** Every call came to the log, lessons were solved, policies are there, and no stream has ended. */
  async assertNothingLost(): Promise<void> {
    const [log, lessons] = this.#streams;
    await until(() => this.#ids.every((id) => log?.text.includes(id)), 'all calls in the log');
    const solved = () =>
      [...(lessons?.text ?? '').matchAll(/^data: (.*)$/gm)]
        .map(([, data = '']) => JSON.parse(data))
        .some(({ id, state }) => id === 'create-policy' && state === 'solved');
    await until(solved, 'a solved lesson');
    assert.ok(this.#streams.every(({ ended }) => !ended));
    assert.equal((await this.#call('GET', '/insurer/v1/policies')).json.totalItems, this.#policies);
    assert.equal((await this.#call('GET', '/range/v1/me')).json.calls, this.#ids.length + 3);
  }

  async #timed(method: string, path: string, json?: object): Promise<Answer> {
    const [at, begun] = [Date.now(), performance.now()];
    const answer = await this.#call(method, path, json);
    this.timed.push({ at, ms: performance.now() - begun });
    this.#ids.push(answer.headers.get('x-request-id') as string);
    await pause(gapMs);
    return answer;
  }

  #call(method: string, path: string, json?: object): Promise<Answer> {
    const headers = { ...this.#headers, ...(json && { 'Content-Type': 'application/json' }) };
    return send(this.#url + path, { method, headers, body: json && JSON.stringify(json) });
  }

  get #headers(): Record<string, string> {
    return { Authorization: `Bearer ${this.#client.token}`, 'X-Forwarded-For': this.#address };
  }

  #watch(t: TestContext, path: string): Promise<void> {
    const headers = { ...this.#headers, Accept: 'text/event-stream' };
    return new Promise((resolve, reject) => {
      const asked = request(this.#url + path, { agent: false, headers }, (answer) => {
        const stream = { answer, text: '', ended: false };
        this.#streams.push(stream);
        answer.setEncoding('utf8').on('data', (text: string) => (stream.text += text));
        answer.on('close', () => (stream.ended = true)).on('error', () => {});
        if (answer.statusCode === 200) resolve();
        else reject(new Error(`${path}: ${answer.statusCode}`));
      });
      t.after(() => asked.destroy());
      asked.on('error', reject).end();
    });
  }
}
