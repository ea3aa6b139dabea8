import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../support/any-text.ts';
import { onSqlite } from '../support/engines.ts';
import { chooseSeed, extent } from '../support/extent.ts';
import { sharedLPlate } from '../support/lplate.ts';
import { asked, envelope, registry, request, soap, withHeader } from './envelopes.ts';
import { parseXml, textAt } from './xml.ts';

const seed = chooseSeed();

/* What is sent is judged by soap-request.test.ts, as text; here it comes over HTTP, and every answer is checked by its schema. */

const path = '/vehicle-registry/v1';

const doctype = (inside: string, use: string) =>
  `<!DOCTYPE a [${inside}]>${envelope(request(`<RegNumber>${use}</RegNumber>`))}`;
const laughs = Array.from({ length: 10 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join('');
const nested = (depth: number) => '<a>'.repeat(depth) + '</a>'.repeat(depth);

/** What is sent, the fault code that comes of it, and what the fault says. */
const bad: [what: string, body: string | Uint8Array<ArrayBuffer>, code: string, message: RegExp, headers?: object][] = [
  ['nothing', '', 'Client', /The body is empty/],
  ['a billion laughs', doctype(`<!ENTITY l0 "ha">${laughs}`, '&l10;'), 'Client', /DOCTYPE/],
  ['an external entity', doctype('<!ENTITY x SYSTEM "file:///etc/passwd">', '&x;'), 'Client', /DOCTYPE/],
  ['an external subset', `<!DOCTYPE a SYSTEM "http://127.0.0.1:1/a.dtd">${envelope()}`, 'Client', /DOCTYPE/],
  ['an entity that nobody declared', envelope(request('<RegNumber>&x;</RegNumber>')), 'Client', /not well-formed/],
  ['a processing instruction', `<?xml-stylesheet href="a"?>${envelope()}`, 'Client', /processing instructions/],
  ['9,000 nested elements in the body', envelope(nested(9_000)), 'Client', /GetVehicleDataRequest|nested/],
  [
    '10,000 nested elements in a header block',
    withHeader(`<a:b xmlns:a="urn:x">${'<a>'.repeat(10_000)}</a:b>`),
    'Client',
    /nested more than/,
  ],
  ['nested elements that never end', '<a>'.repeat(20_000), 'Client', /Envelope/],
  [
    'many attributes',
    `<a ${Array.from({ length: 6_000 }, (_, at) => `a${at}=""`).join(' ')}/>`,
    'Client',
    /more than 100 attributes/,
  ],
  ['truncated XML', envelope().slice(0, -10), 'Client', /not well-formed/],
  ['XML that goes on', `${envelope()}${envelope()}`, 'Client', /not well-formed/],
  ['two elements in the body', envelope(asked + asked), 'Client', /a second one/],
  ['no element in the body', envelope(''), 'Client', /Body does not contain/],
  ['another namespace', envelope(asked.replace(registry, 'urn:other')), 'Client', /urn:other/],
  ['another operation', envelope(asked.replaceAll('GetVehicleData', 'DropVehicle')), 'Client', /DropVehicle/],
  ['another action', envelope(), 'Client', /SOAPAction says "urn:other"/, { SOAPAction: '"urn:other"' }],
  ['no RegNumber', envelope(request('')), 'Client', /does not contain RegNumber/],
  ['two RegNumbers', envelope(request('<RegNumber/><RegNumber/>')), 'Client', /more than once/],
  ['SOAP 1.2', envelope().replace(soap, 'http://www.w3.org/2003/05/soap-envelope'), 'VersionMismatch', /SOAP 1\.2/],
  ['JSON', '{"regNumber":"AB-1234"}', 'Client', /looks like JSON/, { 'Content-Type': 'application/json' }],
  ['a form', 'regNumber=AB-1234', 'Client', /not well-formed/, { 'Content-Type': 'application/x-www-form-urlencoded' }],
  ['HTML', '<!doctype html><html></html>', 'Client', /DOCTYPE|not well-formed/],
  ['UTF-7 by the header', envelope(), 'Client', /UTF-7/, { 'Content-Type': 'text/xml; charset=UTF-7' }],
  ['UTF-7 by the declaration', `<?xml version="1.0" encoding="UTF-7"?>${envelope()}`, 'Client', /UTF-7/],
  ['UTF-7 in truth', '+ADw-a/+AD4-', 'Client', /not well-formed/],
  ['Latin-1 that is called UTF-8', Uint8Array.from(Buffer.from(envelope('é'), 'latin1')), 'Client', /not valid UTF-8/],
  ['bytes of no meaning', Uint8Array.from({ length: 5_000 }, (_, at) => (at * 167) % 256), 'Client', /./],
  ['a NUL', envelope(request('<RegNumber>\0</RegNumber>')), 'Client', /not well-formed/],
];

onSqlite((engine) => {
  const lplate = sharedLPlate(engine);

  const post = (body: string | Uint8Array<ArrayBuffer>, headers: object = {}) =>
    lplate.call('POST', path, { body, headers: { 'Content-Type': 'text/xml', ...headers } });

  describe('Decisions, vehicle registry: bad input over HTTP', () => {
    for (const [what, body, code, message, headers] of bad) {
      test(`Decisions, vehicle registry: ${what}: a fault ${code} that says what is wrong`, async () => {
        const { status, text } = await post(body, headers);
        assert.equal(status, 500);
        using document = parseXml(text);
        assert.equal(textAt(document, '//e:Fault/faultcode'), `soap:${code}`);
        assert.match(textAt(document, '//e:Fault/faultstring') ?? '', message);
        assert(text.length < 2_000, 'a fault is short, however long the request was');
      });
    }

    test('Decisions, vehicle registry: reading stops where the fault is, however much follows', async () => {
      for (const body of [
        withHeader(`<a:b xmlns:a="urn:x">${'<a>'.repeat(10_000)}</a:b>`),
        envelope(asked + asked + '<a/>'.repeat(10_000)),
        envelope(`<?a b?>${'<a/>'.repeat(10_000)}`),
        envelope(`${'<a/>'.repeat(10_000)}`),
      ]) {
        const column = /Line 1, column (\d+):/.exec((await post(body)).text)?.[1];
        assert(Number(column) < 600, `column ${column}`);
      }
    });

    test('Decisions, vehicle registry: nothing of it was a defect, and the service goes on', async () => {
      assert.equal((await post(envelope())).status, 200);
      const defects = lplate.log.filter((line) => JSON.parse(line).level >= 50);
      assert.deepEqual(defects, []);
    });

    test('Decisions, vehicle registry: envelopes with random damage: each is answered or a fault of the client', async () => {
      console.log(`FUZZ_SEED=${seed} (SOAP)`);
      const pieces = [
        '',
        '<',
        '>',
        '&',
        '"',
        '\0',
        ']]>',
        '<!--',
        '<![CDATA[',
        '<?x?>',
        '<!DOCTYPE a>',
        '</',
        'xmlns=""',
        ' ',
      ];
      const piece = fc.oneof(fc.constantFrom(...pieces), anyText({ maxLength: 8 }));
      const damage = fc.record({ at: fc.nat(), cut: fc.nat(12), piece });
      const whole = fc.constantFrom(
        envelope(),
        withHeader('<a:b xmlns:a="urn:x" s:mustUnderstand="0"><c/></a:b>'),
        `<?xml version="1.0" encoding="utf-8"?><!-- a -->${envelope(request('<RegNumber><![CDATA[XX]]>-1234</RegNumber>'))}`,
      );
      const sent = fc.tuple(whole, fc.array(damage, { maxLength: 3 })).map(([text, all]) =>
        all.reduce((changed, { at, cut, piece: put }) => {
          const place = at % (changed.length + 1);
          return changed.slice(0, place) + put + changed.slice(place + cut);
        }, text),
      );
      const seen = new Map<string, number>();
      await fc.assert(
        fc.asyncProperty(fc.array(sent, { minLength: 10, maxLength: 10 }), async (bodies) => {
          const answers = await Promise.all(bodies.map((body) => post(body)));
          for (const { text } of answers) {
            using document = parseXml(text);
            const code = textAt(document, '//e:Fault/faultcode') ?? 'answered';
            seen.set(code, (seen.get(code) ?? 0) + 1);
          }
        }),
        { seed, numRuns: extent(80, 150) },
      );
      const { answered = 0, 'soap:Client': client = 0, 'soap:Server': server = 0 } = Object.fromEntries(seen);
      assert(answered > 50 && client > 500 && server === 0, JSON.stringify([...seen]));
    });
  });
});
