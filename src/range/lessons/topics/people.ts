import { excerpt } from '../../../text/excerpt.ts';
import { introspect, listPolicies, newToken, openPage, revoke, sendForm } from '../calls.ts';
import { type Entry, isSameCall, jsonOf, memberOf } from '../entry.ts';
import type { History } from '../history.ts';
import type { LessonTopic, Step, Verdict } from '../lesson.ts';

/*
 * A person lets an app in, and may change their mind. Codes, verifiers and refresh tokens are not in the log: whose they were is
 * told by what they brought, and by what a refusal says.
 */

/** Of the pages for people. */
const pages: readonly string[] = [openPage, sendForm];

/** The parameters with which a browser was sent back to the app; undefined where it was not. */
const redirectOf = ({ call, status, answer }: Entry): URLSearchParams | undefined =>
  pages.includes(call) && status === 303 ? URL.parse(answer.headers.location ?? '')?.searchParams : undefined;

/** A page for the person was answered: to sign in, or to decide. */
const isAsked = ({ call, status }: Entry) => pages.includes(call) && status === 200;

const isForged = (entry: Entry) => entry.drills.includes('forged-callback') && redirectOf(entry)?.has('code') === true;

const isLetIn = (entry: Entry) => redirectOf(entry)?.has('code') === true && !isForged(entry);

const hasGrant = (entry: Entry, grant: string) => entry.call === newToken && memberOf(entry, 'grant_type') === grant;

const isExchange = (entry: Entry) => hasGrant(entry, 'authorization_code');
const isExchanged = (entry: Entry) => isExchange(entry) && entry.status === 200;

const isRefresh = (entry: Entry) => hasGrant(entry, 'refresh_token');
const isRefreshed = (entry: Entry) => isRefresh(entry) && entry.status === 200;

/** The client got a token for itself. */
const isOwnToken = (entry: Entry) => entry.call === newToken && entry.status === 200 && !consentOf(entry);

/** The consent that the token of a call came of; undefined for a token of the client itself. */
const consentOf = ({ token }: Entry) => token?.consent_id;

const isSameConsent = (one: Entry, other: Entry) => consentOf(one) === consentOf(other);

/** A call for a person, which was not done because of its token, for a reason that the refusal gives. */
const isRefusedCall = (entry: Entry, reason: string) =>
  entry.problem === 'invalid-token' && consentOf(entry) !== undefined && entry.answer.text.includes(reason);

/** A code or a refresh token that brought nothing, for a reason that the refusal gives. */
const isRefusedGrant = (entry: Entry, reason: string) =>
  entry.problem === 'invalid-grant' && entry.answer.text.includes(reason);

/** A call for a person that was done: none of those that get, ask or end tokens. */
const isDone = (entry: Entry) =>
  consentOf(entry) !== undefined && entry.status < 400 && !entry.path.startsWith('/insurer/v1/auth/');

const scopesOf = (text: unknown) => (typeof text === 'string' ? text : '').split(' ').filter(Boolean).sort().join(' ');

/** Explains an authorization request that asked nobody. */
function notAsked(entry: Entry): string | false {
  if (pages.includes(entry.call) && entry.status === 400)
    return 'This request was explained on the page, and the browser was not sent back: the redirect_uri is not one that you registered. The page says what to do.';
  const redirect = redirectOf(entry);
  const error = redirect?.get('error');
  if (!redirect || !error || error === 'access_denied') return false;
  return `The browser was sent back with ${excerpt(error)}: ${excerpt(redirect.get('error_description') ?? '', 250)}`;
}

/** A code that brought a token, or none. */
function exchanged(entry: Entry): Verdict {
  if (isExchanged(entry)) return true;
  if (isExchange(entry) && entry.problem === 'invalid-grant')
    return 'This code brought nothing: it holds for a minute and once, with the redirect_uri and the verifier of its request. The answer says which of these it was.';
  return (
    isExchange(entry) &&
    entry.status === 400 &&
    'The exchange was refused before anybody looked at the code: something is missing. The answer says what.'
  );
}

