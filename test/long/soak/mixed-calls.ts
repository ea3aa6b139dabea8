import { setTimeout as pause } from 'node:timers/promises';
import { sign } from '../../support/lplate.ts';
import type { Program } from '../../support/program.ts';

/** Milliseconds between two calls of one caller. */
const gapMs = 20;

const json = { 'Content-Type': 'application/json' };

const envelope = (regNumber: string) =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><GetVehicleDataRequest xmlns="http://lplate.example/vehicle-registry/v1"><RegNumber>${regNumber}</RegNumber></GetVehicleDataRequest></s:Body></s:Envelope>`;

interface Call {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** Callers that do whatever learners do, wrong calls included. Their lists are as long after a minute as at the end. */
export class MixedCalls {
  /** Answers that must not be. */
  readonly wrong: string[] = [];
  readonly #program: Program;
  readonly #counts = new Map<number, number>();
  #vehicles = 0;

  constructor(program: Program) {
    this.#program = program;
  }

  async run(running: () => boolean): Promise<void> {
    const { token } = await this.#program.client();
    const bearer = { Authorization: `Bearer ${token}` };
    let policy = '';
    const acts: (() => Promise<unknown>)[] = [
      async () => (policy = (await this.#create(bearer)) ?? policy),
      () => this.#insurer(`/policies/${policy}`, { headers: bearer }),
      () => this.#insurer(`/policies/${policy}`, this.#sent('PUT', { holder: 'Ada Example' }, bearer)),
      () => this.#insurer('/policies?pageSize=50', { headers: bearer }),
      () => this.#insurer(`/policies/${policy}/cancel`, { method: 'POST', headers: bearer }),
      () => this.#insurer('/policies', this.#sent('POST', { regNumber: 'FL-0001' }, bearer)),
      () => this.#insurer('/policies', this.#sent('POST', { regNumber: '' }, bearer)),
      () => this.#insurer('/policies', { method: 'POST', headers: { ...bearer, ...json }, body: '{"regNumber":' }),
      () => this.#insurer('/policies', {}),
      () => this.#insurer('/demo-clients', { method: 'POST' }),
      () => this.#insurer('/coverage-options', {}),
      () => this.#insurer('/limited/ping', {}),
      () => this.#signed(),
      () => this.#insurer('/openapi.yaml', {}),
      () => this.#call('/vehicle-registry/v2/vehicles/AB-1234', {}),
      () => this.#soap('AB-1234'),
      () => this.#soap('XX-0000'),
      () => this.#call('/claims/v1/claims?pageSize=100', { headers: bearer }),
      () => this.#call('/claims/v1/topics/claims.status-changed?limit=500', { headers: bearer }),
      () => this.#call('/problems/insufficient-scope', {}),
      () => this.#call('/metrics', {}),
      () => this.#call('/docs', {}),
      () => this.#call('/nowhere', {}),
    ];
    for (; running(); await pause(gapMs)) {
      try {
        await acts[Math.floor(Math.random() * acts.length)]?.();
      } catch (error) {
        this.wrong.push(String((error as Error).cause ?? error));
      }
    }
  }

  report(): string {
    const counts = [...this.#counts].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    return `mixed calls by status: ${counts.join(', ')}`;
  }

  async #create(bearer: Record<string, string>): Promise<string | undefined> {
    this.#vehicles += 1;
    const { status, text } = await this.#insurer(
      '/policies',
      this.#sent('POST', { regNumber: `MX-${this.#vehicles}` }, bearer),
    );
    return status === 201 ? JSON.parse(text).id : undefined;
  }

  #sent(method: string, body: object, headers: Record<string, string>): Call {
    return { method, headers: { ...headers, ...json }, body: JSON.stringify(body) };
  }

  #signed() {
    const body = '{"regNumber":"FL-0001"}';
    const signature = Math.random() < 0.5 ? sign(body, this.#program.secrets.hmacSecret) : sign(body, 'wrong');
    return this.#insurer('/signed/policy-check', {
      method: 'POST',
      headers: { ...json, 'X-Signature': signature },
      body,
    });
  }

  #soap(regNumber: string) {
    const headers = { 'Content-Type': 'text/xml; charset=utf-8' };
    return this.#call('/vehicle-registry/v1', { method: 'POST', headers, body: envelope(regNumber) });
  }

  #insurer(path: string, call: Call) {
    return this.#call(`/insurer/v1${path}`, call);
  }

  async #call(path: string, { method = 'GET', headers = {}, body }: Call): Promise<{ status: number; text: string }> {
    const answer = await fetch(this.#program.url + path, { method, headers, body: body ?? null });
    const text = await answer.text();
    const { status } = answer;
    this.#counts.set(status, (this.#counts.get(status) ?? 0) + 1);
    if (status >= 500 && !text.includes('VehicleNotFoundFault'))
      this.wrong.push(`${method} ${path}: ${status} ${text}`);
    return { status, text };
  }
}
