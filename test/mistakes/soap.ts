import { gzipSync } from 'node:zlib';
import { asked, envelope, registry, request, soap, withHeader } from '../vehicle-registry/envelopes.ts';
import type { Mistake } from './mistake.ts';

/* Calls of the SOAP service. */

/** A call that is answered with a fault. Its text is XML, where < stands as &lt;. */
const fault = (
  title: string,
  body: string | Uint8Array<ArrayBuffer>,
  says: Mistake['says'],
  type = 'text/xml; charset=utf-8',
): Mistake => ({
  title: `SOAP: ${title}`,
  send: ({ call }) =>
    call('POST', '/vehicle-registry/v1', { token: undefined, body, headers: { 'Content-Type': type } }),
  status: 500,
  says: ['<faultcode>soap:', ...says],
});

const minimal =
  /A minimal request: &lt;soap:Envelope xmlns:soap=&quot;.*&gt;&lt;RegNumber&gt;AB-1234&lt;\/RegNumber&gt;.*&lt;\/soap:Envelope&gt;<\/faultstring>/;

const of = (number: string) => envelope(request(`<RegNumber>${number}</RegNumber>`));

/** All that can be wrong with a request at once and still be known for what it is. */
const allWrong = envelope(
  `<getVehicleDataRequest xmlns="${registry}/"><reg_number>AB-1234</reg_number></getVehicleDataRequest>`,
)
  .replaceAll('s:Envelope', 's:envelope')
  .replaceAll('s:Body', 's:body');