/** Explains what is done in place of a step of any of these lessons. */
function inPlace(entry: Entry, history: History): string | false {
  if (entry.call === listPolicies && entry.status === 200 && !consentOf(entry) && history.has(isExchanged))
    return ofClient;
  const letIn = isOwnToken(entry) && history.last(isLetIn);
  if (!letIn || history.since(letIn).some(isExchanged)) return notAsked(entry);
  return 'This token is of your client itself. To exchange the code, send it with grant_type authorization_code.';
}

function explained(lessons: LessonTopic['lessons']): LessonTopic['lessons'] {
  const judged = (step: Step): Step => ({
    ...step,
    judge: (entry, history) => step.judge(entry, history) || inPlace(entry, history),
  });
  return lessons.map((lesson) => ({ ...lesson, steps: lesson.steps.map(judged) }));
}

const ofClient = 'This was the token of your client itself. Send the one that you got for the person.';

const whenForged = (entry: Entry): Verdict =>
  isExchangedForged(entry) && {
    beginAgain:
      'You exchanged the code of the forged redirect. Somebody else would now be signed in, in the browser of your user. Begin again: let the drill forge another redirect, and compare its state first.',
  };

const isExchangedForged = (entry: Entry) => isExchange(entry) && isRefusedGrant(entry, 'The drill forged-callback');

/** Of a state so long that the log hides it, nobody can tell whether it came before. */
const hasState = (entry: Entry, state: string | null) => entry.query.get('state') === state && !state?.startsWith('(');

/** A request after the forged redirect, with a state of its own. */
function askedAnew(entry: Entry, history: History): Verdict {
  const forged = isAsked(entry) && history.last(isForged);
  if (!forged) return false;
  if (!hasState(entry, forged.query.get('state'))) return true;
  return 'This request has the state of the one before, of which somebody else may know by now. Begin with a new state, and a new verifier.';
}

/** A code that was exchanged after the forged one was thrown away. */
function exchangedOwn(entry: Entry, history: History): Verdict {
  if (isForged(entry))
    return 'This redirect is forged, too, since the drill is still on. Throw it away, end the drill, and send the person there anew.';
  const forged = isExchanged(entry) && history.last(isForged);
  if (!forged) return false;
  const since = history.since(forged);
  const isAnew = since.some((each) => askedAnew(each, history.before(each)) === true) && since.some(isLetIn);
  return isAnew && !since.some(isExchangedForged);
}

const wrongVerifier = 'The code_verifier does not fit';

const isWrongVerifier = (entry: Entry) => isExchange(entry) && isRefusedGrant(entry, wrongVerifier);

function sameCode(entry: Entry, history: History): Verdict {
  const refused = isExchange(entry) && history.last(isWrongVerifier);
  if (!refused) return false;
  if (isRefusedGrant(entry, 'The code has expired'))
    return 'The minute is over, so the code holds no more. Get a new one, and send the wrong verifier first.';
  if (!isExchanged(entry)) return false;
  if (!history.since(refused).some(isLetIn)) return true;
  return 'This is a new code. The one that was refused still holds for its minute: exchange that one.';
}

const askedFor = 'claims:read policies:read';
const allowed = 'policies:read';

function asksForTwo(entry: Entry): Verdict {
  if (!isAsked(entry)) return notAsked(entry);
  if (scopesOf(entry.query.get('scope')) === askedFor) return true;
  if (!entry.query.has('scope')) return 'This request has no scope, so it asks for all that your client may do.';
  return 'This request asks for other scopes. Ask for policies:read and claims:read, with a space between them.';
}

/** A token with less than was asked for. */
function allowedLess(entry: Entry, history: History): Verdict {
  const letIn = isExchanged(entry) && history.last(isLetIn);
  if (!letIn || scopesOf(letIn.query.get('scope')) !== askedFor) return false;
  if (scopesOf(entry.token?.scope) === allowed) return true;
  return 'The person allowed something else than policies:read alone. On the page, take away the tick of claims:read.';
}

const isTooMuch = (entry: Entry) => entry.problem === 'insufficient-scope' && consentOf(entry) !== undefined;

/** The list by a token with less than was asked for, after no call that the person did not allow. */
function usedLess(entry: Entry, history: History): Verdict {
  const got = history.last((each) => allowedLess(each, history.before(each)) === true);
  if (!got) return false;
  if (isTooMuch(entry) && isSameConsent(entry, got)) {
    const beginAgain =
      'You made a call that the person had not allowed. The scope of the answer that brought the token says what is allowed. Begin again: send the person there once more, and look at that scope before you call.';
    return { beginAgain };
  }
  if (entry.call !== listPolicies || entry.status !== 200) return false;
  if (!isSameConsent(entry, got)) return ofClient;
  return !history.since(got).some((each) => isTooMuch(each) && isSameConsent(each, got));
}

