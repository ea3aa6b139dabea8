import { optionsFaults } from '../support/description.ts';
import type { Answer } from '../support/lplate.ts';
import { checkMessage, checkWsdl, parseXml, prefixes, textAt } from './xml.ts';

/**
 * What of an answer of the SOAP service is not as it has to be: a message or a WSDL that its schema takes, faults with
 * 500, or 410 once the service has ended; text or a page otherwise, and never JSON.
 */
export function soapFaults(method: string, answer: Answer): string[] {
  const { status, headers, text } = answer;
  if (method === 'OPTIONS' && status === 204) return optionsFaults(answer);
  const faults: string[] = [];
  // Where a limit is set, POST alone has it; soap-limit.test.ts tells the values.
  const limits = [...headers.keys()].filter((name) => name.startsWith('ratelimit-'));
  if (limits.length !== 0 && (limits.length !== 4 || method !== 'POST')) faults.push(`there is ${limits}`);
  if (!headers.get('x-request-id')) faults.push('there is no X-Request-Id');
  const type = headers.get('content-type');
  if (status === 404 || status === 405 || (status === 410 && method !== 'POST')) {
    if (type !== 'text/plain; charset=utf-8') faults.push(`the content type is ${type}`);
    if (status === 405 && headers.get('allow') !== 'GET, HEAD, POST') faults.push(`Allow is ${headers.get('allow')}`);
    return faults;
  }
  if (![200, 410, 500].includes(status)) return [...faults, `the status ${status} has no place here`];
  if (status === 200 && method !== 'POST' && type === 'text/html; charset=utf-8') return faults;
  if (type !== 'text/xml; charset=utf-8') return [...faults, `the content type is ${type}`];
  if (method === 'HEAD') return text === '' ? faults : [...faults, 'the answer to HEAD has a body'];
  try {
    if (status === 200 && method === 'GET') checkWsdl(text);
    else checkMessage(text);
  } catch (error) {
    return [...faults, (error as Error).message];
  }
  using document = parseXml(text);
  const isFault = textAt(document, '/e:Envelope/e:Body/e:Fault/faultcode') !== undefined;
  const isAnswer = document.get('/e:Envelope/e:Body/v:GetVehicleDataResponse', prefixes) !== null;
  if (method === 'POST' && isAnswer === isFault) faults.push('the message is neither the answer nor a fault');
  if (isFault !== (status !== 200)) faults.push(`the status of this message is ${status}`);
  return faults;
}
