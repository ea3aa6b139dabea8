import type { Entry } from '../entry.ts';
import type { Topic } from '../lesson.ts';

/*
 * What a token may do, and for how long.
 */

const newToken = 'POST /insurer/v1/auth/token';
const createPolicy = 'POST /insurer/v1/policies';

/** Tells whether two calls are the same, as far as can be seen: the body of one that was refused with 401 or 403 was not read. */
const isSameCall = (a: Entry, b: Entry) => a.call === b.call && a.path === b.path && `${a.query}` === `${b.query}`;

const scopesOf = (text = '') => text.split(' ');

/** The scopes that a refusal names as those it needs. */
const neededBy = ({ answer }: Entry) => scopesOf(/scope="([^"]*)"/.exec(answer.headers['www-authenticate'] ?? '')?.[1]);

const hasExpired = ({ answer }: Entry) => /The token expired at/.test(answer.headers['www-authenticate'] ?? '');

/** A call whose token was accepted, whatever came of it. */
const isDone = ({ token, call, status }: Entry) =>
  token !== undefined && call !== newToken && status < 500 && status !== 401 && status !== 429;

/** Method, path and query. */
const shown = ({ call, path, search }: Entry) => `${call.split(' ', 1)[0]} ${path}${search}`;

export const access: Topic = {
  id: 'access',
  title: 'Scopes and lifetimes',
  lessons: [
    {
      id: 'scope-needed',
      title: 'Known, but not allowed',
      level: 2,
      goal: 'With a token that has only the scope policies:read, try to create a policy. Get a new token with the scope that the refusal names, and with none but that and those you had. Then make the call again.',
      why: 'A token that can do only what its program does is worth little to whoever steals it.',
      hints: [
        'The member scope of a token request says what the token may do. 403 is not 401: you are known, but this token may not do it.',
        'The header WWW-Authenticate of the 403 names the scope that is missing. Ask for that one, not for all: a request without scope gets all of them.',
        '`curl $ROOT/insurer/v1/auth/token -d grant_type=client_credentials -d client_id=$CLIENT_ID -d client_secret=$CLIENT_SECRET -d scope=policies:write` gets the new token. Then send the same `POST /policies` with the same body.',
      ],
      sections: [
        'Authentication, 3',
        'Authentication, 6',
        'Endpoints, 3',
        'Endpoints, 4',
        'Endpoints, rule 2',
        'Errors, 1',
      ],
      buildsOn: ['token-by-json'],
      steps: [
        {
          title: 'Known, but not allowed',
          judge(entry, history) {
            if (entry.call !== createPolicy || entry.status !== 201) return false;
            const refused = history.last(
              ({ call, problem }) => call === createPolicy && problem === 'insufficient-scope',
            );
            if (!refused) return false;
            const isOld = history.before(refused).has(({ token }) => token?.jti === entry.token?.jti);
            if (isOld)
              return 'You had this token before the refusal. Get a new one, with the scope that the refusal names.';
            const enough = [...scopesOf(refused.token?.scope), ...neededBy(refused)];
            if (scopesOf(entry.token?.scope).every((scope) => enough.includes(scope))) return true;
            return 'The new token has more scopes than the call needs. Ask for the one that WWW-Authenticate names.';
          },
        },
      ],
    },
    {
      id: 'scope-refused',
      title: 'Asking for too much',
      level: 1,
      goal: 'Ask for a token with the scope policies:admin, which nobody can have, and read what the refusal says.',
      why: 'A token endpoint that gave less than was asked for without a word would leave you with a 403 much later, far from its cause.',
      hints: [
        'It is a token request with the right credentials and a scope that does not exist.',
        '`POST /auth/token` takes the member scope beside client_id and client_secret.',
        '`curl -i $ROOT/insurer/v1/auth/token -d grant_type=client_credentials -d client_id=$CLIENT_ID -d client_secret=$CLIENT_SECRET -d "scope=policies:read policies:admin"`. The status is 400, and you get no token at all.',
      ],
      sections: ['Authentication, 3', 'Authentication, 4', 'Endpoints, 3'],
      buildsOn: ['token-by-json'],
      steps: [
        {
          title: 'Asking for too much',
          judge: ({ problem, answer }) => problem === 'invalid-scope' && answer.text.includes('policies:admin'),
        },
      ],
    },
    {
      id: 'token-expired',
      title: 'The token expires, the call is not lost',
      level: 2,
      goal: 'Make a call with a token that has expired, and read in the 401 that it has expired. Get a new token, and make the same call again with it. Your clock at L-Plate can be moved ahead, so that you need not wait for an hour.',
      why: 'A program that runs longer than its token meets this every hour, and the order that it was sending must not be lost.',
      hints: [
        'The range moves your clock: `POST /range/v1/me/clock`. The range is described at /docs, too.',
        'A token is valid for 60 minutes. Move the clock by PT61M, call `GET /policies` with the old token, get a new one, call again.',
        '`curl $ROOT/range/v1/me/clock -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d \'{"advance":"PT61M"}\'`. After it, `curl -i $ROOT/insurer/v1/policies -H "Authorization: Bearer $TOKEN"` is 401. Get a new token and send it again.',
      ],
      sections: ['Authentication, 1', 'Authentication, 2', 'Limits, Token lifetime', 'Token response'],
      buildsOn: ['token-decoded'],
      steps: [
        {
          title: 'The token expires, the call is not lost',
          judge(entry, history) {
            if (!isDone(entry)) return false;
            const refused = history.last(hasExpired);
            if (!refused) return false;
            if (history.has((each) => hasExpired(each) && isSameCall(each, entry))) return true;
            const isNext = !history.since(refused).some(isDone);
            return (
              isNext && `You made ${shown(entry)}, but what had been refused is ${shown(refused)}: make that one again.`
            );
          },
        },
      ],
    },
  ],
};
