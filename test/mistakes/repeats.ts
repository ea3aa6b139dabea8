import { claimsPath, topic } from './calls.ts';
import type { Learner, Mistake } from './mistake.ts';

let plates = 0;

const create = ({ call }: Learner, key: string, json: object = { regNumber: `REPEAT-${++plates}` }) =>
  call('POST', '/policies', { json, headers: { 'Idempotency-Key': key } });

const badKey = (key: string) => ({ send: (learner: Learner) => create(learner, key), status: 400 });

const example = 'Idempotency-Key: "8e03978e-40d5-43dd-bc93-6894a57f9324"';

const change = (headers: Record<string, string>) => ({
  send: ({ call, policyId }: Learner) =>
    call('PUT', `/policies/${policyId}`, { json: { holder: 'Ada Example' }, headers }),
  status: 412,
});

/** A header that has no effect: nothing was refused, but the answer names it. */
const dropped = (
  header: string,
  what: string,
  send: (learner: Learner, headers: Record<string, string>) => Answered,
) => ({
  title: `${header}, which has no effect on ${what}`,
  send: (learner: Learner) => send(learner, { [header]: '"1-1"' }),
  status: 200,
  says: [`l-plate-ignored: header/${header}`],
});

type Answered = ReturnType<Learner['call']>;

/** True for every cause. */
const neutral = '"title":"A precondition of the request does not hold"';

/** Keys of requests that are repeated, and conditions of changes. */
export const repeats: readonly Mistake[] = [
  {
    title: 'an Idempotency-Key that is too long',
    ...badKey('k'.repeat(300)),
    says: ['Idempotency-Key: is too long: it has 300 characters.', '1 to 255', example],
  },
  {
    title: 'an empty Idempotency-Key: the variable was not set',
    ...badKey(''),
    says: ['Idempotency-Key: is empty.', example],
  },
  {
    title: 'an Idempotency-Key with half of its quotes',
    ...badKey('"my-key'),
    says: ['Idempotency-Key: is not one string in double quotes.', example],
  },
  {
    title: 'two Idempotency-Keys',
    ...badKey('one, two'),
    says: ['Idempotency-Key: has a space, quote or comma', 'Send one key'],
  },
  {
    title: 'one Idempotency-Key for two requests',
    send: async (learner) => {
      await create(learner, 'my-key');
      return create(learner, 'my-key');
    },
    status: 422,
    says: ['You used this Idempotency-Key within the last 24 hours, with another body.', 'Make a new key'],
  },
  {
    title: 'the same for claims',
    send: async ({ call, policyId }) => {
      const register = (paceSeconds: number) =>
        call('POST', `${claimsPath}/claims`, {
          json: { policyNumber: policyId, paceSeconds },
          headers: { 'Idempotency-Key': 'my-key' },
        });
      await register(60);
      return register(61);
    },
    status: 422,
    says: ['with another body'],
  },
  ...['X-Idempotency-Key', 'IdempotencyKey', 'Idempotency_Key', 'Idempotency-Keys'].map((header) => ({
    title: `${header} in place of Idempotency-Key`,
    send: ({ call }: Learner) =>
      call('POST', '/policies', { json: { regNumber: `REPEAT-${++plates}` }, headers: { [header]: 'my-key' } }),
    status: 400,
    says: [`${header.toLowerCase()}: is not a header of this request. Did you mean Idempotency-Key?`],
  })),
  {
    title: 'IfMatch in place of If-Match',
    ...change({ IfMatch: '"1-active"' }),
    status: 400,
    says: ['ifmatch: is not a header of this request. Did you mean If-Match?'],
  },
  {
    ...dropped('Idempotency-Key', 'a new subscription', ({ call }, headers) =>
      call('POST', `${claimsPath}/subscriptions`, { json: { url: 'http://127.0.0.1:9/hooks' }, headers }),
    ),
    status: 201,
  },
  dropped('Last-Event-ID', 'a batch of events', ({ call }, headers) => call('GET', topic, { headers })),
  dropped('If-Unmodified-Since', 'a change of a policy', ({ call, policyId }, headers) =>
    call('PUT', `/policies/${policyId}`, { json: { holder: 'Ada Example' }, headers }),
  ),
  dropped('If-Modified-Since', 'a policy', ({ call, policyId }, headers) =>
    call('GET', `/policies/${policyId}`, { headers }),
  ),
  dropped('If-Match', 'the list of policies, which has no tag', ({ call }, headers) =>
    call('GET', '/policies', { headers }),
  ),
  {
    title: 'a tag of an older version',
    ...change({ 'If-Match': '"0-active"' }),
    says: [neutral, /the current ETag, which is "\d+-\w+"\./, 'Read the resource again, then send your change'],
  },
  {
    title: 'a tag without its quotes',
    ...change({ 'If-Match': '1-active' }),
    says: [neutral, /A tag has double quotes around it, such as If-Match: "\d+-\w+"\./],
  },
  {
    title: 'If-None-Match on a change, which holds only for what does not exist',
    ...change({ 'If-None-Match': '*' }),
    says: [neutral, 'If-None-Match'],
  },
  {
    title: 'a weak tag',
    ...change({ 'If-Match': 'W/"1-active"' }),
    says: [neutral, 'A weak tag (W/) never matches: send the tag as ETag had it.'],
  },
];
