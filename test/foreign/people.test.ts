import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe } from 'node:test';
import { type Browser as ChromiumBrowser, chromium as launcher } from 'playwright-core';
import { chromiumPath } from '../browser/support/chromium.ts';
import { callback, letInAt, type TestPerson } from '../support/people.ts';
import { compiled, nodeFolder, ownTypesAlone, programPath, told } from './support/programs.ts';
import { type Place, toolTest } from './support/tool-test.ts';
import { type Called, type CallOptions, call, classpath, jdk, node, python } from './support/tools.ts';

/*
 * Apps that a person lets in, by clients of OAuth 2.0 that other people wrote. Each has a loopback port as a program on
 * somebody's own machine has, and prints where it sends the browser. What the browser does is done here: by HTTP, or in Chromium.
 * A person allows less than the app asked for.
 */

/** What the browser does with the redirect that it gets: the drill forges the first one. */
type Way = 'forged' | 'other issuer' | 'as it is';

type Run = (args: readonly string[], options: CallOptions) => Promise<Called>;

/** Lets an app in at an address that it gave, and goes back to it. What does not come by a real browser can be changed before. */
type Browser = (url: string, person: TestPerson, change: (back: URL) => void) => Promise<void>;

async function goBack(back: URL, headers: Record<string, string> = {}): Promise<void> {
  await (await fetch(back, { headers })).text();
}

const byHttp: Browser = async (url, person, change) => {
  const back = await letInAt(url, person, ['policies:read']);
  change(back);
  await goBack(back);
};

/** The address is of the app itself, which has a session. */
const byHttpWithCookie: Browser = async (url, person, change) => {
  const { headers } = await fetch(url, { redirect: 'manual' });
  const back = await letInAt(headers.get('location') as string, person, ['policies:read']);
  change(back);
  await goBack(back, { Cookie: (headers.get('set-cookie') as string).split(';', 1)[0] as string });
};

let chromium: Promise<ChromiumBrowser> | undefined;

/** In a real browser, by keyboard. It runs on to the app, whose page is the end. */
function inChromium(javaScriptEnabled: boolean): Browser {
  return async (url, { userName, password }) => {
    const executablePath = chromiumPath();
    assert.ok(executablePath, 'no Chromium');
    chromium ??= launcher.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
    const context = await (await chromium).newContext({ javaScriptEnabled });
    const page = await context.newPage();
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await page.goto(url);
    // Past the link to the content and the one to the start.
    await press('Tab', 'Tab', 'Tab');
    await page.keyboard.type(userName);
    await press('Tab');
    await page.keyboard.type(password);
    await press('Enter');
    await page.getByRole('heading', { name: /^Let .* in\?$/ }).waitFor();
    // To the second scope, which is taken out, and on to the button that allows.
    await press('Tab', 'Tab', 'Tab', 'Tab', 'Space', 'Tab', 'Enter');
    await page.waitForURL(/^http:\/\/127\.0\.0\.1:\d+\/callback\?/);
    await context.close();
  };
}

interface Settings {
  readonly ways?: readonly Way[];
  /** Whether the app uses the personal prefix as its issuer. */
  readonly prefix?: true;
  readonly letIn?: Browser;
}

/** Runs an app to its end. Returns what it tells, with the person. */
async function runApp({ origin, program }: Place, run: Run, settings: Settings = {}) {
  const { ways = ['forged', 'other issuer', 'as it is'], prefix, letIn = byHttp } = settings;
  const { id, secret, token } = await program.client();
  const range = async (method: string, path: string, json?: object) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const answer = await fetch(`${origin}/range/v1/me/${path}`, {
      method,
      headers,
      ...(json && { body: JSON.stringify(json) }),
    });
    assert.ok(answer.ok, `${path}: ${answer.status}`);
    return JSON.parse(await answer.text());
  };
  await range('PUT', 'redirect-uris', { redirectUris: [callback] });
  if (ways.includes('forged'))
    await range('POST', 'drills', { name: 'forged-callback', parameters: { sequence: ['hit'] } });
  const { items } = await range('GET', 'people');
  const [ida] = items as [TestPerson];
  const left = [...ways];
  const heard = async (line: string) => {
    const url = /http:\S+\/(?:auth\/authorize\?\S+|login)$/.exec(line)?.[0];
    if (url === undefined) return;
    const way = left.shift();
    assert.ok(way, 'the app sends the person out once more');
    await letIn(url, ida, ({ searchParams }) => {
      if (way === 'other issuer') searchParams.set('iss', 'http://other.example');
    });
  };
  const issuer = prefix ? `${origin}/for/${id}` : origin;
  const called = await run([issuer, origin, id, secret], { heard });
  assert.deepEqual(left, []);
  return { ida, app: told(called) as { refusals: string[] } };
}

/** What an app has seen that did the whole flow, but for what it refused. */
async function flow(place: Place, run: Run, refusals: readonly RegExp[], more: object, settings: Settings = {}) {
  const { ida, app } = await runApp(place, run, settings);
  const { refusals: found, ...rest } = app;
  assert.equal(found.length, refusals.length, found.join());
  for (const [at, refusal] of refusals.entries()) assert.match(found[at] as string, refusal);
  const usual = { scope: 'policies:read', seen: ida.policies, again: ida.policies, ended: [401, 'invalid_grant'] };
  assert.deepEqual(rest, { ...usual, ...more });
}

