import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { escapeXml } from '../../src/vehicle-registry/soap-answer.ts';
import { actionFault, readEnvelope } from '../../src/vehicle-registry/soap-request.ts';
import { accepts, asked, envelope, refuses, registry, request, soap, withHeader } from './envelopes.ts';

test('Legacy SOAP operation: namespaces count, prefixes do not', () => {
  accepts(envelope());
  accepts(envelope().replaceAll(/(?<=[</])s:|(?<=xmlns:)s(?==)/g, (one) => one.replace('s', 'SOAP-ENV')));
  accepts(
    `<Envelope xmlns="${soap}"><Body><r:GetVehicleDataRequest xmlns:r="${registry}"><q:RegNumber xmlns:q="${registry}">AB-1234</q:RegNumber></r:GetVehicleDataRequest></Body></Envelope>`,
  );
  accepts(`<s:Envelope xmlns:s="${soap}" xmlns="${registry}"><s:Body>
    <GetVehicleDataRequest>
      <RegNumber>AB-1234</RegNumber>
    </GetVehicleDataRequest>
  </s:Body></s:Envelope>\n`);
});

test('Legacy SOAP operation: a namespace with white space around it is another one', () => {
  const message = /has white space around it, which makes it another one/;
  for (const blank of [' ', '\t', '\n', '&#9;', '&#xA;', '&#x20;', '\u00a0', '\u2003', '\ufeff']) {
    for (const around of [(text: string) => blank + text, (text: string) => text + blank]) {
      refuses(envelope().replace(soap, around(soap)), message, 'VersionMismatch');
      refuses(envelope().replace(registry, around(registry)), message);
      refuses(withHeader(`<b xmlns="${around('urn:b')}"/>`), message);
      refuses(withHeader(`<p:b xmlns:p="${around('urn:b')}"/>`), message);
    }
    refuses(envelope(request(`<RegNumber xmlns="${blank}">AB-1234</RegNumber>`)), message);
  }
});

