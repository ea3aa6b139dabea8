// Keeps a copy of your policies in a file: each run fetches what changed since the last one. Needs Node.js 20.
//
//   node examples/sync-policies.js
//
// What it has to get over, and where: docs/sync.md.

import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const origin = process.env.LPLATE_URL ?? 'http://localhost:8080';
const credentials = JSON.parse(await readFile(process.env.CREDENTIALS_FILE ?? 'credentials.json', 'utf8'));
const copyFile = process.env.COPY_FILE ?? 'policies.json';
const pageSize = 100;
/** A write may become visible some time after the instant that it bears: so far back each run looks again. */
const overlap = 60_000;

let token;

/** A GET that gets over an expired token, limits, and a service that is away for a while. */
async function get(path) {
  for (let failures = 0; ; ) {
    try {
      token ??= await newToken();
      const response = await fetch(origin + path, { headers: { Authorization: `Bearer ${token}` } });
      if (response.ok) return await response.json();
      if (response.status === 401) token = undefined;
      else if (response.status !== 429 && response.status < 500) throw new Refused(await response.text());
      failures += 1;
      if (failures > 30) throw new Refused(`${response.status} again and again`);
      await pause(1000 * Number(response.headers.get('Retry-After') ?? (response.status === 401 ? 0 : 1)));
    } catch (error) {
      if (error instanceof Refused || failures === 30) throw error;
      failures += 1;
      await pause(Math.min(1000 * 2 ** failures, 30_000));
    }
  }
}

class Refused extends Error {}

async function newToken() {
  const response = await fetch(`${origin}/insurer/v1/auth/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(credentials),
  });
  const text = await response.text();
  if (response.status === 401) throw new Refused(text);
  if (!response.ok) throw new Error(text);
  return JSON.parse(text).access_token;
}

/** What changed at an instant or later, without missing what changes meanwhile. */
async function* changesSince(since) {
  for (let from = since, page = 1; ; ) {
    const items = await pageOf(from, page);
    yield* items;
    const last = items.at(-1)?.updatedAt;
    if (items.length === pageSize && last === from) {
      // More of one instant than a page holds.
      page += 1;
      continue;
    }
    // A policy of that instant that changed meanwhile left its page, and those behind it moved up. Back, none is passed over.
    for (; page > 1; page -= 1) yield* await pageOf(from, page - 1);
    if (items.length < pageSize) return;
    // Not the next page, for the same reason.
    from = last;
  }
}

async function pageOf(from, page) {
  const query = new URLSearchParams({ updatedSince: from, page, pageSize });
  return (await get(`/insurer/v1/policies?${query}`)).items;
}

const copy = await readFile(copyFile, 'utf8').then(JSON.parse, () => ({
  watermark: '2000-01-01T00:00:00Z',
  policies: {},
}));
const before = new Date(Math.max(Date.parse(copy.watermark) - overlap, 0)).toISOString();
let changed = 0;
for await (const policy of changesSince(before)) {
  // The same again changes nothing.
  if (copy.policies[policy.id]?.updatedAt !== policy.updatedAt) changed += 1;
  copy.policies[policy.id] = policy;
  // The watermark is an instant of the service, never of this machine: their clocks differ.
  if (policy.updatedAt > copy.watermark) copy.watermark = policy.updatedAt;
}
// Replaced in one step, policies and watermark together: a crash leaves the old copy, and the next run does it all again.
await writeFile(`${copyFile}.new`, JSON.stringify(copy));
await rename(`${copyFile}.new`, copyFile);

const known = Object.keys(copy.policies).length;
const { totalItems } = await get('/insurer/v1/policies?pageSize=1');
console.log(`${changed} changed, ${known} here, ${totalItems} there`);
if (known !== totalItems) process.exitCode = 1;
