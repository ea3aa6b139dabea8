import { hour } from '../../src/time/units.ts';

/*
 * The life of policies as the specification and the decisions tell it, in the plainest way that could work: a list
 * and a clock. It shares no line with the program, so that the two can be compared.
 */

export interface ModelPolicy {
  id: string;
  status: string;
  regNumber: string;
  holder: string | null;
  coverageOption: string;
  startDate: string;
  endDate: string;
  createdAt: string;
  updatedAt: string;
}

interface Owned {
  owner: string;
  policy: ModelPolicy;
}

export interface CreateRequest {
  regNumber: string;
  holder?: string;
  coverageOption?: string;
  startDate?: string;
}

const dayLong = 24 * hour;

/** Use is kept to the grain of five minutes, rounded towards keeping. */
const grain = 300_000;

const months: Record<string, number> = { 'MTPL-1M': 1, 'MTPL-3M': 3, 'MTPL-6M': 6, 'MTPL-12M': 12 };

export class PolicyModel {
  #now: number;
  #policies: Owned[] = [];
  /** When each client was last used. */
  readonly #used = new Map<string, number>();

  constructor(now: number) {
    this.#now = now;
  }

  get now(): number {
    return this.#now;
  }

  get today(): string {
    return dayOf(this.#now);
  }

  pass(milliseconds: number): void {
    this.#now += milliseconds;
  }

  use(client: string): void {
    this.#used.set(client, this.#now);
  }

  /** What housekeeping must do about a client now. Within the grain it may do either. */
  fate(client: string): 'kept' | 'removed' | 'either' {
    const idle = this.#now - (this.#used.get(client) as number);
    return idle < dayLong ? 'kept' : idle < dayLong + grain ? 'either' : 'removed';
  }

  remove(client: string): void {
    this.#policies = this.#policies.filter(({ owner }) => owner !== client);
  }

  /** The status it must be answered with; the answer's id is given to `add` when that is 201. */
  mayCreate(request: CreateRequest): 201 | 400 | 409 {
    const start = request.startDate ?? this.today;
    if (start < this.today || start > addMonths(this.today, 12)) return 400;
    return this.#inForce(request.regNumber) ? 409 : 201;
  }

  add(owner: string, id: string, request: CreateRequest): ModelPolicy {
    const coverageOption = request.coverageOption ?? 'MTPL-12M';
    const startDate = request.startDate ?? this.today;
    const at = new Date(this.#now).toISOString();
    const policy: ModelPolicy = {
      id,
      status: 'active',
      regNumber: request.regNumber,
      holder: request.holder?.trim() ?? null,
      coverageOption,
      startDate,
      endDate: lastDay(startDate, months[coverageOption] as number),
      createdAt: at,
      updatedAt: at,
    };
    this.#policies.push({ owner, policy });
    return policy;
  }

  /** As it is today. */
  read(client: string, id: string): ModelPolicy | undefined {
    return this.list(client).find((policy) => policy.id === id);
  }

  list(client: string): ModelPolicy[] {
    return this.#policies.filter(({ owner }) => owner === client).map(({ policy }) => this.#asOfToday(policy));
  }

  update(client: string, id: string, holder: string): 200 | 404 | 409 {
    return this.#change(client, id, (policy) => {
      policy.status = 'updated';
      policy.holder = holder.trim();
    });
  }

  cancel(client: string, id: string): 200 | 404 | 409 {
    if (this.read(client, id)?.status === 'cancelled') return 200;
    return this.#change(client, id, (policy) => {
      policy.status = 'cancelled';
    });
  }

  insured(regNumber: string): boolean {
    const policy = this.#inForce(regNumber);
    return policy !== undefined && policy.startDate <= this.today;
  }

  #inForce(regNumber: string): ModelPolicy | undefined {
    const vehicle = (text: string) => text.replaceAll('-', '').toLowerCase();
    return this.#policies
      .map(({ policy }) => this.#asOfToday(policy))
      .find((policy) => isInForce(policy) && vehicle(policy.regNumber) === vehicle(regNumber));
  }

  #change(client: string, id: string, change: (policy: ModelPolicy) => void): 200 | 404 | 409 {
    const found = this.#policies.find(({ owner, policy }) => owner === client && policy.id === id);
    if (!found) return 404;
    if (!isInForce(this.#asOfToday(found.policy))) return 409;
    change(found.policy);
    found.policy.updatedAt = new Date(this.#now).toISOString();
    return 200;
  }

  #asOfToday(policy: ModelPolicy): ModelPolicy {
    const over = isInForce(policy) && policy.endDate < this.today;
    return { ...policy, status: over ? 'expired' : policy.status };
  }
}

function isInForce({ status }: ModelPolicy): boolean {
  return status === 'active' || status === 'updated';
}

export function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

/** The day before the same day of a later month, or the last one when that month is shorter. */
function lastDay(date: string, count: number): string {
  const end = addMonths(date, count);
  return end.endsWith(date.slice(-2)) ? dayOf(Date.parse(end) - dayLong) : end;
}

/** The same day of a later month, or the last one when that month is shorter. */
function addMonths(date: string, count: number): string {
  const [year, month, day] = date.split('-').map(Number) as [number, number, number];
  const longest = new Date(Date.UTC(year, month + count, 0)).getUTCDate();
  return dayOf(Date.UTC(year, month - 1 + count, Math.min(day, longest)));
}
