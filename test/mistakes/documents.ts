import { files, form, formType, part } from '../support/documents.ts';
import type { Learner, Mistake } from './mistake.ts';

/** The path of the documents of a new claim. */
async function newClaim({ call, policyId }: Learner): Promise<string> {
  const { json } = await call('POST', '/claims/v1/claims', { json: { policyNumber: policyId } });
  return `/claims/v1/claims/${json.claimId}/documents`;
}

const send = (title: string, body: Uint8Array, type: string, status: number, ...says: Mistake['says']): Mistake => ({
  title,
  async send(learner) {
    const headers = { 'Content-Type': type };
    return learner.call('POST', await newClaim(learner), { body: new Uint8Array(body), headers });
  },
  status,
  says,
});

const read = (title: string, id: string, range: string, status: number, ...says: Mistake['says']): Mistake => ({
  title,
  async send(learner) {
    const path = await newClaim(learner);
    const headers = { 'Content-Type': formType };
    const { json } = await learner.call('POST', path, { body: new Uint8Array(form(part(files.pdf))), headers });
    return learner.call('GET', `${path}/${id || json.id}`, { headers: { Range: range } });
  },
  status,
  says,
});

const how = 'Send one part with the name file and a filename, as curl does with -F file=@photo.jpg.';
const whole = form(part(files.jpeg));

/** Documents of claims. */
export const documents: readonly Mistake[] = [
  send('a photograph without a form', files.jpeg, 'image/jpeg', 415, 'with curl -F file=@photo.jpg'),
  send('a photograph as JSON', Buffer.from('{"file":"/9j/4AAQ"}'), 'application/json', 415, 'multipart/form-data'),
  send(
    'a form whose Content-Type was set by hand',
    whole,
    'multipart/form-data',
    400,
    'Content-Type: has no boundary',
    'Let your HTTP client make this header together with the body',
  ),
  send('a form with the boundary of another', whole, 'multipart/form-data; boundary=other', 400, 'its end is missing'),
  send('a form that was cut off', whole.subarray(0, 100), formType, 400, 'its end is missing'),
  send('a file as a field', form(part('x', '; name="file"')), formType, 400, 'has no filename', how),
  send(
    'a part of another name',
    form(part(files.jpeg, '; name="photo"; filename="a.jpg"')),
    formType,
    400,
    'photo',
    how,
  ),
  send(
    'two files at once',
    form(part(files.jpeg), part(files.jpeg)),
    formType,
    400,
    'Send each in a request of its own',
  ),
  send(
    'a text that is called a photograph',
    form(part('hello')),
    formType,
    400,
    'The bytes tell the type, not the name',
  ),
  read('the name of a document as its id', 'a.pdf', 'bytes=0-1', 404, 'The id of a document begins with doc-'),
  read('a part behind the end of a document', '', 'bytes=500-', 416, 'has 15 bytes', 'you have all of it'),
];