const hasExpired = (entry: Entry) => isRefusedCall(entry, 'The token expired at');

/** A call that is to be refused because its token has expired. */
function refusedAsExpired(entry: Entry, history: History): Verdict {
  if (hasExpired(entry)) return true;
  if (entry.problem === 'invalid-token' && entry.answer.text.includes('The token expired at')) return ofClient;
  if (isRefreshed(entry))
    return 'You refreshed before a call was refused. That is right, too, but here a call with the old token has to be refused first.';
  const isEarly = isDone(entry) && !history.has(hasExpired);
  return isEarly && 'The token of this call was accepted: it has not expired. Move your clock by PT61M.';
}

function refreshedAfter(entry: Entry, history: History): Verdict {
  const expired = history.last(hasExpired);
  if (!expired) return false;
  if (isRefreshed(entry))
    return isSameConsent(entry, expired) || 'This refresh token is of another consent than the token that has expired.';
  if (isRefresh(entry)) return 'The refresh was refused. The answer says why.';
  if (isAsked(entry)) return 'Nobody has to sign in again: you have a refresh token. Exchange that one.';
  return isOwnToken(entry) && 'This is a token of your client itself. Send the refresh token, with its grant_type.';
}

function calledAgain(entry: Entry, history: History): Verdict {
  const fresh = history.last((each) => refreshedAfter(each, history.before(each)) === true);
  if (!fresh || consentOf(entry) === undefined || entry.call === newToken) return false;
  if (hasExpired(entry)) return 'You sent the old token again. Send the new one.';
  if (!isDone(entry) || entry.token?.jti !== fresh.token?.jti) return false;
  const isSame = history.has((each) => hasExpired(each) && isSameConsent(each, entry) && isSameCall(each, entry));
  return isSame || 'This is another call than the one that was refused. Make that one again.';
}

const usedTwice = 'A refresh token of this consent was used twice';

const isUsedTwice = (entry: Entry, history: History) =>
  isRefresh(entry) && isRefusedGrant(entry, usedTwice) && history.has(isRefreshed);

/** A refresh that is to be refused since its token has been used. */
function refusedAsUsed(entry: Entry, history: History): Verdict {
  if (isUsedTwice(entry, history)) return true;
  if (!isRefresh(entry) || !history.has(isRefreshed)) return false;
  if (isRefreshed(entry)) return 'This refresh token was the newest, so it holds. Send the one from before it.';
  return 'This was refused for something else: the answer says what. Send a refresh token that brought you tokens before.';
}

/** A call with a token of the consent that the second use has ended. */
const hasEndedToo = (entry: Entry, history: History) =>
  isRefusedCall(entry, usedTwice) && history.has((each) => isRefreshed(each) && isSameConsent(each, entry));

function letInAfterReuse(entry: Entry, history: History): Verdict {
  const ended = isExchanged(entry) && history.last((each) => hasEndedToo(each, history.before(each)));
  if (!ended || isSameConsent(entry, ended)) return false;
  return history.has((each) => isUsedTwice(each, history.before(each)));
}

const changedMind = 'The person has changed their mind';

const isWithdrawnCall = (entry: Entry) => isRefusedCall(entry, changedMind);

const isWithdrawnRefresh = (entry: Entry) => isRefresh(entry) && isRefusedGrant(entry, changedMind);

/** What came since the person was last let in. */
function sinceLetIn(history: History): Entry[] {
  const given = history.last(isExchanged);
  return given ? history.since(given) : history.all(() => true);
}

/** Explains a try after the refusal that was final. One call and one refresh may come in either order. */
function triedOn(entry: Entry, history: History): Verdict {
  const isCall = isWithdrawnCall(entry);
  if (!isCall && !isWithdrawnRefresh(entry)) return false;
  const since = sinceLetIn(history);
  if (!since.some(isWithdrawnRefresh) || (isCall && !since.some(isWithdrawnCall))) return false;
  const beginAgain =
    'You tried on after the refresh was refused. The person has said no, and asking again does not change that. Begin again: let the person in, and have them change their mind once more.';
  return { beginAgain };
}

