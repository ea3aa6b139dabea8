import { newPlate } from './learner.js';

/** Lessons “Lists”. */
export async function lists(me) {
  // 75 policies, so that there is something to walk through.
  await me.call('POST', '/range/v1/me/fleet');
  await walk(me);

  // What is created meanwhile comes at the end. Who follows the links finds it.
  await walk(me, async (page) => {
    if (page === 2) await me.call('POST', '/insurer/v1/policies', { json: { regNumber: newPlate() } });
  });
}

/** Reads all pages: each answer has the address of the next one in its header Link, and the last has none. */
async function walk(me, afterPage = async () => {}) {
  let path = '/insurer/v1/policies?page=1&pageSize=25';
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
