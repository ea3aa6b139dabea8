import { shownValue } from '../text/shown-value.ts';
import type { Difference } from './difference.ts';
import type { Known } from './known.ts';
import type { Side } from './side.ts';
import type { Element } from './xml.ts';

/*
 * What a client is made of by a WSDL: the names that the specification has, how calls are made, and the schema of the
 * messages. How the document is cut into messages, parts and types is free; so is what it offers besides.
 */

const wsdl = 'http://schemas.xmlsoap.org/wsdl/';
const soap = 'http://schemas.xmlsoap.org/wsdl/soap/';
const xsd = 'http://www.w3.org/2001/XMLSchema';

export function wsdlDifference(right: Element, given: Element, known: Known): Difference | undefined {
  const [wanted, found] = [contractOf(right, known.reference), contractOf(given, known.yours)];
  for (const [what, of] of wanted) {
    const to = found.get(what);
    if (of === to) continue;
    const place = `WSDL: ${what}`;
    if (to === undefined) return { place, says: `Your WSDL has no ${what}; ${of} is right.` };
    return { place, says: `Your WSDL has ${shownValue(to)} as ${what}; ${of} is right.` };
  }
  return undefined;
}

/** What a WSDL says, thing by thing, as far as it says it. */
function contractOf(root: Element, side: Side): ReadonlyMap<string, string> {
  const said = new Map<string, string>();
  const say = (what: string, value: string | undefined) => value !== undefined && said.set(what, value);
  if (root.uri !== wsdl || root.local !== 'definitions') return said;
  say('target namespace', root.attributes.get('targetNamespace'));
  const service = named(root, wsdl, 'service', 'VehicleRegistryService');
  say('service', service?.attributes.get('name'));
  // Others may be of SOAP 1.2.
  const port = parts(service, wsdl, 'port').find((each) => part(each, soap, 'address'));
  const location = part(port, soap, 'address')?.attributes.get('location');
  say('address', location !== undefined && isOf(side, location) ? 'the address that was called' : location);
  const binding = named(root, wsdl, 'binding', nameOf(port, 'binding'));
  say('binding', binding?.attributes.get('name'));
  const style = part(binding, soap, 'binding')?.attributes.get('style');
  say('transport', part(binding, soap, 'binding')?.attributes.get('transport'));
  const bound = named(binding, wsdl, 'operation', 'GetVehicleData');
  say('operation of the binding', bound?.attributes.get('name'));
  const { attributes } = part(bound, soap, 'operation') ?? {};
  say('SOAP action', attributes?.get('soapAction'));
  say('style', bound && (attributes?.get('style') ?? style ?? 'document'));
  const portType = named(root, wsdl, 'portType', nameOf(binding, 'type'));
  say('port type', portType?.attributes.get('name'));
  const operation = named(portType, wsdl, 'operation', 'GetVehicleData');
  say('operation of the port type', operation?.attributes.get('name'));
  const schemas = parts(part(root, wsdl, 'types'), xsd, 'schema');
  for (const kind of ['input', 'output', 'fault']) {
    const find = (parent: Element | undefined) =>
      kind === 'fault' ? named(parent, wsdl, kind, 'VehicleNotFound') : part(parent, wsdl, kind);
    say(`use of the ${kind}`, part(find(bound), soap, kind === 'fault' ? 'fault' : 'body')?.attributes.get('use'));
    const message = part(named(root, wsdl, 'message', nameOf(find(operation), 'message')), wsdl, 'part');
    const element = message?.attributes.get('element');
    if (!message || element === undefined) continue;
    const name = message.qualified(element);
    say(`element of the ${kind}`, name);
    for (const [what, value] of new Schemas(schemas).said(name)) say(what, value);
  }
  return said;
}

/** Whether an address is that of the service, whichever origin it names. */
const isOf = (side: Side, location: string) =>
  URL.canParse(location) && new URL(location).pathname === new URL(side.addressOf('/vehicle-registry/v1')).pathname;

