import { asJson, claimsPath, form, signed } from './calls.ts';
import type { Learner, Mistake } from './mistake.ts';

const create = (body: string | Uint8Array<ArrayBuffer>) => ({
  send: ({ call }: Learner) => call('POST', '/policies', asJson(body)),
  status: 400,
});

/** With a plate that no other refusal shows: it can be sent as it is. */
const ownBody = /such as \{"regNumber":"Q-[0-9a-f]{8}"\}\./;

const bytes = (text: string, encoding: 'utf16le' | 'latin1') => new Uint8Array(Buffer.from(text, encoding));
const utf16 = bytes('\uFEFF{"regNumber":"AB-1234"}', 'utf16le');
const latin1 = bytes('{"regNumber":"JS-1",\n"holder":"J\xfcrgen"}', 'latin1');

/** The kinds of numbers that a parser of JSON must refuse, and what is said of each. */
const brokenNumbers: Readonly<Record<string, readonly string[]>> = {
  'a number needs digits after its e': ['1.0e+', '1.0e-', '1.0e', '1E', '0e+', '1eE2', '0e+-1'],
  'a number needs digits before and after its point.': ['.2e-3', '2.e3', '9.e+', '0.e1', '.5', '-.123', '-2.', '.'],
  'a number that begins with 0:': ['012', '-012', '00.5', '01e5', '+01'],
  'found + before a number: leave it out.': ['+1', '+.5', '+1e3'],
  'more than one sign before a number.': ['++1', '--1', '-+.5'],
  'a sign without a number behind it.': ['-', '- 1', '+', '--'],
  'a number that is not decimal.': ['0x1F', '-0b1', '0o7'],
  'JSON wants a number or null.': ['NaN', '-NaN', 'Inf', '+Infinity', '-inf'],
  'found _ in a number: leave it out.': ['1_000', '1__000.5'],
  'a number with letters behind it:': ['10n', '1.5f', '5L', '30d'],
  'a number in digits of another script: write 0 to 9.': ['１２', '-١'],
  'neither a number of JSON nor a text in double quotes.': ['1.2.3', '1+2', '-1.0.', '1e2.5', '.-1'],
  'text without double quotes around it.': ['2026-03-02', '12-34', 'AB-1', '-foo', '1.2a-3'],
};

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
  { title: 'UTF-16 without its mark', ...create(bytes('{"a":1}', 'utf16le')), says: ['the body is UTF-16.'] },
  { title: 'UTF-32', ...create(new Uint8Array([0, 0, 0, 0x7b, 0, 0, 0, 0x7d])), says: ['the body is UTF-32.'] },
  ...['[\0]', '\0{}', '{}\0', '{"regNumber":"AB-1234",\0}', '[\0\0]', '{\0:1}'].map((body) => ({
    title: `a character with the code 0: ${JSON.stringify(body)}`,
    ...create(body),
    says: [/column \d+: found the character U\+0000/],
  })),
  {
    title: 'something unseen',
    ...create('{"regNumber":\u2066"AB-1234"}'),
    says: ['found the character U+2066: remove it'],
  },
  {
    title: 'a sign behind the end',
    ...create('{}😀'),
    says: ['found the character U+1F600 after the end of the JSON.'],
  },
  {
    title: 'an object that was not made into JSON',
    ...create('[object Object]'),
    says: ['found an object that was made into a text', 'with JSON.stringify say'],
  },
  ...['[object Promise]', '<coroutine object draft at 0x7f3a5c0b1e40>'].map((body) => ({
    title: `a value that was not waited for: ${body}`,
    ...create(body),
    says: ['found a promise that was made into a text: await it'],
  })),
  ...['{{plate}}', `\${plate}`, '<plate>', '[object Promise]'].map((value) => ({
    title: `what was to be replaced by a value: ${value}`,
    ...create(`{"regNumber": ${value}}`),
    says: ['Line 1, column 15: a placeholder or an object in the place of a value: put the value there, as JSON.'],
  })),
  ...Object.entries(brokenNumbers).flatMap(([wrong, numbers]) =>
    numbers.map((number) => ({
      title: `a broken number: ${number}`,
      ...create(`{"regNumber": ${number}}`),
      says: ['Line 1, column 15: ', wrong],
    })),
  ),
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
