import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { forEachEngineInFull } from '../support/engines.ts';
import { type Answer, problem, sharedLPlate } from '../support/lplate.ts';
import { claimOn, insure, pass } from '../support/topic.ts';

interface Item {
  claimId: string;
  policyNumber: string;
  status: string;
}

/** The targets of a `Link` header by relation: absolute URLs, of which the path is given. */
function linksOf({ headers }: Answer): Record<string, string> {
  const links = (headers.get('link') ?? '').matchAll(/<http:\/\/localhost:\d+(\/[^>]*)>; rel="(\w+)"/g);
  return Object.fromEntries([...links].map(([, target, relation]) => [relation, target]));
}

const idsOf = ({ json }: Answer): string[] => json.items.map(({ claimId }: Item) => claimId);

forEachEngineInFull((engine) => {
  const lplate = sharedLPlate(engine);
  let token: string;
  const policies: string[] = [];
  /** Oldest first. The first ten stand at CLOSED, the next eight at UNDER_REVIEW, the last five at REGISTERED. */
  const ids: string[] = [];
  const path = '/claims/v1/claims';
  const list = (query: string, as = token) => lplate.call('GET', `${path}${query}`, { token: as });

  before(async () => {
    ({ token } = await lplate.client());
    for (let at = 0; at < 2; at += 1) policies.push(await insure(lplate, token));
    const register = async (count: number, paceSeconds: number) => {
      for (let at = 0; at < count; at += 1) {
        ids.push(await claimOn(lplate, token, policies[ids.length % 2] as string, { paceSeconds }));
      }
    };
    await register(10, 1);
    await register(8, 10);
    await register(5, 3600);
    await pass(lplate, 10);
  });

  test('Endpoints, claims interface: the list comes oldest first, twenty at a time, with the totals', async () => {
    const answer = await list('');
    assert.equal(answer.status, 200);
    const { items, ...rest } = answer.json;
    assert.deepEqual(rest, { page: 1, pageSize: 20, totalItems: 23, totalPages: 2 });
    assert.equal(items.length, 20);
    assert.deepEqual(idsOf(answer), ids.slice(0, 20));
    assert.deepEqual(ids, ids.toSorted(), 'the oldest has the lowest number');
  });

  test('Endpoints, claims interface: every claim of a list is whole, as the read of that claim gives it', async () => {
    for (const item of (await list('?pageSize=500')).json.items) {
      assert.deepEqual((await lplate.call('GET', `${path}/${item.claimId}`, { token })).json, item);
    }
  });

  test('Decisions, lists: page and pageSize cut the list of claims; a page past the end has no items', async () => {
    assert.deepEqual(idsOf(await list('?page=2')), ids.slice(20));
    assert.deepEqual(idsOf(await list('?page=3&pageSize=5')), ids.slice(10, 15));
    assert.deepEqual(idsOf(await list('?page=23&pageSize=1')), ids.slice(22));
    assert.deepEqual(idsOf(await list('?pageSize=500')), ids);
    for (const [query, totalPages] of [
      ['?page=3', 2],
      ['?page=24&pageSize=1', 23],
      ['?page=1000000&pageSize=500', 1],
    ] as const) {
      const { status, json } = await list(query);
      assert.deepEqual([status, json.items, json.totalItems, json.totalPages], [200, [], 23, totalPages]);
    }
  });

  test('Decisions, lists: other values of page and pageSize are 400, and the parameter is named', async () => {
    for (const [name, tooMuch] of [
      ['page', '1000001'],
      ['pageSize', '501'],
    ] as const) {
      for (const value of [
        '0',
        '-1',
        '1.5',
        '1e1',
        '0x10',
        '007',
        '',
        'abc',
        '1%00',
        '99999999999999999999',
        tooMuch,
      ]) {
        const answer = await list(`?${name}=${value}`);
        assert.deepEqual(problem(answer), [400, 'validation-error'], `${name}=${value}`);
        assert.deepEqual(
          answer.json.errors.map(({ parameter }: { parameter: string }) => parameter),
          [name],
        );
      }
      assert.equal((await list(`?${name}=1&${name}=2`)).status, 400, `${name} twice`);
    }
    assert.equal((await list('?page=0&pageSize=0&status=OPEN')).json.errors.length, 3, 'each fault is told');
    for (const query of ['?page=1', '?page=1000000', '?pageSize=1', '?pageSize=500', '?sort=x&limit=0']) {
      assert.equal((await list(query)).status, 200, query);
    }
  });

  test('Decisions, claims: the filter status takes one of the five', async () => {
    const groups = { CLOSED: ids.slice(0, 10), UNDER_REVIEW: ids.slice(10, 18), REGISTERED: ids.slice(18) };
    for (const [status, expected] of Object.entries({ ...groups, APPROVED: [], REJECTED: [] })) {
      const answer = await list(`?status=${status}`);
      assert.deepEqual(idsOf(answer), expected);
      assert.deepEqual(
        [answer.json.totalItems, answer.json.totalPages],
        [expected.length, Math.min(1, expected.length)],
      );
    }
    for (const value of ['', 'closed', 'CLOSED%20', 'OPEN', 'CLOSED%00', 'CLOSED,REGISTERED', 'CLOSED&status=CLOSED']) {
      const answer = await list(`?status=${value}`);
      assert.deepEqual(problem(answer), [400, 'validation-error'], value);
      assert.equal(answer.json.errors[0].parameter, 'status');
      assert.match(answer.json.detail, /REGISTERED, UNDER_REVIEW, APPROVED, REJECTED, CLOSED|one text|string/);
    }
  });

  test('Decisions, claims: the filter policyNumber gives the claims on that policy, alone and with status', async () => {
    const [first, second] = policies as [string, string];
    assert.deepEqual(
      idsOf(await list(`?policyNumber=${first}&pageSize=500`)),
      ids.filter((_, at) => at % 2 === 0),
    );
    assert.deepEqual(
      idsOf(await list(`?policyNumber=${second}&pageSize=500`)),
      ids.filter((_, at) => at % 2 === 1),
    );
    const both = await list(`?policyNumber=${second}&status=CLOSED&page=2&pageSize=2`);
    assert.deepEqual(idsOf(both), [ids[5], ids[7]]);
    assert.deepEqual([both.json.totalItems, both.json.totalPages], [5, 3]);
    const past = await list(`?policyNumber=${second}&status=CLOSED&page=9&pageSize=2`);
    assert.deepEqual([past.status, past.json.items, past.json.totalItems], [200, [], 5]);
    assert.equal((await list(`?policyNumber=${first}&policyNumber=${second}`)).status, 400, 'twice');
  });

  test('Decisions, claims: a filter by a policy that is not one’s own, or by any other text, finds nothing; what can’t be the id of a policy is told', async () => {
    const other = await lplate.client();
    const theirs = await insure(lplate, other.token);
    await claimOn(lplate, other.token, theirs);
    const odd = ['%', '%ff', '%ED%A0%80', "'%20or%201=1--", '*', '%25', 'x'.repeat(100)];
    for (const value of [theirs, 'pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f', ...odd]) {
      const answer = await list(`?policyNumber=${value}`);
      assert.deepEqual([answer.status, answer.json.items, answer.json.totalItems], [200, [], 0], value.slice(0, 60));
    }
    const { json: told } = await lplate.call('POST', path, { token, json: { policyNumber: 'AB-1234' } });
    const plate = await list('?policyNumber=AB-1234');
    assert.equal(
      plate.json.errors[0].detail,
      'is not the id of a policy. It looks like a registration number. The id of a policy begins with pol-.',
    );
    assert.ok(told.detail.includes('It looks like a registration number. The id of a policy begins with pol-.'));
    const impossible = [
      '',
      'ab1234',
      'CLM-2026-000001',
      'sub-1',
      'undefined',
      '{policyId}',
      '7',
      'pol-',
      `${policies[0]}x`,
      `"${policies[0]}"`,
      '%20',
      `http://localhost/insurer/v1/policies/${policies[0]}`,
    ];
    for (const value of impossible) {
      const answer = await list(`?policyNumber=${value}`);
      assert.deepEqual([answer.status, answer.json.errors[0].parameter], [400, 'policyNumber'], value);
    }
    assert.equal(
      (await list(`?policyNumber=%20${policies[0]}%0A`)).json.totalItems,
      12,
      'without white space around it',
    );
    // Links repeat the filter: without a bound they would grow past what clients take for headers.
    const long = await list(`?policyNumber=${'x'.repeat(101)}`);
    assert.deepEqual(problem(long), [400, 'validation-error']);
    assert.equal(long.json.errors[0].parameter, 'policyNumber');
    assert.equal(idsOf(await list('', other.token)).length, 1);
  });

  test('Decisions, lists: Link has first and last always, prev and next where there is such a page, and keeps the filters', async () => {
    const target = (query: string) => `/claims/v1/claims?${query}`;
    assert.deepEqual(linksOf(await list('')), {
      first: target('page=1&pageSize=20'),
      next: target('page=2&pageSize=20'),
      last: target('page=2&pageSize=20'),
    });
    const filters = `status=CLOSED&policyNumber=${policies[0]}`;
    assert.deepEqual(linksOf(await list(`?${filters}&page=2&pageSize=2`)), {
      first: target(`${filters}&page=1&pageSize=2`),
      prev: target(`${filters}&page=1&pageSize=2`),
      next: target(`${filters}&page=3&pageSize=2`),
      last: target(`${filters}&page=3&pageSize=2`),
    });
    const hostile = await list('?policyNumber=%3E%3B%20rel%3D%22next%22%26page%3D7%0D%0A');
    assert.deepEqual(Object.keys(linksOf(hostile)).sort(), ['first', 'last'], 'a filter can’t forge a link');
    const followed = await lplate.call('GET', linksOf(hostile).first as string, { token });
    assert.equal(followed.headers.get('link'), hostile.headers.get('link'));
  });

  test('Decisions, lists: a client without claims gets an empty first page', async () => {
    const { token: fresh } = await lplate.client();
    for (const query of ['', '?status=CLOSED', `?policyNumber=${policies[0]}`]) {
      const answer = await list(query, fresh);
      assert.deepEqual(answer.json, { items: [], page: 1, pageSize: 20, totalItems: 0, totalPages: 0 });
      assert.deepEqual(Object.keys(linksOf(answer)).sort(), ['first', 'last']);
    }
  });

  test('Decisions, lists: a walk along next sees each claim once, even while others are registered', async () => {
    for (const filter of [() => '', (policy: string) => `&policyNumber=${policy}&status=REGISTERED`]) {
      const { token: own } = await lplate.client();
      const policy = await insure(lplate, own);
      const made: string[] = [];
      const add = async () => made.push(await claimOn(lplate, own, policy));
      for (let at = 0; at < 7; at += 1) await add();
      const seen: string[] = [];
      let next: string | undefined = `${path}?pageSize=3${filter(policy)}`;
      while (next !== undefined) {
        const answer: Answer = await lplate.call('GET', next, { token: own });
        seen.push(...idsOf(answer));
        if (made.length < 12) await add();
        assert(answer.json.items.length > 0, 'next never leads to nothing');
        next = linksOf(answer).next;
      }
      assert(seen.length >= 7);
      assert.deepEqual(seen, made.slice(0, seen.length), 'in the order of registration, none twice, none left out');
    }
  });

  test('Endpoints, claims interface: an unknown claim is 404 claim-not-found, and so is another client’s', async () => {
    const { token: other } = await lplate.client();
    const told = async (id: string) => {
      const { status, headers, text } = await lplate.call('GET', `${path}/${id}`, { token: other });
      const plain = text.replaceAll(id, 'ID').replace(/urn:uuid:[0-9a-f-]+/, 'URN');
      return { status, names: [...headers.keys()], plain };
    };
    const unknown = await told('CLM-2026-999999');
    assert.equal(unknown.status, 404);
    assert.match(unknown.plain, /claim-not-found/);
    assert.deepEqual(await told(ids[0] as string), unknown);
    const odd = ['CLM-2026-000000', 'clm-2026-000001', 'CLM-2026-1', '1', '%00', 'CLM-2026-000001%00', '%F0%9F%9A%97'];
    for (const id of [...odd, 'x'.repeat(5_000), '..%2Fclaims', "'--"]) {
      const answer = await lplate.call('GET', `${path}/${id}`, { token });
      assert.deepEqual(problem(answer), [404, 'claim-not-found'], id.slice(0, 60));
      assert(answer.text.length < 1_000);
    }
    assert.deepEqual(problem(await lplate.call('GET', `${path}/%zz`, { token })), [400, 'malformed-request']);
  });

  test('Decisions, conventions: a trailing slash is tolerated, Accept ignored, HEAD answered like GET', async () => {
    assert.deepEqual(idsOf(await lplate.call('GET', `${path}/?page=2`, { token })), ids.slice(20));
    const one = await lplate.call('GET', `${path}/${ids[0]}/`, { token });
    assert.equal(one.json.claimId, ids[0]);
    const asked = await lplate.call('GET', path, { token, headers: { Accept: 'text/event-stream' } });
    assert.equal(asked.json.totalItems, 23, 'Accept counts on the topic only');
    for (const target of [path, `${path}/${ids[0]}`]) {
      const [head, get] = [await lplate.call('HEAD', target, { token }), await lplate.call('GET', target, { token })];
      assert.deepEqual([head.status, head.text], [200, '']);
      for (const name of ['content-type', 'content-length', 'link']) {
        assert.equal(head.headers.get(name), get.headers.get(name), name);
      }
    }
  });
});
