import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { onSqlite } from '../support/engines.ts';
import { sharedLPlate } from '../support/lplate.ts';
import { accepts, asked, envelope, refuses, request, soap, withHeader } from './envelopes.ts';
import { parseXml, textAt } from './xml.ts';

/** A header block with this inside. */
const block = (inside: string) => withHeader(`<b:b xmlns:b="urn:b">${inside}</b:b>`);
const attributes = (count: number, start = 'a') =>
  Array.from({ length: count }, (_, at) => ` ${start}${at}=""`).join('');
const regNumber = (inside: string) => envelope(request(`<RegNumber>${inside}</RegNumber>`));

test('Decisions, vehicle registry: a request may have 1,000 elements', () => {
  // Envelope, Header, Body, the request, the number, and the block itself.
  accepts(block('<a/>'.repeat(994)));
  refuses(block('<a/>'.repeat(995)), /^Line 1, column \d{4}: There are more than 1000 elements/);
  refuses(block('<a></a>'.repeat(3_500)), /more than 1000 elements/);
  refuses(withHeader('<a xmlns="urn:a"/>'.repeat(3_500)), /more than 1000 elements/);
  refuses(envelope().replace('</s:Envelope>', `${'<a xmlns="urn:a"/>'.repeat(3_000)}</s:Envelope>`), /more than 1000/);
  refuses(block(`\n${`${'<a/>'.repeat(332)}\n`.repeat(5)}`), /^Line 5, column 7: /);
});

test('Decisions, vehicle registry: an element may have 100 attributes, and a request 1,000, namespace declarations included', () => {
  const declarations = (count: number) => attributes(count, 'xmlns:p').replaceAll('""', '"urn:p"');
  accepts(block(`<a${attributes(100)}/>`));
  accepts(block(`<a${declarations(100)}/>`));
  for (const many of [attributes(101), declarations(101), attributes(60) + declarations(41)]) {
    refuses(block(`<a${many}/>`), /^Line 1, column \d+: An element has more than 100 attributes/);
  }
  refuses(envelope(request(`<RegNumber${attributes(4_000)}>AB-1234</RegNumber>`)), /more than 100 attributes/);
  refuses(
    `<s:Envelope xmlns:s="${soap}"${declarations(2_000)}><s:Body>${asked}</s:Body></s:Envelope>`,
    /more than 100/,
  );
  // Three are those of the envelope, the block and the request.
  accepts(block(`${`<a${attributes(99)}/>`.repeat(10)}<a${attributes(7)}/>`));
  refuses(block(`${`<a${attributes(99)}/>`.repeat(10)}<a${attributes(8)}/>`), /more than 1000 attributes/);
});

test('Decisions, vehicle registry: a namespace may have 500 characters, since it is compared at every name that is in it', () => {
  const inNamespace = (length: number, count: number) =>
    withHeader(`<p:a xmlns:p="${'u'.repeat(length)}"${attributes(count, 'p:a')}/>`);
  accepts(inNamespace(500, 99));
  refuses(inNamespace(501, 1), /^Line 1, column \d+: The namespace "u{100}…" has more than 500 characters/);
  // Took half a minute.
  refuses(inNamespace(30_000, 4_000), /more than 500 characters/);
  refuses(envelope(`<a xmlns="${'u'.repeat(30_000)}"/>`), /more than 500 characters/);
  // Names that are no namespace, and values, may be as long as the body.
  accepts(block(`<${'x'.repeat(30_000)} b="${'y'.repeat(30_000)}"/>`));
});

test('Decisions, vehicle registry: a request may have 1,000 comments and CDATA sections', () => {
  accepts(regNumber(`${'<![CDATA[]]>'.repeat(500)}${'<!---->'.repeat(500)}AB-1234`));
  refuses(regNumber('<![CDATA[]]>'.repeat(1_001)), /^Line 1, column \d+: There are more than 1000 comments and CDATA/);
  refuses(regNumber('<!---->'.repeat(1_001)), /more than 1000 comments and CDATA/);
  refuses('<!---->'.repeat(1_001) + envelope(), /more than 1000 comments and CDATA/);
  refuses(regNumber('<!----><![CDATA[]]>'.repeat(501)), /more than 1000 comments and CDATA/);
});

test('Decisions, vehicle registry: line ends of each kind count as one, in the text and in the place of a fault', () => {
  for (const end of ['\n', '\r\n', '\r']) {
    accepts(regNumber(`AB${end}${end}12`), undefined, 'AB\n\n12');
    accepts(regNumber(`<![CDATA[${end}]]>&#13;${end}`), undefined, '\n\r\n');
    accepts(envelope().replaceAll('><', `>${end}<`));
    refuses(`${end}${end} <a>${end}`, /^Line 3, column 4: /);
  }
  accepts(regNumber('\r'.repeat(60_000)), undefined, '\n'.repeat(60_000));
});