test('Legacy SOAP operation: the registration number is the text of its element, as it was sent', () => {
  const regNumber = (inside: string) => envelope(request(`<RegNumber>${inside}</RegNumber>`));
  accepts(regNumber(''), undefined, '');
  accepts(envelope(request('<RegNumber/>')), undefined, '');
  accepts(regNumber(' ab-1234\n'), undefined, ' ab-1234\n');
  accepts(regNumber('AB<!-- a comment -->-12<![CDATA[34]]>'));
  accepts(regNumber('<![CDATA[<&>]]>&amp;&#x41;&#13;'), undefined, '<&>&A\r');
  accepts(regNumber('A\r\nB'), undefined, 'A\nB');
  const characters = fc
    .string({ unit: 'grapheme' })
    .filter((text) => /^[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u.test(text));
  fc.assert(fc.property(characters, (text) => accepts(regNumber(escapeXml(text)), undefined, text)));
});

test('Legacy SOAP operation: comments, attributes and elements after the body are passed over', () => {
  accepts(`<!-- before -->${envelope(`<!-- in -->${asked}`)}<!-- after -->`);
  accepts(envelope(request('<!-- a --><RegNumber a="b">AB-1234</RegNumber>')));
  accepts(envelope().replace('</s:Envelope>', '<t:After xmlns:t="urn:t">text<b/></t:After></s:Envelope>'));
  const nil = (value: string) =>
    envelope(request(`<RegNumber xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="${value}"/>`));
  accepts(nil('false'), undefined, '');
  refuses(nil('true'), /must not be nil/);
});

test('Legacy SOAP operation: an envelope of another version is a VersionMismatch', () => {
  refuses(envelope().replace(soap, 'http://www.w3.org/2003/05/soap-envelope'), /SOAP 1\.2/, 'VersionMismatch');
  refuses(envelope().replace(soap, 'http://www.w3.org/2001/12/soap-envelope'), /2001\/12/, 'VersionMismatch');
  refuses(`<Envelope><Body>${asked}</Body></Envelope>`, /namespace ""/, 'VersionMismatch');
});

test('Decisions, vehicle registry: a header block that must be understood is a MustUnderstand fault', () => {
  const block = (attributes: string) =>
    withHeader(`<w:Security xmlns:w="urn:w" ${attributes}><w:Token>t</w:Token></w:Security>`);
  for (const must of ['1', 'true', ' 1 ']) {
    refuses(block(`s:mustUnderstand="${must}"`), /"Security" in the namespace urn:w/, 'MustUnderstand');
    refuses(
      block(`s:mustUnderstand="${must}" s:actor="http://schemas.xmlsoap.org/soap/actor/next"`),
      /Security/,
      'MustUnderstand',
    );
    refuses(block(`s:mustUnderstand="${must}" s:actor=""`), /Security/, 'MustUnderstand');
    // Meant for somebody else on the way.
    accepts(block(`s:mustUnderstand="${must}" s:actor="http://other.example/"`));
  }
  for (const attributes of [
    '',
    's:mustUnderstand="0"',
    's:mustUnderstand="false"',
    'mustUnderstand="1"',
    's:actor=""',
  ]) {
    accepts(block(attributes));
  }
  refuses(block('s:mustUnderstand="yes"'), /0 or 1, not "yes"/);
  refuses(withHeader('<a xmlns="urn:a"/><b xmlns="urn:b" s:mustUnderstand="1"/>'), /"b"/, 'MustUnderstand');
  refuses(withHeader('<plain/>'), /must be in a namespace/);
  accepts(withHeader(''));
});

test('Decisions, vehicle registry: DOCTYPE and processing instructions are refused, and nothing is expanded', () => {
  const laughs = [
    '<!ENTITY l0 "lol">',
    ...Array.from({ length: 9 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`),
  ];
  refuses(`<!DOCTYPE lolz [${laughs.join('')}]>${envelope(request('<RegNumber>&l9;</RegNumber>'))}`, /DOCTYPE/);
  refuses(
    `<?xml version="1.0"?>\n<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>${envelope(request('<RegNumber>&x;</RegNumber>'))}`,
    /^Line 2, .*DOCTYPE/,
  );
  refuses(`<!DOCTYPE a SYSTEM "http://other.example/a.dtd">${envelope()}`, /DOCTYPE/);
  refuses(`<!DOCTYPE a [<!ENTITY % p SYSTEM "http://other.example/p">%p;]>${envelope()}`, /DOCTYPE/);
  refuses(`<!DOCTYPE ${'x'.repeat(60_000)}`, /not well-formed/);
  refuses(envelope(request('<RegNumber>&nbsp;</RegNumber>')), /undefined entity/);
  refuses(`<?style a?>${envelope()}`, /processing instructions/);
  refuses(envelope(`<?php echo 1 ?>${asked}`), /processing instructions/);
  refuses(`${envelope()}<?after?>`, /processing instructions/);
});

test('Decisions, vehicle registry: what the operation does not take is a Client fault that says what it found', () => {
  refuses('', /body is empty/);
  refuses('{"regNumber": "AB-1234"}', /looks like JSON/);
  refuses('\uFEFF ["AB-1234"]', /looks like JSON/);
  refuses('--uuid:1\r\nContent-Type: application/xop+xml\r\n\r\n', /several parts/);
  refuses('regNumber=AB-1234', /^Line 1, column \d+: The XML is not well-formed/);
  refuses('<html><body>hello</body></html>', /begins with "html" in no namespace/);
  refuses(asked, /begins with "GetVehicleDataRequest"/);
  refuses(envelope(''), /Body does not contain GetVehicleDataRequest/);
  refuses(`<s:Envelope xmlns:s="${soap}"/>`, /Envelope does not contain Body/);
  refuses(`<s:Envelope xmlns:s="${soap}"><s:Header/></s:Envelope>`, /Envelope does not contain Body/);
  refuses(envelope(asked + asked), /"GetVehicleDataRequest" .* is a second one/);
  refuses(envelope(`${asked}<other/>`), /"other" in no namespace is a second one/);
  refuses(
    envelope(asked.replace(registry, 'http://lplate.example/vehicle-registry/v2')),
    /in the namespace http:\/\/lplate\.example\/vehicle-registry\/v2, not/,
  );
  refuses(
    envelope(asked.replace(` xmlns="${registry}"`, '')),
    /in no namespace, not GetVehicleDataRequest in the namespace/,
  );
  refuses(envelope(asked.replaceAll('GetVehicleDataRequest', 'GetVehicleData')), /"GetVehicleData" in the namespace/);
  refuses(envelope(request('')), /GetVehicleDataRequest does not contain RegNumber/);
  refuses(
    envelope(request('<RegNumber xmlns="">AB-1234</RegNumber>')),
    /"RegNumber" in no namespace, not RegNumber in the namespace/,
  );
  refuses(envelope(request('<regNumber>AB-1234</regNumber>')), /"regNumber"/);
  refuses(envelope(request('<RegNumber>A</RegNumber><RegNumber>B</RegNumber>')), /more than once/);
  refuses(envelope(request('<RegNumber>A</RegNumber><More/>')), /"More"/);
  refuses(envelope(request('<RegNumber><b>AB-1234</b></RegNumber>')), /RegNumber must contain text, not elements/);
  refuses(envelope(request('AB-1234')), /GetVehicleDataRequest contains text/);
  refuses(envelope('AB-1234'), /Body contains text/);
  refuses(envelope('<![CDATA[AB-1234]]>'), /Body contains text/);
  refuses(envelope(asked, 'text'), /Envelope contains text/);
  refuses(withHeader('text'), /Header contains text/);
  refuses(envelope(asked, '<s:Header/><s:Header/>'), /"Header" .* is not allowed here/);
  refuses(envelope().replace('</s:Envelope>', '<s:Header/></s:Envelope>'), /"Header" .* is not allowed here/);
  refuses(envelope().replace('</s:Envelope>', '<s:Body/></s:Envelope>'), /"Body" .* is not allowed here/);
  refuses(envelope().replace('</s:Envelope>', '<after/></s:Envelope>'), /"after" in no namespace is not allowed here/);
  refuses(envelope(asked, '<h xmlns="urn:h"/>'), /"h" .* is not allowed here/);
  refuses(`<?xml version="1.1"?>${envelope()}`, /XML 1\.0, not 1\.1/);
  refuses(`\n\n  ${envelope().replace('</s:Body>', '</s:body>')}`, /^Line 3, column \d+: The XML is not well-formed/);
});

test('Decisions, vehicle registry: XML that is not well-formed is a Client fault', () => {
  for (const part of [
    '\x00',
    '\x01',
    '\uFFFE',
    '&#0;',
    '&#xD800;',
    '&',
    '<',
    ']]>',
    '<a',
    '<a b>',
    '<a b="<"/>',
    '<!-- -- -->',
  ]) {
    refuses(envelope(request(`<RegNumber>${part}</RegNumber>`)), /not well-formed|RegNumber must contain text/);
  }
  refuses(envelope() + envelope(), /not well-formed/);
  refuses(`${envelope()}text`, /not well-formed/);
  refuses(`  <?xml version="1.0"?>${envelope()}`, /not well-formed|processing/);
  refuses(envelope().replace('<s:Body>', '<t:Body>'), /unbound namespace prefix/);
  refuses(envelope(asked.replace('<RegNumber>', '<RegNumber a="1" a="2">')), /duplicate attribute/);
  refuses(envelope(asked.replace('<RegNumber>', '<RegNumber constructor:a="1">')), /unbound namespace prefix/);
  const whole = envelope();
  for (let length = 1; length < whole.length; length += 1) refuses(whole.slice(0, length), /not well-formed/);
});

test('Decisions, vehicle registry: depth and size of what is read are bounded', () => {
  refuses('<a>'.repeat(10_000), /"a" in no namespace/);
  const deep = (levels: number) => '<a xmlns="urn:a">'.repeat(levels) + '</a>'.repeat(levels);
  accepts(withHeader(deep(48)));
  refuses(withHeader(deep(49)), /more than 50 deep/);
  refuses(withHeader('<a xmlns="urn:a">'.repeat(3_000)), /more than 50 deep/);
  refuses(envelope('<a>'.repeat(10_000)), /"a" in no namespace/);
  refuses(envelope().replace('</s:Envelope>', '<b:b xmlns:b="urn:b">'.repeat(3_000)), /more than 50 deep/);
  refuses(`<${'x'.repeat(60_000)}/>`, /"x{100}…"/);
  refuses(`<a xmlns="${'x'.repeat(60_000)}"/>`, /x{100}…/);
  refuses(envelope(`<${'x'.repeat(60_000)}:a/>`), /unbound namespace prefix/);
  // Long rather than deep, which is no harm.
  accepts(envelope(request(`<RegNumber>${'&amp;'.repeat(12_000)}</RegNumber>`)), undefined, '&'.repeat(12_000));
});

test('Decisions, vehicle registry: nothing that is sent breaks the reader', () => {
  const whole = Buffer.from(withHeader('<a xmlns="urn:a" s:actor="b">c</a>'));
  const isAnswer = (bytes: Buffer, type?: string) => {
    const reading = readEnvelope(bytes, type);
    assert('regNumber' in reading ? typeof reading.regNumber === 'string' : reading.message.length > 10);
  };
  const changes = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(changes, (list) => {
      const bytes = Buffer.from(whole);
      for (const [at, value] of list) bytes[at] = value;
      isAnswer(bytes);
    }),
    { numRuns: 1000 },
  );
  const pieces = fc.constantFrom(
    ...[
      '<',
      '>',
      '/',
      '?',
      '!',
      '&',
      ';',
      '"',
      "'",
      '=',
      ' ',
      ']]>',
      '<![CDATA[',
      '<!--',
      '-->',
      '<!DOCTYPE ',
      '[',
      ']',
      '<?xml ',
    ],
    ...[
      's:',
      'xmlns',
      'Envelope',
      'Body',
      'RegNumber',
      '\0',
      '\uFEFF',
      '\uD800',
      'xmlns:xml="a"',
      'xmlns:__proto__="a"',
      envelope(),
    ],
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (list) => isAnswer(Buffer.from(list.join('')))),
    { numRuns: 1000 },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), fc.string(), (bytes, type) => isAnswer(Buffer.from(bytes), type)),
  );
});

test('Legacy SOAP operation: SOAPAction may be missing, empty or unquoted, but must not name another action', () => {
  const action = 'http://lplate.example/vehicle-registry/v1/GetVehicleData';
  for (const header of [undefined, '', '""', ' ', action, `"${action}"`, ` "${action}" `]) {
    assert.equal(actionFault(header), undefined);
  }
  for (const header of ['GetVehicleData', `"${action}s"`, `${action}/`, `"${action}`, 'x'.repeat(8000)]) {
    const fault = actionFault(header);
    assert.equal(fault?.code, 'Client');
    assert(fault.message.includes(`"${action}"`) && fault.message.length < 400);
  }
});
