import { setTimeout as pause } from 'node:timers/promises';

/*
 * What every part of the path needs: calls with and without the token, the answers to questions, the clock, the drills.
 * Plain Node.js from version 20 on.
 */

/** The address of L-Plate. */
export const root = process.env.LPLATE_URL ?? 'http://localhost:8080';

/** What was said last of each limit: how many calls are left, and when there are more. */
const limits = new Map();

/**
 * One call. `path` begins with a slash and the name of a system. Resolves with the status, the headers, the text, and
 * `json` where the body is JSON. It waits before a call that the limit would refuse. `options.fetch` takes the place of fetch.
 */
export async function call(method, path, options = {}) {
  const limit = limitOf(path);
  const { left = 1, moreAt = 0 } = limits.get(limit) ?? {};
  if (left === 0) await pause(Math.max(0, moreAt - Date.now()));
  const { fetch: asks = fetch } = options;
  const response = await asks(root + path, { method, ...sent(options) });
  const text = await response.text();
  const { headers, status } = response;
  note(limit, headers);
  if (status === 429 && headers.has('retry-after')) {
    // Others at this address count, too.
    await pause(Number(headers.get('retry-after')) * 1000);
    return call(method, path, options);
  }
  const isJson = (headers.get('content-type') ?? '').includes('json');
  return { status, headers, text, json: isJson && text !== '' ? parse(text) : undefined };
}

/** Headers and body of a request, and whether it follows a redirect. */
function sent({ token, json, body, redirect, headers = {} }) {
  return {
    headers: {
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(json !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    body: json === undefined ? body : JSON.stringify(json),
    redirect,
  };
}

/** Each system has a limit, and the probe one of its own. */
function limitOf(path) {
  const plain = path.replace(/^\/for\/[^/]+/, '');
  return plain.includes('/limited/') ? plain : plain.split('/', 2)[1];
}

function note(limit, headers) {
  const [left, seconds] = ['ratelimit-remaining', 'ratelimit-reset'].map((name) =>
    Number(headers.get(name) ?? Number.NaN),
  );
  if (!Number.isNaN(left)) limits.set(limit, { left, moreAt: Date.now() + seconds * 1000 });
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

let plates = 0;

/** A registration number that nobody else has. */
export function newPlate() {
  plates += 1;
  return `PA-${Date.now().toString(36).toUpperCase()}-${plates}`;
}

/** A new client with a token, and what it can do. */
export async function newLearner() {
  // lesson: credentials
  const { json: credentials } = await call('POST', '/insurer/v1/demo-clients');
  const { client_id: id, client_secret: secret } = credentials;
  // end
  const me = learnerOf(id, secret);
  me.token = await me.newToken();
  return me;
}

/** A client that is there, without a token. */
export function learnerOf(id, secret) {
  const me = {
    id,
    secret,
    token: undefined,

    /** With the token, unless `options` have another one. */
    call: (method, path, options) => call(method, path, { token: me.token, ...options }),

    /** Without a token: the prefix says whose call it is. */
    bare: (method, path, options) => call(method, `/for/${id}${path}`, options),

    async newToken(scope) {
      // lesson: token-by-json
      const { json } = await call('POST', '/insurer/v1/auth/token', {
        json: { client_id: id, client_secret: me.secret, scope },
      });
      return json.access_token;
      // end
    },

    /** Answers the question of a lesson. Throws if the answer is wrong. */
    async answer(lesson, answer) {
      const { json } = await me.call('POST', '/range/v1/me/answers', { json: { lesson, answer } });
      if (!json.correct) throw new Error(`${lesson}: ${json.advice}`);
    },

    /** Moves the clock of this client ahead: `PT61M`. A token may have expired by then. */
    async advance(duration) {
      await me.call('POST', '/range/v1/me/clock', { json: { advance: duration } });
    },

    async startDrill(name, parameters = {}) {
      await me.call('POST', '/range/v1/me/drills', { json: { name, parameters, minutes: 5 } });
    },

    async endDrill(name) {
      await me.call('DELETE', `/range/v1/me/drills/${name}`);
    },
  };
  return me;
}
