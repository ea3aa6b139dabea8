import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { newPlate } from './learner.js';

/** Lessons “Files, money and people’s data”. */
export async function files(me) {
  // lesson: file-ended-early, download-resumed, cents-no-floats, decimal-commas
  // While the drill is on, fewer bytes come than Content-Length says.
  const file = `${await newStatement(me, { format: 'csv-1252', currency: 'KWD' })}/content`;
  await me.startDrill('short-file');
  const part = await fetchFile(me, file);
  if (part.isWhole) throw new Error('the file is whole');
  await me.endDrill('short-file');

  // lesson: file-ended-early, cents-no-floats, decimal-commas
  const whole = await fetchFile(me, file);

  // lesson: file-ended-early
  // The trailer of the whole file counts its rows. Of the part, the header is no row, and neither is the line that was cut.
  const [, count] = /^TRAILER;(\d+)/m.exec(whole.bytes.toString());
  const came = linesOf(part.bytes).slice(1, -1);
  await me.answer('file-ended-early', Number(count) - came.length);

  // lesson: download-resumed
  // Bytes count from 0, so the first that is missing has the number of those that came.
  const range = { Range: `bytes=${part.bytes.length}-`, 'If-Range': part.headers.get('etag') };
  const rest = await fetchFile(me, file, range);
  if (rest.status !== 206) throw new Error('it is another file');
  const all = Buffer.concat([part.bytes, rest.bytes]);
  const digest = createHash('sha256').update(all).digest('base64');
  if (rest.headers.get('repr-digest') !== `sha-256=:${digest}:`) throw new Error('the parts do not fit');
  const cut = linesOf(part.bytes).length - 1;
  await me.answer('download-resumed', linesOf(all)[cut]);

  // lesson: cents-no-floats
  // Money by whole numbers of the smallest unit. A half goes to the even one of its neighbours.
  let fils = 0;
  for (const line of linesOf(whole.bytes).slice(1, -2)) {
    const premium = Number(line.split(';')[5].replace(',', ''));
    const [floor, over] = [Math.floor(premium / 10), premium % 10];
    fils += over > 5 || (over === 5 && floor % 2 === 1) ? floor + 1 : floor;
  }
  await me.answer('cents-no-floats', decimal(fils, 3));

  // lesson: decimal-commas
  // Content-Type has the charset. The comma becomes none only once the fields are apart.
  const [, charset] = /charset=(.*)/.exec(whole.headers.get('content-type'));
  let left = 0;
  for (const line of new TextDecoder(charset).decode(whole.bytes).split('\r\n').slice(1, -2)) {
    const [premium, commission] = line.split(';').slice(5, 7);
    left += Number(premium.replace(',', '')) - Number(commission.replace(',', ''));
  }
  await me.answer('decimal-commas', decimal(left, 3));

  // lesson: forget-holder
  const holder = `Ada ${newPlate()}`;
  for (let made = 0; made < 2; made += 1)
    await me.call('POST', '/insurer/v1/policies', { json: { regNumber: newPlate(), holder } });
  const report = await done(me, await me.call('POST', '/insurer/v1/erasures', { json: { holder } }));
  // Those that it touched have changed since.
  const { json } = await me.call('GET', `/insurer/v1/policies?updatedSince=${report.createdAt}`);
  if (json.items.some((policy) => policy.holder === holder)) throw new Error('the name is still there');
  // The log of calls had it, too.
  const elsewhere = report.touched.filter(({ what }) => what !== 'policies');
  await me.answer(
    'forget-holder',
    elsewhere.reduce((sum, { count }) => sum + count, 0),
  );
  // end
}

// lesson: file-ended-early, download-resumed, cents-no-floats, decimal-commas
/** The path of a statement, completed, of a month in which there were three policies. */
async function newStatement(me, draft = {}) {
  const options = ['MTPL-12M', 'MTPL-12M', 'MTPL-6M'];
  const policies = options.map((coverageOption) => {
    return { regNumber: newPlate(), startDate: '2025-03-01', coverageOption };
  });
  await me.call('POST', '/range/v1/me/fleet', { json: { policies } });
  const json = { month: '2025-06', format: 'csv', ...draft };
  const { id } = await done(me, await me.call('POST', '/insurer/v1/statements', { json }));
  return `/insurer/v1/statements/${id}`;
}

// lesson: file-ended-early, download-resumed, cents-no-floats, decimal-commas, forget-holder
/** Asks for what was accepted, as each answer says, until it is completed. */
async function done(me, accepted) {
  const { pathname } = new URL(accepted.headers.get('location'));
  let answer = accepted;
  while (answer.json.status !== 'completed') {
    await pause(1000 * answer.headers.get('retry-after'));
    answer = await me.call('GET', pathname);
  }
  return answer.json;
}

// lesson: file-ended-early, download-resumed, cents-no-floats, decimal-commas
/** A file, as far as it comes. A packed one could not be taken up again. */
async function fetchFile(me, path, headers = {}) {
  let bytes;
  const asks = async (url, options) => {
    const response = await fetch(url, options);
    bytes = await bytesOf(response);
    return { status: response.status, headers: response.headers, text: async () => bytes.toString() };
  };
  const options = { headers: { 'Accept-Encoding': 'identity', ...headers }, fetch: asks };
  const { status, headers: got } = await me.call('GET', path, options);
  return { status, headers: got, bytes, isWhole: bytes.length === Number(got.get('content-length')) };
}

async function bytesOf(response) {
  const chunks = [];
  try {
    for await (const chunk of response.body) chunks.push(chunk);
  } catch {
    // The connection was closed before the end.
  }
  return Buffer.concat(chunks);
}

const linesOf = (bytes) => bytes.toString().split('\r\n');

// lesson: cents-no-floats, decimal-commas
/** An amount in the smallest unit of its currency, as text with so many decimals. */
function decimal(units, decimals) {
  const digits = String(units).padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
