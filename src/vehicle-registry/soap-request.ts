/*
 * Reads the request of the SOAP operation: SOAP 1.1, document/literal. It walks the document once, element by element,
 * and knows at each point what may come next. An element that is the right one but for its namespace or its case is a fault
 * that the walk goes on behind, so that all of them are told at once; any other thing that may not come ends it. Nothing is
 * expanded, nothing is fetched, and no tree is built. What costs more than its bytes (soap-bounds.ts) is counted while
 * it is read, so the work grows with the size of the body alone.
 */
import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes';
import { isJson } from '../http/requests/bodies.ts';
import { registryNamespace, type SoapFault, soapAction, soapNamespace } from './soap.ts';
import { elementAdvice, envelopeAdvice, example, otherFormat, syntaxAdvice } from './soap-advice.ts';
import { MarkupBounds } from './soap-bounds.ts';
import { contradiction, decodeXml } from './xml-encoding.ts';

export type Reading = { regNumber: string } | SoapFault;

/**
 * The registration number of a request, as it was sent (it may be empty), or the fault to answer.
 *
 * Namespaces count by their URI, so prefixes are free. Comments and CDATA sections are taken; a DOCTYPE and processing
 * instructions are not (SOAP 1.1, section 3).
 *
 * @param body at most 64 KiB
 * @param contentType the header's value; of it only the charset matters, and that it does not say JSON
 */
export function readEnvelope(body: Buffer, contentType: string | undefined): Reading {
  if (body.length === 0)
    return client(`The body is empty. Send a SOAP 1.1 envelope that contains ${REQUEST}.${example}`);
  if (isGzip(body)) return client('The body is compressed (gzip). Send it uncompressed, as text/xml.');
  const decoded = decodeXml(body, contentType);
  if ('fault' in decoded) return client(decoded.fault);
  const { text, encoding } = decoded;
  const hint = otherFormat(text);
  if (hint !== undefined) return client(hint);
  if (isJson(contentType)) {
    return client(
      'The body is not JSON, but was sent as application/json. Send Content-Type: text/xml; charset=utf-8.',
    );
  }

  const parser = new SaxesParser({ xmlns: true });
  const walk = new Walk();
  const found: SoapFault[] = [];
  const note = ({ code, message }: Refusal) => {
    found.push({ code, message: `Line ${parser.line}, column ${parser.column}: ${shorten(message, 800)}` });
  };
  const refuse = (message: string): never => {
    throw new Refusal('Client', message);
  };
  const bounds = new MarkupBounds(refuse);
  parser.on('xmldecl', ({ version, encoding: declared }) => {
    if (version !== '1.0') refuse(`SOAP 1.1 is written in XML 1.0, not ${shorten(version)}.`);
    const wrong = contradiction(declared, encoding, 'the XML declaration');
    if (wrong !== undefined) refuse(wrong);
  });
  parser.on('doctype', () => refuse('A SOAP message must not have a DOCTYPE: remove it, with everything it declares.'));
  parser.on('processinginstruction', () => refuse('A SOAP message must not have processing instructions.'));
  parser.on('opentagstart', () => bounds.element());
  parser.on('attribute', ({ name, value }) => {
    bounds.attribute(name, value);
    if (/^xmlns(?::|$)/.test(name)) refuseBlanks(value);
  });
  parser.on('opentag', (tag) => {
    for (const fault of walk.open(tag)) note(fault);
  });
  parser.on('text', (piece) => walk.text(piece));
  parser.on('comment', () => bounds.section());
  parser.on('cdata', (piece) => {
    bounds.section();
    walk.text(piece);
  });
  parser.on('closetag', () => walk.close());
  parser.on('error', ({ message }) => {
    const found = message.replace(/^\d+:\d+: /, '');
    refuse(`The XML is not well-formed: ${shorten(found, 200).replace(/\.?$/, '.')}${syntaxAdvice(found, text)}`);
  });
  try {
    // XML reads each kind of line end as one line feed (2.11); the parser takes five times as long for the others.
    parser.write(text.replace(/\r\n?/g, '\n')).close();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    note(error);
  }
  return allOf(found) ?? { regNumber: walk.regNumber as string };
}

/** Several faults as one, with one example at its end if one of them has it; undefined if there are none. */
export function allOf(faults: readonly SoapFault[]): SoapFault | undefined {
  const [first] = faults;
  if (!first) return undefined;
  const { code } = faults.find((each) => each.code !== 'Client') ?? first;
  const message = faults.map((each) => each.message.replace(example, '')).join(' ');
  return { code, message: faults.some((each) => each.message.includes(example)) ? message + example : message };
}

/**
 * What is wrong with the header `SOAPAction`. It may be missing or empty, and its quotes too: the element in the body
 * tells the operation. But when it names one, it must be the same.
 */
