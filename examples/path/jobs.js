import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { newPlate } from './learner.js';

/** Lessons “Jobs in the background”. */
export async function jobs(me) {
  // lesson: import-job
  // Two policies in one call. They are done later, and slowly: that is the drill.
  await me.startDrill('slow-imports', { groupSeconds: 2 });
  const slow = await importPolicies(me, [{ regNumber: newPlate() }, { regNumber: newPlate() }]);
  await me.call('GET', `${slow}/rows`);
  await me.endDrill('slow-imports');

  // lesson: import-rows
  // 25 rows, of which 4 and 24 have a coverage option that does not exist. These are refused, the others are not.
  const drafts = Array.from({ length: 25 }, (_, at) => ({
    regNumber: newPlate(),
    coverageOption: at % 20 === 3 ? 'MTPL-2M' : 'MTPL-3M',
  }));
  const path = await importPolicies(me, drafts);
  const refused = [];
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const { json } = await me.call('GET', `${path}/rows?page=${page}`);
    refused.push(...json.items.filter(({ status }) => status === 'refused'));
    pages = json.totalPages;
  }
  // Only those again, put right. The others are policies by now.
  const again = refused.map(({ line }) => ({ ...drafts[line - 1], coverageOption: 'MTPL-1M' }));
  await importPolicies(me, again);
  // end
}

// lesson: import-job, import-rows
/** Imports policies, one a line, and waits as long as each answer says. Returns the path of the import when it is done. */
async function importPolicies(me, drafts) {
  let answer = await me.call('POST', '/insurer/v1/policy-imports', {
    headers: { 'Content-Type': 'application/x-ndjson', 'Idempotency-Key': randomUUID() },
    body: drafts.map((draft) => JSON.stringify(draft)).join('\n'),
  });
  const { pathname } = new URL(answer.headers.get('location'));
  while (answer.json.status !== 'completed') {
    await pause(1000 * answer.headers.get('retry-after'));
    answer = await me.call('GET', pathname);
  }
  return pathname;
}
