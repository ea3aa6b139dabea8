import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { second } from '../../../src/time/units.ts';
import { anyText } from '../../support/any-text.ts';
import { forEachEngineInFull } from '../../support/engines.ts';
import { chooseSeed, extent } from '../../support/extent.ts';
import { linesFrom, sharedLPlate } from '../../support/lplate.ts';
import {
  authorizationQuery,
  authorizePath,
  browse,
  clientWithPeople,
  type Page,
  signIn,
  ticketIn,
} from '../../support/people.ts';

/* Any request to the authorization endpoint: where its browser is sent to. */

const seed = chooseSeed();
const numRuns = extent(60, 2_000);

const registered = [
  'http://127.0.0.1/callback',
  'http://[::1]:3000/?of=app',
  'http://localhost:3000/callback',
  'https://app.example/callback?of=app&to=here',
  'https://app.example',
];

type Pair = [name: string, value: string];

/** A registered address, as it is or changed at one place. */
const nearlyRegistered = fc
  .tuple(
    fc.constantFrom(...registered),
    fc.nat({ max: 50 }),
    fc.nat({ max: 3 }),
    fc.oneof(
      fc.constantFrom(
        ':8080',
        ':65536',
        '@attacker.example',
        '.attacker.example',
        '/..',
        '//',
        '\\',
        '\t',
        '#',
        '?',
        '&',
      ),
      fc.constantFrom('%2f', '%00', '\r\nLocation: https://attacker.example/', ' ', 'https://attacker.example/', ''),
      anyText({ maxLength: 3 }),
    ),
  )
  .map(([uri, at, cut, put]) => uri.slice(0, at) + put + uri.slice(at + cut));

/** A loopback address with a port that is one, or nearly. */
const withPort = fc
  .tuple(fc.constantFrom('http://127.0.0.1', 'http://[::1]', 'http://localhost'), fc.nat({ max: 100_000 }))
  .chain(([origin, port]) => fc.constantFrom(`${origin}:${port}/callback`, `${origin}:${port}/?of=app`));

/** A right value, and now and then another. */
const mostly = (right: string, others: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 14, arbitrary: fc.constant(right) }, { weight: 1, arbitrary: others });

const values: Readonly<Record<string, fc.Arbitrary<string>>> = {
  response_type: mostly('code', fc.constantFrom('token', '')),
  redirect_uri: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...registered) },
    { weight: 3, arbitrary: nearlyRegistered },
    { weight: 3, arbitrary: withPort },
    { weight: 1, arbitrary: anyText() },
  ),
  state: fc.oneof(
    { weight: 9, arbitrary: anyText({ minLength: 1, maxLength: 40 }) },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme-ascii', maxLength: 1_100 }) },
  ),
  scope: fc.oneof(
    fc.constantFrom('policies:read', 'policies:read claims:read', '', 'admin'),
    anyText({ maxLength: 9 }),
  ),
  code_challenge: mostly('x'.repeat(43), anyText({ maxLength: 50 })),
  code_challenge_method: mostly('S256', fc.constantFrom('plain', '')),
  login_hint: anyText({ maxLength: 20 }),
  prompt: mostly('login', fc.constant('none')),
};

const usual = ['response_type', 'redirect_uri', 'state', 'code_challenge', 'code_challenge_method'];

/** What stands in place of parameters of a right request, and what else is there. */
const changes: fc.Arbitrary<{ instead: Record<string, string | undefined>; more: Pair[] }> = fc.record({
  instead: fc.record(
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        fc.option(value, { nil: undefined, freq: usual.includes(name) ? 50 : 2 }),
      ]),
    ),
    { requiredKeys: ['redirect_uri', 'state'] },
  ),
  more: fc.oneof(
    { weight: 4, arbitrary: fc.constant<Pair[]>([]) },
    {
      weight: 1,
      arbitrary: fc.array(
        fc.tuple(fc.oneof(fc.constantFrom(...usual, 'client_id', 'request', 'response_mode'), anyText()), anyText()),
        { maxLength: 3 },
      ),
    },
  ),
});

/** A query that was made by nobody's library: what a browser can send. */
const rawQuery = fc.string({ unit: fc.constantFrom(...'redirect_uri=state&=&%+;[]\'"ü0A/:?@.'), maxLength: 80 });

const forms: fc.Arbitrary<Pair[]> = fc.array(
  fc.tuple(
    fc.oneof(fc.constantFrom('userName', 'password', 'ticket', 'decision', 'scope'), anyText()),
    fc.oneof(fc.constantFrom('ida', 'allow', 'deny', 'cancel', 'policies:read'), anyText()),
  ),
  { maxLength: 6 },
);

