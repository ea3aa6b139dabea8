/*
 * A consumer of the topic claims.status-changed. It stores the status of every claim and prints each change once. It
 * handles duplicates, crashes, expired tokens, rate limits, restarts of the server, and a week offline. README.md in
 * this folder says how to run it.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const {
  LPLATE_URL = 'http://localhost:8080',
  CREDENTIALS_FILE = 'credentials.json', // as POST /demo-clients answered
  STATE_FILE = 'claims-consumer.json',
} = process.env;

/** Milliseconds for which the topic keeps an event. Older ones can't come again, so their ids may be forgotten. */
const retention = 7 * 24 * 60 * 60 * 1000;

interface ClaimEvent {
  eventId: string;
  occurredAt: string;
  data: { claimId: string; previousStatus: string; newStatus: string; statusReason: string | null };
}

interface ClaimList {
  items: { claimId: string; status: string; updatedAt: string }[];
  totalPages: number;
}

/** What must survive a crash. It is one file, so that no part of it can be newer than another. */
interface State {
  /** Where to continue in the topic. */
  cursor: string;
  /** The status of each claim, and since when. */
  claims: Record<string, { status: string; updatedAt: string }>;
  /** The events that were processed, and when. */
  processed: Record<string, number>;
}

let token: string | undefined;

try {
  let state = await load();
  for (;;) {
    state = state ? await follow(state) : await resynchronise();
    await save(state);
  }
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

/** Processes the next batch; waits for one when there is nothing new (a long poll). */
async function follow(state: State): Promise<State> {
  const { status, body } = await get<{ events: ClaimEvent[]; next: string }>(
    `/topics/claims.status-changed?after=${encodeURIComponent(state.cursor)}&wait=30`,
  );
  if (status === 410) return resynchronise(state);
  for (const event of body.events) {
    if (event.eventId in state.processed) continue; // delivered again
    change(state, event);
    state.processed[event.eventId] = Date.now();
  }
  return { ...state, cursor: body.next };
}

/** What this consumer does with an event. A crash before the state is saved repeats it, for one batch at most. */
function change({ claims }: State, { occurredAt, data }: ClaimEvent): void {
  const { claimId, previousStatus, newStatus, statusReason } = data;
  console.log(`${claimId}: ${previousStatus} -> ${newStatus}${statusReason === null ? '' : ` (${statusReason})`}`);
  // After a resynchronisation the stored status may be newer than the first events.
  const known = claims[claimId];
  if (!known || known.updatedAt < occurredAt) claims[claimId] = { status: newStatus, updatedAt: occurredAt };
}

/**
 * Reads the status of all claims from the list: at the first start, and after a time offline in which events were missed.
 * It gets the cursor before the list, so that changes while it reads the list still arrive as events. In the other order
 * such a change could be too late for the list and too early for the cursor.
 */
async function resynchronise({ processed }: Pick<State, 'processed'> = { processed: {} }): Promise<State> {
  const latest = await get<{ next: string }>('/topics/claims.status-changed?after=latest');
  const claims: State['claims'] = {};
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const { body } = await get<ClaimList>(`/claims?page=${page}&pageSize=500`);
    for (const { claimId, status, updatedAt } of body.items) claims[claimId] = { status, updatedAt };
    pages = body.totalPages;
  }
  console.log(`${Object.keys(claims).length} claims read from the list; following the topic from here`);
  return { cursor: latest.body.next, claims, processed };
}

async function load(): Promise<State | undefined> {
  const text = await readFile(STATE_FILE, 'utf8').catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
  return text === undefined ? undefined : JSON.parse(text);
}

/** Replaces the file in one step: after a power failure it contains the old state or the new one. */
async function save(state: State): Promise<void> {
  const recent = Object.entries(state.processed).filter(([, at]) => at > Date.now() - retention);
  state.processed = Object.fromEntries(recent);
  await writeFile(`${STATE_FILE}.new`, JSON.stringify(state), { flush: true });
  await rename(`${STATE_FILE}.new`, STATE_FILE);
}

interface Answer<Body> {
  status: number;
  body: Body;
}

/** GET from the claims interface, with a token that is renewed when it has expired. Returns 200 or 410, or throws. */
async function get<Body>(path: string): Promise<Answer<Body>> {
  const attempt = async () => {
    token ??= await newToken();
    return ask<Body>(`/claims/v1${path}`, { headers: { Authorization: `Bearer ${token}` } });
  };
  let answer = await attempt();
  if (answer.status === 401) {
    token = undefined;
    answer = await attempt();
  }
  return answer.status === 410 ? answer : expected(answer);
}

async function newToken(): Promise<string> {
  const body = await readFile(CREDENTIALS_FILE, 'utf8');
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body };
  const answer = await ask<{ access_token: string }>('/insurer/v1/auth/token', init);
  return expected(answer).body.access_token;
}

/** Repeats the request while the response is a temporary error. */
async function ask<Body>(path: string, init: RequestInit): Promise<Answer<Body>> {
  for (let failures = 0; ; failures += 1) {
    let [why, seconds] = ['no answer', Math.min(2 ** failures, 30)];
    try {
      const response = await fetch(LPLATE_URL + path, { ...init, signal: AbortSignal.timeout(60_000) });
      const body = (await response.json()) as Body;
      const { status, headers } = response;
      if (status !== 429 && status < 500) return { status, body };
      [why, seconds] = [String(status), Number(headers.get('retry-after')) || seconds];
    } catch {
      // L-Plate is not available, or a proxy in front of it answered.
    }
    console.error(`${why}; asking again in ${seconds} s`);
    await pause(seconds * 1000);
  }
}

function expected<Body>(answer: Answer<Body>): Answer<Body> {
  if (answer.status === 200) return answer;
  throw new Error(`${answer.status}: ${(answer.body as { detail?: string }).detail}`);
}
