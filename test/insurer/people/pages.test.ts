import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  authorizeHeaders,
  authorizePolicy,
  consentPage,
  refusalPage,
  signInPage,
} from '../../../src/insurer/people/pages.ts';
import { navigation } from '../../../src/navigation.ts';
import { contained } from '../../../src/text/contained-text.ts';
import { anyText } from '../../support/any-text.ts';
import { chooseSeed } from '../../support/extent.ts';
import { assertWellFormed } from '../../support/well-formed.ts';

const seed = chooseSeed();

const action = '/for/demo-1/insurer/v1/auth/authorize?client_id=demo-1&state="x"';
const app = { clientId: 'demo-1', appName: 'Mobile Broker' };
const signIn = { ...app, action };
const failed = { ...signIn, userName: 'ada', fault: 'The user name or the password is wrong.' };
const consent = {
  ...signIn,
  ticket: 'ticket-1',
  person: { name: 'Ada Nord', userName: 'ada' },
  scopes: [
    { scope: 'policies:read', text: 'List and read your policies' },
    { scope: 'claims:read', text: 'List and read your claims' },
  ],
  redirectHost: '127.0.0.1:5173',
  until: '2027-02-27T12:00:00.000Z',
};
const refusal = {
  title: 'No such client',
  reason: 'There is no client demo-2.',
  advice: 'Create one.',
  command: 'curl -X POST http://localhost/insurer/v1/demo-clients',
};

const refused = (view: typeof refusal) => refusalPage({ navigation }, view);

const all: Readonly<Record<string, Buffer>> = {
  'sign-in': signInPage(signIn),
  'sign-in with people': signInPage({ ...signIn, people: [consent.person] }),
  'failed sign-in': signInPage(failed),
  consent: consentPage(consent),
  refusal: refused(refusal),
};

interface Tag {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** What a browser makes of `&#34;`. */
const read = (text: string) => text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));

