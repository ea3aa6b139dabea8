/*
 * The limits of a request besides its size. An empty element or an attribute takes the parser twenty times as long as
 * text of the same size. A long namespace is worse: the parser writes it before each attribute that is in it, and
 * compares what it wrote, so that 64 KiB could take half a minute. A request needs four elements; one with a signed
 * header has some forty, and as many namespace declarations.
 */

const max = {
  elements: 1000,
  /** Attributes of one element, and of all together. Namespace declarations are attributes, too. */
  attributesOfOne: 100,
  attributes: 1000,
  /** Comments and CDATA sections. */
  sections: 1000,
  /** Characters of a namespace. */
  namespace: 500,
} as const;

/** Counts the markup of one request while it is read. */
export class MarkupBounds {
  readonly #refuse: (message: string) => never;
  #elements = 0;
  #attributesOfOne = 0;
  #attributes = 0;
  #sections = 0;

  /** `refuse` is called with the message for the sender. */
  constructor(refuse: (message: string) => never) {
    this.#refuse = refuse;
  }

  /** Call it for each element, before its attributes. */
  element(): void {
    this.#elements += 1;
    this.#attributesOfOne = 0;
    if (this.#elements > max.elements)
      this.#refuse(`There are more than ${max.elements} elements, which is the limit. A request needs four.`);
  }

  attribute(name: string, value: string): void {
    this.#attributesOfOne += 1;
    this.#attributes += 1;
    if (this.#attributesOfOne > max.attributesOfOne) {
      this.#refuse(`An element has more than ${max.attributesOfOne} attributes.`);
    }
    if (this.#attributes > max.attributes) {
      this.#refuse(`There are more than ${max.attributes} attributes, namespace declarations included.`);
    }
    if (value.length > max.namespace && /^xmlns(?::|$)/.test(name)) {
      const start = value.slice(0, 100);
      this.#refuse(`The namespace "${start}…" has more than ${max.namespace} characters.`);
    }
  }

  /** A comment or a CDATA section. */
  section(): void {
    this.#sections += 1;
    if (this.#sections > max.sections) {
      this.#refuse(`There are more than ${max.sections} comments and CDATA sections.`);
    }
  }
}
