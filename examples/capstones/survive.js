import { setTimeout as pause } from 'node:timers/promises';
import { root } from '../path/learner.js';

/*
 * What the programs for the capstones have in common: calls, streams, imports and lookups that get over a line that fails.
 * `me` is a learner (`path/learner.js`).
 */

/**
 * Sends a call again until it has an answer that can be relied on. That is safe only for calls that may be done twice: a
 * GET, or a create with an Idempotency-Key.
 */
export async function insist(me, method, path, options) {
  for (;;) {
    try {
      const answer = await me.call(method, path, options);
      // A token does not last for ever, and a page in HTML has no JSON.
      if (answer.status === 401) await renew(me);
      else if (answer.status === 503) await pause(1000 * answer.headers.get('retry-after'));
      else if (answer.json) return answer;
    } catch {
      // The connection was cut. Whether the call did its work, its answer would have said.
    }
  }
}

/** Gets a new token. This call may fail like all others. */
export async function renew(me) {
  for (;;) {
    const token = await me.newToken().catch(() => undefined);
    if (token) {
      me.token = token;
      return;
    }
    await pause(1000);
  }
}

/** Starts a run. */
export async function start(me, capstone, level = 1) {
  const { json } = await me.call('POST', `/range/v1/me/capstones/${capstone}/runs?level=${level}`);
  return json;
}

/** Reports a run, and prints what it came to. */
export async function report(me, lesson, answer) {
  await renew(me);
  const { json } = await me.call('POST', '/range/v1/me/answers', { json: { lesson, answer } });
  console.log(`${lesson}: ${json.run.score} of 100`);
  for (const { kind, subject, detail } of json.run.faults) console.log(`  ${kind}: ${subject}. ${detail}`);
  if (!json.correct) process.exitCode = 1;
}

/** The policies in force of a holder. */
export async function policiesOf(me, holder) {
  const found = [];
  for (let page = 1; ; page += 1) {
    const { json } = await insist(me, 'GET', `/insurer/v1/policies?page=${page}&pageSize=500`);
    found.push(...json.items);
    if (page >= json.totalPages) break;
  }
  return found.filter((policy) => policy.holder === holder && ['active', 'updated'].includes(policy.status));
}

/** Gives a policy a new holder, if it has the old one. After each doubt it reads again. Tells whether it has the new one. */
export async function update(me, id, { holder, newHolder }) {
  for (;;) {
    const { json: policy, headers } = await insist(me, 'GET', `/insurer/v1/policies/${id}`);
    // Done, or a colleague has given it to somebody else.
    if (policy.holder !== holder) return policy.holder === newHolder;
    await me
      .call('PUT', `/insurer/v1/policies/${id}`, {
        json: { holder: newHolder },
        headers: { 'If-Match': headers.get('etag') },
      })
      .catch(() => {});
  }
}

/** What is known of the events of claims goes together: the states, the events, and the place to go on from. */
export const shiftOf = (ids) => ({
  claims: Object.fromEntries(ids.map((id) => [id, 'REGISTERED'])),
  events: [],
  lastId: undefined,
});

/** Follows a stream until a time. `save` is given the shift after each message. */
export async function follow(me, shift, until, save = () => {}) {
  const { claims, events } = shift;
  while (Date.now() < Date.parse(until)) {
    for await (const { id, data } of stream(me, shift.lastId, Date.parse(until))) {
      shift.lastId = id;
      const { eventId, data: change } = data ?? {};
      if (change && change.claimId in claims && !events.includes(eventId)) {
        events.push(eventId);
        claims[change.claimId] = change.newStatus;
      }
      save(shift);
    }
  }
  return shift;
}

/** One stream, until it is cut or the time is over. Yields the messages that were received whole. */
async function* stream(me, lastId, until) {
  const headers = { Authorization: `Bearer ${me.token}`, Accept: 'text/event-stream' };
  if (lastId !== undefined) headers['Last-Event-ID'] = lastId;
  const signal = AbortSignal.timeout(Math.max(1, until - Date.now()));
  try {
    const response = await fetch(`${root}/claims/v1/topics/claims.status-changed`, { headers, signal });
    if (response.status === 401) await renew(me);
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

/** Moves all rows of moving day: imports them, puts right what can be, and looks up each vehicle. */
export async function move(me, { rows, codes }, key) {
  const isOld = ({ coverageOption }) => coverageOption in codes;
  const policies = {};
  const note = (those, sent) => {
    for (const { line, policyId } of those) if (policyId !== null) policies[sent[line - 1].regNumber] = policyId;
  };
  const done = await imported(me, rows, key);
  note(done, rows);
  const failed = done.filter(({ status }) => status === 'refused').map(({ line }) => rows[line - 1]);
  // Only these again, put right. What else was refused stays so: those vehicles are insured already.
  const again = failed.filter(isOld).map((row) => ({ ...row, coverageOption: codes[row.coverageOption] }));
  note(await imported(me, again, `${key}-again`), again);
  const refused = failed.filter((row) => !isOld(row)).map(({ regNumber }) => regNumber);

  const makes = {};
  for (const regNumber of Object.keys(policies)) makes[regNumber] = await makeOf(me, regNumber);
  return { policies, makes, refused };
}

/** Imports rows, and waits as long as each answer says. With the key it is one import, however often it is sent. */
async function imported(me, rows, key) {
  const path = '/insurer/v1/policy-imports';
  const body = rows.map((row) => JSON.stringify(row)).join('\n');
  let answer = await insist(me, 'POST', path, {
    headers: { 'Content-Type': 'application/x-ndjson', 'Idempotency-Key': key },
    body,
  });
  const { id } = answer.json;
  while (answer.json.status !== 'completed') {
    await pause(1000 * answer.headers.get('retry-after'));
    answer = await insist(me, 'GET', `${path}/${id}`);
  }
  return (await insist(me, 'GET', `${path}/${id}/rows?pageSize=500`)).json.items;
}

let hasSoapEnded = false;

/** By SOAP as long as that is there. 410 is its end, for good: from then on by the successor. */
async function makeOf(me, regNumber) {
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
  return (await insist(me, 'GET', `/vehicle-registry/v2/vehicles/${regNumber}`)).json.make;
}
