/*
 * Solves every lesson of L-Plate, one topic after the other: a tutorial to read, with a part for each topic in the folder
 * path/. It needs a running L-Plate and Node.js 20 or newer:
 *
 *   node examples/walk-the-path.js
 */
import { claims } from './path/claims.js';
import { credentials } from './path/credentials.js';
import { events } from './path/events.js';
import { faults } from './path/faults.js';
import { newLearner } from './path/learner.js';

const me = await newLearner();
console.log(`Learning as ${me.id}.`);

for (const topic of [credentials, claims, events, faults]) {
  await topic(me);
  console.log(`${topic.name}: done`);
}

const { json } = await me.call('GET', '/range/v1/me/lessons?pageSize=500');
const open = json.items.filter(({ state }) => state !== 'solved');
for (const { id, goal, lastMiss } of open) console.log(`Not solved: ${id}. ${lastMiss ?? goal}`);
console.log(`${json.totalItems - open.length} of ${json.totalItems} lessons are solved.`);
process.exitCode = open.length === 0 ? 0 : 1;