/** The tags of a page that is well-formed, with what their attributes say, and the texts between them. */
function partsOf(page: Buffer): { readonly tags: readonly Tag[]; readonly texts: readonly string[] } {
  const pieces = String(page).match(/<[^>]*>|[^<]+/g) ?? [];
  const tags = pieces
    .filter((piece) => piece.startsWith('<'))
    .map((piece) => ({
      name: /^<([^ >]*)/.exec(piece)?.[1] ?? '',
      attributes: Object.fromEntries(
        [...piece.matchAll(/ ([a-z-]+)(?:="([^"]*)")?/g)].map(([, name, value = '']) => [name, read(value)]),
      ),
    }));
  return { tags, texts: pieces.filter((piece) => !piece.startsWith('<')).map(read) };
}

const tagsOf = (page: Buffer, ...names: string[]) =>
  partsOf(page)
    .tags.filter(({ name }) => names.includes(name))
    .map(({ attributes }) => attributes);

/** The page as a browser builds it, whatever is in it. */
const shapeOf = (page: Buffer) =>
  partsOf(page).tags.map(({ name, attributes }) => [name, ...Object.keys(attributes)].join(' '));

/** The text of a page, with nothing but what is read. */
const textOf = (page: Buffer) => partsOf(page).texts.join('');

/** Any text, and what would end a text, an attribute or a comment. None is empty: then a field has another form. */
const text = fc.oneof(
  anyText({ minLength: 1 }),
  fc.constantFrom(
    `"><script src="//x.example">`,
    `' onfocus='x`,
    '</title></p>',
    '<!--',
    '&amp;&#34;&lt;',
    '\u2067\u202e"',
  ),
);

/** Holds a page to the shape of another one, in which attributes and texts say what they are given, kept apart from others. */
function assertHolds(
  page: Buffer,
  like: Buffer,
  { attributes, texts }: { readonly attributes: readonly string[]; readonly texts: readonly string[] },
): void {
  assertWellFormed(String(page), 'page');
  assert.deepEqual(shapeOf(page), shapeOf(like));
  const said = partsOf(page).tags.flatMap((tag) => Object.values(tag.attributes));
  for (const each of attributes) assert(said.includes(each), `no attribute has ${JSON.stringify(each)}`);
  const shown = new Set(partsOf(page).texts);
  for (const each of texts) assert(shown.has(contained(each)), `nowhere stands ${JSON.stringify(each)}`);
}

describe('Decisions, people: the pages of the authorization endpoint', () => {
  // No name is the id: then it would be said once.
  const ofApp = { action: text, clientId: text.map((id) => `${id}-`), appName: text.map((name) => `${name}.`) };
  const person = fc.record({ name: text, userName: text });

  test('Decisions, people: whatever is put into the sign-in page stands there as text, and changes nothing of it', () => {
    const views = fc.record({ ...ofApp, userName: text, fault: text, people: fc.tuple(person) });
    const like = signInPage({ ...failed, people: [consent.person] });
    fc.assert(
      fc.property(views, ({ people: [one], ...view }) => {
        const { action, clientId, appName, userName, fault } = view;
        assertHolds(signInPage({ ...view, people: [one] }), like, {
          attributes: [action, userName],
          texts: [clientId, appName, fault, one.name, one.userName],
        });
      }),
      { seed },
    );
  });

  test('Decisions, people: whatever is put into the consent page stands there as text, and changes nothing of it', () => {
    const asked = fc.record({ scope: text, text });
    const views = fc.record({
      ...{ ...ofApp, person, ticket: text, redirectHost: text, until: text.map((end) => `${end}${' '.repeat(10)}`) },
      scopes: fc.tuple(asked, asked),
    });
    fc.assert(
      fc.property(views, (view) => {
        const { action, clientId, appName, person, ticket, redirectHost, until, scopes } = view;
        assertHolds(consentPage(view), consentPage(consent), {
          attributes: [action, ticket, until, ...scopes.map(({ scope }) => scope)],
          texts: [
            ...[clientId, appName, person.name, person.userName, redirectHost],
            ...scopes.flatMap((each) => [each.scope, each.text]),
          ],
        });
      }),
      { seed },
    );
  });

  test('Decisions, people: whatever is put into a refusal stands there as text, and changes nothing of it', () => {
    const views = fc.record({ title: text, reason: text, advice: text, command: text });
    fc.assert(
      fc.property(views, (view) => {
        const { title, reason, advice, command } = view;
        const page = refused(view);
        assertHolds(page, refused(refusal), { attributes: [], texts: [title, reason, advice] });
        // It is copied, so it is as it was given.
        assert(textOf(page).includes(command));
      }),
      { seed },
    );
  });

  test('Decisions, people: no page has a script, a style of its own, or anything from elsewhere', () => {
    for (const [name, page] of Object.entries(all)) {
      assertWellFormed(String(page), name);
      const { tags } = partsOf(page);
      assert.equal(tags.filter((tag) => /^(?:script|style|iframe|object|img|base)$/.test(tag.name)).length, 0, name);
      for (const { attributes } of tags) {
        for (const [attribute, said] of Object.entries(attributes)) {
          assert.doesNotMatch(attribute, /^(?:on|style$)/, name);
          if (/^(?:href|src|action)$/.test(attribute)) assert.match(said, /^\/(?!\/)|^data:image|^#main$/, name);
        }
      }
    }
  });

  test('Decisions, people: each page has its title, one heading, one main element, and its language', () => {
    const titles = Object.values(all).map((page) => /<title>([^<]*)<\/title>/.exec(String(page))?.[1]);
    const ofSignIn = 'Sign in – L-Plate';
    assert.deepEqual(titles, [
      ...[ofSignIn, ofSignIn, ofSignIn],
      ...['Let Mobile Broker in? – L-Plate', 'No such client – L-Plate'],
    ]);
    for (const [name, page] of Object.entries(all)) {
      assert.equal(tagsOf(page, 'h1').length, 1, name);
      assert.equal(tagsOf(page, 'main').length, 1, name);
      assert.equal(tagsOf(page, 'html')[0]?.lang, 'en', name);
    }
  });

  test('Decisions, people: each field has a label, and each box stands in one', () => {
    for (const [name, page] of Object.entries(all)) {
      const labelled = tagsOf(page, 'label').map((label) => label.for);
      const fields = tagsOf(page, 'input').filter(({ type = 'text' }) => !/^(?:hidden|checkbox)$/.test(type));
      for (const { id } of fields) assert(labelled.includes(id), `${name}: ${id}`);
    }
    const boxes = String(all.consent).match(/<label><input type="checkbox"/g);
    assert.equal(boxes?.length, consent.scopes.length);
  });

  test('Decisions, people: sign-in asks for a user name and a password, as browsers and password managers know them', () => {
    const page = signInPage({ ...signIn, userName: 'ada' });
    assert.deepEqual(tagsOf(page, 'form'), [{ method: 'post', action }]);
    const [userName, password] = tagsOf(page, 'input');
    assert.equal(userName?.name, 'userName');
    assert.equal(userName?.autocomplete, 'username');
    assert.equal(userName?.value, 'ada');
    assert.equal(password?.name, 'password');
    assert.equal(password?.type, 'password');
    assert.equal(password?.autocomplete, 'current-password');
    assert.equal(password?.value, undefined);
    // Enter in a field presses the first.
    const [enter, cancel] = tagsOf(page, 'button');
    assert.equal(enter?.name, undefined);
    assert.deepEqual([cancel?.name, cancel?.value, cancel?.formnovalidate], ['decision', 'cancel', '']);
    assert.match(
      textOf(page),
      /Mobile Broker.*demo-1.*sent you here.*made up.*no secret.*GET \/range\/v1\/me\/people/s,
    );
  });

  test('Decisions, people: a failed sign-in says so once, of both fields, and goes on where something is missing', () => {
    const fieldsOf = (userName: string) => tagsOf(signInPage({ ...failed, userName }), 'input');
    for (const field of fieldsOf('ada')) {
      assert.equal(field['aria-describedby'], 'fault');
      assert.equal(field['aria-invalid'], 'true');
    }
    const alerts = partsOf(signInPage(failed)).tags.filter(({ attributes }) => attributes.role === 'alert');
    assert.deepEqual(
      alerts.map(({ attributes }) => attributes.id),
      ['fault'],
    );
    const focused = (fields: readonly Tag['attributes'][]) =>
      fields.filter((field) => field.autofocus === '').map(({ name }) => name);
    assert.deepEqual(focused(fieldsOf('ada')), ['password']);
    assert.deepEqual(focused(fieldsOf('')), ['userName']);
    assert.deepEqual(focused(tagsOf(signInPage(signIn), 'input')), []);
    assert.doesNotMatch(String(signInPage(signIn)), /aria-invalid|role="alert"/);
  });

  test('Decisions, people: consent says who asks, as whom, for what, until when and where it leads, with all boxes ticked', () => {
    const page = consentPage(consent);
    assert.match(
      textOf(page),
      /Mobile Broker.*demo-1.*asks for access.*Ada Nord.*ada.*List and read your policies.*policies:read.*2027-02-27.*127\.0\.0\.1:5173/s,
    );
    assert.deepEqual(tagsOf(page, 'form'), [{ method: 'post', action }]);
    const [ticket, ...boxes] = tagsOf(page, 'input');
    assert.deepEqual(ticket, { type: 'hidden', name: 'ticket', value: 'ticket-1' });
    assert.deepEqual(
      boxes,
      consent.scopes.map(({ scope }) => ({ type: 'checkbox', name: 'scope', value: scope, checked: '' })),
    );
    const buttons = tagsOf(page, 'button').filter(({ hidden }) => hidden === undefined);
    assert.deepEqual(
      buttons.map((button) => [button.name, button.value]),
      [
        ['decision', 'allow'],
        ['decision', 'deny'],
      ],
    );
  });

  test('Decisions, people: an app without a name is called by its id, once', () => {
    const page = signInPage({ ...signIn, appName: app.clientId });
    assert.equal(textOf(page).match(/demo-1/g)?.length, 1);
  });

  test('Decisions, people: a refusal says what to do, with a command only where there is one', () => {
    assert.match(textOf(refused(refusal)), /There is no client demo-2\..*What to do.*Create one\..*curl -X POST/s);
    const { title, reason, advice } = refusal;
    assert.equal(tagsOf(refusalPage({ navigation }, { title, reason, advice }), 'pre').length, 0);
  });

  test('Decisions, people: the policy lets no script run, no page frame these, and a form lead to this service, or back to the app', () => {
    const policyOf = (formAction: string) =>
      `default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'self'${formAction}; frame-ancestors 'none'`;
    assert.equal(authorizePolicy(), policyOf(''));
    assert.equal(authorizePolicy(true), policyOf(' http: https:'));
    assert.deepEqual(authorizeHeaders, {
      'Referrer-Policy': 'no-referrer',
      'X-Frame-Options': 'DENY',
      'Cache-Control': 'no-store',
    });
  });
});
