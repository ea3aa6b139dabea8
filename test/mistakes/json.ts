import { asJson, claimsPath, form, signed } from './calls.ts';
import type { Learner, Mistake } from './mistake.ts';

const create = (body: string | Uint8Array<ArrayBuffer>) => ({
  send: ({ call }: Learner) => call('POST', '/policies', asJson(body)),
  status: 400,
});

/** With a plate that no other refusal shows: it can be sent as it is. */
const ownBody = /such as \{"regNumber":"Q-[0-9a-f]{8}"\}\./;

const utf16 = new Uint8Array(Buffer.from('\uFEFF{"regNumber":"AB-1234"}', 'utf16le'));
const latin1 = new Uint8Array(Buffer.from('{"regNumber":"JS-1",\n"holder":"J\xfcrgen"}', 'latin1'));

/** Bodies that are not JSON, or not the JSON that is taken. */
export const json: readonly Mistake[] = [
  {
    title: 'curl -d without a content type',
    send: ({ call }) => call('POST', '/policies', form({ '{"regNumber":"JS-1"}': '' })),
    status: 415,
    says: [
      'was sent as application/x-www-form-urlencoded. Send it as application/json.',
      'The body must be JSON, and the header Content-Type: application/json.',
    ],
  },
  {
    title: 'the name of a file',
    ...create('@body.json'),
    says: ['found the name of a file, not its content: with curl write --data-binary @body.json'],
  },
  {
    title: 'single quotes',
    ...create("{'regNumber': 'AB-1234'}"),
    says: ['Line 1, column 2: found \', JSON wants double quotes (") (2 times).'],
  },
  {
    title: 'a comma before }',
    ...create('{"regNumber": "AB-1234",\n}'),
    says: ['Line 1, column 24: a comma before }.'],
  },
  {
    title: 'a comma before ], in a claim',
    send: ({ call }) => call('POST', `${claimsPath}/claims`, asJson('{"policyNumber": [1,]}')),
    status: 400,
    says: ['Line 1, column 20: a comma before ].'],
  },
  {
    title: 'a comma is missing',
    ...create('{"regNumber": "AB-1234"\n "holder": "Ada"}'),
    says: ['Line 2, column 2: a comma is missing before this.'],
  },
  {
    title: 'a colon is missing',
    ...create('{"regNumber" "AB-1234"}'),
    says: ['column 14: a : is missing before this'],
  },
  { title: '= in place of a colon', ...create('{"regNumber"="AB-1234"}'), says: ['column 13: found =, JSON wants :'] },
  {
    title: 'names without quotes, as in JavaScript',
    ...create('{regNumber: "AB-1234"}'),
    says: ['Line 1, column 2: a name without double quotes around it.'],
  },
  {
    title: 'no quotes at all, since the shell removed them',
    ...create('{regNumber:AB-1234}'),
    says: ['column 2: a name without double quotes', 'column 12: text without double quotes around it'],
  },
  {
    title: 'the single quotes of another shell came along',
    ...create(`'{"regNumber":"AB-1234"}'`),
    says: ["found ' before the JSON", 'In cmd.exe'],
  },
  {
    title: 'quotes that were escaped once too often',
    ...create('{\\"regNumber\\": \\"AB-1234\\"}'),
    says: ['column 2: found \\", JSON wants " alone'],
  },
  { title: 'a comment', ...create('{"regNumber": "AB-1234"} // mine'), says: ['column 26: a comment, which JSON'] },
  {
    title: 'True, None and NaN of Python',
    ...create('{"regNumber": True, "holder": None, "startDate": NaN}'),
    says: ['found True, JSON wants true', 'found None, JSON wants null', 'found NaN, JSON wants a number or null'],
  },
  {
    title: 'undefined of JavaScript',
    ...create('{"regNumber": undefined}'),
    says: ['found undefined, JSON wants null'],
  },
  {
    title: 'the quotes of a text program',
    ...create('{“regNumber”: “AB-1234”}'),
    says: ['Line 1, column 2: found “, JSON wants double quotes'],
  },
  {
    title: 'the body was cut off in a string',
    ...create('{"regNumber": "AB-12'),
    says: ['Line 1, column 15: the text ends in the middle of a string that begins here.'],
  },
  {
    title: 'the body was cut off in an object',
    ...create('{"regNumber": "AB-1234", "a": [{"b": 1'),
    says: ['column 39: the text ends here, JSON still wants }]}.'],
  },
  { title: 'two objects one behind the other', ...create('{}{}'), says: ['Line 1, column 3: a second value begins'] },
  {
    title: 'a line break in a string',
    ...create('{"regNumber": "AB-1234", "holder": "Ada\nExample"}'),
    says: ['Line 1, column 40: a line break inside a string: close its quotes, or write \\n.'],
  },
  { title: 'a tab in a string', ...create('{"regNumber": "AB\t1"}'), says: ['column 18: a tab inside a string'] },
  {
    title: 'the backslashes of a path of Windows',
    ...create('{"regNumber": "C:\\data"}'),
    says: ['column 18: a backslash that begins no escape of JSON: write \\\\ for a backslash.'],
  },
  { title: 'a number that begins with 0', ...create('{"regNumber": 0123}'), says: ['a number that begins with 0'] },
  {
    title: 'four faults at once',
    ...create('{\'regNumber\': AB-1234, "holder": None,}'),
    says: [/found '.*text without.*found None.*a comma before }/],
  },
  { title: 'UTF-16', ...create(utf16), says: ['the body is UTF-16. Send JSON in UTF-8.'] },
  {
    title: 'an ü in Latin-1',
    ...create(latin1),
    says: ['Line 2, column 12: the byte FC is not UTF-8. Send JSON in UTF-8, and not in Latin-1'],
  },
  { title: 'an empty body', ...create(''), says: ['The body is empty.', ownBody] },
  {
    title: 'an empty body for a new claim',
    send: ({ call }) => call('POST', `${claimsPath}/claims`, asJson('')),
    status: 400,
    says: ['The body is empty.', /such as \{"policyNumber":"pol-/],
  },
  {
    title: 'no body and no content type',
    send: ({ call }) => call('POST', '/policies'),
    status: 400,
    says: ['The request has no body.', 'Content-Type: application/json', ownBody],
  },
  { title: 'an object that was not made into JSON', ...create('[object Object]'), says: ['with JSON.stringify say'] },
  {
    title: 'XML in place of JSON',
    ...create('<policy><regNumber>AB-1234</regNumber></policy>'),
    says: ['found <, which begins XML or HTML; send JSON'],
  },
  {
    title: 'a list with one policy',
    ...create('[{"regNumber":"AB-1"}]'),
    says: ['not an array.', 'without [] around it'],
  },
  {
    title: 'JSON made of JSON',
    ...create(JSON.stringify('{"regNumber":"AB-1"}')),
    says: ['not a string.', 'It was made into JSON twice: do it once.'],
  },
  {
    title: 'null',
    ...create('null'),
    says: ['The body must be a JSON object, not null. Send one such as', ownBody],
  },
  {
    title: 'single quotes in a body that was signed',
    send: (learner) => signed(learner, "{'regNumber': 'AB-1234'}"),
    status: 400,
    says: ["Line 1, column 2: found '"],
  },
  {
    title: 'a form that is called JSON, for a token',
    send: ({ lplate, id, secret }) =>
      lplate.call(
        'POST',
        '/auth/token',
        asJson(`grant_type=client_credentials&client_id=${id}&client_secret=${secret}`),
      ),
    status: 400,
    says: ['found a form (name=value), but Content-Type says application/json', 'application/x-www-form-urlencoded'],
  },
  {
    title: 'JSON that is called a form, for a token',
    send: ({ lplate, id, secret }) => {
      const body = JSON.stringify({ client_id: id, client_secret: secret });
      return lplate.call('POST', '/auth/token', { ...form({}), body });
    },
    status: 400,
    says: ['Content-Type: says that the body is a form, but it is JSON. Send Content-Type: application/json.'],
  },
  {
    title: 'an unfinished line of JSON with the secret, for a token',
    send: ({ lplate, id, secret }) =>
      lplate.call('POST', '/auth/token', asJson(`{client_id:${id},client_secret:${secret}`)),
    status: 400,
    says: ['a name without double quotes around it (2 times)', 'JSON still wants }'],
  },
  {
    title: 'a list for a token',
    send: ({ lplate }) => lplate.call('POST', '/auth/token', { json: [] }),
    status: 400,
    says: ['The body must be a JSON object with client_id and client_secret, not an array.'],
  },
];
