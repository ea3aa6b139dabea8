import { registryNamespace, soapAction, soapNamespace } from '../../vehicle-registry/index.ts';
import type { StageCalls, Step } from '../stage.ts';
import { bySoap, envelope, lookUp, post, request } from './registry-steps.ts';

const number = '<RegNumber>AB-1234</RegNumber>';
const asked = request(number);
const right = envelope(asked);

/** A look-up with a block in the header of its envelope. */
const withBlock = (attributes: string) =>
  post(envelope(asked, `<soap:Header><t:trace xmlns:t="urn:example:trace"${attributes}>1</t:trace></soap:Header>`));

/** An envelope after a document type. */
const withType = (declarations: string, text: string) =>
  post(`<!DOCTYPE soap:Envelope ${declarations}>${envelope(request(`<RegNumber>${text}</RegNumber>`))}`);

const wsdl: Step = { method: 'GET', path: '/vehicle-registry/v1?wsdl', headers: { Accept: 'text/xml' } };

export const soapRegistry: StageCalls = {
  reads: 'the WSDL of /vehicle-registry/v1, and SOAP 1.1',
  cases: [
    { title: 'The WSDL says what a client is made of.', steps: [wsdl] },
    { title: 'A vehicle is found by its number.', steps: [bySoap('AB-1234')] },
    { title: 'Its data are the same a second time.', steps: [bySoap('AB-1234'), bySoap('AB-1234')] },
    { title: 'The dash makes no difference.', steps: [bySoap('AB-1234'), bySoap('AB1234')] },
    { title: 'The case makes no difference.', steps: [bySoap('AB-1234'), bySoap('ab-1234')] },
    { title: 'Two vehicles have two VINs.', steps: [bySoap('AB-1234'), bySoap('AB-1235'), bySoap('BA-1234')] },
    ...['AA-0001', 'XY-9999', 'ZX-1234', 'EL-0021', 'OL-0082', 'DE-0004', 'QQ-5000'].map((plate) => ({
      title: `${plate} has a vehicle.`,
      steps: [bySoap(plate)],
    })),
    ...['XX-1234', 'zz-1234', 'AB-0000', 'A-1234', 'AB-123', 'AB-12345', 'AB--1234', 'ABC-1234', '1234-AB'].map(
      (text) => ({
        title: `${text} has none: the fault is VehicleNotFound.`,
        steps: [bySoap(text)],
      }),
    ),
    { title: 'An empty number is of no vehicle: the schema takes any text.', steps: [bySoap('')] },
    { title: 'White space is part of a number.', steps: [bySoap(' AB-1234 ')] },
    { title: 'A number of other letters is of no vehicle.', steps: [bySoap('ÄB-1234')] },
    { title: 'A fault repeats the number as it was sent.', steps: [bySoap('&lt;AB&amp;1234&gt; 漢')] },
    {
      title: 'What goes on after a fault is right again.',
      steps: [bySoap('XX-1234'), bySoap('AB-1234')],
    },
    ...[
      ['without its quotes', { SOAPAction: soapAction }],
      ['that is empty', { SOAPAction: '""' }],
      ['that is not there', {}],
    ].map(([what, headers]) => ({
      title: `A SOAPAction ${what} is taken: the body says which operation it is.`,
      steps: [post(right, headers as Step['headers'])],
    })),
    { title: 'Another SOAPAction is a fault.', steps: [post(right, { SOAPAction: '"urn:example:Delete"' })] },
    {
      title: 'The operation needs no credentials, and takes a call that has some.',
      steps: [{ as: 'ann', ...bySoap('AB-1234') }],
    },
    {
      title: 'The charset can be left out.',
      steps: [post(right, { 'Content-Type': 'text/xml', SOAPAction: `"${soapAction}"` })],
    },
    { title: 'An XML declaration is taken.', steps: [post(`<?xml version="1.0" encoding="utf-8"?>\n${right}`)] },
    { title: 'Prefixes are free.', steps: [post(prefixed('e', 'v'))] },
    { title: 'Other prefixes are, too.', steps: [post(prefixed('v', 'soap'))] },
    {
      title: 'The Envelope can be in the default namespace.',
      steps: [post(`<Envelope xmlns="${soapNamespace}"><Body>${asked}</Body></Envelope>`)],
    },
    {
      title: 'White space between elements is free.',
      steps: [post(envelope(`\n  ${request(`\n\t${number}\r\n`)}\n`))],
    },
    {
      title: 'A number can be in several pieces.',
      steps: [bySoap('A<!-- and -->B<![CDATA[-12]]>&#51;4')],
    },
    { title: 'A header block that need not be understood is left aside.', steps: [withBlock('')] },
    { title: 'So is one that says so.', steps: [withBlock(' soap:mustUnderstand="0"')] },
    {
      title: 'One for somebody else is, too.',
      steps: [withBlock(' soap:mustUnderstand="1" soap:actor="http://example.com/other"')],
    },
    {
      title: 'One that you must understand is a fault: MustUnderstand.',
      steps: [withBlock(' soap:mustUnderstand="1"')],
    },
    {
      title: 'So is one for whoever comes next.',
      steps: [withBlock(' soap:mustUnderstand="1" soap:actor="http://schemas.xmlsoap.org/soap/actor/next"')],
    },
    {
      title: 'An envelope of SOAP 1.2 is a fault: VersionMismatch.',
      steps: [post(right.replaceAll(soapNamespace, 'http://www.w3.org/2003/05/soap-envelope'))],
    },
    {
      title: 'So is one of nobody’s namespace.',
      steps: [post(right.replaceAll(soapNamespace, 'urn:example:soap'))],
    },
    ...[
      ['An empty body', ''],
      ['What is no XML', 'RegNumber=AB-1234'],
      ['XML that is cut', right.slice(0, -8)],
      ['A prefix that nobody declared', right.replace('xmlns:soap', 'xmlns:other')],
      ['An entity that nobody declared', envelope(request('<RegNumber>&plate;</RegNumber>'))],
      ['Two documents in one', right + right],
      ['A request without its Envelope', asked],
      ['An Envelope without Body', `<soap:Envelope xmlns:soap="${soapNamespace}"/>`],
      ['A Body without anything', envelope('')],
      ['Another operation', envelope(asked.replaceAll('GetVehicleDataRequest', 'DeleteVehicleRequest'))],
      ['An operation of another namespace', envelope(asked.replace(registryNamespace, `${registryNamespace}/other`))],
      ['An operation without a namespace', envelope(`<GetVehicleDataRequest>${number}</GetVehicleDataRequest>`)],
      ['Two operations in one', envelope(asked + asked)],
      ['A request without a number', envelope(request(''))],
      ['A number without a namespace', envelope(request('<RegNumber xmlns="">AB-1234</RegNumber>'))],
      ['A number of another name', envelope(request('<Regnumber>AB-1234</Regnumber>'))],
      ['Two numbers in one', envelope(request(number + number))],
      ['A number with an element in it', envelope(request('<RegNumber><b>AB-1234</b></RegNumber>'))],
      ['A processing instruction', `<?call now?>${right}`],
    ].map(([what, body]) => ({ title: `${what} is a fault.`, steps: [post(body as string)] })),
    { title: 'A DOCTYPE is a fault (SOAP 1.1, section 3).', steps: [withType('', 'AB-1234')] },
    {
      title: 'Entities that it declares are not expanded.',
      steps: [withType('[<!ENTITY plate "AB-1234">]', '&plate;')],
    },
    {
      title: 'No file is read by it.',
      steps: [withType('[<!ENTITY plate SYSTEM "file:///etc/hostname">]', '&plate;')],
    },
    {
      title: 'Nor does it blow up what is read.',
      steps: [withType('[<!ENTITY a "AAAAAAAA"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]', '&c;')],
    },
    {
      title: 'DELETE is 405, and Allow has the methods that you take.',
      steps: [{ method: 'DELETE', path: '/vehicle-registry/v1' }],
    },
  ],
  random: { model: () => ({}), actions: [lookUp(bySoap)], rows: 4, most: 8 },
};

/** The same with other prefixes. */
function prefixed(soap: string, registry: string): string {
  return `<${soap}:Envelope xmlns:${soap}="${soapNamespace}" xmlns:${registry}="${registryNamespace}"><${soap}:Body><${registry}:GetVehicleDataRequest><${registry}:RegNumber>AB-1234</${registry}:RegNumber></${registry}:GetVehicleDataRequest></${soap}:Body></${soap}:Envelope>`;
}
