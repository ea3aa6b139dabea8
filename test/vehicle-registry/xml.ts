import { readFileSync } from 'node:fs';
import { XmlBufferInputProvider, XmlDocument, XsdValidator, xmlRegisterInputProvider } from 'libxml2-wasm';
import { wsdl } from '../../src/vehicle-registry/wsdl.ts';

/** Prefixes for looking into documents. */
export const prefixes = {
  e: 'http://schemas.xmlsoap.org/soap/envelope/',
  s: 'http://schemas.xmlsoap.org/wsdl/soap/',
  v: 'http://lplate.example/vehicle-registry/v1',
  w: 'http://schemas.xmlsoap.org/wsdl/',
  x: 'http://www.w3.org/2001/XMLSchema',
};

/** A document as libxml2 reads it: strictly, and without asking the network. */
export function parseXml(text: string): XmlDocument {
  return XmlDocument.fromBuffer(Buffer.from(text));
}

/** The text at a path, or undefined where there is none. */
export function textAt(document: XmlDocument, path: string): string | undefined {
  return document.get(path, prefixes)?.content;
}

/** @throws {Error} when a SOAP message is not valid, its body included, by the schema that stands in the WSDL */
export function checkMessage(text: string): void {
  check(messages, text);
}

/** @throws {Error} when a WSDL document is not one */
export function checkWsdl(text: string): void {
  check(descriptions, text);
}

/** The schema inlined in a WSDL document, as a document of its own. */
export function inlinedSchema(text: string): string {
  const { v, x } = prefixes;
  const schema = /<xsd:schema [\s\S]*<\/xsd:schema>/.exec(text)?.[0] ?? '';
  return schema.replace('<xsd:schema ', `<xsd:schema xmlns:xsd="${x}" xmlns:tns="${v}" `);
}

function check(validator: XsdValidator, text: string): void {
  using document = parseXml(text);
  validator.validate(document);
}

const file = (name: string) => readFileSync(new URL(`schemas/${name}`, import.meta.url));
const schemas = new XmlBufferInputProvider({
  'registry.xsd': Buffer.from(inlinedSchema(wsdl('http://localhost:8080/vehicle-registry/v1'))),
  'soap-envelope.xsd': file('soap-envelope.xsd'),
  'wsdl.xsd': file('wsdl.xsd'),
  'wsdl-soap.xsd': file('wsdl-soap.xsd'),
});
xmlRegisterInputProvider(schemas);

const messages = validatorOf({ e: 'soap-envelope.xsd', v: 'registry.xsd' });
const descriptions = validatorOf({ w: 'wsdl.xsd', s: 'wsdl-soap.xsd' });

function validatorOf(files: Partial<Record<keyof typeof prefixes, string>>): XsdValidator {
  const imports = Object.entries(files).map(
    ([prefix, name]) => `<import namespace="${prefixes[prefix as keyof typeof prefixes]}" schemaLocation="${name}"/>`,
  );
  return XsdValidator.fromDoc(parseXml(`<schema xmlns="${prefixes.x}">${imports.join('')}</schema>`));
}