function letInAfterNo(entry: Entry, history: History): Verdict {
  if (!isExchanged(entry)) return triedOn(entry, history);
  const since = sinceLetIn(history);
  if (since.some((each) => triedOn(each, history.before(each)) !== false)) return false;
  const [call, refresh] = [since.some(isWithdrawnCall), since.some(isWithdrawnRefresh)];
  if (call === refresh) return call;
  return `Before that, a ${call ? 'refresh' : 'call'} has to be refused, too. Have the person withdraw this consent as well.`;
}

const stillHolds = (history: History) =>
  history.has(({ drills }) => drills.includes('consent-withdrawn'))
    ? 'This consent still holds. The drill withdraws it only afterMinutes later by your clock, two if you named none: let them pass.'
    : 'This consent still holds: the call was done. Have the person withdraw it first.';

/** The first refusal of its kind, or one before the one that is final. */
const isFirst = (isRefusal: (entry: Entry) => boolean) => (entry: Entry, history: History) =>
  isRefusal(entry) && triedOn(entry, history) === false;

const isActive = (entry: Entry) =>
  entry.call === introspect && entry.status === 200 && jsonOf(entry.answer)?.active === true;

function revoked(entry: Entry): Verdict {
  if (entry.hasRevoked) return true;
  if (entry.problem === 'unsupported-token-type')
    return 'This is a token of your client itself, which can’t be revoked. Revoke one that a person let you have.';
  return (
    entry.call === revoke &&
    entry.status === 200 &&
    'This was no token that you got, or not the whole of one. The endpoint answers 200 either way.'
  );
}

/** Tells whether a token that was asked about came of the consent of a call. Of a refresh token the log has the person alone. */
const isAskedOf = (asked: Entry, call: Entry) =>
  consentOf(asked) ? isSameConsent(asked, call) : jsonOf(asked.answer)?.sub === call.token?.sub;

function holdsForPerson(entry: Entry): Verdict {
  if (entry.call !== introspect || entry.status !== 200) return false;
  if (!isActive(entry)) return 'This token does not hold, or is none of yours. Ask for one that a person let you have.';
  return typeof jsonOf(entry.answer).username === 'string' || 'This is a token of your client itself, for no person.';
}

function refusedAfter(entry: Entry, history: History): Verdict {
  const revocation = history.last(({ hasRevoked }) => hasRevoked);
  if (isRefusedCall(entry, changedMind))
    return 'This consent was withdrawn by its person. Here the app is to end it: revoke a token of it.';
  if (!revocation) return false;
  if (isDone(entry))
    return 'This token still holds: you revoked another one, or none of yours. The endpoint answers 200 either way.';
  if (!isRefusedCall(entry, 'A token of this consent was revoked')) return false;
  const asked = history.before(revocation).has((each) => holdsForPerson(each) === true && isAskedOf(each, entry));
  return asked || 'The token has ended, but before that you did not ask whether it held. Do both with another one.';
}

const flow =
  '`STATE=$RANDOM$RANDOM; VERIFIER=$(openssl rand -hex 32); CHALLENGE=$(printf %s $VERIFIER | openssl dgst -sha256 -binary | base64 | tr "+/" "-_" | tr -d "=")`';