export const soapCalls: readonly Mistake[] = [
  {
    title: 'SOAP: case, namespace, names and action are wrong, and all of it is told at once',
    send: ({ call }) => {
      const headers = { 'Content-Type': 'text/xml', SOAPAction: '"urn:getVehicle"' };
      return call('POST', '/vehicle-registry/v1', { token: undefined, body: allWrong, headers });
    },
    status: 500,
    says: [
      'write Envelope.',
      'write Body.',
      'write GetVehicleDataRequest. Change its namespace.',
      'Expected RegNumber.',
      'The header SOAPAction says &quot;urn:getVehicle&quot;.',
      minimal,
    ],
  },
  {
    title: 'SOAP: SOAP 1.2 with a request in no namespace and an action that is none',
    send: ({ call }) => {
      const body = envelope(asked.replace(` xmlns="${registry}"`, '')).replace(
        soap,
        'http://www.w3.org/2003/05/soap-envelope',
      );
      const headers = { 'Content-Type': 'application/soap+xml', SOAPAction: 'none' };
      return call('POST', '/vehicle-registry/v1', { token: undefined, body, headers });
    },
    status: 500,
    says: [
      '<faultcode>soap:VersionMismatch',
      'The Envelope is of SOAP 1.2.',
      'Add xmlns=',
      'The header SOAPAction says',
    ],
  },
  fault('a header in small letters', withHeader('').replaceAll('s:Header', 's:header'), ['write Header.']),
  fault('RegNumber in another namespace', envelope(request('<RegNumber xmlns="urn:x">AB-1234</RegNumber>')), [
    'Change its namespace.',
  ]),
  fault('JSON', '{"regNumber":"AB-1234"}', ['Send a SOAP 1.1 envelope as text/xml', minimal], 'application/json'),
  fault('XML with the content type of JSON', of('AB-1234'), ['Content-Type: text/xml'], 'application/json'),
  fault('curly quotes', of('AB-1234').replace(/(xmlns[:\w]*=)["']([^"']*)["']/, '$1“$2”'), [
    'The quote before a value is “ (U+201C); write &quot; (U+0022) before and after it.',
  ]),
  fault('a dash of typography', of('AB–1234'), ['Character 3 is – (U+2013); write - (U+002D).']),
  fault('an empty body', '', ['The body is empty.', minimal]),
  fault('a form', 'regNumber=AB-1234', ['Expected &lt; at the start of the document.', minimal]),
  fault('the number alone', 'AB-1234', ['Expected &lt; at the start of the document.', minimal]),
  fault('the name of a file', '@request.xml', ['--data-binary @request.xml']),
  fault('XML that was escaped', of('AB-1234').replaceAll('<', '&lt;'), ['XML that was escaped', minimal]),
  fault('a packed body without a header', new Uint8Array(gzipSync(of('AB-1234'))), ['compressed (gzip)']),
  fault('HTML', '<html><body/></html>', ['begins with &quot;html&quot;', 'Expected Envelope.', minimal]),
  fault('the request without an envelope', asked, ['begins with &quot;GetVehicleDataRequest&quot;', minimal]),
  fault('an envelope in small letters', envelope().replaceAll(/s:Envelope/g, 's:envelope'), ['write Envelope.']),
  fault('SOAP 1.2', envelope().replace(soap, 'http://www.w3.org/2003/05/soap-envelope'), [
    'The Envelope is of SOAP 1.2.',
    `in the namespace ${soap}, and is sent as text/xml.`,
  ]),
  fault('no body in the envelope', `<s:Envelope xmlns:s="${soap}"/>`, ['Envelope does not contain Body.', minimal]),
  fault('a body without its prefix', envelope().replaceAll('s:Body', 'Body'), ['with the prefix of the Envelope']),
  fault('a body in small letters', envelope().replaceAll('s:Body', 's:body'), ['Names have a case: write Body.']),
  fault('no body around the request', `<s:Envelope xmlns:s="${soap}">${asked}</s:Envelope>`, ['Put it into Body.']),
  fault('nothing in the body', envelope(''), ['Body does not contain GetVehicleDataRequest', minimal]),
  fault('text in the body', envelope('AB-1234'), ['Body contains text', minimal]),
  fault('the operation as element', envelope(asked.replaceAll('DataRequest', 'Data')), [
    'That is the operation: its element is GetVehicleDataRequest.',
  ]),
  fault('no namespace', envelope(asked.replace(` xmlns="${registry}"`, '')), [
    `Add xmlns=&quot;${registry}&quot; to it.`,
  ]),
  fault('another namespace', envelope(asked.replace('/v1"', '/v2"')), [
    `not GetVehicleDataRequest in the namespace ${registry}`,
    'Change its namespace.',
  ]),
  fault('RegNumber without the request around it', envelope(`<RegNumber xmlns="${registry}">AB-1234</RegNumber>`), [
    'Put it into GetVehicleDataRequest.',
  ]),
  fault('regNumber in small letters', envelope(request('<regNumber>AB-1234</regNumber>')), [
    'Names have a case: write RegNumber.',
  ]),
  fault('reg_number', envelope(request('<reg_number>AB-1234</reg_number>')), ['Expected RegNumber.', minimal]),
  fault('RegNumber in no namespace', envelope(request('<RegNumber xmlns="">AB-1234</RegNumber>')), [
    'Leave out xmlns=&quot;&quot;',
  ]),
  fault('the number without RegNumber', envelope(request('AB-1234')), ['Put the number into RegNumber']),
  fault('no RegNumber', envelope(request('')), ['GetVehicleDataRequest does not contain RegNumber.', minimal]),
  fault('two vehicles', envelope(request('<RegNumber>A</RegNumber><RegNumber>B</RegNumber>')), [
    'Send one request for each vehicle.',
  ]),
  fault('an ampersand', of('A & B'), ['Write &amp; as &amp;amp;']),
  fault('an entity of HTML', of('AB&nbsp;1234'), ['XML knows &amp;amp;']),
  fault('an element that is not closed', envelope().replace('</RegNumber>', ''), ['Every element has to be closed']),
  fault('a prefix that is not declared', envelope().replaceAll('s:Body', 'soapenv:Body'), ['Declare the prefix']),
  fault('a value without quotes', envelope().replace(`"${soap}"`, soap), ['Put the values of attributes into quotes']),
  fault('a line before the declaration', `\n<?xml version="1.0"?>${envelope()}`, ['Remove what comes before &lt;?xml']),
  fault('two envelopes', envelope() + envelope(), ['Send one Envelope in a request.']),
];