/** Whether a browser that is sent there comes to an address that was registered: `URL` reads as browsers do. */
function isOfApp(location: URL): boolean {
  return registered.some((each) => {
    const uri = new URL(each);
    const isLoopback = uri.hostname === '127.0.0.1' || uri.hostname === '[::1]';
    const isSameHost = isLoopback ? location.hostname === uri.hostname : location.host === uri.host;
    const begins = uri.search === '' ? '?' : `${uri.search}&`;
    return (
      isSameHost &&
      location.protocol === uri.protocol &&
      location.pathname === uri.pathname &&
      location.search.startsWith(begins) &&
      [location.username, location.password, location.hash].every((part) => part === '')
    );
  });
}

forEachEngineInFull((engine) => {
  const lplate = sharedLPlate(engine);
  let world: Awaited<ReturnType<typeof clientWithPeople>>;
  before(async () => {
    world = await clientWithPeople(lplate, registered);
  });

  /** Holds an answer to what all of them keep to. Returns what comes back to the app, if a browser is sent there. */
  function kept({ status, redirect, headers, text }: Page): URLSearchParams | undefined {
    assert.ok(status < 500, `${status} ${text}`);
    assert.equal(status === 303, redirect !== undefined, `${status} ${text}`);
    if (!redirect) return undefined;
    assert.ok(isOfApp(redirect), redirect.href);
    // What was asked for is the whole of it: nothing of the request has come in between.
    assert.doesNotMatch(headers.get('location') ?? '', /[^!-~]/);
    const own = new URLSearchParams(redirect.search);
    for (const name of ['of', 'to']) own.delete(name);
    const names = [...own.keys()].filter((name) => name !== 'state').join();
    assert.match(names, /^(?:code|error,error_description),iss$/, redirect.href);
    assert.equal(own.get('iss'), lplate.config.publicUrl);
    assert.match(own.get('error_description') ?? '', /^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/);
    return own;
  }

  test('Decisions, people: whatever a request is, a browser is sent to an address that was registered, or nowhere', async (t) => {
    const { client, ida } = world;
    const met = { pages: 0, errors: 0, codes: 0 };
    const anyRequest = fc.asyncProperty(changes, async ({ instead, more }) => {
      // Codes that nobody exchanges make room for others.
      lplate.clock.advance(second);
      const given = new URLSearchParams(authorizationQuery(client.id, instead));
      for (const [name, value] of more) given.append(name, value);
      const query = String(given);
      const path = `${authorizePath}?${query}`;
      const states = given.getAll('state').filter((state) => state.length <= 1_000);
      const expected = given.getAll('state').length === 1 ? states : [];
      const pages = [await browse(lplate, path), await browse(lplate, path, { decision: 'cancel' })];
      const consent = await signIn(lplate, query, ida);
      const ticket = ticketIn(consent);
      const allowed = { ticket: ticket ?? '', decision: 'allow', scope: 'policies:read' };
      for (const page of [...pages, consent, await browse(lplate, path, allowed)]) {
        const told = kept(page);
        met[!told ? 'pages' : told.has('code') ? 'codes' : 'errors'] += 1;
        if (told) assert.deepEqual(told.getAll('state'), expected);
      }
    });
    await fc.assert(anyRequest, { seed, numRuns });
    t.diagnostic(`with FUZZ_SEED=${seed}: ${JSON.stringify(met)}`);
    // Else it never got beyond the door.
    for (const [what, times] of Object.entries(met)) assert.ok(times > numRuns / 15, `${times} ${what}`);
    assert.deepEqual(linesFrom(lplate, 50), []);
  });

  test('Decisions, people: no query that a browser can send leads elsewhere', async () => {
    const around = fc.tuple(rawQuery, fc.boolean(), rawQuery);
    const anyQuery = fc.asyncProperty(around, async ([start, isWhole, end]) => {
      const query = isWhole ? `${start}&${authorizationQuery(world.client.id)}&${end}` : start;
      kept(await browse(lplate, `${authorizePath}?${query}`));
      kept(await browse(lplate, `${authorizePath}?${query}`, { decision: 'cancel' }));
    });
    await fc.assert(anyQuery, { seed, numRuns });
    assert.deepEqual(linesFrom(lplate, 50), []);
  });

  test('Decisions, people: whatever form comes, nobody is let in by it', async () => {
    const path = `${authorizePath}?${authorizationQuery(world.client.id)}`;
    const anyForm = fc.asyncProperty(forms, async (fields) => {
      const page = await browse(lplate, path, fields);
      assert.ok(['access_denied', undefined].includes(kept(page)?.get('error') as string | undefined));
    });
    await fc.assert(anyForm, { seed, numRuns });
    assert.deepEqual(linesFrom(lplate, 50), []);
  });
});
