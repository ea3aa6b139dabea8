import type { Entry } from '../entry.ts';
import type { History } from '../history.ts';
import type { Topic } from '../lesson.ts';

/*
 * From nothing to a token that one understands, and what happens without one.
 */

const newToken = 'POST /insurer/v1/auth/token';
const list = 'GET /insurer/v1/policies';

const usesBasic = ({ sent }: Entry) => /^basic /i.test(sent.headers.authorization ?? '');

/** Tells whether a token was given out, for a request whose body had this type. */
const gotBy = ({ call, status, sent }: Entry, type: string) =>
  call === newToken && status === 200 && (sent.headers['content-type'] ?? '').startsWith(type);

/** The latest token that was given out, as long as the log has it. */
const lastToken = (history: History) => history.last(({ call, status }) => call === newToken && status === 200);

const noToken = {
  advice: 'Your log has no token of the last day. Get one from POST /insurer/v1/auth/token, and look into that one.',
};

export const credentials: Topic = {
  id: 'credentials',
  title: 'Credentials and tokens',
  lessons: [
    {
      id: 'credentials',
      title: 'Get credentials',
      level: 1,
      goal: 'Create a demo client: a client_id and a client_secret of your own. Keep both; the secret is shown only once.',
      why: 'Every integration begins with credentials, and one that loses its secret begins anew.',
      hints: [
        'An endpoint gives credentials to everybody. It needs no body and no token.',
        'The reference at /docs lists it first among the endpoints of the insurer. It is a POST.',
        '`curl -X POST $ROOT/insurer/v1/demo-clients`, where `ROOT` is the address of L-Plate.',
      ],
      sections: ['Demo client', 'Endpoints, 1', 'Authentication, 7', 'Authentication, 9'],
      buildsOn: [],
      steps: [
        {
          title: 'Get credentials',
          judge: ({ call, status }) => call === 'POST /insurer/v1/demo-clients' && status === 201,
        },
      ],
    },
    {
      id: 'coverage-options',
      title: 'Look before you sign in',
      level: 1,
      goal: 'List the coverage options that the insurer offers. Send no token. If you are the only one who calls L-Plate from your address, the call counts as yours. In a class, or if it did not count, begin its path with /for/ and your client_id.',
      why: 'Data that is open to all is the quickest test of an address, a proxy and a certificate.',
      hints: [
        'It is a GET that needs nothing but the address.',
        'Without a token, L-Plate knows whose call it is by its path, if that begins with /for/ and your client_id, or by your address if nobody else uses it.',
        '`curl $ROOT/for/$CLIENT_ID/insurer/v1/coverage-options`, where `CLIENT_ID` is your client_id.',
      ],
      sections: ['Endpoints, 2', 'Authentication, 7'],
      buildsOn: ['credentials'],
      steps: [
        {
          title: 'Look before you sign in',
          judge: ({ call, status, sent }) =>
            call === 'GET /insurer/v1/coverage-options' && status === 200 && sent.headers.authorization === undefined,
        },
      ],
    },
    {
      id: 'token-by-json',
      title: 'A token for a JSON body',
      level: 1,
      goal: 'Exchange your client_id and client_secret for a token. Send them as JSON.',
      why: 'The secret is sent once an hour instead of with each call.',
      hints: [
        'The body is an object with two members, and a header says that it is JSON.',
        '`POST /auth/token` with `Content-Type: application/json`. The members have the names that they had when you got them.',
        `\`curl $ROOT/insurer/v1/auth/token -H "Content-Type: application/json" -d '{"client_id":"'$CLIENT_ID'","client_secret":"'$CLIENT_SECRET'"}'\``,
      ],
      sections: ['Endpoints, 3', 'Authentication, 1', 'Token response'],
      buildsOn: ['credentials'],
      steps: [
        {
          title: 'A token for a JSON body',
          judge: (entry) => gotBy(entry, 'application/json'),
        },
      ],
    },
    {
      id: 'token-by-form',
      title: 'A token for a form',
      level: 1,
      goal: 'Get a token as OAuth 2.0 has it: send grant_type, client_id and client_secret as a form, not as JSON.',
      why: 'This is what OAuth libraries send, and many token endpoints take nothing else.',
      hints: [
        'RFC 6749 has an example with client_id and client_secret in the form in section 2.3.1. The type of the body is that of an HTML form.',
        '`Content-Type: application/x-www-form-urlencoded`, and grant_type is client_credentials.',
        '`curl $ROOT/insurer/v1/auth/token -d grant_type=client_credentials -d client_id=$CLIENT_ID -d client_secret=$CLIENT_SECRET`',
      ],
      sections: ['Endpoints, 3', 'Authentication, 1'],
      buildsOn: ['token-by-json'],
      steps: [
        {
          title: 'A token for a form',
          judge: (entry) => gotBy(entry, 'application/x-www-form-urlencoded') && !usesBasic(entry),
        },
      ],
    },
    {
      id: 'token-by-basic',
      title: 'A token by HTTP Basic',
      level: 1,
      goal: 'Get a token with the credentials in the header Authorization, by HTTP Basic, and only grant_type in the form.',
      why: 'OAuth 2.0 requires every token endpoint to accept the secret in this header, and advises against the body.',
      hints: [
        'RFC 6749, section 2.3.1: the client_id is the user, the client_secret the password.',
        'Most tools make the header for you: curl has -u, Postman “Basic Auth”.',
        '`curl $ROOT/insurer/v1/auth/token -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials`',
      ],
      sections: ['Endpoints, 3', 'Authentication, 1'],
      buildsOn: ['token-by-form'],
      steps: [
        {
          title: 'A token by HTTP Basic',
          judge: (entry) => gotBy(entry, 'application/x-www-form-urlencoded') && usesBasic(entry),
        },
      ],
    },
    {
      id: 'token-decoded',
      title: 'Look into the token',
      level: 1,
      goal: 'The token is a JWT: three parts with dots between them, each in base64url. Decode the second one, and send the claim sub as your answer.',
      why: 'When a call is refused, what the token says is the first thing to look at.',
      hints: [
        'The second part is a JSON object once it is decoded.',
        'Base64url has - and _ in place of + and /, and no = at its end. Most languages have a decoder for it.',
        'In Node.js: `JSON.parse(Buffer.from(token.split(".")[1], "base64url")).sub`',
      ],
      sections: ['Token response', 'Authentication, 1'],
      buildsOn: ['token-by-json'],
      steps: [],
      asks: {
        step: 'Send the claim sub',
        question: 'The claim sub of your token.',
        check(answer, history) {
          const entry = lastToken(history);
          if (!entry) return noToken;
          if (answer === entry.token?.sub) return { entry };
          return {
            advice:
              'That is not the sub of your token. Decode the second of its three parts, and send the value alone.',
          };
        },
      },
    },
    {
      id: 'token-key',
      title: 'Who signed the token?',
      level: 2,
      goal: 'The service publishes the keys with which its tokens can be checked. Find the one that signed yours and check the signature with it (L-Plate can’t see whether you did). Send its kid as your answer.',
      why: 'A service that takes tokens must check who made them, without asking anybody at each call.',
      hints: [
        'The first part of a token, its header, says which key signed it.',
        'The metadata at /.well-known/oauth-authorization-server has the address of the keys: jwks_uri.',
        'In Node.js: `JSON.parse(Buffer.from(token.split(".")[0], "base64url")).kid`. One of the keys at jwks_uri has the same kid, and a JWT library checks the signature with it.',
      ],
      sections: ['Token response', 'Authentication, 1'],
      buildsOn: ['token-decoded'],
      steps: [],
      asks: {
        step: 'Send the kid of the key',
        question: 'The kid of the key that signed your token.',
        check(answer, history) {
          const entry = lastToken(history);
          if (!entry) return noToken;
          if (answer === entry.tokenKey) return { entry };
          return {
            advice:
              'That is not the kid of the key that signed your last token. The token itself names it: decode its first part.',
          };
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
      steps: [
        {
          title: 'The wrong secret',
          judge: ({ call, status }) => call === newToken && status === 401,
        },
      ],
    },
    {
      id: 'no-header',
      title: 'Who are you?',
      level: 1,
      goal: 'List your policies without any token, and find out how the service tells you what is missing. Begin the path with /for/ and your client_id, so that the call counts as yours.',
      why: '401 means that the caller is unknown. If the header was forgotten, a new token does not help.',
      hints: [
        'Leave the header Authorization out.',
        '`GET /policies`, with an address that begins with `$ROOT/for/$CLIENT_ID/insurer/v1`.',
        '`curl -i $ROOT/for/$CLIENT_ID/insurer/v1/policies`. The status is 401, and WWW-Authenticate says what is wanted.',
      ],
      sections: ['Authentication, 2', 'Authentication, 5', 'Errors, 1'],
      buildsOn: ['token-by-json'],
      steps: [
        {
          title: 'Who are you?',
          judge: ({ call, status, sent }) =>
            call === list && status === 401 && sent.headers.authorization === undefined,
        },
      ],
    },
    {
      id: 'wrong-scheme',
      title: 'The wrong scheme',
      level: 1,
      goal: 'List policies with your token, but with another word than Bearer before it, or none, and read what the refusal says.',
      why: 'A missing or wrong scheme is what most often goes wrong when a header is put together by hand.',
      hints: [
        'The header Authorization has two parts: a scheme and the token.',
        'Try Token, or JWT, or leave the scheme out.',
        '`curl -i $ROOT/for/$CLIENT_ID/insurer/v1/policies -H "Authorization: Token $TOKEN"`',
      ],
      sections: ['Authentication, 2', 'Errors, 1'],
      buildsOn: ['no-header'],
      steps: [
        {
          title: 'The wrong scheme',
          judge({ call, status, sent }) {
            const { authorization = '' } = sent.headers;
            if (call !== list || status !== 401) return false;
            const isBearer = /^bearer\b/i.test(authorization);
            // The log shows what was decoded so: a token of this service, also one that has expired.
            const hasToken = /\(token \d\)$/.test(authorization);
            if (hasToken) return !isBearer;
            return isBearer && 'The scheme was Bearer. Send your token behind another word.';
          },
        },
      ],
    },
  ],
};