test('Decisions, vehicle registry: the headers of real clients are within these bounds', () => {
  accepts(signedBySoapUI());
  accepts(signedBySoapUI().replaceAll('\n', '\r\n'));
  accepts(bearerOfDotNet);
});

onSqlite((engine) => {
  const lplate = sharedLPlate(engine);

  describe('Decisions, vehicle registry: bounds, over HTTP', () => {
    test('Decisions, vehicle registry: whoever passes a bound gets the fault Client, with HTTP 500', async () => {
      for (const [body, message] of [
        [block('<a/>'.repeat(15_000)), /more than 1000 elements/],
        [withHeader(`<p:a xmlns:p="${'u'.repeat(30_000)}"${attributes(3_000, 'p:a')}/>`), /more than 500 characters/],
      ] as const) {
        const answer = await lplate.call('POST', '/vehicle-registry/v1', { body });
        const at = (where: string) => textAt(parseXml(answer.text), where);
        assert.deepEqual([answer.status, at('//e:Fault/faultcode')], [500, 'soap:Client']);
        assert.match(at('//e:Fault/faultstring') ?? '', message);
      }
    });
  });
});

/** As SoapUI and Apache WSS4J write it: a certificate of 4 KB, a signature over five parts, carriage returns escaped. */
function signedBySoapUI(): string {
  const oasis = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss';
  const lines = (count: number) =>
    `${'MIIDdzCCAl+gAwIBAgIEbZ1u8jANBgkqhkiG9w0BAQsFADBsMRAwDgYDVQQGEwdVbmtub3du&#13;\n'.repeat(count)}`;
  const reference = (id: string) => `
        <ds:Reference URI="#${id}">
          <ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"><ec:InclusiveNamespaces xmlns:ec="http://www.w3.org/2001/10/xml-exc-c14n#" PrefixList="s ds xsi xsd wsa"/></ds:Transform></ds:Transforms>
          <ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/>
          <ds:DigestValue>${'q'.repeat(43)}=</ds:DigestValue>
        </ds:Reference>`;
  return withHeader(`
    <wsa:Action xmlns:wsa="http://www.w3.org/2005/08/addressing" wsu:Id="id-1" xmlns:wsu="${oasis}-wssecurity-utility-1.0.xsd">http://lplate.example/vehicle-registry/v1/GetVehicleData</wsa:Action>
    <wsa:MessageID xmlns:wsa="http://www.w3.org/2005/08/addressing">uuid:0</wsa:MessageID>
    <wsse:Security s:mustUnderstand="0" xmlns:wsse="${oasis}-wssecurity-secext-1.0.xsd" xmlns:wsu="${oasis}-wssecurity-utility-1.0.xsd">
      <wsse:BinarySecurityToken EncodingType="${oasis}-soap-message-security-1.0#Base64Binary" wsu:Id="X509-1">${lines(55)}</wsse:BinarySecurityToken>
      <wsu:Timestamp wsu:Id="TS-1"><wsu:Created>2026-01-01T00:00:00Z</wsu:Created><wsu:Expires>2026-01-01T00:05:00Z</wsu:Expires></wsu:Timestamp>
      <wsse:UsernameToken wsu:Id="U-1"><wsse:Username>learner</wsse:Username><wsse:Password Type="${oasis}-username-token-profile-1.0#PasswordText">secret</wsse:Password><wsse:Nonce>bm9uY2U=</wsse:Nonce></wsse:UsernameToken>
      <ds:Signature Id="SIG-1" xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo>
        <ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/>
        <ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/>${['id-1', 'id-2', 'TS-1', 'U-1', 'X509-1'].map(reference).join('')}
      </ds:SignedInfo><ds:SignatureValue>${lines(5)}</ds:SignatureValue>
      <ds:KeyInfo><wsse:SecurityTokenReference><wsse:Reference URI="#X509-1"/></wsse:SecurityTokenReference></ds:KeyInfo></ds:Signature>
    </wsse:Security>`);
}

/** As WCF writes it: each part declares its namespaces anew. */
const bearerOfDotNet = withHeader(
  `<ActivityId CorrelationId="0f0e" xmlns="http://schemas.microsoft.com/2004/09/ServiceModel/Diagnostics">00</ActivityId>
<h:Session xmlns:h="urn:session" xmlns="urn:session" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema">${Array.from({ length: 150 }, (_, at) => `<Item xmlns:d5p1="urn:item" d5p1:key="${at}" xsi:type="xsd:string">value ${at}</Item>`).join('')}</h:Session>`,
);
