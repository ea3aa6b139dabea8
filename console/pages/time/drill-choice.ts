import type { DrillName } from '../../../src/active-drills.ts';

/** How one sees what a drill does. */
export const howToSee: Record<DrillName, string> = {
  delay:
    'Call anything with your token, and look at the time it takes: curl -w "%{time_total}". What does your time limit do?',
  unavailable:
    'Call anything with your token: it is 503 with Retry-After. Does your program wait so long, and try again?',
  'cut-connections':
    'Call anything with your token: curl says 52 or 18. Does your program know whether its create was done?',
  'bad-json':
    'Call anything with your token: the status is right, but the body can’t be parsed. Does your program say so?',
  'html-from-a-proxy':
    'Call anything with your token: 502 and text/html. Does your program look at Content-Type first?',
  'short-tokens':
    'Get a token: expires_in is short. Wait so long and call again: does your program get a new one by itself?',
  'rotate-key':
    'Get a token after publishedFor seconds: its header names another kid. Does what checks your tokens get the keys of /for/{client_id}/.well-known/jwks.json again?',
  'revoke-tokens':
    'Call anything with the token that you have: 401. Does your program get a new one, and does its stream go on after the last id?',
  'stop-events': 'Register a claim and read the topic: nothing comes until the drill ends, and then all of it.',
  'duplicate-events':
    'Register a claim and read the topic: each event comes several times. Does your program count it once?',
  'cut-streams': 'Open a stream of the topic: it ends every few seconds. Does your program go on after the last id?',
  'repeat-webhooks': 'Register a claim while your receiver runs: each webhook-id comes again. Does it act once?',
  'forged-webhooks':
    'Register a claim while your receiver runs: it should answer the forged calls with 4xx. Traffic shows what it answered.',
  'small-rate-limit': 'Call anything with your token a few times: 429. Does your program wait until RateLimit-Reset?',
  sunset:
    'Look a vehicle up by SOAP v1 under your personal prefix or with your token: 410. Does REST v2 give you the same data?',
  'newer-events':
    'Register a claim and read the topic: eventVersion is 1.1, and there is a member more. Does your program go on?',
  'slow-sign-in':
    'Let a person sign in and decide: the redirect comes late. Does your app still know its state and its verifier?',
  denied: 'Let a person decide: the redirect has error=access_denied. Does your app say so, and offer to try again?',
  'forged-callback':
    'Let a person allow something: the redirect has a state that you never sent. Does your app throw the code away?',
  'consent-withdrawn':
    'Wait, and what people allowed ends: refresh is invalid_grant, the token 401. Does your app stop, and tell them?',
  'short-consents': 'Let a person allow something, and move your clock by some days: the consent has ended.',
  'late-statement': 'Ask for a statement: it is completed late. Does your program wait as long as Retry-After says?',
  'short-file':
    'Download the file of a statement: curl says 18. Does your program notice, and go on with Range where it broke off?',
  'wrong-trailer':
    'Download the file of a statement, and add up its rows: the trailer says something else. Does your program refuse the file?',
  'slow-imports':
    'Import a few policies: the import is completed late. Does your program wait as long as Retry-After says?',
};
