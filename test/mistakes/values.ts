import { claimsPath, signed, topic } from './calls.ts';
import type { Learner, Mistake } from './mistake.ts';

const create = (json: object) => ({
  send: ({ call }: Learner) => call('POST', '/policies', { json }),
  status: 400,
});

const list = (query: string) => ({
  send: ({ call }: Learner) => call('GET', `/policies${query}`),
  status: 400,
});

const claim = (members: object) => ({
  send: ({ call, policyId }: Learner) =>
    call('POST', `${claimsPath}/claims`, { json: { policyNumber: policyId, ...members } }),
  status: 400,
});

const subscribe = (url: unknown) => ({
  send: ({ call }: Learner) => call('POST', `${claimsPath}/subscriptions`, { json: { url } }),
  status: 400,
});

const read = (query: string) => ({
  send: ({ call }: Learner) => call('GET', `${topic}${query}`),
  status: 400,
});

/** A date in an example: as the clock has it, and so one that is taken. */
const dateNow = /Example: "\d{4}-\d\d-\d\d"\./;

/** One that no other refusal shows: it can be sent as it is. */
const ownPlate = /Example: "Q-[0-9a-f]{8}"\./;

/** Values that are not allowed. */
export const values: readonly Mistake[] = [
  {
    title: 'a registration number with a space',
    ...create({ regNumber: 'AB 1234' }),
    says: ['regNumber: has a value that is not allowed: "AB 1234". Character 3 is a space (U+0020).', ownPlate],
  },
  {
    title: 'a dash of typography in a registration number',
    ...create({ regNumber: 'MX–11371' }),
    says: ['"MX–11371". Character 3 is – (U+2013); write - (U+002D).', ownPlate],
  },
  {
    title: 'a Cyrillic letter that looks like a Latin one',
    ...create({ regNumber: 'MВ-1371' }),
    says: ['Character 2 is В (U+0412); write B (U+0042).'],
  },
  {
    title: 'a Greek letter that looks like a Latin one',
    ...create({ regNumber: 'Χ-1371' }),
    says: ['Character 1 is Χ (U+03A7); write X (U+0058).'],
  },
  {
    title: 'wide digits of an Asian keyboard',
    ...create({ regNumber: 'MX-１371' }),
    says: ['Character 4 is １ (U+FF11); write 1 (U+0031).'],
  },
  {
    title: 'a character that is not seen',
    ...create({ regNumber: 'MX\u200b-1371' }),
    says: ['Character 3 is U+200B.'],
  },
  {
    title: 'a letter that a registration number has not',
    ...create({ regNumber: 'MÜ-1371' }),
    says: ['Character 2 is Ü (U+00DC). Registration number:'],
  },
  {
    title: 'a line end in a holder',
    ...create({ regNumber: 'VL-1', holder: 'Ada\nExample' }),
    says: ['holder: has a value that is not allowed:', 'Character 4 is U+000A.'],
  },
  {
    title: 'half of a character in a holder',
    ...create({ regNumber: 'VL-1', holder: 'Ada \ud800' }),
    says: ['Character 5 is half of a surrogate pair (U+D800). Send whole characters.', /^(?!.*control character)/s],
  },
  {
    title: 'a dash of typography in the path of a vehicle',
    send: ({ call }) => call('GET', `/vehicle-registry/v2/vehicles/${encodeURIComponent('AB–1234')}`),
    status: 404,
    says: ['Character 3 is – (U+2013); write - (U+002D).'],
  },
  {
    title: 'a dash of typography in an Idempotency-Key',
    send: ({ call }) => {
      const key = Buffer.from('"key–1"').toString('latin1');
      const headers = { 'Idempotency-Key': key, 'Content-Type': 'application/json' };
      // As bytes: with a text Node.js would send the headers in UTF-8.
      return call('POST', '/policies', { body: Buffer.from('{"regNumber":"VL-1"}'), headers });
    },
    status: 400,
    says: ['Character 5 is – (U+2013); write - (U+002D).'],
  },
  { title: 'no registration number', ...create({}), says: ['regNumber: is missing.', ownPlate] },
  {
    title: 'an empty registration number',
    ...create({ regNumber: '' }),
    says: ['regNumber: is empty: "".', ownPlate],
  },
  {
    title: 'a number for a registration number',
    ...create({ regNumber: 1234 }),
    says: ['regNumber: must be a string, not a number: 1234.', ownPlate],
  },
  {
    title: 'a list of registration numbers',
    ...create({ regNumber: ['AB-1', 'AB-2'] }),
    says: ['regNumber: must be a string, not an array: […].'],
  },
  {
    title: 'a registration number that is too long',
    ...create({ regNumber: 'A'.repeat(100) }),
    says: ['has 100 characters, and 40 are allowed', `"${'A'.repeat(60)}…"`],
  },
  {
    title: 'a holder that is null',
    ...create({ regNumber: 'VL-1', holder: null }),
    says: ['holder: must be a string, not null.', 'Example: "Ada Example".'],
  },
  {
    title: 'a holder with a control character',
    ...create({ regNumber: 'VL-1', holder: 'Ada\u0007' }),
    says: ['holder: has a value that is not allowed: "Ada\\u0007".'],
  },
  {
    title: 'an option in small letters',
    ...create({ regNumber: 'VL-1', coverageOption: 'mtpl-1m' }),
    says: ['must be one of MTPL-1M, MTPL-3M, MTPL-6M, MTPL-12M, not "mtpl-1m". Did you mean "MTPL-1M"?'],
  },
  {
    title: 'an option by its term',
    ...create({ regNumber: 'VL-1', coverageOption: 'P1Y' }),
    says: ['coverageOption: must be one of MTPL-1M, MTPL-3M, MTPL-6M, MTPL-12M, not "P1Y".'],
  },
  {
    title: 'a date with the day first',
    ...create({ regNumber: 'VL-1', startDate: '31.12.2026' }),
    says: ['startDate: is not a date that exists, written YYYY-MM-DD: "31.12.2026".', dateNow],
  },
  {
    title: 'a date with its time',
    ...create({ regNumber: 'VL-1', startDate: '2026-12-31T00:00:00Z' }),
    says: ['must be a date only, YYYY-MM-DD, without a time: "2026-12-31T00:00:00Z".', dateNow],
  },
  ...['2027-01-01T00:00:00+01:00', '2027-01-01t10:00', '2027-01-01 00:00:00.000'].map((startDate) => ({
    title: `a date with its time, as ${startDate}`,
    ...create({ regNumber: 'VL-1', startDate }),
    says: [`must be a date only, YYYY-MM-DD, without a time: "${startDate}".`, dateNow],
  })),
  {
    title: 'the 30th of February',
    ...create({ regNumber: 'VL-1', startDate: '2027-02-30' }),
    says: ['"2027-02-30"', dateNow],
  },
  {
    title: 'a start in the past',
    ...create({ regNumber: 'VL-1', startDate: '2001-01-01' }),
    says: [/startDate: must be from \d{4}-\d\d-\d\d \(today, UTC\) to \d{4}-\d\d-\d\d, not "2001-01-01"\./],
  },
  {
    title: 'a token where a holder belongs: it does not come back',
    send: ({ call, token }) => call('POST', '/policies', { json: { regNumber: token, holder: [token] } }),
    status: 400,
    says: ['regNumber: has', 'a text not repeated here', 'holder: must be a string, not an array: […].'],
  },
  {
    title: 'the client secret where a registration number belongs: it does not come back',
    send: ({ call, secret }) => call('POST', '/policies', { json: { regNumber: secret } }),
    status: 400,
    says: ['a text not repeated here'],
  },
  {
    title: 'an update without a holder',
    send: ({ call, policyId }) => call('PUT', `/policies/${policyId}`, { json: {} }),
    status: 400,
    says: ['holder: is missing.', 'Example: "Ada Example".'],
  },
  {
    title: 'a holder of spaces alone',
    send: ({ call, policyId }) => call('PUT', `/policies/${policyId}`, { json: { holder: '   ' } }),
    status: 400,
    says: ['holder: is empty: "".', 'after trimming'],
  },
  {
    title: 'a page that is a word',
    ...list('?page=two'),
    says: ['page: must be one whole number in decimal digits, not "two".', 'Example: 1.'],
  },
  {
    title: 'a page number with a 0 in front',
    ...list('?page=007'),
    says: ['page: must be written without a 0 in front, not "007".', 'Example: 1.'],
  },
  {
    title: 'a page number that no computer counts to',
    ...list(`?page=${'9'.repeat(21)}`),
    says: [`page: is too large: "${'9'.repeat(21)}".`, 'from 1 to 1,000,000'],
  },
  { title: 'page 0', ...list('?page=0'), says: ['page: must be at least 1, not 0.'] },
  {
    title: 'more on a page than there may be',
    ...list('?pageSize=1000'),
    says: ['pageSize: must be at most 500, not 1000.', 'Example: 20.'],
  },
  {
    title: 'a status that no policy has',
    ...list('?status=open'),
    says: ['status: must be one of active, updated, cancelled, expired, not "open".'],
  },
  {
    title: 'a filter in small letters',
    ...list('?regnumber=AB-1234'),
    says: ['regnumber', 'regNumber'],
  },
  {
    title: 'an en dash in the registration number that is looked for',
    ...list('?regNumber=AB%E2%80%931234'),
    says: ['U+2013', 'U+002D'],
  },
  { title: 'page twice', ...list('?page=1&page=2'), says: ['page: was sent 2 times. Send it once.'] },
  {
    title: 'a claim without its policy',
    send: ({ call }) => call('POST', `${claimsPath}/claims`, { json: {} }),
    status: 400,
    says: ['policyNumber: is missing. The id of one of your policies', /Example: "pol-/],
  },
  {
    title: 'an outcome in small letters',
    ...claim({ outcome: 'rejected' }),
    says: ['must be one of APPROVED, REJECTED, not "rejected". Did you mean "REJECTED"?'],
  },
  {
    title: 'a pace of 0',
    ...claim({ paceSeconds: 0 }),
    says: ['paceSeconds: must be at least 1, not 0.', 'Example: 10.'],
  },
  {
    title: 'a pace in quotes',
    ...claim({ paceSeconds: '5' }),
    says: ['paceSeconds: must be a whole number without quotes, not a string: "5".'],
  },
  {
    title: 'a pace of half a second',
    ...claim({ paceSeconds: 0.5 }),
    says: ['must be a whole number, not a number: 0.5.'],
  },
  {
    title: 'claims of a status that there is not',
    send: ({ call }) => call('GET', `${claimsPath}/claims?status=OPEN`),
    status: 400,
    says: ['status: must be one of REGISTERED, UNDER_REVIEW, APPROVED, REJECTED, CLOSED, not "OPEN".'],
  },
  { title: 'a subscription to a path', ...subscribe('/webhooks'), says: ['it is not a URL', 'You sent "/webhooks".'] },
  {
    title: 'a subscription without http://',
    ...subscribe('localhost:9000/hooks'),
    says: ['it must begin with http:// or https://', 'You sent "localhost:9000/hooks".'],
  },
  {
    title: 'a subscription over FTP',
    ...subscribe('ftp://partner.example/x?key=1'),
    says: ['You sent "ftp://partner.example".'],
  },
  {
    title: 'a URL with a password, which does not come back',
    ...subscribe('https://ada:pa55word@partner.example/'),
    says: ['it contains a user or password', 'You sent "https://partner.example".', /^(?!.*pa55word)/s],
  },
  {
    title: 'a URL in a list',
    ...subscribe(['https://ada:pa55word@partner.example/']),
    says: ['not an array: […].', /^(?!.*pa55word)/s],
  },
  {
    title: 'a cursor that is a number',
    ...read('?after=17'),
    says: ['after: has a value that is not allowed: "17".', 'Example: "earliest".'],
  },
  { title: 'a cursor in capitals', ...read('?after=LATEST'), says: ['not allowed: "LATEST".', 'earliest or latest'] },
  {
    title: 'a cursor that the topic has not reached',
    ...read('?after=999999999-1'),
    says: ['after: is 999999999-1, a cursor that this topic has not reached', 'Start with earliest'],
  },
  { title: 'a wait of an hour', ...read('?wait=3600'), says: ['wait: must be at most 30, not 3600.'] },
  { title: 'a limit of 0', ...read('?limit=0'), says: ['limit: must be at least 1, not 0.', 'Example: 100.'] },
  {
    title: 'an event id in place of the id of the stream',
    send: ({ call }) => {
      const headers = { Accept: 'text/event-stream', 'Last-Event-ID': '6f1c2b1e-3f0a-4c55-9d0e-2b7a1f5f9c11' };
      return call('GET', topic, { headers });
    },
    status: 400,
    says: [
      'Last-Event-ID: must be the id of an event',
      'not "6f1c2b1e-3f0a-4c55-9d0e-2b7a1f5f9c11"',
      'Leave the header out',
    ],
  },
  {
    title: 'a number for the client id, and a list for the secret',
    send: ({ lplate }) => lplate.call('POST', '/auth/token', { json: { client_id: 5, client_secret: [] } }),
    status: 400,
    says: ['client_id: must be a string, not a number.', 'client_secret: must be a string, not an array.'],
  },
  {
    title: 'the grant of another flow',
    send: ({ lplate, id, secret }) => {
      const json = { grant_type: 'implicit', client_id: id, client_secret: secret };
      return lplate.call('POST', '/auth/token', { json });
    },
    status: 400,
    says: ['grant_type: must be client_credentials, authorization_code or refresh_token, not implicit.'],
  },
  {
    title: 'a vehicle twice, written in another way',
    send: async ({ lplate, call }) => {
      const { token } = await lplate.client();
      await call('POST', '/policies', { token, json: { regNumber: 'VL-2222' } });
      return call('POST', '/policies', { token, json: { regNumber: 'vl2222' } });
    },
    status: 409,
    says: [/\/problems\/duplicate-policy/, 'vl2222 already has a policy in force', 'another registration number'],
  },
  {
    title: 'another holder of a policy that is cancelled',
    send: async ({ lplate, call }) => {
      const { token } = await lplate.client();
      const { json } = await call('POST', '/policies', { token, json: { regNumber: 'VL-3333' } });
      await call('POST', `/policies/${json.id}/cancel`, { token });
      return call('PUT', `/policies/${json.id}`, { token, json: { holder: 'Ada' } });
    },
    status: 409,
    says: [/\/problems\/policy-immutable/, 'cancelled'],
  },
  {
    title: 'a signed check of a plate with a space',
    send: (learner) => signed(learner, '{"regNumber":"AB 1234"}'),
    status: 400,
    says: ['regNumber: has a value that is not allowed: "AB 1234".', 'Example: "AB-1234".'],
  },
];
