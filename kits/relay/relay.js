/*
 * Brings the webhooks of L-Plate to a receiver on this machine, which L-Plate can't reach itself. Node.js 18 or newer:
 *
 *     LPLATE_URL=… CLIENT_ID=… CLIENT_SECRET=… node relay.js
 *
 * It holds a stream open, by which L-Plate sends each call of your subscriptions with "via": "relay". It makes the call
 * here, as it is, and sends back what was answered. All connections begin here, so nobody has to reach this machine.
 * If L-Plate has a certificate of its own, NODE_EXTRA_CA_CERTS is the file of its authority.
 */
const { promises: dns } = require('node:dns');
const http = require('node:http');
const https = require('node:https');

const path = '/range/v1/me/relay';
const longest = 2000; // bytes of a receiver's answer that are sent back
const kept = ['content-type', 'date', 'location', 'retry-after']; // headers of it that are, too
const anyHost = process.argv.includes('--allow-any-host');
const settings = ['LPLATE_URL', 'CLIENT_ID', 'CLIENT_SECRET'];
const [url, client_id, client_secret] = settings.map((name) => process.env[name] ?? '');
const thisMachine = /^(127\.|::1$)/;
const errors = { ABORT_ERR: 'timeout', ECONNREFUSED: 'refused', ECONNRESET: 'closed', EPIPE: 'closed' };
let token = '';

function say(text) {
  console.log(`${new Date().toTimeString().slice(0, 8)} ${text}`);
}

function stop(text, code = 1) {
  console.error(`relay: ${text}`);
  process.exit(code);
}

/** Any call: the answer, when its head is there. */
function call(address, { body, ...options }) {
  return new Promise((resolve, reject) => {
    const request = (address.protocol === 'https:' ? https : http).request(address, { agent: false, ...options });
    for (const event of ['response', 'upgrade']) request.on(event, resolve);
    request.on('timeout', () => request.destroy(new Error('it is silent')));
    request.on('error', (error) => reject(Object.assign(error, { tls: request.socket?.authorizationError })));
    request.end(body);
  });
}

/** Calls L-Plate. Its streams send a sign of life now and then: one that is silent for a minute is gone. No lesson counts it. */
async function send(method, path, more, body) {
  const headers = { 'Content-Type': 'application/json', 'L-Plate-Console': 'relay', ...more };
  const answer = await call(new URL(url.replace(/\/$/, '') + path), { method, headers, body, timeout: 60_000 });
  if (answer.statusCode < 300) return answer;
  const said = (await beginning(answer)).toString();
  throw Object.assign(new Error(`it answered ${answer.statusCode}: ${said}`), { status: answer.statusCode });
}

/** Calls L-Plate with the token, or with a new one if that has ended. */
async function authorized(method, path, headers, body) {
  const withToken = () => send(method, path, { ...headers, Authorization: `Bearer ${token}` }, body);
  try {
    return await withToken();
  } catch (error) {
    if (error.status !== 401) throw error;
  }
  const credentials = JSON.stringify({ grant_type: 'client_credentials', client_id, client_secret });
  const answer = await send('POST', '/insurer/v1/auth/token', {}, credentials);
  token = JSON.parse(Buffer.concat(await answer.toArray())).access_token;
  return withToken();
}

/** The calls that come by the stream. */
async function* calls(stream) {
  let [rest, event] = ['', ''];
  for await (const piece of stream.setEncoding('utf8')) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const [name, value] = line.split(/: (.*)/);
      if (name === 'event') event = value;
      if (event === 'replaced') stop('another relay of this client has begun, and gets the calls now.');
      if (name === 'data' && event === 'call') yield JSON.parse(value);
    }
  }
}

/** What comes of a body within a second: a receiver that goes on sending has answered all the same. */
async function beginning(answer) {
  const pieces = [];
  const until = setTimeout(() => answer.destroy(), 1000);
  try {
    for await (const piece of answer) if (Buffer.concat(pieces).length < longest) pieces.push(piece);
  } catch {
    // It was cut.
  }
  clearTimeout(until);
  return Buffer.concat(pieces).subarray(0, longest);
}

/** Makes a call, with these headers and bytes, if the receiver is on this machine. It follows no redirect. */
async function make({ method, headers, body }, address) {
  const found = await dns.lookup(address.hostname.replace(/^\[|\]$/g, ''), { all: true });
  if (!anyHost && !found.every((each) => thisMachine.test(each.address)))
    throw new Error('the relay calls this machine alone, unless it is started with --allow-any-host');
  const lookup = (_host, { all }, done) => (all ? done(null, found) : done(null, found[0].address, found[0].family));
  const options = { method, headers, body: Buffer.from(body, 'base64'), lookup, autoSelectFamily: true };
  const answer = await call(address, { ...options, signal: AbortSignal.timeout(15_000) });
  const sent = kept.filter((name) => name in answer.headers).map((name) => [name, answer.headers[name]]);
  const said = (await beginning(answer)).toString('base64');
  return { status: answer.statusCode, headers: Object.fromEntries(sent), body: said };
}

/** Why there was no answer. */
function failure({ code = '', syscall, tls, message }) {
  if (tls) return { error: 'tls' };
  if (syscall === 'getaddrinfo') return { error: 'name' };
  if (/^HPE_(?!HEADER_OVERFLOW)/.test(code)) return { error: 'http' };
  const error = /^(EPROTO$|ERR_SSL_)/.test(code) ? 'handshake' : errors[code];
  return error ? { error } : { error: 'other', detail: (message || code).slice(0, 200) };
}

/** Makes a call, and sends back what was answered, or why nothing was. */
async function relay(received) {
  const [address, start] = [new URL(received.url), Date.now()];
  const outcome = await make(received, address).catch(failure);
  const { status, error, detail = '' } = outcome;
  say(`${received.method} ${address.pathname} ${status ?? `${error} ${detail}`} ${Date.now() - start} ms`);
  await authorized('POST', `${path}/${received.id}`, {}, JSON.stringify(outcome)).catch(({ message }) =>
    say(`L-Plate did not take this answer: ${message}`),
  );
}

async function main() {
  const missing = settings.find((name) => !process.env[name]);
  if (missing) stop(`${missing} is missing.`);
  if (!/^https?:\/\//.test(url)) stop('LPLATE_URL is no address that begins with http.');
  process.on('SIGINT', () => stop('stopped by Ctrl+C', 0));
  for (let pause = 1; ; pause = Math.min(2 * pause, 30)) {
    try {
      const stream = await authorized('GET', path, { Accept: 'text/event-stream' });
      say(`connected to ${url}; Ctrl+C ends it`);
      pause = 1;
      for await (const received of calls(stream)) void relay(received);
      throw new Error('the stream ended');
    } catch (error) {
      if ([400, 401, 403, 404].includes(error.status)) stop(error.message);
      say(`${url}: ${error.message || error.code}; trying again in ${pause} s`);
    }
    await new Promise((resolve) => setTimeout(resolve, 1000 * pause));
  }
}

main();
