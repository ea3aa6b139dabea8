import { deepEqual, equal } from 'node:assert/strict';
import { before, test } from 'node:test';
import { forEachEngineInFull } from '../../support/engines.ts';
import { type Answer, problem, sharedLPlate } from '../../support/lplate.ts';
import { claimOn, pass } from '../../support/topic.ts';

interface Changed {
  id?: string;
  claimId?: string;
  updatedAt: string;
}

const idOf = ({ id, claimId }: Changed) => id ?? claimId;

/** In the order in which a reader of changes gets them. */
const byChange = (items: Changed[]) =>
  items.toSorted((one, other) => {
    const [left, right] = [one, other].map((each) => each.updatedAt + idOf(each)) as [string, string];
    return left < right ? -1 : 1;
  });

forEachEngineInFull((engine) => {
  const lplate = sharedLPlate(engine, { rateLimitPerMinute: 1000 });
  let token: string;

  const get = (path: string, by = token) => lplate.call('GET', path, { token: by });
  const all = async (path: string): Promise<Changed[]> => (await get(`${path}?pageSize=500`)).json.items;
  const nextOf = ({ headers }: Answer) => /<[^>]*?(\/\w+\/v1\/[^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];

  const lists = ['/insurer/v1/policies', '/claims/v1/claims'];

  before(async () => {
    ({ token } = await lplate.client());
    const ids: string[] = [];
    // Of three, each group within one millisecond.
    for (let at = 0; at < 9; at += 1) {
      const created = await lplate.call('POST', '/policies', { token, json: { regNumber: `CS-${at}` } });
      ids.push(created.json.id);
      if (at % 3 === 2) await pass(lplate, 1);
    }
    for (const [at, id] of ids.entries()) await claimOn(lplate, token, id, { paceSeconds: at < 4 ? 2 : 60 });
    await pass(lplate, 5);
    for (const at of [4, 0]) {
      const path = `/policies/${ids[at]}`;
      await lplate.call('PUT', path, { token, json: { holder: 'Ada Example' } });
    }
    await pass(lplate, 1);
    await lplate.call('POST', `/policies/${ids[7]}/cancel`, { token });
  });

  for (const path of lists) {
    test(`Decisions, changes since: ${path} lists what changed at an instant or later, in the order of the changes`, async () => {
      const items = await all(path);
      for (const { updatedAt } of items) {
        const expected = byChange(items.filter((each) => each.updatedAt >= updatedAt));
        const answer = await get(`${path}?updatedSince=${updatedAt}`);
        deepEqual(answer.json.items, expected.slice(0, 20));
        deepEqual([answer.json.totalItems, answer.json.page, answer.json.pageSize], [expected.length, 1, 20]);
      }
      const newest = byChange(items).at(-1)?.updatedAt as string;
      const after = new Date(Date.parse(newest) + 1).toISOString();
      deepEqual((await get(`${path}?updatedSince=${after}`)).json.items, []);
    });

    test(`Decisions, changes since: the pages and links of ${path} keep it`, async () => {
      const items = byChange(await all(path));
      const since = items[2]?.updatedAt as string;
      const walked: Changed[] = [];
      for (let next: string | undefined = `${path}?updatedSince=${since}&pageSize=2`; next !== undefined; ) {
        const answer: Answer = await get(next);
        walked.push(...answer.json.items);
        next = nextOf(answer);
      }
      deepEqual(
        walked,
        items.filter(({ updatedAt }) => updatedAt >= since),
      );
    });

    test(`Decisions, changes since: an instant for ${path} may have an offset and any precision, and is no text of any other kind`, async () => {
      const items = byChange(await all(path));
      const since = items[4]?.updatedAt as string;
      const expected = items.filter(({ updatedAt }) => updatedAt >= since).map(idOf);
      const at = Temporal.Instant.from(since);
      const forms = [
        ...['+02:00', '-09:30', '+00:00'].map((timeZone) => encodeURIComponent(at.toString({ timeZone }))),
        ...[since.replace('Z', '000Z'), since.replace('Z', '999999Z'), since.toLowerCase()],
      ];
      for (const form of forms) {
        const found = (await get(`${path}?updatedSince=${form}&pageSize=500`)).json.items;
        deepEqual(found.map(idOf), expected, form);
      }
      const ends = {
        '0000-01-01T00:00:00%2B23:59': items.length,
        '9999-12-31T23:59:60Z': 0,
        '9999-12-31T23:59:59-23:59': 0,
      };
      for (const [form, total] of Object.entries({ ...ends, '2016-12-31T23:59:60Z': items.length }))
        equal((await get(`${path}?updatedSince=${form}`)).json.totalItems, total, form);
      const wrong = [
        ...[
          '',
          '2026-03-02',
          '2026-03-02T10:15',
          '2026-03-02T10:15:30',
          '2026-02-30T10:15:30Z',
          '2026-03-02T25:00:00Z',
        ],
        ...[
          '2026-03-02T10:15:30+01:00',
          '1772446530',
          'yesterday',
          'P1D',
          '12026-03-02T10:15:30Z',
          '2026-03-02T10:15:30Z%00',
        ],
        ...[
          `${since}&updatedSince=${since}`,
          '2026-13-02T10:15:30Z',
          '2026-03-02T23:59:60Z%2B99:99',
          '-000001-01-01T00:00:00Z',
        ],
      ];
      for (const value of wrong) {
        const answer = await get(`${path}?updatedSince=${value}`);
        deepEqual(problem(answer), [400, 'validation-error'], value);
        equal(answer.json.errors[0].parameter, 'updatedSince', value);
      }
    });

    test(`Endpoints, rule 3: changes since find nothing of another client in ${path}`, async () => {
      const { token: other } = await lplate.client();
      equal((await get(`${path}?updatedSince=2000-01-01T00:00:00Z`, other)).json.totalItems, 0);
    });
  }

  test('Decisions, changes since: other filters are kept', async () => {
    const since = '2000-01-01T00:00:00Z';
    const statuses = async (query: string) =>
      (await get(`${query}&updatedSince=${since}`)).json.items.map(({ status }: { status: string }) => status);
    deepEqual(await statuses('/insurer/v1/policies?status=updated'), ['updated', 'updated']);
    deepEqual(await statuses('/insurer/v1/policies?regNumber=cs7'), ['cancelled']);
    const policyNumber = ((await all('/claims/v1/claims')) as unknown as { policyNumber: string }[])[0]?.policyNumber;
    equal((await statuses(`/claims/v1/claims?policyNumber=${policyNumber}`)).length, 1);
    deepEqual(await statuses('/claims/v1/claims?status=CLOSED&pageSize=1'), ['CLOSED']);
  });

  test('Decisions, changes since: that a policy expires is no change of anybody: the reader looks at endDate', async () => {
    const { id, secret, token: own } = await lplate.client();
    const policy = await lplate.call('POST', '/policies', {
      token: own,
      json: { regNumber: 'CS-EX', coverageOption: 'MTPL-1M' },
    });
    await lplate.call('POST', '/range/v1/me/clock', { token: own, json: { advance: 'P2M' } });
    const later = await lplate.token(id, secret);
    const [item] = (await get(`/insurer/v1/policies?updatedSince=${policy.json.updatedAt}`, later)).json.items;
    deepEqual([item.status, item.updatedAt], ['expired', policy.json.updatedAt]);
    const { now } = (await get('/range/v1/me/clock', later)).json;
    equal((await get(`/insurer/v1/policies?updatedSince=${now}`, later)).json.totalItems, 0);
  });
});
