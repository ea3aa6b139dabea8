import Type, { type Static, type TObject } from 'typebox';
import type { DrillName, DrillParameters, Turn } from '../../active-drills.ts';

/** The facts of a drill: one table makes the list of drills, the checks of their parameters and the remarks in the log. */
export interface DrillEntry {
  readonly summary: string;
  /** Says what it does, and whether the call has its effect. */
  readonly description: string;
  /** The remark in the log on a call that it hit. */
  readonly remark: string;
  /** Those that the drill works with; none has to be sent. */
  readonly parameters: TObject;
}

const share = (what: string, usual: number) =>
  Type.Number({
    minimum: 0,
    maximum: 1,
    default: usual,
    description: `The share of ${what} that are hit: 0 for none, 1 for all.`,
  });

const seed = Type.Integer({
  minimum: 0,
  maximum: 2_147_483_647,
  description:
    'Same seed: the same calls are hit again, counted from the start of the drill. By default a random one, which the answer shows.',
});

const sequence = (what: string) => ({
  sequence: Type.Optional(
    Type.Array(Type.Unsafe<Turn>({ type: 'string', enum: ['hit', 'pass'] }), {
      minItems: 1,
      maxItems: 20,
      description: `What the ${what} meet, one after the other, in place of a share: ["hit","hit","pass"].`,
    }),
  ),
  sequenceThen: Type.Optional(
    Type.Unsafe<Turn>({
      type: 'string',
      enum: ['pass', 'hit'],
      description: `What the ${what} after the sequence meet: pass if absent.`,
    }),
  ),
});

/** For those that hit some calls and not others. */
const ofCalls = {
  seed,
  ...sequence('calls'),
  calls: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), {
      minItems: 1,
      maxItems: 10,
      uniqueItems: true,
      description:
        'The calls that it concerns, as the descriptions write them: ["POST /insurer/v1/policies"]. All if absent.',
    }),
  ),
};

const ofDeliveries = { seed, ...sequence('deliveries') };

const ofFiles = { share: share('files', 1), seed, ...sequence('files') };

const ofDecisions = { share: share('decisions', 1), seed, ...sequence('decisions') };

const oneOf = <Values extends string[]>(values: [...Values], usual: Values[number], description: string) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: values, default: usual, description });

const whole = (minimum: number, maximum: number, usual: number, description: string) =>
  Type.Integer({ minimum, maximum, default: usual, description });

const tokens = 'Requests for a token are hit once their credentials were right.';

