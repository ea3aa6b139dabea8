/*
 * Solves every lesson of L-Plate, one topic after the other: a tutorial to read, with a part for each topic in the folder
 * path/. It needs a running L-Plate and Node.js 20 or newer:
 *
 *   HMAC_SECRET=… node examples/walk-the-path.js
 *
 * L-Plate prints the HMAC_SECRET when it starts. Where it asks for client certificates, CLIENT_CERT and CLIENT_KEY name the
 * files of yours, in PEM.
 */
import { access } from './path/access.js';
import { betweenSystems } from './path/between-systems.js';
import { claims } from './path/claims.js';
import { credentials } from './path/credentials.js';
import { descriptions } from './path/descriptions.js';
import { events } from './path/events.js';
import { faults } from './path/faults.js';
import { files } from './path/files.js';
import { jobs } from './path/jobs.js';
import { newLearner } from './path/learner.js';
import { limits } from './path/limits.js';
import { lists } from './path/lists.js';
import { people } from './path/people.js';
import { policies } from './path/policies.js';
import { registry } from './path/registry.js';
import { repeats } from './path/repeats.js';
import { signatures } from './path/signatures.js';
import { sync } from './path/sync.js';
import { webhooks } from './path/webhooks.js';

const me = await newLearner();
console.log(`Learning as ${me.id}.`);

for (const topic of [
  credentials,
  policies,
  lists,
  access,
  limits,
  signatures,
  descriptions,
  registry,
  claims,
  events,
  webhooks,
  repeats,
  jobs,
  sync,
  files,
  people,
  faults,
  betweenSystems,
]) {
  await topic(me);
  console.log(`${topic.name}: done`);
}

const { json } = await me.call('GET', '/range/v1/me/lessons?pageSize=500');
const isSolved = ({ state }) => state === 'solved';
for (const topic of new Set(json.items.map((lesson) => lesson.topic))) {
  const lessons = json.items.filter((lesson) => lesson.topic === topic);
  console.log(`${topic}: ${lessons.filter(isSolved).length} of ${lessons.length}`);
}
const open = json.items.filter((lesson) => !isSolved(lesson));
for (const { id, goal, lastMiss } of open) console.log(`Not solved: ${id}. ${lastMiss ?? goal}`);
console.log(`${json.totalItems - open.length} of ${json.totalItems} lessons are solved.`);
process.exitCode = open.length === 0 ? 0 : 1;
