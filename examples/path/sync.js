import { newPlate } from './learner.js';

const longAgo = '2000-01-01T00:00:00Z';
const pageSize = 40;

/** Lessons “Keeping two systems the same”. */
export async function sync(me) {
  const create = (more) => me.call('POST', '/insurer/v1/policies', { json: { regNumber: newPlate(), ...more } });

  // lesson: watermark
  // The last policy of the list has the newest updatedAt. The next run begins a minute before: what was being written
  // meanwhile bears an instant before the one at which it could be seen.
  const watermark = (await changesSince(me, longAgo)).at(-1).updatedAt;
  await create();
  await changesSince(me, new Date(Date.parse(watermark) - 60_000).toISOString());

  // lesson: known-changes
  // What has the same updatedAt as in the first read is known, and nothing is to be done for it.
  const first = await changesSince(me, longAgo);
  const known = new Map(first.map(({ id, updatedAt }) => [id, updatedAt]));
  const inForce = first.find(({ status }) => status === 'active' || status === 'updated');
  await me.call('PUT', `/insurer/v1/policies/${inForce.id}`, { json: { holder: 'Grace Example' } });
  await create();
  const again = await changesSince(me, longAgo);
  await me.answer('known-changes', again.filter(({ id, updatedAt }) => known.get(id) === updatedAt).length);

  // lesson: moved-row
  // A policy of the first page changes, and moves to the end. What follows begins at the last instant of that page, not
  // at the next page.
  const { json: page } = await me.call('GET', `/insurer/v1/policies?updatedSince=${longAgo}&pageSize=${pageSize}`);
  const one = page.items.find(({ status }) => status === 'active' || status === 'updated');
  await me.call('PUT', `/insurer/v1/policies/${one.id}`, { json: { holder: 'Ada Example' } });
  await changesSince(me, page.items.at(-1).updatedAt);

  // lesson: totals-first
  await create({ coverageOption: 'MTPL-1M' });
  const copy = new Map();
  for await (const policy of policies(me, '')) copy.set(policy.id, policy);
  await me.advance('P40D');
  me.token = await me.newToken();
  // Nobody wrote, so this tells of nothing that ended.
  const newest = [...copy.values()].map(({ updatedAt }) => updatedAt).sort();
  await changesSince(me, newest.at(-1));
  // The totals do.
  const differing = [];
  for (const status of ['active', 'updated', 'cancelled', 'expired']) {
    const { json } = await me.call('GET', `/insurer/v1/policies?status=${status}&pageSize=1`);
    const here = [...copy.values()].filter((policy) => policy.status === status).length;
    if (json.totalItems !== here) differing.push(status);
  }
  // Then the rows of the state that has more than the copy.
  if (!differing.includes('expired')) throw new Error('no policy has expired');
  for await (const { id } of policies(me, '&status=expired')) {
    if (copy.get(id)?.status === 'expired') continue;
    await me.call('GET', `/insurer/v1/policies/${id}`);
    break;
  }
  // end
}

// lesson: watermark, known-changes, moved-row, totals-first
/**
 * What changed at an instant or later, in the order of the changes. After a full page it begins again at the last instant,
 * since a policy that changes meanwhile moves to the end, and all behind it move up.
 */
async function changesSince(me, instant) {
  const found = new Map();
  for (let from = instant, page = 1; ; ) {
    const query = new URLSearchParams({ updatedSince: from, page, pageSize });
    const { items } = (await me.call('GET', `/insurer/v1/policies?${query}`)).json;
    for (const policy of items) {
      // The last change of each counts, and comes last.
      found.delete(policy.id);
      found.set(policy.id, policy);
    }
    if (items.length < pageSize) return [...found.values()];
    const { updatedAt } = items.at(-1);
    page = updatedAt === from ? page + 1 : 1;
    from = updatedAt;
  }
}

// lesson: totals-first
/** Policies of a list, page by page. */
async function* policies(me, filter) {
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const { json } = await me.call('GET', `/insurer/v1/policies?page=${page}&pageSize=${pageSize}${filter}`);
    yield* json.items;
    pages = json.totalPages;
  }
}
