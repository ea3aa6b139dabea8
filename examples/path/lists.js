import { newPlate } from './learner.js';

/** Lessons “Lists”. */
export async function lists(me) {
  // lesson: all-pages
  // 75 policies, so that there is something to walk through.
  await me.call('POST', '/range/v1/me/fleet');
  await walk(me, 25);

  // lesson: pages-while-creating
  // What is created meanwhile comes at the end, here on a page that it opens: the last one is full. Who follows the
  // links finds it; who counted the pages at the beginning does not.
  const create = () => me.call('POST', '/insurer/v1/policies', { json: { regNumber: newPlate() } });
  const pageSize = await fullPages(me, create);
  await walk(me, pageSize, async (page) => {
    if (page === 2) await create();
  });

  // lesson: find-one
  // The list has several pages, and a new policy is on the last one. The service looks for it: one call, however many there are.
  const regNumber = newPlate();
  await me.call('POST', '/insurer/v1/policies', { json: { regNumber } });
  await me.call('GET', '/insurer/v1/policies');
  await me.call('GET', `/insurer/v1/policies?regNumber=${regNumber}`);
  // end
}

/** A pageSize with which all pages are full. It creates a policy more where there is none. */
async function fullPages(me, create) {
  const { json } = await me.call('GET', '/insurer/v1/policies?pageSize=1');
  const sizes = [25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15];
  for (let total = json.totalItems; ; total += 1) {
    const size = sizes.find((each) => total % each === 0);
    if (size !== undefined) return size;
    await create();
  }
}

// lesson: all-pages, pages-while-creating
/** Reads all pages: each answer has the address of the next one in its header Link, and the last has none. */
async function walk(me, pageSize, afterPage = async () => {}) {
  let path = `/insurer/v1/policies?page=1&pageSize=${pageSize}`;
  for (let page = 1; path !== undefined; page += 1) {
    const { headers } = await me.call('GET', path);
    await afterPage(page);
    path = nextOf(headers.get('link') ?? '');
  }
}

function nextOf(link) {
  const [, url] = /<([^>]*)>; rel="next"/.exec(link) ?? [];
  if (url === undefined) return undefined;
  const { pathname, search } = new URL(url);
  return pathname + search;
}
