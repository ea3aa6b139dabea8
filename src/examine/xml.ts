import { SaxesParser, type SaxesTagNS } from 'saxes';
import { MarkupBounds } from '../vehicle-registry/index.ts';

/** An element of an answer in XML. Prefixes are gone: what they stood for is asked by `qualified`. */
export interface Element {
  readonly uri: string;
  readonly local: string;
  /** Those without a namespace, by their names. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly Element[];
  /** Its own text, without that of its children. */
  readonly text: string;
  /** A name with a prefix in a text or an attribute of it, as `{namespace}name`. */
  qualified(name: string): string;
}

/** Why an answer can't be read as XML; the end of a sentence. */
export class Unreadable extends Error {}

/** Deeper nesting and longer documents are no answers of a registry: a WSDL has some 5,000 characters. */
const deepest = 50;
const longest = 500_000;

/**
 * Reads what others sent. Nothing is expanded and nothing fetched; what costs more than its bytes has the bounds that
 * requests have.
 *
 * @throws {Unreadable}
 */
export function readXml(body: string): Element {
  const parser = new SaxesParser({ xmlns: true });
  const refuse = (why: string): never => {
    throw new Unreadable(why);
  };
  if (body.length > longest) refuse(`has more than ${longest} characters`);
  const bounds = new MarkupBounds(() => refuse('has more elements, attributes or comments than it needs'));
  const open: Building[] = [];
  let root: Element | undefined;
  const text = (piece: string) => {
    const element = open.at(-1);
    if (element) element.text += piece;
  };
  parser.on('doctype', () => refuse('has a DOCTYPE, which clients refuse'));
  parser.on('opentagstart', () => bounds.element());
  parser.on('attribute', ({ name, value }) => bounds.attribute(name, value));
  parser.on('opentag', (tag) => {
    if (open.length === deepest) refuse(`is nested more than ${deepest} deep`);
    const element = new Building(tag, open.at(-1));
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on('closetag', () => open.pop());
  parser.on('text', text);
  parser.on('cdata', (piece) => {
    bounds.section();
    text(piece);
  });
  parser.on('comment', () => bounds.section());
  parser.on('error', ({ message }) => refuse(`is not well-formed XML: ${message.slice(0, 200).replace(/\.$/, '')}`));
  parser.write(body.replace(/\r\n?/g, '\n')).close();
  return (root as Element | undefined) ?? refuse('has no element');
}

class Building implements Element {
  readonly uri: string;
  readonly local: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: Element[] = [];
  text = '';
  readonly #namespaces: Readonly<Record<string, string>>;
  readonly #parent: Building | undefined;

  constructor({ uri, local, attributes, ns }: SaxesTagNS, parent: Building | undefined) {
    [this.uri, this.local, this.#namespaces, this.#parent] = [uri, local, ns, parent];
    const plain = Object.values(attributes).filter((each) => each.uri === '');
    this.attributes = new Map(plain.map((each) => [each.local, each.value]));
  }

  qualified(name: string): string {
    const [, prefix = '', local = ''] = /^(?:([^:]*):)?(.*)$/s.exec(name.trim()) ?? [];
    return `{${this.#namespaceOf(prefix) ?? ''}}${local}`;
  }

  #namespaceOf(prefix: string): string | undefined {
    if (Object.hasOwn(this.#namespaces, prefix)) return this.#namespaces[prefix];
    return this.#parent ? this.#parent.#namespaceOf(prefix) : undefined;
  }
}