/** The schemas of a WSDL. */
class Schemas {
  readonly #schemas: readonly Element[];

  constructor(schemas: readonly Element[]) {
    this.#schemas = schemas;
  }

  /** What is said of the sequence of an element. */
  *said(name: string): Generator<[string, string]> {
    const local = name.replace(/^\{.*\}/s, '');
    const element = this.#find('element', name);
    const type = part(element, xsd, 'complexType') ?? this.#find('complexType', qualifiedOf(element, 'type'));
    const sequence = part(type, xsd, 'sequence');
    if (!sequence) return;
    const all = parts(sequence, xsd, 'element');
    const nameOfPart = (each: Element) => each.attributes.get('name') ?? nameOf(each, 'ref') ?? '';
    yield [`order of ${local}`, all.map(nameOfPart).join(', ')];
    for (const each of all) {
      const declared = each.attributes.has('ref') ? this.#find('element', qualifiedOf(each, 'ref')) : each;
      const what = `${local}/${nameOfPart(each)}`;
      const [least, most] = ['minOccurs', 'maxOccurs'].map((bound) => each.attributes.get(bound) ?? '1');
      yield [`occurrence of ${what}`, `${least} to ${most}`];
      yield [`form of ${what}`, this.#formOf(each)];
      const { base, values } = this.#typeOf(declared);
      yield [`type of ${what}`, base];
      if (values.length > 0) yield [`values of ${what}`, values.join(', ')];
    }
  }

  /** Those of a local element have a namespace if they are said to. */
  #formOf(element: Element): string {
    if (element.attributes.has('ref')) return 'qualified';
    const holder = this.#schemas.find((schema) => schema.children.some((each) => contains(each, element)));
    return element.attributes.get('form') ?? holder?.attributes.get('elementFormDefault') ?? 'unqualified';
  }

  /** What a type comes to: one that XML Schema has itself, and the values that are left of it. */
  #typeOf(declared: Element | undefined): { base: string; values: readonly string[] } {
    let values: readonly string[] = [];
    let [name, simple] = [qualifiedOf(declared, 'type'), part(declared, xsd, 'simpleType')];
    // Others may restrict each other in a circle.
    for (let depth = 0; depth < 10; depth += 1) {
      simple ??= this.#find('simpleType', name);
      const restriction = part(simple, xsd, 'restriction');
      if (!restriction) break;
      const found = parts(restriction, xsd, 'enumeration').map((each) => each.attributes.get('value') ?? '');
      if (values.length === 0) values = found.sort();
      [name, simple] = [qualifiedOf(restriction, 'base'), undefined];
    }
    return { base: name?.replace(`{${xsd}}`, 'xsd:') ?? '', values };
  }

  #find(kind: string, name: string | undefined): Element | undefined {
    for (const schema of this.#schemas) {
      const found = parts(schema, xsd, kind).find(
        ({ attributes }) => `{${schema.attributes.get('targetNamespace') ?? ''}}${attributes.get('name')}` === name,
      );
      if (found) return found;
    }
    return undefined;
  }
}

const parts = (parent: Element | undefined, uri: string, local: string) =>
  parent?.children.filter((each) => each.uri === uri && each.local === local) ?? [];

const part = (parent: Element | undefined, uri: string, local: string) => parts(parent, uri, local)[0];

const named = (parent: Element | undefined, uri: string, local: string, name: string | undefined) =>
  parts(parent, uri, local).find(({ attributes }) => attributes.get('name') === name);

const contains = (element: Element, other: Element): boolean =>
  element === other || element.children.some((child) => contains(child, other));

/** The name that an attribute refers to, with its namespace, or without. */
function qualifiedOf(element: Element | undefined, attribute: string): string | undefined {
  const value = element?.attributes.get(attribute);
  return value === undefined ? undefined : element?.qualified(value);
}

const nameOf = (element: Element | undefined, attribute: string) =>
  qualifiedOf(element, attribute)?.replace(/^\{.*\}/s, '');
