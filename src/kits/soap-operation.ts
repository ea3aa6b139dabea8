import { SaxesParser } from 'saxes';

/** What a request needs of a WSDL with one operation (document/literal, SOAP 1.1). */
export interface SoapOperation {
  readonly service: string;
  readonly binding: string;
  readonly operation: string;
  readonly action: string;
  readonly namespace: string;
  /** Absolute. */
  readonly address: string;
  /** The element of the request, and the one that it contains. */
  readonly element: string;
  readonly parameter: string;
}

export function soapOperation(wsdl: string): SoapOperation {
  const found = new Map<string, Record<string, string>>();
  const elements: string[] = [];
  const parser = new SaxesParser();
  parser.on('opentag', ({ name, attributes }) => {
    if (name === 'xsd:element' && attributes.name) elements.push(attributes.name);
    if (!found.has(name)) found.set(name, attributes);
  });
  parser.write(wsdl).close();
  const of = (element: string, attribute: string) => found.get(element)?.[attribute] ?? '';
  const [element = '', parameter = ''] = elements;
  return {
    service: of('wsdl:service', 'name'),
    binding: of('wsdl:binding', 'name'),
    operation: of('wsdl:operation', 'name'),
    action: of('soap:operation', 'soapAction'),
    namespace: of('wsdl:definitions', 'targetNamespace'),
    address: of('soap:address', 'location'),
    element,
    parameter,
  };
}

/** A request for a vehicle. */
export function envelopeOf({ namespace, element, parameter }: SoapOperation, value: string): string {
  return `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">
  <soap:Body>
    <${element} xmlns="${namespace}">
      <${parameter}>${value}</${parameter}>
    </${element}>
  </soap:Body>
</soap:Envelope>`;
}
