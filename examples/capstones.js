/*
 * Runs the four capstones of L-Plate and gets 100 in each: a tutorial of programs that get over what goes wrong. It takes
 * about three minutes, most of them the night shift and moving day. It needs a running L-Plate and Node.js 20 or newer:
 *
 *   node examples/capstones.js
 */
import { setTimeout as pause } from 'node:timers/promises';
import { newLearner, newPlate, root } from './path/learner.js';

const me = await newLearner();
console.log(`Working as ${me.id}.`);

/**
 * Sends a call again until it has an answer that can be relied on. That is safe only for calls that may be done twice: a
 * GET, or a create with an Idempotency-Key.
 */
async function insist(method, path, options) {
  for (;;) {
    try {
      const answer = await me.call(method, path, options);
      // A token does not last for ever, and a page in HTML has no JSON.
      if (answer.status === 401) me.token = await newToken();
      else if (answer.status === 503) await pause(1000 * answer.headers.get('retry-after'));
      else if (answer.json) return answer;
    } catch {
      // The connection was cut. Whether the call did its work, its answer would have said.
    }
  }
}

async function newToken() {
  for (;;) {
    // This call may fail like all others.
    const token = await me.newToken().catch(() => undefined);
    if (token) return token;
    await pause(1000);
  }
}

async function start(capstone) {
  const { json } = await me.call('POST', `/range/v1/me/capstones/${capstone}/runs`);
  return json;
}

async function report(lesson, answer) {
  me.token = await newToken();
  const { json } = await me.call('POST', '/range/v1/me/answers', { json: { lesson, answer } });
  console.log(`${lesson}: ${json.run.score} of 100`);
  for (const { kind, subject, detail } of json.run.faults) console.log(`  ${kind}: ${subject}. ${detail}`);
  if (!json.correct) process.exitCode = 1;
}

/** One policy for each order. The key says that a second request is the first one again. */
async function badLine() {
  const { given, number } = await start('bad-line');
  const policies = {};
  for (const { holder, coverageOption } of given.orders) {
    const { json } = await insist('POST', '/insurer/v1/policies', {
      json: { regNumber: newPlate(), holder, coverageOption },
      headers: { 'Idempotency-Key': `${number}-${holder.replace(' ', '-')}` },
    });
    policies[holder] = json.id;
  }
  await report('bad-line', { policies });
}

/** Reads, decides and updates only what is still as it was read. After each doubt it reads again. */
async function monthEnd() {
  const { given } = await start('month-end');
  const updated = [];
  for (const { id } of await policiesOf(given.holder)) {
    for (;;) {
      const { json: policy, headers } = await insist('GET', `/insurer/v1/policies/${id}`);
      if (policy.holder === given.newHolder) updated.push(id);
      // Done, or a colleague has given it to somebody else.
      if (policy.holder !== given.holder) break;
      await me
        .call('PUT', `/insurer/v1/policies/${id}`, {
          json: { holder: given.newHolder },
          headers: { 'If-Match': headers.get('etag') },
        })
        .catch(() => {});
    }
  }
  await report('month-end', { updated });
}

async function policiesOf(holder) {
  const found = [];
  for (let page = 1; ; page += 1) {
    const { json } = await insist('GET', `/insurer/v1/policies?page=${page}&pageSize=100`);
    found.push(...json.items);
    if (page >= json.totalPages) break;
  }
  return found.filter((policy) => policy.holder === holder && ['active', 'updated'].includes(policy.status));
}

async function nightShift() {
  const { given, reportFrom } = await start('night-shift');
  await report('night-shift', await follow(given.claims, reportFrom));
}

/** Follows a stream. What is known of the events goes together: their ids, the states, and the place to go on from. */
async function follow(ids, reportFrom) {
  const claims = Object.fromEntries(ids.map((id) => [id, 'REGISTERED']));
  const events = [];
  const known = new Set();
  let lastId;
  while (Date.now() < Date.parse(reportFrom)) {
    for await (const { id, data } of stream(lastId, Date.parse(reportFrom))) {
      lastId = id;
      const { eventId, data: change } = data ?? {};
      if (eventId === undefined || known.has(eventId)) continue;
      known.add(eventId);
      if (!(change.claimId in claims)) continue;
      events.push(eventId);
      claims[change.claimId] = change.newStatus;
    }
  }
  return { claims, events };
}