export const people: LessonTopic = {
  id: 'people',
  title: 'People',
  lessons: explained([
    {
      id: 'let-somebody-in',
      title: 'Let somebody in',
      level: 2,
      goal: 'Register `http://127.0.0.1/callback` as your redirect URI, and send one of your people to `GET /insurer/v1/auth/authorize`, with PKCE and a `state`. Sign in for them and allow everything. Exchange the code within a minute, and list their policies with the token that you get.',
      why: 'With the credentials of an app you see what the app may see; what belongs to a customer, the customer has to let you have.',
      hints: [
        'Your people and their passwords are at GET /range/v1/me/people. You need no server for the callback: the code is in the address that the browser shows at last.',
        `In bash: ${flow}. Open /insurer/v1/auth/authorize in a browser, with \`response_type=code\`, \`client_id\`, \`redirect_uri\`, \`state\`, \`code_challenge\` and \`code_challenge_method=S256\`.`,
        '`curl $ROOT/insurer/v1/auth/token -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=authorization_code -d "code=$CODE" -d redirect_uri=http://127.0.0.1/callback -d "code_verifier=$VERIFIER"`, where `CODE` is the code of the redirect, and `VERIFIER` what the challenge was made of.',
      ],
      sections: ['RFC 6749, section 4.1', 'RFC 7636', 'Token response', 'The range'],
      buildsOn: ['token-by-form'],
      remember:
        'The browser brings a code, and the app exchanges it for a token of the person. The password stays at the service.',
      without:
        'The app asks people for their passwords. It can then do all that they can, and nobody can take that back from this app alone.',
      shortestWay: 5,
      way: [...pages, listPolicies],
      steps: [
        { title: 'Send a person to the authorization endpoint', judge: (entry) => isAsked(entry) || notAsked(entry) },
        {
          title: 'Get them back with a code',
          judge: (entry) =>
            isLetIn(entry) ||
            (redirectOf(entry)?.get('error') === 'access_denied' &&
              'The person did not let your app in, so there is no code. Send them there again, and allow everything.'),
        },
        { title: 'Exchange the code for a token', judge: exchanged },
        {
          title: 'List their policies with this token',
          judge(entry, history) {
            if (entry.call !== listPolicies || entry.status !== 200 || !history.has(isExchanged)) return false;
            return history.has((each) => isExchanged(each) && isSameConsent(each, entry)) || ofClient;
          },
        },
      ],
    },
    {
      id: 'state-not-yours',
      title: 'The state that was not yours',
      level: 3,
      goal: 'Start the drill `forged-callback`, and let a person in. The redirect that comes has a code of somebody else and a `state` that you never sent. Throw it away and do not exchange the code. End the drill, send the person there anew with a new `state`, and exchange the code that comes then.',
      why: 'Whoever exchanges every code that comes signs their user in to the account of an attacker, and the user then leaves data there.',
      hints: [
        'Keep the state that you send in the session of the browser. What comes back must be the same, else nothing of the redirect is to be trusted.',
        '`curl $ROOT/range/v1/me/drills -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d \'{"name":"forged-callback"}\'` starts it, and `curl -X DELETE $ROOT/range/v1/me/drills/forged-callback -H "Authorization: Bearer $TOKEN"` ends it.',
        'After the forged redirect begin with a request of its own: new state, new verifier. The token endpoint must not see the forged code at all.',
      ],
      sections: ['RFC 6749, section 10.12', 'RFC 9700, section 4.7', 'The range'],
      buildsOn: ['let-somebody-in'],
      remember: 'Keep the `state` that you sent with the session. Throw away every redirect that brings another one.',
      without:
        'A link in an e-mail signs your user in to the account of the sender. What the user enters from then on, the sender reads.',
      shortestWay: 7,
      way: pages,
      steps: [
        {
          title: 'Get a redirect with a state that you never sent',
          judge: (entry) =>
            isForged(entry) ||
            (isLetIn(entry) &&
              'This redirect is yours: its state is the one that you sent. Start the drill forged-callback first.'),
        },
        {
          title: 'Throw its code away, and send the person there anew',
          judge: (entry, history) => askedAnew(entry, history) || whenForged(entry),
        },
        {
          title: 'Exchange the code of your own redirect',
          judge: (entry, history) => exchangedOwn(entry, history) || whenForged(entry),
        },
      ],
    },
    {
      id: 'verifier-fits',
      title: 'A verifier that fits',
      level: 2,
      goal: 'Let a person in, and be the thief of their code: exchange it with a `code_verifier` that you made up, and read the refusal. Then be the app again, and exchange the same code with the verifier whose challenge you sent. You have a minute.',
      why: 'A code passes through the browser, its history and its extensions; without the verifier it is worth nothing to whoever finds it there.',
      hints: [
        'The challenge goes along with the browser, where all can see it. The verifier stays in the app until the exchange.',
        'The challenge is the SHA-256 of the verifier in base64url, without = at its end. It can’t be turned back.',
        `${flow} makes one pair. Send the \`VERIFIER\` of another one first, and then that of the request, both with the same code.`,
      ],
      sections: ['RFC 7636', 'RFC 9700, section 4.5'],
      buildsOn: ['let-somebody-in'],
      remember:
        'Make a new verifier for each request, and send its SHA-256 as the challenge. The verifier itself is sent only with the code.',
      without: 'Another app on the phone is called in place of yours and gets the code. It exchanges it, and is in.',
      shortestWay: 5,
      way: pages,
      steps: [
        {
          title: 'Have a code refused for its verifier',
          judge(entry, history) {
            if (isWrongVerifier(entry)) return true;
            if (isExchanged(entry) && !history.has(isWrongVerifier))
              return 'This verifier fits, so the code is used up. Get another one, and send a wrong verifier first.';
            const isMissing = isExchange(entry) && entry.problem === 'validation-error';
            if (isMissing)
              return 'Nobody compared a verifier: something is missing in the exchange. Send all of it, with a verifier that you made up.';
            return notAsked(entry);
          },
        },
        { title: 'Exchange the same code with the verifier that fits', judge: sameCode },
      ],
    },
    {
      id: 'ask-for-less',
      title: 'Ask for less',
      level: 2,
      goal: 'Ask a person for `policies:read` and `claims:read` alone. On the page, take away the tick of `claims:read`, and allow the rest. The answer to the exchange says in `scope` what was allowed. List the policies with the token, and make no call that was not allowed.',
      why: 'People refuse an app that asks for everything, and one that takes no notice of what they allowed fails at its first call.',
      hints: [
        'The scopes stand in the authorization request, as one parameter. Without it you ask for all.',
        '`scope=policies:read%20claims:read` in the query is the two of them. The page has a box for each.',
        'Compare `scope` of the answer with what you asked for. To list claims with this token would be 403, and the attempt would be over.',
      ],
      sections: ['RFC 6749, section 3.3', 'Authentication, 3', 'Authentication, 6'],
      buildsOn: ['let-somebody-in', 'scope-needed'],
      remember: 'Ask for the scopes that you need now. Look in the answer which of them you got.',
      without:
        'The page lists ten permissions, and half of the users leave there. The others untick some, and the app stops with a 403 that nobody expected.',
      shortestWay: 5,
      way: [...pages, listPolicies],
      steps: [
        { title: 'Ask for policies:read and claims:read alone', judge: asksForTwo },
        { title: 'Get a token for policies:read, since no more was allowed', judge: allowedLess },
        { title: 'List the policies, and call nothing that was not allowed', judge: usedLess },
      ],
    },
    {
      id: 'token-renews-itself',
      title: 'A token that renews itself',
      level: 2,
      goal: 'Let a person in, and move your clock by PT61M. A call with the token of the person is now 401: exchange your refresh token for a new one, and make the same call again. Nobody has to sign in for it.',
      why: 'The person lets the app in once, and it works for weeks, though no token holds for longer than an hour.',
      hints: [
        'The exchange of the code brought two tokens: one to call with, and one to get the next.',
        'Your own token has expired by then, too. To get a new one for the client is a request of its own.',
        '`curl $ROOT/insurer/v1/auth/token -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=refresh_token -d "refresh_token=$REFRESH"`, where `REFRESH` is the refresh token of your last answer. The answer has the next one: keep that.',
      ],
      sections: ['RFC 6749, section 6', 'Authentication, 1', 'Limits, Token lifetime'],
      buildsOn: ['let-somebody-in', 'token-expired'],
      remember:
        'With the refresh token you get the next access token, without the person. Store the new refresh token of each answer.',
      without:
        'Every hour the users have to sign in again. Or the app keeps using the first refresh token, and is out on the second day.',
      shortestWay: 7,
      way: [...pages, listPolicies, `${listPolicies} 401`],
      steps: [
        { title: 'Make a call for a person with a token that has expired', judge: refusedAsExpired },
        { title: 'Exchange the refresh token', judge: refreshedAfter },
        { title: 'Make the same call again', judge: calledAgain },
      ],
    },
    {
      id: 'refresh-token-twice',
      title: 'The refresh token that was used twice',
      level: 3,
      goal: 'Refresh the token of a person, and then send the old refresh token once more, as a thief would, or a second worker of your own. See in a call that the access token has ended with it. Then let the person in again.',
      why: 'Of two who use the same refresh token one has stolen it, and the server can’t tell which: so it ends everything, and two workers without a lock do that to themselves.',
      hints: [
        'Each refresh token holds once. The answer has the one that takes its place.',
        'Keep the first refresh token in a variable of its own. Send it, and then send it again.',
        'The second answer is 400 `invalid_grant`. After it call `GET /policies` with the access token of the first refresh: 401. Only the person can help, at the authorization endpoint.',
      ],
      sections: ['RFC 9700, section 4.14', 'RFC 6749, section 6'],
      buildsOn: ['token-renews-itself'],
      remember: 'A refresh token holds once. Let one worker refresh at a time, and the others wait for what it gets.',
      without:
        'Two workers refresh in the same second. Now and then a customer is signed out, always the most active ones, and nobody can repeat it.',
      shortestWay: 11,
      way: [...pages, listPolicies, `${listPolicies} 401`],
      steps: [
        { title: 'Refresh the token of a person', judge: isRefreshed },
        { title: 'Send the refresh token of before once more', judge: refusedAsUsed },
        { title: 'See that the access token has ended, too', judge: hasEndedToo },
        { title: 'Let the person in again', judge: letInAfterReuse },
      ],
    },
    {
      id: 'they-changed-their-mind',
      title: 'They changed their mind',
      level: 3,
      goal: 'Let a person in, and have them withdraw the consent: by the drill `consent-withdrawn`, or by `DELETE /range/v1/me/consents/{consentId}`. Make a call with the token, which is refused, and refresh, which is refused, too. That is final: try no more, and let the person in again.',
      why: 'A consent can end at any moment, and an app that takes this for an outage asks on for days, against the will of its user.',
      hints: [
        '401 alone may mean that the token has expired. It is the refresh that tells: `invalid_grant` is the end.',
        '`curl $ROOT/range/v1/me/consents -H "Authorization: Bearer $TOKEN"` lists what people let you do. One of them ends by DELETE.',
        'One call, one refresh, and then the authorization endpoint. A second refresh would begin the lesson again.',
      ],
      sections: ['RFC 6749, section 5.2', 'Authentication, 2', 'The range'],
      buildsOn: ['token-renews-itself'],
      remember:
        '`invalid_grant` at a refresh is final. Delete the tokens, and ask the person when they are there again.',
      without:
        'A job tries the same dead token every minute for months. Its errors hide the others, and the partner counts them as an attack.',
      shortestWay: 10,
      way: [...pages, listPolicies, `${listPolicies} 401`],
      steps: [
        {
          title: 'Have a call refused because its person changed their mind',
          judge: (entry, history) => isFirst(isWithdrawnCall)(entry, history) || (isDone(entry) && stillHolds(history)),
        },
        { title: 'Have the refresh refused, too', judge: isFirst(isWithdrawnRefresh) },
        { title: 'Try no more, and let the person in again', judge: letInAfterNo },
      ],
    },
    {
      id: 'log-out-for-real',
      title: 'Log out for real',
      level: 2,
      goal: 'Let a person in, and ask the service with `POST /insurer/v1/auth/introspect` whether your token for them holds. Then log them out: revoke the token with `POST /insurer/v1/auth/revoke`, and see that a call with it is refused.',
      why: 'An app that only forgets its tokens has logged nobody out: whoever copied one goes on with it.',
      hints: [
        'Both endpoints take your credentials like the token endpoint, and the token as `token`.',
        'Either token will do: with one of them, all that came of the same consent ends.',
        '`curl $ROOT/insurer/v1/auth/revoke -u "$CLIENT_ID:$CLIENT_SECRET" -d "token=$REFRESH"`, where `REFRESH` is the refresh token of the person. After it, a call with the access token is 401.',
      ],
      sections: ['RFC 7009', 'RFC 7662'],
      buildsOn: ['let-somebody-in'],
      remember: 'To log out, revoke the token at the service, and then forget it. 200 does not say that there was one.',
      without: 'A user loses a phone and presses “log out everywhere”. The tokens on it hold for another month.',
      shortestWay: 7,
      way: [...pages, introspect, revoke, listPolicies, `${listPolicies} 401`],
      steps: [
        { title: 'Ask whether a token for a person holds', judge: holdsForPerson },
        { title: 'Revoke it', judge: revoked },
        { title: 'See that a call with it is refused', judge: refusedAfter },
      ],
    },
  ]),
};