export function actionFault(header: string | undefined): SoapFault | undefined {
  const named = header?.trim().replace(/^"(.*)"$/, '$1') ?? '';
  if (named === '' || named === soapAction) return undefined;
  return client(`The header SOAPAction says "${shorten(named)}". Send "${soapAction}", or leave it empty.`);
}

/** Deeper nesting than this is refused; an honest request has four levels, header blocks may have a few more. */
const depthLimit = 50;

const REQUEST = `GetVehicleDataRequest in the namespace ${registryNamespace}`;

class Refusal extends Error {
  readonly code: SoapFault['code'];

  constructor(code: SoapFault['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Where the walk is; `ignored` is anything that need not be understood. */
type ParserState = 'document' | 'Envelope' | 'Header' | 'Body' | 'GetVehicleDataRequest' | 'RegNumber' | 'ignored';

class Walk {
  regNumber: string | undefined;
  readonly #states: ParserState[] = ['document'];
  readonly #seen = new Set<ParserState>();
  /** Those that count in this document: a wrong one is told where it is first. */
  #soap = soapNamespace;
  #registry = registryNamespace;
  #found: Refusal[] = [];

  /** Returns the faults behind which the walk goes on. */
  open(tag: SaxesTagNS): readonly Refusal[] {
    this.#found = [];
    if (this.#states.length > depthLimit) this.#refuse(`Elements are nested more than ${depthLimit} deep.`);
    const place = this.#enter(tag);
    this.#states.push(place);
    this.#seen.add(place);
    if (place === 'RegNumber') this.regNumber = '';
    return this.#found;
  }

  text(piece: string): void {
    const place = this.#state;
    if (place === 'RegNumber') this.regNumber += piece;
    else if (place !== 'ignored' && /[^ \t\r\n]/.test(piece))
      this.#refuse(`${place} contains text, which is not allowed there.${textAdvice(place)}`);
  }

  close(): void {
    const place = this.#states.pop();
    const needed = { Envelope: 'Body', Body: 'GetVehicleDataRequest', GetVehicleDataRequest: 'RegNumber' } as const;
    if (place === undefined || !(place in needed)) return;
    const child = needed[place as keyof typeof needed];
    if (!this.#seen.has(child))
      this.#refuse(`${place} does not contain ${child === 'GetVehicleDataRequest' ? REQUEST : child}.${example}`);
  }

  get #state(): ParserState {
    return this.#states.at(-1) as ParserState;
  }

  #enter(tag: SaxesTagNS): ParserState {
    switch (this.#state) {
      case 'document':
        return this.#enterEnvelope(tag);
      case 'Envelope':
        return this.#enterPart(tag);
      case 'Header':
        return this.#enterBlock(tag);
      case 'Body':
        return this.#enterRequest(tag);
      case 'GetVehicleDataRequest':
        return this.#enterRegNumber(tag);
      case 'RegNumber':
        return this.#refuse(`RegNumber must contain text, not elements such as ${name(tag)}.`);
      default:
        return 'ignored';
    }
  }

  #enterEnvelope(tag: SaxesTagNS): ParserState {
    if (tag.local !== 'Envelope') {
      const message = `The document begins with ${name(tag)}, not with the Envelope of SOAP 1.1 (${soapNamespace}).${elementAdvice(tag, 'Envelope', soapNamespace)}`;
      if (!isNamed(tag, 'Envelope')) this.#refuse(message);
      this.#note(message);
    }
    this.#soap = tag.uri;
    if (tag.uri === soapNamespace) return 'Envelope';
    const version =
      tag.uri === 'http://www.w3.org/2003/05/soap-envelope' ? 'SOAP 1.2' : `the namespace "${shorten(tag.uri)}"`;
    const message = `The Envelope is of ${version}. This is SOAP 1.1: its Envelope is in the namespace ${soapNamespace}, and is sent as text/xml.`;
    this.#note(message, 'VersionMismatch');
    return 'Envelope';
  }

  #enterPart(tag: SaxesTagNS): ParserState {
    const isSoap = tag.uri === this.#soap;
    const hasBody = this.#seen.has('Body');
    if (isSoap && tag.local === 'Body' && !hasBody) return 'Body';
    if (isSoap && tag.local === 'Header' && !hasBody && !this.#seen.has('Header')) return 'Header';
    // SOAP 1.1, section 4.1: elements of others may follow the body.
    if (!isSoap && tag.uri !== '' && hasBody) return 'ignored';
    const advice = hasBody ? '' : envelopeAdvice(tag);
    const message = `${name(tag)} is not allowed here: an Envelope contains at most one Header, then one Body.${advice}`;
    const place = (['Header', 'Body'] as const).find((each) => isNamed(tag, each));
    if (hasBody || place === undefined || this.#seen.has(place)) return this.#refuse(message);
    this.#note(message);
    return place;
  }

  #enterBlock(tag: SaxesTagNS): ParserState {
    if (tag.uri === '') this.#refuse(`The header block ${name(tag)} must be in a namespace.`);
    const attribute = (local: string) => soapAttribute(tag, local)?.value.trim();
    const must = attribute('mustUnderstand') ?? '0';
    if (!['0', '1', 'true', 'false'].includes(must))
      this.#refuse(`mustUnderstand must be 0 or 1, not "${shorten(must)}".`);
    const actor = attribute('actor') ?? '';
    const isForUs = actor === '' || actor === 'http://schemas.xmlsoap.org/soap/actor/next';
    if (isForUs && (must === '1' || must === 'true')) {
      const message = `The header block ${name(tag)} says mustUnderstand, but this service understands no header blocks. Leave it out, or set mustUnderstand to 0.`;
      throw new Refusal('MustUnderstand', message);
    }
    return 'ignored';
  }

  #enterRequest(tag: SaxesTagNS): ParserState {
    if (this.#seen.has('GetVehicleDataRequest'))
      this.#refuse(`Body must contain one element, but ${name(tag)} is a second one.`);
    if (tag.local === 'GetVehicleDataRequest' && tag.uri === registryNamespace) return 'GetVehicleDataRequest';
    const advice = elementAdvice(tag, 'GetVehicleDataRequest', registryNamespace);
    const message = `Body contains ${name(tag)}, not ${REQUEST}.${advice}`;
    if (!isNamed(tag, 'GetVehicleDataRequest')) return this.#refuse(message);
    this.#note(message);
    this.#registry = tag.uri;
    return 'GetVehicleDataRequest';
  }

  #enterRegNumber(tag: SaxesTagNS): ParserState {
    if (tag.local !== 'RegNumber' || ![this.#registry, registryNamespace].includes(tag.uri)) {
      const advice = elementAdvice(tag, 'RegNumber', registryNamespace);
      const message = `GetVehicleDataRequest contains ${name(tag)}, not RegNumber in the namespace ${registryNamespace}.${advice}`;
      if (!isNamed(tag, 'RegNumber')) this.#refuse(message);
      this.#note(message);
    }
    if (this.#seen.has('RegNumber'))
      this.#refuse('GetVehicleDataRequest contains RegNumber more than once. Send one request for each vehicle.');
    const nil = attributeOf(tag, 'http://www.w3.org/2001/XMLSchema-instance', 'nil')?.value.trim();
    if (nil === '1' || nil === 'true') this.#refuse('RegNumber must not be nil.');
    return 'RegNumber';
  }

  /** A fault behind which the walk goes on. */
  #note(message: string, code: SoapFault['code'] = 'Client'): void {
    this.#found.push(new Refusal(code, message));
  }

  #refuse(message: string): never {
    throw new Refusal('Client', message);
  }
}

/** Tells whether an element has a name, but for its case, underscores and dashes. */
function isNamed({ local }: SaxesTagNS, expected: string): boolean {
  return local.replaceAll(/[_-]/g, '').toLowerCase() === expected.toLowerCase();
}

/** The parser removes blanks around a namespace, but with them it is another one (Namespaces in XML, 2.2 and 2.3). */
function refuseBlanks(namespace: string): void {
  const meant = namespace.trim();
  if (meant === namespace) return;
  const message = `The namespace "${shorten(namespace)}" has white space around it, which makes it another one. Remove the white space.`;
  throw new Refusal(meant === soapNamespace ? 'VersionMismatch' : 'Client', message);
}

function soapAttribute(tag: SaxesTagNS, local: string): SaxesAttributeNS | undefined {
  return attributeOf(tag, soapNamespace, local);
}

function attributeOf(tag: SaxesTagNS, uri: string, local: string): SaxesAttributeNS | undefined {
  return Object.values(tag.attributes).find((attribute) => attribute.uri === uri && attribute.local === local);
}

function textAdvice(place: ParserState): string {
  if (place === 'RegNumber' || place === 'Header') return '';
  return place === 'GetVehicleDataRequest'
    ? ' Put the number into RegNumber: <RegNumber>AB-1234</RegNumber>.'
    : example;
}

const isGzip = (body: Buffer) => body[0] === 0x1f && body[1] === 0x8b;

function name({ local, uri }: SaxesTagNS): string {
  return `"${shorten(local)}" in ${uri === '' ? 'no namespace' : `the namespace ${shorten(uri)}`}`;
}

function shorten(text = '', length = 100): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

function client(message: string): SoapFault {
  return { code: 'Client', message };
}