export const catalogue = {
  delay: {
    summary: 'Answers come late',
    description:
      'Each call waits, before its work (if the caller hangs up meanwhile, nothing is done) or after it. A create that waits with an Idempotency-Key counts as running: the same request again is 409 request-in-progress. A client can have 50 calls waiting on a node; one more is 503 unavailable, or not delayed if its work is done.',
    remark: 'Delayed by the drill `delay`.',
    parameters: Type.Object({
      fromMs: whole(0, 30_000, 2000, 'The shortest delay, in milliseconds.'),
      toMs: Type.Integer({
        minimum: 0,
        maximum: 30_000,
        description: 'The longest delay, in milliseconds. By default the shortest one: each delay is the same.',
      }),
      when: oneOf(['before', 'after'], 'before', 'Whether the call waits before or after its work was done.'),
      share: share('calls', 1),
      ...ofCalls,
    }),
  },
  unavailable: {
    summary: 'Calls are refused with 503',
    description: `The call is answered with the problem unavailable and Retry-After, and has no effect. ${tokens}`,
    remark: 'Refused by the drill `unavailable`. The call had no effect.',
    parameters: Type.Object({
      share: share('calls', 1),
      retryAfter: whole(1, 60, 2, 'The seconds in Retry-After.'),
      ...ofCalls,
    }),
  },
  'cut-connections': {
    summary: 'Connections are cut',
    description:
      'Before: the connection is closed without an answer, and the call has no effect. Middle: the work is done, and half of the answer’s body is sent (of an answer without a body nothing). Only an Idempotency-Key makes it safe to repeat a create then. Streams are left to cut-streams.',
    remark: 'Cut by the drill `cut-connections`.',
    parameters: Type.Object({
      share: share('calls', 1),
      when: oneOf(['before', 'middle'], 'before', 'Where the connection is cut.'),
      ...ofCalls,
    }),
  },
  'bad-json': {
    summary: 'Answers are no JSON',
    description:
      'The work is done, and the answer has its status and its Content-Type, but its body is a text that is no JSON. Answers of other types, or without a body, are as ever.',
    remark: 'The body of the answer was replaced by the drill `bad-json`.',
    parameters: Type.Object({ share: share('calls', 1), ...ofCalls }),
  },
  'html-from-a-proxy': {
    summary: 'A proxy answers with 502 and HTML',
    description:
      'The answer is 502 with a page in HTML, as of a proxy that lost the server behind it: before the work, which is not done, or after it. No description has this answer, and a real one has it no more.',
    remark: 'Answered by the drill `html-from-a-proxy`.',
    parameters: Type.Object({
      share: share('calls', 1),
      when: oneOf(['before', 'after'], 'before', 'Whether the answer is lost before or after the work was done.'),
      ...ofCalls,
    }),
  },
  'short-tokens': {
    summary: 'Tokens live for a minute',
    description: 'Tokens that are got while it is on are valid for so many seconds, and expires_in says so.',
    remark: 'The token’s life was shortened by the drill `short-tokens`.',
    parameters: Type.Object({ seconds: whole(1, 3600, 60, 'How long a token is valid.') }),
  },
  'rotate-key': {
    summary: 'Tokens are signed with another key',
    description:
      'Your own view of the keys, /for/{client_id}/.well-known/jwks.json, has another key beside the usual one from the start, as an issuer publishes it. The first token that you get when it was there for publishedFor seconds of your clock names it, and so do those after it. The key stays in the view while the drill is on, and until the last of these tokens has expired. The plain /.well-known/jwks.json never has it. Tokens that were got before, or while it was on, stay valid.',
    remark: 'Another key than the usual one, of the drill `rotate-key`.',
    parameters: Type.Object({
      publishedFor: whole(
        0,
        3600,
        60,
        'Seconds of your clock for which the key is published before a token has it. 0 is without notice: what keeps keys may refuse such a token for a while.',
      ),
    }),
  },
  'revoke-tokens': {
    summary: 'All tokens end at once',
    description:
      'While it is on, tokens that were got before the second in which it started are refused with 401, and the streams that were open then are cut. A new token is as ever.',
    remark: 'Ended by the drill `revoke-tokens`.',
    parameters: Type.Object({}),
  },
  'stop-events': {
    summary: 'Event delivery stops',
    description:
      'Batches are empty, streams are silent and webhooks are not called, until it ends: then all that was held back comes. Kafka is not concerned.',
    remark: 'Events were held back by the drill `stop-events`.',
    parameters: Type.Object({}),
  },
  'duplicate-events': {
    summary: 'A burst of duplicates',
    description:
      'Each event comes several times in a row: in batches (as often as limit permits) and streams, with one cursor, and in webhooks for the events of that time. Kafka is not concerned.',
    remark: 'Events were repeated by the drill `duplicate-events`.',
    parameters: Type.Object({ times: whole(2, 10, 3, 'How often each event comes.') }),
  },
  'cut-streams': {
    summary: 'Streams are cut',
    description:
      'Each stream of events is cut so many seconds after it, or the drill, began. Last-Event-ID resumes it.',
    remark: 'Cut by the drill `cut-streams`.',
    parameters: Type.Object({ seconds: whole(1, 60, 5, 'How long a stream lasts.') }),
  },
  'repeat-webhooks': {
    summary: 'Webhooks come again',
    description:
      'Deliveries that your receiver took are sent again: at once, or late, after the next delivery, so that older news comes behind newer. The repeats are signed anew, have the same webhook-id and webhook-attempt, and are not retried.',
    remark: 'Sent again by the drill `repeat-webhooks`.',
    parameters: Type.Object({
      share: share('deliveries', 1),
      times: whole(2, 5, 2, 'How often each delivery is sent in all.'),
      order: oneOf(['at-once', 'late'], 'at-once', 'When the repeats come.'),
      ...ofDeliveries,
    }),
  },
  'forged-webhooks': {
    summary: 'Webhooks that somebody forged',
    description:
      'After each delivery that your receiver took comes a call that it should refuse with 4xx: the same event under an eventId and webhook-id of its own, with a signature that is not right, or one that is right and too old. What your receiver answers to it changes no delivery, and it is not retried.',
    remark: 'Forged by the drill `forged-webhooks`.',
    parameters: Type.Object({
      share: share('deliveries', 1),
      how: oneOf(
        ['wrong-secret', 'changed-body', 'old-timestamp'],
        'wrong-secret',
        'What is wrong: it was signed with another secret, its body was changed once it was signed, or its webhook-timestamp is ten minutes old.',
      ),
      ...ofDeliveries,
    }),
  },
  'small-rate-limit': {
    summary: 'Fewer calls a minute',
    description:
      'The client can make only so many calls a minute to each interface, with its token; the RateLimit headers tell of it. The limit by address is as ever.',
    remark: 'Limited by the drill `small-rate-limit`.',
    parameters: Type.Object({ limit: whole(1, 60, 5, 'Calls in any 60 seconds.') }),
  },
  sunset: {
    summary: 'SOAP v1 has ended',
    description:
      'Calls to SOAP v1 of the vehicle registry, its page and its WSDL too, are 410: with the client’s token or under its personal prefix. REST v2 is as ever.',
    remark: 'Refused by the drill `sunset`. REST v2 has the same data.',
    parameters: Type.Object({}),
  },
  'newer-events': {
    summary: 'Events get a newer version',
    description:
      'Events have eventVersion 1.1 and a member more, environment: in batches, streams and webhooks, those of before too. A minor version only adds, so a reader that ignores what it does not know goes on. Kafka is not concerned.',
    remark: 'The events had a newer version by the drill `newer-events`.',
    parameters: Type.Object({}),
  },
  'slow-imports': {
    summary: 'Imports take their time',
    description:
      'Before each group of 20 rows of a policy import so many seconds pass. Retry-After tells how long all of them take, at most 60.',
    remark: 'The import is slowed down by the drill `slow-imports`.',
    parameters: Type.Object({ groupSeconds: whole(1, 60, 5, 'The seconds before each group of 20 rows.') }),
  },
  'late-statement': {
    summary: 'Statements come late',
    description:
      'A statement that is asked for while it is on is made so many seconds later. Retry-After tells how long that takes, at most 60; a move of your clock passes it.',
    remark: 'The statement is late by the drill `late-statement`.',
    parameters: Type.Object({ seconds: whole(1, 300, 30, 'The seconds until a statement is made.') }),
  },
  'short-file': {
    summary: 'A file ends early',
    description:
      'Of the file of a statement that is asked for as a whole the first half is sent, then the connection is closed: fewer bytes than Content-Length says, and no trailer. A call with Range is as ever, so the download can go on where it broke off.',
    remark: 'The file ended early by the drill `short-file`.',
    parameters: Type.Object(ofFiles),
  },
  'wrong-trailer': {
    summary: 'A trailer does not fit its file',
    description:
      'In the trailer of the file of a statement one figure is too high: the count by one row, or a sum by the smallest unit of its currency. The rows, and GET /statements/{statementId}, are right. The file has another ETag than the right one.',
    remark: 'The trailer is wrong by the drill `wrong-trailer`.',
    parameters: Type.Object({
      what: oneOf(['count', 'premiums', 'commissions'], 'premiums', 'Which figure of the trailer is wrong.'),
    }),
  },
  'slow-sign-in': {
    summary: 'People take their time to decide',
    description:
      'The answer to the decision of a person comes late, as if they had read for a while before they let your app in. An app that keeps state and verifier too short has lost them by then.',
    remark: 'The person took their time by the drill `slow-sign-in`.',
    parameters: Type.Object({ seconds: whole(1, 30, 10, 'The seconds for which the decision takes.') }),
  },
  denied: {
    summary: 'People don’t let your app in',
    description: 'Whatever a person decides, the browser comes back with the error access_denied.',
    remark: 'The person refused by the drill `denied`.',
    parameters: Type.Object(ofDecisions),
  },
  'forged-callback': {
    summary: 'A redirect that somebody forged',
    description:
      'When a person lets your app in, the browser comes back with a code that somebody else got and a state that your app never sent. No consent is given. Compare state: who exchanges the code is refused with invalid-grant.',
    remark: 'The redirect was forged by the drill `forged-callback`.',
    parameters: Type.Object(ofDecisions),
  },
  'consent-withdrawn': {
    summary: 'People change their minds',
    description:
      'Consents that hold when it starts are withdrawn by their person so many minutes later, and so is each that is given while it is on. Then refresh is invalid-grant, and the access token is 401. Its end keeps nobody from it.',
    remark: 'The person will withdraw this consent by the drill `consent-withdrawn`.',
    parameters: Type.Object({
      afterMinutes: whole(1, 60, 2, 'The minutes of your clock after which the consent is withdrawn.'),
    }),
  },
  'short-consents': {
    summary: 'Consents end soon',
    description:
      'Consents that are given while it is on hold for so many days in place of 90. The page says until when.',
    remark: 'The consent was shortened by the drill `short-consents`.',
    parameters: Type.Object({ days: whole(1, 89, 1, 'The days of your clock for which the consent holds.') }),
  },
} as const satisfies Record<DrillName, DrillEntry>;

/** The parameters that may be sent: all of them can be left out. */
export const sentParameters = (name: DrillName) => Type.Partial(catalogue[name].parameters as TObject);

export const drillNames = Object.keys(catalogue) as DrillName[];

/** For the compiler: the schemas have the parameters that the program works with. */
type WithOtherParameters = {
  [Name in DrillName]: Static<(typeof catalogue)[Name]['parameters']> extends DrillParameters[Name] ? never : Name;
}[DrillName];
true satisfies [WithOtherParameters] extends [never] ? true : WithOtherParameters;
