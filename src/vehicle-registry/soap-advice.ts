import type { SaxesTagNS } from 'saxes';
import { named } from '../text/odd-character.ts';
import { minimalRequest, registryNamespace, soapNamespace } from './soap.ts';

/* What the faults of the SOAP service say besides what was found: what to send in its place. Each begins with a space. */

export const example = ` A minimal request: ${minimalRequest}`;

/** Says what a body is that is clearly something else than XML; undefined where it may be XML. */
export function otherFormat(text: string): string | undefined {
  const start = text.slice(0, 200).trimStart();
  if (/^[[{"]/.test(start)) {
    return `The body looks like JSON. Send a SOAP 1.1 envelope as text/xml; JSON is for the REST interface v2.${example}`;
  }
  if (start.startsWith('--')) {
    return 'The body has several parts (multipart). Send the SOAP envelope alone, as text/xml.';
  }
  if (start.startsWith('&lt;')) {
    return `The body is XML that was escaped: it begins with &lt; in place of <. Send the envelope itself.${example}`;
  }
  if (/^@?[\w./-]+\.xml\s*$/.test(start)) {
    return 'The body is the name of a file, not its content. With curl, write an @ before it: --data-binary @request.xml';
  }
  return undefined;
}

/** Says what to do about XML that is not well-formed, by what the parser says of it. */
export function syntaxAdvice(message: string, text: string): string {
  if (/text data outside of root node/.test(message)) return ` Expected < at the start of the document.${example}`;
  if (/unbound namespace prefix/.test(message)) {
    return ` Declare the prefix, such as xmlns:soap="${soapNamespace}" in the Envelope.`;
  }
  // The parser takes it for the beginning of an entity, and goes on to the next semicolon.
  if (/&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-f]{1,6}|[a-z]{1,10});)/i.test(text)) return escapes;
  if (/entit/.test(message)) return ' XML knows &amp; &lt; &gt; &quot; &apos; and numbers such as &#233; alone.';
  if (/disallowed character/.test(message)) return escapes;
  if (/unquoted attribute/.test(message)) {
    const quote = /=\s*([‘’‚‛“”„‟′″«»])/.exec(text)?.[1];
    if (quote !== undefined)
      return ` The quote before a value is ${named(quote)}; write ${named('"')} before and after it.`;
    return ' Put the values of attributes into quotes: xmlns:soap="…".';
  }
  if (/only one root/.test(message)) return ' Send one Envelope in a request.';
  if (/XML declaration|processing instruction/.test(message))
    return ' Remove what comes before <?xml: white space, too.';
  if (/unclosed tag|unexpected (?:end|close)|must be closed|end of/i.test(message)) {
    return ' Every element has to be closed, in reverse order, with the same prefix.';
  }
  return '';
}

const escapes = ' Write & as &amp; and < as &lt; in text.';

/** Says what to change at an element that is not the one that is expected in this place. */
export function elementAdvice({ local, uri }: SaxesTagNS, expected: string, namespace: string): string {
  if (local !== expected && local.toLowerCase() === expected.toLowerCase()) {
    const other = uri === namespace ? '' : elementAdvice({ local: expected, uri } as SaxesTagNS, expected, namespace);
    return ` Names have a case: write ${expected}.${other}`;
  }
  if (local === expected && uri === '') {
    if (namespace === soapNamespace) return ' Write it with the prefix of the Envelope.';
    return expected === 'RegNumber'
      ? ' Leave out xmlns="", or write it with the prefix of GetVehicleDataRequest.'
      : ` Add xmlns="${namespace}" to it.`;
  }
  if (local === 'GetVehicleData') return ` That is the operation: its element is ${expected}.`;
  if (local === 'RegNumber' && local !== expected && namespace === registryNamespace)
    return ` Put it into ${expected}.`;
  return local === expected ? ' Change its namespace.' : ` Expected ${expected}.${example}`;
}

/** Says what to change at an element that stands in the Envelope in place of its Body. */
export function envelopeAdvice(tag: SaxesTagNS): string {
  if (/^body$/i.test(tag.local)) return elementAdvice(tag, 'Body', soapNamespace);
  if (/^header$/i.test(tag.local)) return elementAdvice(tag, 'Header', soapNamespace);
  return tag.uri === registryNamespace ? ' Put it into Body.' : '';
}
