import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { fleetId } from '../../src/insurer/index.ts';
import { forEachEngineInFull } from '../support/engines.ts';
import { type Answer, sharedLPlate, testSecrets } from '../support/lplate.ts';

interface Item {
  id: string;
  regNumber: string;
}

/** The targets of a `Link` header by relation: absolute URLs, of which the path is given. */
function linksOf({ headers }: Answer): Record<string, string> {
  const links = (headers.get('link') ?? '').matchAll(/<http:\/\/localhost:\d+(\/[^>]*)>; rel="(\w+)"/g);
  return Object.fromEntries([...links].map(([, target, relation]) => [relation, target]));
}

forEachEngineInFull((engine) => {
  const lplate = sharedLPlate(engine);
  let fleet: string;
  before(async () => {
    fleet = await lplate.token(fleetId, testSecrets.fleetClientSecret);
  });

  const list = (query: string, token = fleet) => lplate.call('GET', `/policies${query}`, { token });
  const create = async (token: string, regNumber: string): Promise<Item> => {
    const answer = await lplate.call('POST', '/policies', { token, json: { regNumber } });
    assert.equal(answer.status, 201);
    return answer.json;
  };
  const plates = (answer: Answer) => answer.json.items.map(({ regNumber }: Item) => regNumber);
  const fleetPlates = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, at) => `FL-${String(from + at).padStart(4, '0')}`);

  test('Endpoints, 5: without parameters the first twenty come, with the totals', async () => {
    const answer = await list('');
    assert.equal(answer.status, 200);
    const { items, ...rest } = answer.json;
    assert.deepEqual(rest, { page: 1, pageSize: 20, totalItems: 75, totalPages: 4 });
    assert.equal(items.length, 20);
    assert.deepEqual(plates(answer), fleetPlates(1, 20));
  });

  test('Endpoints, 5: every policy of a list is whole, as the read of that policy gives it', async () => {
    for (const item of (await list('?pageSize=3')).json.items) {
      assert.deepEqual((await lplate.call('GET', `/policies/${item.id}`, { token: fleet })).json, item);
    }
  });

  test('Decisions, lists: page and pageSize cut the list, oldest first; the last page holds the rest', async () => {
    assert.deepEqual(plates(await list('?page=2&pageSize=30')), fleetPlates(31, 60));
    assert.deepEqual(plates(await list('?page=3&pageSize=30')), fleetPlates(61, 75));
    assert.deepEqual(plates(await list('?page=75&pageSize=1')), ['FL-0075']);
    assert.deepEqual(plates(await list('?page=4')), fleetPlates(61, 75));
    assert.deepEqual(plates(await list('?pageSize=500')), fleetPlates(1, 75));
    const exact = await list('?page=3&pageSize=25');
    assert.equal(exact.json.totalPages, 3);
    assert.equal(exact.json.items.length, 25);
  });

  test('Decisions, lists: a page past the end is 200, has no items, and still tells the totals', async () => {
    for (const [query, totalPages] of [
      ['?page=5', 4],
      ['?page=4&pageSize=25', 3],
      ['?page=1000000&pageSize=500', 1],
    ] as const) {
      const { status, json } = await list(query);
      assert.equal(status, 200);
      assert.deepEqual([json.items, json.totalItems, json.totalPages], [[], 75, totalPages]);
    }
  });

  test('Decisions, lists: a client without policies gets an empty first page', async () => {
    const { token } = await lplate.client();
    const answer = await list('', token);
    assert.deepEqual(answer.json, { items: [], page: 1, pageSize: 20, totalItems: 0, totalPages: 0 });
    assert.deepEqual(Object.keys(linksOf(answer)).sort(), ['first', 'last']);
  });

  test('Decisions, lists: other values of page and pageSize are 400, and the parameter is named', async () => {
    const odd = ['0', '-1', '1.5', '1e1', '0x10', '007', '', 'abc', '+1', '%201', '1%20', '%D9%A1', '1,000', 'NaN'];
    odd.push('99999999999999999999', '1%00');
    for (const [name, tooMuch] of [
      ['page', '1000001'],
      ['pageSize', '501'],
    ] as const) {
      for (const value of [...odd, tooMuch]) {
        const { status, json } = await list(`?${name}=${value}`);
        assert.equal(status, 400, `${name}=${value}`);
        assert.match(json.type, /\/validation-error$/);
        assert.deepEqual(
          json.errors.map(({ parameter }: { parameter: string }) => parameter),
          [name],
        );
        assert(json.detail.includes(name));
      }
      assert.equal((await list(`?${name}=1&${name}=2`)).status, 400, `${name} twice`);
    }
    const both = await list('?page=0&pageSize=0');
    assert.equal(both.json.errors.length, 2, 'each fault is told');
  });

  test('Decisions, lists: the outermost values that are allowed are taken; other parameters are ignored and named', async () => {
    for (const query of ['?page=1', '?page=1000000', '?pageSize=1', '?pageSize=500', '?page=%31']) {
      assert.equal((await list(query)).status, 200, query);
    }
    const odd = await list('?limit=5&cursor[]=3&sort=desc&__proto__=1&constructor=2&&=');
    assert.equal(odd.status, 200);
    assert.deepEqual([odd.json.page, odd.json.pageSize], [1, 20]);
    const ignored = ['limit', 'cursor%5B%5D', 'sort', '__proto__', 'constructor', ''].map((name) => `query/${name}`);
    assert.equal(odd.headers.get('l-plate-ignored'), ignored.join(', '));
  });

  test('Decisions, lists: Link has first and last always, prev and next where there is such a page, absolute', async () => {
    const target = (page: number) => `/insurer/v1/policies?page=${page}&pageSize=30`;
    assert.deepEqual(linksOf(await list('?pageSize=30')), { first: target(1), next: target(2), last: target(3) });
    assert.deepEqual(linksOf(await list('?page=2&pageSize=30')), {
      first: target(1),
      prev: target(1),
      next: target(3),
      last: target(3),
    });
    assert.deepEqual(linksOf(await list('?page=3&pageSize=30')), {
      first: target(1),
      prev: target(2),
      last: target(3),
    });
    const past = linksOf(await list('?page=999&pageSize=30'));
    assert.deepEqual(past, { first: target(1), prev: target(3), last: target(3) }, 'the way back from past the end');
  });

  test('Decisions, lists: a walk along next sees each policy once, even while others are added', async () => {
    const { token } = await lplate.client();
    const made: Item[] = [];
    for (let vehicle = 1; vehicle <= 7; vehicle += 1) made.push(await create(token, `WK-${vehicle}`));
    const seen: string[] = [];
    let next: string | undefined = '/insurer/v1/policies?pageSize=3';
    while (next !== undefined) {
      const answer: Answer = await lplate.call('GET', next, { token });
      seen.push(...answer.json.items.map(({ id }: Item) => id));
      if (made.length < 12) made.push(await create(token, `WK-${made.length + 1}`));
      assert(answer.json.items.length > 0, 'next never leads to nothing');
      next = linksOf(answer).next;
    }
    const ids = made.map(({ id }) => id);
    assert.deepEqual(seen.slice(0, 7), ids.slice(0, 7));
    assert.deepEqual(seen, ids.slice(0, seen.length), 'in the order of their creation, none twice, none left out');
  });

  test('Decisions, lists: cancelling, updating and failed creates move no policy to another place', async () => {
    const { token } = await lplate.client();
    const made: Item[] = [];
    for (let vehicle = 1; vehicle <= 4; vehicle += 1) made.push(await create(token, `MV-${vehicle}`));
    assert.equal((await lplate.call('POST', '/policies', { token, json: { regNumber: 'mv1' } })).status, 409);
    assert.equal((await lplate.call('POST', `/policies/${made[0]?.id}/cancel`, { token })).status, 200);
    assert.equal((await lplate.call('PUT', `/policies/${made[2]?.id}`, { token, json: { holder: 'A' } })).status, 200);
    made.push(await create(token, 'MV-1'));
    const { json } = await list('?pageSize=500', token);
    assert.equal(json.totalItems, 5, 'the refused create left no gap and no count');
    assert.deepEqual(
      json.items.map(({ id, status }: Item & { status: string }) => [id, status]),
      made.map(({ id }, at) => [id, ['cancelled', 'active', 'updated', 'active', 'active'][at]]),
    );
  });

  test('Endpoints, rule 3: a list holds the policies of the calling client and nobody else’s', async () => {
    const [one, other] = [await lplate.client(), await lplate.client()];
    const mine = await create(one.token, 'OW-1');
    const theirs = await create(other.token, 'OW-2');
    for (const [{ token }, policy] of [
      [one, mine],
      [other, theirs],
    ] as const) {
      const { json } = await list('?pageSize=500', token);
      assert.equal(json.totalItems, 1);
      assert.deepEqual(json.items, [policy]);
    }
    // Another token of the same client sees the same.
    const again = await lplate.token(one.id, one.secret);
    assert.deepEqual((await list('', again)).json.items, [mine]);
  });
});
