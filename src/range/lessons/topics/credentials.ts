import { previousHolds } from '../../../clients/client.ts';
import { headOfPolicies, listOptions, listPolicies, newClient, newToken, readKeys } from '../calls.ts';
import { type Entry, jsonOf, memberOf, methodOf, ownTime, shownPath } from '../entry.ts';
import type { History } from '../history.ts';
import { type LessonTopic, textOf, type Verdict } from '../lesson.ts';

/*
 * From nothing to a token that one understands, and what happens without one.
 */

const optionsPath = '/insurer/v1/coverage-options';

const jsonType = 'application/json';
const formType = 'application/x-www-form-urlencoded';

const typeOf = ({ sent }: Entry) => sent.headers['content-type'] ?? '';

const usesBasic = ({ sent }: Entry) => /^basic /i.test(sent.headers.authorization ?? '');

/** Tells whether a token was given out, for a request whose body had this type. */
const gotBy = (entry: Entry, type: string) => isGiven(entry) && typeOf(entry).startsWith(type);

/** Tells whether a client asks for a token for itself: those for people are what other lessons are about. */
const isForItself = (entry: Entry) =>
  entry.call === newToken &&
  !['authorization_code', 'refresh_token'].some((grant) => memberOf(entry, 'grant_type') === grant);

const isGiven = (entry: Entry) => isForItself(entry) && entry.status === 200;

const gotByForm = (entry: Entry) => gotBy(entry, formType) && !usesBasic(entry);

const gotByBasic = (entry: Entry) => gotBy(entry, formType) && usesBasic(entry);

/** The latest token that was given out, as long as the log has it. */
const lastToken = (history: History) => history.last(isGiven);

/** Tells whether a request for a token was refused before anybody looked at the credentials, and not for its scope. */
const isMalformed = ({ status, problem }: Entry) =>
  status === 400 && problem !== 'invalid-scope' && problem !== 'invalid-grant';

/** Tells whether nothing answers at the path, or not with this method. */
const isUnserved = ({ call }: Entry) => call.endsWith(' (none)');

