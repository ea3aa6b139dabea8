/*
 * Runs the six capstones of L-Plate on level 2 and gets 100 in each: two processes do the work of each, and both are
 * killed in the middle, for real. What the new ones know is on disk, or the service tells them. It takes about seven
 * minutes, and needs a running L-Plate and Node.js 20 or newer:
 *
 *   node examples/two-workers.js
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { reportOf, serve } from './capstones/broker.js';
import { keepCopy, rowsOf, sumsOf } from './capstones/night.js';
import { follow, insist, move, policiesOf, renew, report, shiftOf, start, update } from './capstones/survive.js';
import { learnerOf, newLearner } from './path/learner.js';

/** What outlives a crash: a file each of the run and the workers. */
const disk = (folder) => ({
  /** Undefined if there is none. */
  read(name) {
    const file = join(folder, name);
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  },

  /** As a whole or not at all: a crash in the middle leaves what was there before. */
  write(name, value) {
    writeFileSync(join(folder, `${name}.new`), JSON.stringify(value));
    renameSync(join(folder, `${name}.new`), join(folder, name));
  },
});

/** What each worker does, and how the report is made of what they left. Worker 0 and 1 have a half each. */
const capstones = {
  'bad-line': {
    async work({ me, run: { given, number }, share, saved = {}, save }) {
      for (const [place, { holder, coverageOption }] of given.orders.entries()) {
        if (place % 2 !== share || holder in saved) continue;
        // Vehicle and key follow from the order: who begins again sends the same.
        const { json } = await insist(me, 'POST', '/insurer/v1/policies', {
          json: { regNumber: `${me.id.slice(-6)}${number}-${place}`, holder, coverageOption },
          headers: { 'Idempotency-Key': `${number}-${place}` },
        });
        saved[holder] = json.id;
        save(saved);
      }
    },
    report: async (left) => ({ policies: Object.assign({}, ...left) }),
  },

  'night-shift': {
    // All events of a claim go to one worker, so they stay in order.
    work: ({ me, run: { given, reportFrom }, share, saved, save }) =>
      follow(me, saved ?? shiftOf(given.claims.filter((_, place) => place % 2 === share)), reportFrom, save),
    report: async (left) => ({
      claims: Object.assign({}, ...left.map(({ claims }) => claims)),
      events: left.flatMap(({ events }) => events),
    }),
  },

  // One keeps the copy, the other one adds up the statement.
  'night-job': {
    async work({ me, run, share, saved, save }) {
      if (share === 0) return keepCopy(me, run, saved, save);
      if (!saved) save(await sumsOf(me, run.given.statement, `night-job-${run.number}`));
    },
    report: async ([copy, statement]) => ({ policies: rowsOf(copy), statement }),
  },

  // One moves, the other one follows the claims.
  'moving-day': {
    async work({ me, run: { given, number, reportFrom }, share, saved, save }) {
      if (share === 1) return follow(me, saved ?? shiftOf(given.claims), reportFrom, save);
      if (!saved) {
        // It goes to disk before it is used, for both.
        me.secret = (await me.call('POST', '/range/v1/me/secret')).json.client_secret;
        save({});
      }
      return save(await move(me, given, `moving-day-${number}`));
    },
    report: async ([moved, { events }]) => ({ ...moved, events }),
  },

  // Each has people of its own, so no two use one refresh token.
  'brokers-app': {
    work: ({ me, run: { given, reportFrom }, share, saved, save }) =>
      serve(
        me,
        given.people.filter((_, place) => place % 2 === share),
        reportFrom,
        saved,
        save,
      ),
    report: async (left) => reportOf(Object.assign({}, ...left)),
  },

  'month-end': {
    async work({ me, run: { given }, share }) {
      // By the id, since the list of those that are left changes.
      const isMine = ({ id }) => Number.parseInt(id.at(-1), 16) % 2 === share;
      for (const { id } of (await policiesOf(me, given.holder)).filter(isMine)) await update(me, id, given);
    },
    // The service knows what was updated, before the crash and after it.
    report: async (_, me, { given }) => ({ updated: (await policiesOf(me, given.newHolder)).map(({ id }) => id) }),
  },
};

/** A worker, from its start or a new one: it knows what is in the folder. */
async function work(capstone, share, folder) {
  const kept = disk(folder);
  const run = kept.read('run');
  const me = learnerOf(run.id, run.secret);
  Object.defineProperty(me, 'secret', {
    get: () => kept.read('secret') ?? run.secret,
    set: (secret) => kept.write('secret', secret),
  });
  await renew(me);
  const name = `worker-${share}`;
  const save = (value) => kept.write(name, value);
  await capstones[capstone].work({ me, run, share, saved: kept.read(name), save });
}

/** Starts two workers, kills them when the run says so, and starts them again. */
async function conduct(me, capstone) {
  const folder = mkdtempSync(join(tmpdir(), 'two-workers-'));
  const kept = disk(folder);
  const run = await start(me, capstone, 2);
  kept.write('run', { ...run, id: me.id, secret: me.secret });
  const workers = () =>
    [0, 1].map((share) =>
      spawn(process.execPath, [fileURLToPath(import.meta.url), capstone, share, folder], { stdio: 'inherit' }),
    );
  const { second } = run.schedule.find(({ what }) => what.startsWith('Your program crashes'));
  const killed = workers();
  await pause(Date.parse(run.startedAt) + 1000 * second - Date.now());
  for (const worker of killed) worker.kill('SIGKILL');
  const codes = await Promise.all(workers().map((worker) => once(worker, 'exit')));
  if (codes.some(([code]) => code !== 0)) throw new Error(`${capstone}: a worker failed`);
  me.secret = kept.read('secret') ?? me.secret;
  await renew(me);
  await pause(Math.max(0, Date.parse(run.reportFrom) - Date.now()));
  const left = [0, 1].map((share) => kept.read(`worker-${share}`));
  await report(me, capstone, await capstones[capstone].report(left, me, run));
  rmSync(folder, { recursive: true });
}

const names = process.argv.slice(2);
const [capstone, share, folder] = names;
if (folder && !(share in capstones)) await work(capstone, Number(share), folder);
else {
  const me = await newLearner();
  console.log(`Working as ${me.id}.`);
  for (const each of names.length > 0 ? names : Object.keys(capstones)) await conduct(me, each);
}