const byNode =
  (path: string): Run =>
  (args, options) =>
    call(process.execPath, [path, ...args], options);

const byPython =
  (name: string, environment: Record<string, string> = {}): Run =>
  (args, options) =>
    python([programPath(name), ...args], {
      ...options,
      environment: { ...environment, PYTHONDONTWRITEBYTECODE: '1' },
    });

describe('Decisions, people: an app whose OAuth client others wrote is let in, refreshes, and gives up its access', () => {
  after(async () => (await chromium)?.close());

  const stateAndIssuer = [/"state"/, /"iss"/];
  const withName = { username: 'ida' };

  toolTest(
    ['openid-client', 'oauth4webapi'],
    'openid-client and oauth4webapi, which refuse another state and another iss',
    async (place) => {
      await nodeFolder(place);
      const names = ['people-openid-client.ts', 'people-oauth4webapi.ts', 'callback.ts'];
      const [first = '', second = ''] = await compiled(place, names, ownTypesAlone);
      const { t } = place;
      await t.test('openid-client', () => flow(place, byNode(first), stateAndIssuer, withName));
      await t.test('openid-client, by a personal prefix, which is the issuer then (RFC 8414, section 3.1)', () =>
        flow(place, byNode(first), [], withName, { ways: ['as it is'], prefix: true }),
      );
      await t.test('openid-client, and Chromium with JavaScript, by keyboard', () =>
        flow(place, byNode(first), [], withName, { ways: ['as it is'], letIn: inChromium(true) }),
      );
      await t.test('openid-client, and Chromium without JavaScript, by keyboard', () =>
        flow(place, byNode(first), [/"state"/], withName, { ways: ['forged', 'as it is'], letIn: inChromium(false) }),
      );
      await t.test('oauth4webapi', () => flow(place, byNode(second), stateAndIssuer, withName));
    },
  );

  toolTest(['passport', 'passport-oauth2'], 'Passport, in a web app, which refuses another state', async (place) => {
    await nodeFolder(place);
    const path = join(place.folder, 'app.js');
    await copyFile(programPath('people-passport.js'), path);
    const refusals = [/request state/, /iss/];
    await place.t.test('by HTTP', () => flow(place, byNode(path), refusals, {}, { letIn: byHttpWithCookie }));
    await place.t.test('in Chromium, whose cookie comes back with it', () =>
      flow(place, byNode(path), [], {}, { ways: ['as it is'], letIn: inChromium(false) }),
    );
  });

  toolTest(['Authlib'], 'Authlib, which refuses another state', async (place) => {
    await flow(place, byPython('people-authlib.py'), [/^MismatchingStateException/, /^ValueError: iss/], withName);
  });

  toolTest(['requests-oauthlib'], 'requests-oauthlib, which refuses another state', async (place) => {
    const run = byPython('people-requests-oauthlib.py', {
      // For http, and for a person who allows less than was asked for.
      ...{ OAUTHLIB_INSECURE_TRANSPORT: '1', OAUTHLIB_RELAX_TOKEN_SCOPE: '1' },
    });
    await flow(place, run, [/^MismatchingStateError/, /^ValueError: iss/], {});
  });

  toolTest(['golang.org/x/oauth2'], 'golang.org/x/oauth2, which renews a token by itself', async (place) => {
    const { folder } = place;
    for (const name of ['go.mod', 'go.sum']) await copyFile(join(import.meta.dirname, 'go', name), join(folder, name));
    await copyFile(programPath('people.go'), join(folder, 'main.go'));
    const path = join(folder, 'app');
    await call('go', ['build', '-mod=readonly', '-o', path, '.'], { cwd: folder });
    await flow(place, (args, options) => call(path, args, options), [/state/, /iss/], {});
  });

  toolTest(['@openid/appauth', 'tsx'], 'AppAuth-JS, with its handler for Node.js', async (place) => {
    const { folder } = place;
    await nodeFolder(place);
    const path = join(folder, 'app.ts');
    await copyFile(programPath('people-appauth.ts'), path);
    const run: Run = (args, options) =>
      // It opens the browser of this machine, if it finds one.
      node('tsx/dist/cli.mjs', [path, ...args], { ...options, cwd: folder, environment: { PATH: folder } });
    const ended = [401, 'Bad Request'];
    await flow(place, run, [/another state/], { ended }, { ways: ['forged', 'as it is'] });
  });

  toolTest(['spring-security-oauth2-client'], 'Spring Security, which refuses another state', async (place) => {
    const classes = await classpath(place.folder);
    await call(jdk('javac'), ['-proc:none', '-d', place.folder, '-cp', classes, programPath('People.java')]);
    const run: Run = (args, options) => call(jdk('java'), ['-cp', classes, 'People', ...args], options);
    await flow(place, run, [/invalid_state_parameter/, /iss/], {});
  });
});
