/*
 * Runs the six capstones of L-Plate and gets 100 in each: a tutorial of programs that get over what goes wrong. It takes
 * about five minutes, most of them the night shift, the night job, moving day and the broker’s app. It needs a running
 * L-Plate and Node.js 20 or newer. With names it runs these only:
 *
 *   node examples/capstones.js
 *   node examples/capstones.js bad-line month-end
 */
import { reportOf, serve } from './capstones/broker.js';
import { keepCopy, rowsOf, sumsOf } from './capstones/night.js';
import { follow, insist, move, policiesOf, renew, report, shiftOf, start, update } from './capstones/survive.js';
import { newLearner, newPlate } from './path/learner.js';

const me = await newLearner();
console.log(`Working as ${me.id}.`);

/** One policy for each order. The key says that a second request is the first one again. */
async function badLine() {
  const { given, number } = await start(me, 'bad-line');
  const policies = {};
  for (const { holder, coverageOption } of given.orders) {
    const { json } = await insist(me, 'POST', '/insurer/v1/policies', {
      json: { regNumber: newPlate(), holder, coverageOption },
      headers: { 'Idempotency-Key': `${number}-${holder.replace(' ', '-')}` },
    });
    policies[holder] = json.id;
  }
  await report(me, 'bad-line', { policies });
}

/** Reads, decides and updates only what is still as it was read. */
async function monthEnd() {
  const { given } = await start(me, 'month-end');
  const updated = [];
  for (const { id } of await policiesOf(me, given.holder)) if (await update(me, id, given)) updated.push(id);
  await report(me, 'month-end', { updated });
}

async function nightShift() {
  const { given, reportFrom } = await start(me, 'night-shift');
  const { claims, events } = await follow(me, shiftOf(given.claims), reportFrom);
  await report(me, 'night-shift', { claims, events });
}

/** Three nights of changes, and a statement in the first one. */
async function nightJob() {
  const run = await start(me, 'night-job');
  const sums = sumsOf(me, run.given.statement, `night-job-${run.number}`);
  const policies = rowsOf(await keepCopy(me, run));
  await report(me, 'night-job', { policies, statement: await sums });
}

/** An import, a new secret and a registry that ends, while events go on. */
async function movingDay() {
  const { given, number, reportFrom } = await start(me, 'moving-day');
  const following = follow(me, shiftOf(given.claims), reportFrom);
  // From here on each new token is got with the new one. The one before holds for a day, for programs that have it yet.
  me.secret = (await me.call('POST', '/range/v1/me/secret')).json.client_secret;
  await renew(me);
  const moved = await move(me, given, `moving-day-${number}`);
  const { events } = await following;
  await report(me, 'moving-day', { ...moved, events });
}

/** Ten people, who let the app in or not, leave, and are robbed. */
async function brokersApp() {
  const { given, reportFrom } = await start(me, 'brokers-app');
  await report(me, 'brokers-app', reportOf(await serve(me, given.people, reportFrom)));
}

const capstones = {
  'bad-line': badLine,
  'month-end': monthEnd,
  'night-shift': nightShift,
  'night-job': nightJob,
  'moving-day': movingDay,
  'brokers-app': brokersApp,
};
const names = process.argv.slice(2);
for (const name of names.length > 0 ? names : Object.keys(capstones)) await capstones[name]();
