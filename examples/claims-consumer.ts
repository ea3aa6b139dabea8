/*
 * A consumer of the topic claims.status-changed. It keeps a picture of where every claim stands, and tells each change
 * once: through duplicates, crashes, expired tokens, rate limits and restarts of the server, and after a week away.
 * README.md, beside it, says how to run it.
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

/** All that has to outlive a crash. It is one file, so that no part of it can be newer than another. */
interface State {
  /** Where to go on in the topic. */
  cursor: string;
  /** The picture: where each claim stands, and since when. */
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

/** What this consumer is for. A crash before the state is saved does it again: at most for one batch. */
function change({ claims }: State, { occurredAt, data }: ClaimEvent): void {
  const { claimId, previousStatus, newStatus, statusReason } = data;
  console.log(`${claimId}: ${previousStatus} -> ${newStatus}${statusReason === null ? '' : ` (${statusReason})`}`);
  // After a resynchronisation the picture may be ahead of the first events.
  const known = claims[claimId];
  if (!known || known.updatedAt < occurredAt) claims[claimId] = { status: newStatus, updatedAt: occurredAt };
}

/**
 * Draws the picture anew from the claims list: at the first start, and after a time away in which events were missed.
 * The cursor is taken before the list. So what changes while the list is read still comes as an event; taken after it,
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

/** Replaces the file in one step: whenever the power fails, it holds the old state or the new one. */
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

/** GET of the claims interface, with a token that is renewed when it has expired. Answers 200 or 410. */
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

/** Asks until there is an answer that would not be another one a little later. */
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
      // It is away, or what stands before it answered.
    }
    console.error(`${why}; asking again in ${seconds} s`);
    await pause(seconds * 1000);
  }
}

function expected<Body>(answer: Answer<Body>): Answer<Body> {
  if (answer.status === 200) return answer;
  throw new Error(`${answer.status}: ${(answer.body as { detail?: string }).detail}`);
}
