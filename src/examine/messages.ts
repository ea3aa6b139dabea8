import { excerpt } from '../text/excerpt.ts';
import { shownValue } from '../text/shown-value.ts';
import { registryNamespace } from '../vehicle-registry/index.ts';
import type { Difference } from './difference.ts';
import { elements, namespaceOf } from './elements.ts';
import type { Known } from './known.ts';
import type { Answer } from './side.ts';
import { elementDifference } from './vehicles.ts';
import { wsdlDifference } from './wsdl.ts';
import { type Element, readXml, Unreadable } from './xml.ts';

/* How answers in XML are compared: by namespaces and local names. Prefixes, comments and white space between elements are free. */

export function xmlDifference(expected: Answer, answer: Answer, known: Known): Difference | undefined {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(answer.headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!/^(utf-?8|us-ascii)$/i.test(charset))
    return { place: 'header:Content-Type', says: `The answer of your service is in ${charset}; utf-8 is right.` };
  const right = readXml(expected.body);
  let given: Element;
  try {
    given = readXml(answer.body);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { place: 'body', says: `The body that your service sent ${error.message}.` };
  }
  if (right.local === 'definitions') return wsdlDifference(right, given, known);
  return rootDifference(right, given) ?? new Messages(known).parts(right, given, '/Envelope');
}

function rootDifference(right: Element, { uri, local }: Element): Difference | undefined {
  if (right.uri === uri && right.local === local) return undefined;
  return {
    place: 'body',
    says: `The body begins with ${excerpt(local)} in the namespace ${shownValue(uri)}; ${right.local} in ${shownValue(right.uri)} is right.`,
  };
}

class Messages {
  readonly #known: Known;

  constructor(known: Known) {
    this.#known = known;
  }

  /** Compares what is in an element: each part in its place. */
  parts(right: Element, given: Element, place: string): Difference | undefined {
    if (given.text.trim() !== '') return { place, says: `The element ${place} has text in it; elements are right.` };
    const rows = elements[right.local] ?? {};
    const wrong = misplaced(given, Object.keys(rows), place);
    if (wrong) return wrong;
    for (const [local, manner] of Object.entries(rows)) {
      if (manner === 'open') continue;
      const at = `${place}/${local}`;
      const [of, to] = [right, given].map((parent) => partOf(parent, local));
      if (manner !== 'parts' && to && to.children.length > 0)
        return { place: at, says: `The element ${at} has elements in it; text is right.` };
      if (manner === 'own') continue;
      // What a fault says in its detail is free, but for the one that the WSDL has.
      if (!of && to && (local !== 'detail' || partOf(to, 'VehicleNotFoundFault')))
        return { place: at, says: `The element ${at} is in the answer of your service; it has no place there.` };
      if (!of) continue;
      if (!to) return { place: at, says: `The element ${at} is missing in the answer of your service.` };
      const found = manner === 'parts' ? this.parts(of, to, at) : textDifference(of, to, manner, at);
      if (found) return found;
    }
    if (right.local !== 'GetVehicleDataResponse') return undefined;
    return elementDifference(
      partOf(right, 'RegNumber')?.text ?? '',
      (local) => partOf(given, local)?.text,
      place,
      this.#known,
    );
  }
}

/** What can’t be where it is. The schema of the WSDL leaves no room for other elements; SOAP does. */
function misplaced(given: Element, names: readonly string[], place: string): Difference | undefined {
  let last = -1;
  for (const { local, uri } of given.children) {
    const at = names.indexOf(local);
    if (at < 0 && given.uri !== registryNamespace) continue;
    const [part, right] = [`${place}/${excerpt(local)}`, namespaceOf(local)];
    if (at < 0)
      return { place: part, says: `The element ${part} is in the answer of your service; the schema has none.` };
    if (uri !== right)
      return {
        place: part,
        says: `The element ${part} has the namespace ${shownValue(uri)}; ${shownValue(right)} is right.`,
      };
    if (at <= last)
      return { place: part, says: `The element ${part} is not in its place: ${names.join(', ')} is the order.` };
    last = at;
  }
  return undefined;
}

function textDifference(right: Element, given: Element, manner: string, place: string): Difference | undefined {
  if (manner === 'text')
    return given.text.trim() === '' ? { place, says: `The element ${place} is empty.` } : undefined;
  const [of, to] = [right, given].map((element) => {
    return manner === 'code' ? outerCode(element.qualified(element.text)) : element.text;
  });
  return of === to
    ? undefined
    : { place, says: `The element ${place} is ${shownValue(to)}; ${shownValue(of)} is right.` };
}

/** SOAP 1.1, 4.4.1: what follows a dot says more about the same kind of fault. */
function outerCode(qualified: string): string {
  const dot = qualified.indexOf('.', qualified.indexOf('}'));
  return dot < 0 ? qualified : qualified.slice(0, dot);
}

const partOf = ({ children }: Element, local: string) =>
  children.find((child) => child.local === local && child.uri === namespaceOf(local));