const looksLikeJson = ({ sent }: Entry) => /^\s*\{/.test(sent.text);

/** The log shows what was decoded so: a token of this service, also one that has expired. */
const hasToken = ({ sent }: Entry) => /\(token \d\)$/.test(sent.headers.authorization ?? '');

/** Tells whether there was no more than a header without a value, or with the word Bearer alone. */
const isEmpty = ({ sent }: Entry) => /^\(token, [06] characters\)$/.test(sent.headers.authorization ?? '');

const lacksHeader = ({ call, status, sent }: Entry) =>
  call === listPolicies && status === 401 && sent.headers.authorization === undefined;

function withoutHeader(entry: Entry): Verdict {
  if (lacksHeader(entry)) return true;
  const { call, problem, status, sent } = entry;
  if (sent.headers.authorization === undefined) {
    if (problem !== 'missing-token') return false;
    return call === headOfPolicies
      ? 'The header is missing, as it should be, but you sent HEAD. A list is read with GET.'
      : 'The header is missing, as it should be, but this was not the call that lists your policies.';
  }
  if (call !== listPolicies) return false;
  return status === 401 && isEmpty(entry)
    ? 'You sent the header Authorization. Here it must be missing, not just empty.'
    : 'You sent the header Authorization. Here it must be missing.';
}

const schemeOf = ({ sent }: Entry) => sent.headers.authorization?.split(' ', 1)[0];

/** Bearer in other letters than in the calls before: a program that always writes it so is left alone. */
const isInOtherCase = (entry: Entry, history: History) =>
  schemeOf(entry)?.toLowerCase() === 'bearer' &&
  schemeOf(entry) !== 'Bearer' &&
  history
    .last((each) => schemeOf(each) !== undefined && each.call !== newToken)
    ?.sent.headers.authorization?.startsWith('Bearer ');

/** What comes before the token in the header says what is wrong with the scheme. */
function withoutBearer(entry: Entry, history: History): Verdict {
  const { call, status, sent } = entry;
  const { authorization = '' } = sent.headers;
  const isBearer = /^bearer\b/i.test(authorization);
  if (hasToken(entry) && !isBearer) {
    if (call === listPolicies) return status === 401;
    return 'The header is as this lesson wants it, but the call is another one: list policies with it.';
  }
  if (call !== listPolicies) return false;
  if (status === 200 && isInOtherCase(entry, history))
    return 'Upper and lower case make no difference here: the word is still Bearer. Take another one.';
  if (hasToken(entry) && /^bearer /i.test(authorization)) return usedBearer;
  if (status !== 401 || authorization === '') return false;
  if (hasToken(entry)) {
    if (/^bearer: /i.test(authorization)) return 'Your word is Bearer with a colon. Take another word.';
    return /^bearer[:=]?\(/i.test(authorization) && 'There is no space between the word and your token.';
  }
  if (isBearer) return usedBearer;
  if (usesBasic(entry)) return 'You sent your credentials. Send your token, after a word that is not Bearer.';
  return 'There is no token of yours in the header Authorization.';
}

const usedBearer = 'The scheme was Bearer. Send your token after another word.';

/** Explains a request for a token with the credentials behind the question mark. */
const inUrl = ({ search }: Entry): string | false =>
  /[?&]client_secret=/.test(search) &&
  'The credentials were in the URL, which many logs keep. Nobody looks for them there.';

/** Explains a request for a token that was no form, or not one with everything in it. */
function otherThanForm(entry: Entry): Verdict {
  const { status } = entry;
  if (typeOf(entry).startsWith('multipart/'))
    return 'You sent multipart/form-data, which is the form for files. Send the other kind, which HTML forms have by default.';
  if (typeOf(entry).startsWith(jsonType)) {
    return jsonOf(entry.sent)?.grant_type === undefined
      ? 'The header Content-Type says that it is JSON. Send a form.'
      : 'The members are the right ones, but you sent them as JSON. Send them as a form.';
  }
  if (!typeOf(entry).startsWith(formType)) return false;
  if (usesBasic(entry)) {
    if (status !== 200) return false;
    return 'The credentials were in the header Authorization. Put them into the form, and leave the header out.';
  }
  if (looksLikeJson(entry))
    return 'The header Content-Type says that it is a form, but the body is JSON. Write the body as a form.';
  if (status === 401) return 'The form is right, but the client_id or the client_secret in it is not. Compare both.';
  return isMalformed(entry) && 'It is a form, but something in it is missing or wrong. The answer says what.';
}

/** Explains a request for a token with a header Authorization, or with none where one was meant. */
function otherThanBasic(entry: Entry): Verdict {
  const { status, sent } = entry;
  if (!usesBasic(entry)) {
    if (sent.headers.authorization !== undefined)
      return 'There is a header Authorization, but its first word is not Basic.';
    if (!isGiven(entry)) return false;
    return 'You got a token, but the credentials were in the body. Put them into the header Authorization.';
  }
  if (status === 401)
    return 'The header says Basic, but what follows is not your client_id and client_secret, joined and encoded in the way of Basic.';
  if (typeOf(entry).startsWith(jsonType))
    return 'The credentials are in the header, as they should be, but the body is JSON. Send a form.';
  if (status === 200) return 'You got a token, but there was no form in the request. Send grant_type in one.';
  if (!isMalformed(entry)) return false;
  return /client_secret/.test(sent.text)
    ? 'The credentials came twice, in the header and in the form. Leave them out of the form.'
    : 'The credentials are in the header, as they should be, but the form lacks something. The answer says what.';
}

/** The client_id that a request for a token had. */
function clientIn(entry: Entry): string | undefined {
  const [, user] = /^basic ([^:]*):/i.exec(entry.sent.headers.authorization ?? '') ?? [];
  const id = user ?? memberOf(entry, 'client_id');
  return typeof id === 'string' ? id : undefined;
}

const hasEmptySecret = (entry: Entry) =>
  usesBasic(entry)
    ? entry.sent.headers.authorization?.endsWith(':(secret, 0 characters)')
    : memberOf(entry, 'client_secret') === '';

/** Tells whether a refusal was for the secret: the client_id was the right one. */
function ofOwnClient(entry: Entry): Verdict {
  const sent = clientIn(entry);
  if (sent !== undefined && sent !== entry.clientId)
    return 'The client_id was not yours, so nobody compared the secret. Send your client_id, with a wrong secret.';
  return hasEmptySecret(entry) ? 'You sent an empty secret. That is another mistake than a wrong secret.' : true;
}

/** Explains a refusal that did not come to the secret. */
function beforeSecret(entry: Entry): Verdict {
  const { call, sent } = entry;
  if (call !== newToken || !isMalformed(entry) || usesBasic(entry)) return false;
  const { text } = sent;
  if (/"client_secret"\s*:\s*(?:null|\()/.test(text))
    return 'The secret was not a text, so nobody compared it with yours. Send a text that is wrong.';
  const { client_id: id, grant_type: _grant, ...others } = jsonOf(sent) ?? {};
  if (typeof id === 'string' && Object.keys(others).length === 0)
    return 'You sent no secret at all. That is another mistake than a wrong secret.';
  const isForm = /(?:^|&)client_secret=/.test(text);
  return isForm && 'The form lacks something else, so nobody looked at the secret. Change the secret and nothing else.';
}

/** Explains a call of somebody who is to send a wrong secret. */
function noWrongSecret(entry: Entry): string | false {
  const { call, status, path, problem } = entry;
  if (isGiven(entry)) return 'The secret was the right one: you got a token. Here the secret has to be wrong.';
  if (problem === 'invalid-grant')
    return 'The secret was the right one: what was refused is the code or the refresh token beside it.';
  if (call === newToken && status === 400)
    return 'The request was refused before anybody compared the secret. The answer says why.';
  if (isUnserved(entry) && /token/i.test(path)) {
    return status === 405
      ? `The address is right, but ${methodOf(entry)} gets no token. Use another method.`
      : `Nothing has the path ${shownPath(path)}. Compare it with the reference, letter by letter.`;
  }
  if (problem === 'missing-token') return 'That was no request for a token. Send one, with a wrong secret in it.';
  if (problem !== 'invalid-token' || hasToken(entry)) return false;
  return 'That was a wrong token. Here the secret has to be wrong: ask for a token with it.';
}

/** Explains an answer that has a part of the token, but not the value in it. */
function wholePart(answer: unknown): string | undefined {
  const text = typeof answer === 'string' ? answer.trim() : '';
  if (/^eyJ|\.eyJ/.test(text))
    return 'That is the token, or a part of it, as it came. Decode the part, and send one value out of it.';
  const isObject = text.startsWith('{') || (typeof answer === 'object' && answer !== null);
  return isObject ? moreThanValue : undefined;
}

const moreThanValue = 'That is more than the one value. Send the value alone, as a text.';

const noToken =
  'Your log has no token of the last day that counts. Get one from POST /insurer/v1/auth/token, and look into that one. If you took the lesson again, tokens from before do not count.';

const usedNew = (entry: Entry) => isGiven(entry) && entry.secretUsed === 'new';

const usedBefore = (entry: Entry) => isGiven(entry) && entry.secretUsed === 'before';

const isRefusedSecret = ({ call, problem }: Entry) => call === newToken && problem === 'invalid-client';

/** Explains what is done in place of a new secret. */
function unrotated(entry: Entry, history: History): Verdict {
  const { call, status } = entry;
  return (
    call === newClient &&
    status === 201 &&
    history.has(isGiven) &&
    'That is another client, which owns nothing of what yours has. Keep your client, and get a new secret for it.'
  );
}

/** A token by the new secret, a day after the first one, and nothing went wrong in between. */
function afterTheEnd(entry: Entry, history: History): Verdict {
  const since = (what: Entry | undefined) => (what ? history.since(what) : history.all(() => true));
  const wrong = history.last((each) => usedBefore(each) || isRefusedSecret(each));
  if (usedBefore(entry)) {
    const beginAgain =
      'You have the new secret, but this token was got with the one before. Once that has ended, such a request is refused. Begin again: get a token with the new secret, from which the 24 hours count, and use only that secret.';
    return history.has(usedNew) && { beginAgain };
  }
  if (isRefusedSecret(entry)) {
    const beginAgain =
      'This request was refused: its secret is wrong, or has ended, which is an outage. Begin again: get a token with the new secret, from which the 24 hours count, and use only that secret.';
    return history.has(({ secretUsed }) => secretUsed !== undefined) && { beginAgain };
  }
  if (!usedNew(entry)) return false;
  const first = since(wrong).find(usedNew);
  if (first === undefined) return false;
  const passed = ownTime(entry) - ownTime(first);
  return (
    passed >= previousHolds ||
    'Less than 24 hours of your clock have passed since your first token with the new secret. Let them pass from that one.'
  );
}

export const credentials: LessonTopic = {
  id: 'credentials',
  title: 'Credentials and tokens',
  lessons: [
    {
      id: 'credentials',
      title: 'Get credentials',
      level: 1,
      goal: 'Create a demo client: a `client_id` and a `client_secret` of your own. Keep both; the secret is shown only once. To take the lesson again, begin the path with /for/ and your `client_id`.',
      why: 'Every integration begins with credentials, and whoever loses the secret has to begin again.',
      hints: [
        'An endpoint gives credentials to everybody. It needs no body and no token.',
        'The reference at /docs lists it first among the endpoints of the insurer. It is a POST.',
        '`curl -X POST $ROOT/insurer/v1/demo-clients`, where `ROOT` is the address of L-Plate.',
      ],
      sections: ['Demo client', 'Endpoints, 1', 'Authentication, 7', 'Authentication, 9'],
      buildsOn: [],
      remember: 'A `client_id` says who you are, and a `client_secret` proves it. Store the secret when you get it.',
      without:
        'The secret lands in a chat or in the source code, and nobody knows later who has it. Or it is lost, and the program stands still until somebody makes a new client.',
      shortestWay: 1,
      needsNoToken: true,
      unlogged: {
        [newClient]:
          'At your address a client was made, but it is another one than yours. To take the lesson again, begin the path with /for/ and your client_id.',
      },
      steps: [
        {
          title: 'Create a demo client',
          judge(entry) {
            const { call, path, status } = entry;
            if (call === newClient) return status === 201;
            if (!isUnserved(entry) || !/client|credential/i.test(path)) return false;
            if (status === 405)
              return `The address is right, but ${methodOf(entry)} creates nothing. Use another method.`;
            if (!/^\/insurer\/v1\//.test(path))
              return `The path ${shownPath(path)} does not have the version that the reference shows.`;
            return `Nothing has the path ${shownPath(path)}. Compare it with the reference, letter by letter.`;
          },
        },
      ],
    },
    {
      id: 'coverage-options',
      title: 'Look before you sign in',
      level: 1,
      goal: 'List the coverage options that the insurer offers. Send no token. Begin the path with /for/ and your `client_id`, so that the call counts as yours.',
      why: 'Data that is open to all is the quickest test of an address, a proxy and a certificate.',
      hints: [
        'It is a GET that needs nothing but the address.',
        'Without a token, L-Plate can’t know who calls. So the path says it: /for/, your client_id, and then the path of the reference.',
        '`curl $ROOT/for/$CLIENT_ID/insurer/v1/coverage-options`, where `CLIENT_ID` is your client_id.',
      ],
      sections: ['Endpoints, 2', 'Authentication, 7'],
      buildsOn: ['credentials'],
      remember: 'Some endpoints need no token. Try one of them first to see whether you reach the service at all.',
      without:
        'You look for a mistake in the token for hours, while a proxy, a wrong address or a certificate is the cause.',
      shortestWay: 1,
      way: [listOptions],
      needsNoToken: true,
      steps: [
        {
          title: 'List the coverage options without a token',
          judge(entry) {
            const { path, status, sent } = entry;
            if (isUnserved(entry) && status === 404 && /coverage/i.test(path))
              return `Nothing has the path ${shownPath(path)}. Compare it with the reference, letter by letter.`;
            if (path !== optionsPath || ![200, 405].includes(status)) return false;
            if (methodOf(entry) !== 'GET')
              return `The address is right, but you sent ${methodOf(entry)}. A list is read with GET.`;
            if (sent.headers.authorization === undefined) return true;
            return 'You got the list, but you sent the header Authorization. Leave it out: the path then has to begin with /for/ and your client_id.';
          },
        },
      ],
    },
    {
      id: 'token-by-json',
      title: 'A token for a JSON body',
      level: 1,
      goal: 'Exchange your `client_id` and `client_secret` for a token. Send them as JSON.',
      why: 'The secret is sent once an hour instead of with each call.',
      hints: [
        'The body is an object with two members, and a header says that it is JSON.',
        '`POST /auth/token` with `Content-Type: application/json`. The members have the names that they had when you got them.',
        `\`curl $ROOT/insurer/v1/auth/token -H "Content-Type: application/json" -d '{"client_id":"'$CLIENT_ID'","client_secret":"'$CLIENT_SECRET'"}'\``,
      ],
      sections: ['Endpoints, 3', 'Authentication, 1', 'Token response'],
      buildsOn: ['credentials'],
      remember: 'Exchange the id and the secret for a token. Send the token with each call until it expires.',
      without:
        'A program that asks for a new token before each call needs twice as many calls, and runs into the limit of the token endpoint.',
      shortestWay: 1,
      needsNoToken: true,
      steps: [
        {
          title: 'Get a token with a JSON body',
          judge(entry) {
            const { status } = entry;
            if (!isForItself(entry)) return false;
            const misplaced = inUrl(entry);
            if (misplaced) return misplaced;
            if (gotBy(entry, jsonType)) {
              if (!usesBasic(entry)) return true;
              return 'You got a token, but the credentials were in the header. Put them into the JSON body.';
            }
            if (status === 200) return 'You got a token, but the body was not JSON. Send the same as JSON.';
            if (!typeOf(entry).startsWith(jsonType))
              return looksLikeJson(entry) && 'The body is JSON, but the header Content-Type says something else.';
            if (status === 401)
              return 'The request is right, but the client_id or the client_secret in it is not. Compare both with what you got.';
            if (entry.problem === 'malformed-json')
              return 'The type is right, but the body is no JSON. The answer says where it goes wrong.';
            if (!isMalformed(entry)) return false;
            return 'The type is right, but the body is not. The answer says which member is missing or wrong.';
          },
        },
      ],
    },
    {
      id: 'token-by-form',
      title: 'A token for a form',
      level: 1,
      goal: 'Get a token in the way of OAuth 2.0: send `grant_type`, `client_id` and `client_secret` as a form, not as JSON.',
      why: 'This is what OAuth libraries send, and many token endpoints take nothing else.',
      hints: [
        'RFC 6749, section 2.3.1, has an example with client_id and client_secret in the body. The body has the type of an HTML form.',
        '`Content-Type: application/x-www-form-urlencoded`, and grant_type is client_credentials.',
        '`curl $ROOT/insurer/v1/auth/token -d grant_type=client_credentials -d client_id=$CLIENT_ID -d client_secret=$CLIENT_SECRET`',
      ],
      sections: ['Endpoints, 3', 'Authentication, 1'],
      buildsOn: ['token-by-json'],
      remember:
        'OAuth 2.0 takes the token request as a form. The `Content-Type` is `application/x-www-form-urlencoded`.',
      without: 'You send JSON to a service that reads only forms. It answers 400, and the secret looks wrong.',
      shortestWay: 1,
      needsNoToken: true,
      steps: [
        {
          title: 'Get a token with a form',
          judge: (entry) => isForItself(entry) && (gotByForm(entry) || inUrl(entry) || otherThanForm(entry)),
        },
      ],
    },
    {
      id: 'token-by-basic',
      title: 'A token by HTTP Basic',
      level: 1,
      goal: 'Get a token with HTTP Basic: send `grant_type` in a form, and the credentials in the header `Authorization`. The secret is in the header alone.',
      why: 'OAuth 2.0 requires every token endpoint to accept the secret in this header, and advises against the body.',
      hints: [
        'RFC 6749, section 2.3.1: the client_id is the user, the client_secret the password.',
        'Most tools make the header for you: curl has -u, Postman “Basic Auth”.',
        '`curl $ROOT/insurer/v1/auth/token -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials`',
      ],
      sections: ['Endpoints, 3', 'Authentication, 1'],
      buildsOn: ['token-by-form'],
      remember: 'HTTP Basic is the id, a colon and the secret, in Base64. Base64 is no encryption, so use HTTPS.',
      without:
        'A secret in the body is written to logs that hide only the header. And a library that uses Basic by default seems to be broken.',
      shortestWay: 1,
      needsNoToken: true,
      steps: [
        {
          title: 'Get a token with HTTP Basic and a form',
          judge: (entry) => isForItself(entry) && (gotByBasic(entry) || inUrl(entry) || otherThanBasic(entry)),
        },
      ],
    },
    {
      id: 'token-decoded',
      title: 'Look into the token',
      level: 1,
      goal: 'The token is a JWT: three parts with dots between them, each in base64url. Decode the second one, and send the claim `sub` as your answer.',
      why: 'When a call is refused, what the token says is the first thing to look at.',
      hints: [
        'The second part is a JSON object once it is decoded.',
        'Base64url has - and _ in place of + and /, and no = at its end. Most languages have a decoder for it.',
        'In Node.js: `JSON.parse(Buffer.from(token.split(".")[1], "base64url")).sub`',
      ],
      sections: ['Token response', 'Authentication, 1'],
      buildsOn: ['token-by-json'],
      remember:
        'A JWT has three parts, and everybody can read the second one. It says who you are, what you may do, and until when.',
      without:
        'You guess why a call is refused: the wrong client, a missing scope, an expired token. One look into the token would tell.',
      shortestWay: 1,
      way: [listPolicies],
      steps: [],
      asks: {
        step: 'Send the claim sub',
        question: 'The claim `sub` of your token.',
        check(answer, history) {
          const entry = lastToken(history);
          if (!entry) return noToken;
          const { token: { jti, sub, scope } = {} } = entry;
          if (answer === sub) return { entry };
          const part = wholePart(answer);
          if (part) return part;
          if (typeof answer === 'string' && [jti, scope].includes(answer))
            return 'That is in the token, but it is another claim. Look for sub.';
          return 'That is not the sub of your token. Decode the second of its three parts, and send the value alone.';
        },
      },
    },
    {
      id: 'token-key',
      title: 'Who signed the token?',
      level: 2,
      goal: 'The service publishes the keys with which its tokens can be checked. Find the one that signed yours and check the signature with it (L-Plate can’t see whether you did). Send its `kid` as your answer.',
      why: 'A service that takes tokens must check who made them, without asking anybody at each call.',
      hints: [
        'The first part of a token, its header, says which key signed it.',
        'The metadata at /.well-known/oauth-authorization-server has the address of the keys: jwks_uri.',
        'In Node.js: `JSON.parse(Buffer.from(token.split(".")[0], "base64url")).kid`. One of the keys at jwks_uri has the same kid, and a JWT library checks the signature with it.',
      ],
      sections: ['Token response', 'Authentication, 1'],
      buildsOn: ['token-decoded'],
      remember: 'The `kid` in the header of a token names the key. Get the keys from `jwks_uri`, and take that one.',
      without:
        'A service that has one key built in refuses all tokens on the day when the key is changed. One that checks no signature takes a token that anybody made.',
      shortestWay: 1,
      way: [readKeys, 'GET /.well-known/oauth-authorization-server'],
      steps: [],
      asks: {
        step: 'Send the kid of the key',
        question: 'The `kid` of the key that signed your token.',
        check(answer, history) {
          const entry = lastToken(history);
          if (!entry) return noToken;
          if (answer === entry.tokenKey) return { entry };
          const part = wholePart(answer);
          if (part) return part;
          if (entry.tokenKey && textOf(answer).includes(entry.tokenKey)) return moreThanValue;
          const { token: { jti, sub } = {} } = entry;
          if (typeof answer === 'string' && [jti, sub].includes(answer))
            return 'That is a claim, of the second part of the token. What is asked for is in another part.';
          return 'That is not the kid of the key that signed your last token. The token itself names it: decode its first part.';
        },
      },
    },
    {
      id: 'wrong-secret',
      title: 'The wrong secret',
      level: 1,
      goal: 'Ask for a token with a secret that is wrong, and read what the refusal says.',
      why: 'When a secret was replaced or pasted badly, this is the answer that your program gets at night.',
      hints: [
        'Take the request that got you a token.',
        'Change one character of the secret.',
        'The status is 401, and the type of the problem ends with invalid-client.',
      ],
      sections: ['Endpoints, 3', 'Authentication, 9'],
      buildsOn: ['token-by-json'],
      remember: 'A wrong secret is 401 `invalid-client`. To send it again does not help: somebody must correct it.',
      without: 'A program repeats the request all night with the wrong secret, until the client is locked.',
      shortestWay: 1,
      way: [`${newToken} 401`],
      needsNoToken: true,
      steps: [
        {
          title: 'Ask for a token with a wrong secret',
          judge: (entry) =>
            entry.call === newToken && entry.status === 401
              ? ofOwnClient(entry)
              : beforeSecret(entry) || noWrongSecret(entry),
        },
      ],
    },
    {
      id: 'no-header',
      title: 'Who are you?',
      level: 1,
      goal: 'List your policies without any token, and find out how the service tells you what is missing. Begin the path with /for/ and your `client_id`, so that the call counts as yours.',
      why: '401 means that the caller is unknown. If the header was forgotten, a new token does not help.',
      hints: [
        'Leave the header Authorization out.',
        '`GET /policies`, with an address that begins with `$ROOT/for/$CLIENT_ID/insurer/v1`.',
        '`curl -i $ROOT/for/$CLIENT_ID/insurer/v1/policies`. The status is 401, and WWW-Authenticate says what is wanted.',
      ],
      sections: ['Authentication, 2', 'Authentication, 5', 'Errors, 1'],
      buildsOn: ['token-by-json'],
      remember: '401 means that the service does not know who calls. `WWW-Authenticate` says what it wants.',
      without:
        'You create new clients and new tokens, but a proxy or a redirect removed the header on the way. The next call fails in the same way.',
      shortestWay: 1,
      way: [`${listPolicies} 401`],
      needsNoToken: true,
      steps: [{ title: 'List your policies without a token', judge: withoutHeader }],
    },
    {
      id: 'wrong-scheme',
      title: 'The wrong scheme',
      level: 1,
      goal: 'List policies with your token, but with another word than `Bearer` before it, or none, and read what the refusal says.',
      why: 'A missing or wrong scheme is what most often goes wrong when a header is put together by hand.',
      hints: [
        'The header Authorization has two parts: a scheme and the token.',
        'Try Token, or JWT, or leave the scheme out.',
        '`curl -i $ROOT/for/$CLIENT_ID/insurer/v1/policies -H "Authorization: Token $TOKEN"`',
      ],
      sections: ['Authentication, 2', 'Errors, 1'],
      buildsOn: ['no-header'],
      remember:
        'The header is `Authorization: Bearer`, a space, and the token. Without the word `Bearer` no token is seen.',
      without: 'A correct token is replaced again and again, and what is missing is one word in the configuration.',
      shortestWay: 1,
      way: [`${listPolicies} 401`],
      steps: [
        { title: 'List policies with another word than Bearer before your token, or none', judge: withoutBearer },
      ],
    },
    {
      id: 'secret-leaked',
      title: 'The secret leaks',
      level: 3,
      goal: 'Your secret was in a log. Get a new one for your client, and a token with it. Let 24 hours pass by your clock, until the secret before has ended, and get a token once more: no request for a token may be refused in between, and none may use the secret before once you have the new one.',
      why: 'A secret that leaked is worth something until it is replaced, and nobody replaces it while that means an outage.',
      hints: [
        'The client stays, with its policies. Below /range/v1/me is an endpoint that gives it a new secret.',
        'First the new secret everywhere, then the end of the one before. The answer says when that is, as previousValidUntil; your clock can be moved there.',
        '`curl -X POST $ROOT/range/v1/me/secret -H "Authorization: Bearer $TOKEN"`, a token with the new secret, `curl $ROOT/range/v1/me/clock -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d \'{"advance":"P1D"}\'`, and a token with the new secret again.',
      ],
      sections: ['Endpoints, 3', 'The range'],
      buildsOn: ['wrong-secret'],
      remember: 'Two secrets hold for a while. Give the new one to every program first, then let the old one end.',
      without:
        'A secret is in a public repository. It can’t be replaced without an outage, so it stays valid until the weekend.',
      shortestWay: 2,
      steps: [
        {
          title: 'Get a token with the new secret',
          judge: (entry, history) =>
            usedNew(entry) ||
            (usedBefore(entry) && 'This token was got with the secret before. You have a new one: use that.') ||
            unrotated(entry, history),
        },
        { title: 'Get one more when the secret before has ended', judge: afterTheEnd },
      ],
    },
  ],
};
