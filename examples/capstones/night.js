import { setTimeout as pause } from 'node:timers/promises';
import { root } from '../path/learner.js';
import { insist, renew } from './survive.js';

/* A copy of all policies, kept over three nights, and the sums of a statement. The copy can be saved. */

const pageSize = 500;

/** A change may become visible some time after the instant that it bears: so far back each run looks again. */
const overlap = 60_000;

/** Keeps the copy until the run can be reported. Resolves with it. `save` is given it whenever there is news in it. */
export async function keepCopy(me, { given, startedAt, reportFrom }, copy, save = () => {}) {
  const kept = copy ?? { watermark: '2000-01-01T00:00:00Z', policies: {} };
  const untilSecond = async (second) => pause(Math.max(0, Date.parse(startedAt) + 1000 * second - Date.now()));
  for (const night of given.nights) {
    await untilSecond(night.fromSecond + 1);
    // A program that starts anew in the third night has no need of the second one: it reads since its watermark.
    if (Date.now() <= Date.parse(startedAt) + 1000 * night.untilSecond) save(await sync(me, kept));
  }
  await pause(Math.max(0, Date.parse(reportFrom) - Date.now()));
  // Once more before it is compared: what came since then is here, too.
  save(await sync(me, kept));
  return kept;
}

async function sync(me, copy) {
  for await (const { id, updatedAt, status, endDate } of changesSince(me, copy.watermark)) {
    // The same again changes nothing. The watermark is an instant of the service, never of this machine.
    copy.policies[id] = { updatedAt, status, endDate };
    if (updatedAt > copy.watermark) copy.watermark = updatedAt;
  }
  return copy;
}

/** What changed a minute before an instant or later, without missing what changes meanwhile. */
async function* changesSince(me, watermark) {
  let from = new Date(Math.max(Date.parse(watermark) - overlap, 0)).toISOString();
  for (let page = 1; ; ) {
    const { json } = await insist(
      me,
      'GET',
      `/insurer/v1/policies?updatedSince=${from}&page=${page}&pageSize=${pageSize}`,
    );
    yield* json.items;
    if (json.items.length < pageSize) return;
    // Not the next page: a policy that changed moved to the end, and the one behind it would be passed over.
    const { updatedAt } = json.items.at(-1);
    page = updatedAt === from ? page + 1 : 1;
    from = updatedAt;
  }
}

/** Each policy as it is today. It ends by the calendar, and no list of changes tells that. */
export function rowsOf({ policies, watermark }) {
  const today = watermark.slice(0, 10);
  const isOver = ({ status, endDate }) => ['active', 'updated'].includes(status) && endDate < today;
  const row = (policy) => `${policy.updatedAt} ${isOver(policy) ? 'expired' : policy.status}`;
  return Object.fromEntries(Object.entries(policies).map(([id, policy]) => [id, row(policy)]));
}

/** Makes a statement, fetches its file and adds up the premiums of each coverage. With the key it is one, however often. */
export async function sumsOf(me, draft, key) {
  const path = '/insurer/v1/statements';
  let answer = await insist(me, 'POST', path, { json: draft, headers: { 'Idempotency-Key': key } });
  const { id } = answer.json;
  while (answer.json.status !== 'completed') {
    await pause(1000 * (answer.headers.get('retry-after') ?? 1));
    answer = await insist(me, 'GET', `${path}/${id}`);
  }
  const lines = new TextDecoder('windows-1252').decode(await download(me, `${path}/${id}/content`)).split('\r\n');
  const rows = lines.slice(1, -2);
  if (lines.at(-2).split(';')[1] !== String(rows.length)) throw new Error('the trailer counts other rows');
  // Money by whole cents.
  const cents = {};
  for (const row of rows) {
    const [, , coverage, , , premium] = row.split(';');
    cents[coverage] = (cents[coverage] ?? 0) + Number(premium.replace(',', ''));
  }
  const decimal = (sum) => `${Math.floor(sum / 100)}.${String(sum % 100).padStart(2, '0')}`;
  return { id, premiums: Object.fromEntries(Object.entries(cents).map(([coverage, sum]) => [coverage, decimal(sum)])) };
}

/** A file, however often it ends early: each call goes on where the one before broke off. */
async function download(me, path) {
  let [bytes, whole, etag] = [Buffer.alloc(0), Infinity, undefined];
  while (bytes.length < whole) {
    const rest = etag && { Range: `bytes=${bytes.length}-`, 'If-Range': etag };
    const headers = { Authorization: `Bearer ${me.token}`, 'Accept-Encoding': 'identity', ...rest };
    try {
      const response = await fetch(root + path, { headers });
      if (response.status === 401) await renew(me);
      if (!response.ok) continue;
      if (response.status === 200) {
        bytes = Buffer.alloc(0);
        [whole, etag] = [Number(response.headers.get('content-length')), response.headers.get('etag')];
      }
      for await (const chunk of response.body) bytes = Buffer.concat([bytes, chunk]);
    } catch {
      // It ended early.
    }
  }
  return bytes;
}