/** One stream, until it is cut or the time is over. Yields the messages that were received whole. */
async function* stream(lastId, until) {
  const headers = { Authorization: `Bearer ${me.token}`, Accept: 'text/event-stream' };
  if (lastId !== undefined) headers['Last-Event-ID'] = lastId;
  const signal = AbortSignal.timeout(Math.max(1, until - Date.now()));
  try {
    const response = await fetch(`${root}/claims/v1/topics/claims.status-changed`, { headers, signal });
    if (response.status === 401) me.token = await newToken();
    if (response.status !== 200) {
      await response.text();
      await pause(1000 * Number(response.headers.get('retry-after') ?? 1));
      return;
    }
    let text = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const messages = (text + chunk).split('\n\n');
      text = messages.pop();
      for (const message of messages) {
        const [, id] = /^id: (.*)$/m.exec(message) ?? [];
        const [, data] = /^data: (.*)$/m.exec(message) ?? [];
        yield { id, data: data && JSON.parse(data) };
      }
    }
  } catch {
    // It was cut, or the time is over. The next one goes on behind the last event.
  }
  // Many clients that come back at once would be the next outage.
  await pause(200);
}

/** An import, a new secret and a registry that ends, while events go on. */
async function movingDay() {
  const { given, number, reportFrom } = await start('moving-day');
  const following = follow(given.claims, reportFrom);
  // From here on each new token is got with the new one. The one before holds for a day, for programs that have it yet.
  me.secret = (await me.call('POST', '/range/v1/me/secret')).json.client_secret;
  me.token = await newToken();

  const isOld = ({ coverageOption }) => coverageOption in given.codes;
  const policies = {};
  const note = (rows, sent) => {
    for (const { line, policyId } of rows) if (policyId !== null) policies[sent[line - 1].regNumber] = policyId;
  };
  const rows = await imported(given.rows, `moving-day-${number}`);
  note(rows, given.rows);
  const failed = rows.filter(({ status }) => status === 'refused').map(({ line }) => given.rows[line - 1]);
  // Only these again, put right. What else was refused stays so: those vehicles are insured already.
  const again = failed.filter(isOld).map((row) => ({ ...row, coverageOption: given.codes[row.coverageOption] }));
  note(await imported(again, `moving-day-${number}-again`), again);
  const refused = failed.filter((row) => !isOld(row)).map(({ regNumber }) => regNumber);

  const makes = {};
  for (const regNumber of Object.keys(policies)) makes[regNumber] = await makeOf(regNumber);
  const { events } = await following;
  await report('moving-day', { policies, makes, refused, events });
}

/** Imports rows, and waits as long as each answer says. With the key it is one import, however often it is sent. */
async function imported(rows, key) {
  const path = '/insurer/v1/policy-imports';
  const body = rows.map((row) => JSON.stringify(row)).join('\n');
  let answer = await insist('POST', path, {
    headers: { 'Content-Type': 'application/x-ndjson', 'Idempotency-Key': key },
    body,
  });
  const { id } = answer.json;
  while (answer.json.status !== 'completed') {
    await pause(1000 * answer.headers.get('retry-after'));
    answer = await insist('GET', `${path}/${id}`);
  }
  return (await insist('GET', `${path}/${id}/rows?pageSize=500`)).json.items;
}

let hasSoapEnded = false;

/** By SOAP as long as that is there. 410 is its end, for good: from then on by the successor. */
async function makeOf(regNumber) {
  const namespace = 'http://lplate.example/vehicle-registry/v1';
  const body = `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>
    <GetVehicleDataRequest xmlns="${namespace}"><RegNumber>${regNumber}</RegNumber></GetVehicleDataRequest>
  </soap:Body></soap:Envelope>`;
  const headers = { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: `"${namespace}/GetVehicleData"` };
  while (!hasSoapEnded) {
    const answer = await me.bare('POST', '/vehicle-registry/v1', { headers, body }).catch(() => undefined);
    if (answer?.status === 200) return /<Make>([^<]*)</.exec(answer.text)[1];
    hasSoapEnded = answer?.status === 410;
  }
  return (await insist('GET', `/vehicle-registry/v2/vehicles/${regNumber}`)).json.make;
}

await badLine();
await monthEnd();
await nightShift();
await movingDay();
