import { excerpt } from '../../../text/excerpt.ts';
import {
  createPolicy,
  introspect,
  listOptions,
  listPolicies,
  lookUpByRest,
  lookUpBySoap,
  newClient,
  newToken,
  ping,
  readKeys,
  readMe,
  readWsdl,
  revoke,
  signedCheck,
} from '../calls.ts';
import { type Entry, isSameCall, jsonOf, type Message, methodOf, shownPath } from '../entry.ts';
import type { History } from '../history.ts';
import type { LessonTopic, Verdict } from '../lesson.ts';

/*
 * What a token may do, and for how long.
 */

const narrow = 'policies:read';
const tooMuch = 'policies:admin';

/** What a refusal names as the scope that there is not. */
const refusedIn = (answer: Message): string =>
  /^The scope (.*?) does not exist/s.exec(jsonOf(answer)?.detail)?.[1] ?? '';

const scopesOf = (text = '') => text.split(' ');

/** The scopes that a refusal names as those it needs. */
const neededBy = ({ answer }: Entry) => scopesOf(/scope="([^"]*)"/.exec(answer.headers['www-authenticate'] ?? '')?.[1]);

const isRefusedCreate = ({ call, problem }: Entry) => call === createPolicy && problem === 'insufficient-scope';

const lacksScope = (entry: Entry) => isRefusedCreate(entry) && entry.token?.scope === narrow;

const isNewToken = ({ call, status }: Entry) => call === newToken && status === 200;

/** Whether a token has just the scopes for a call that was refused: those of the token that it was refused with, and what it needs. */
function fits(token: Entry['token'], refused: Entry): Verdict {
  const scopes = scopesOf(token?.scope);
  const needed = neededBy(refused);
  if (!needed.every((scope) => scopes.includes(scope)))
    return 'Your new token does not have the scope that is missing. The header WWW-Authenticate of the refusal names it.';
  const enough = [...scopesOf(refused.token?.scope), ...needed];
  if (scopes.every((scope) => enough.includes(scope))) return true;
  return 'The new token has more scopes than the call needs. Ask for the one that WWW-Authenticate names.';
}

/** Explains a call that was to be refused for its scope, and was not. */
function notRefused(entry: Entry, history: History): Verdict {
  const { call, status, problem, token } = entry;
  if (isNewToken(entry) && token?.scope !== narrow && !history.has(lacksScope))
    return `This token is not for ${narrow} alone. Ask for that scope, and for no other.`;
  if (isRefusedCreate(entry))
    return `The scope was missing, as it should be, but this token is not for ${narrow} alone. Try with one that is.`;
  if (problem === 'insufficient-scope' && token?.scope === narrow && /^(?:POST|PUT) \//.test(call))
    return 'The scope was missing, as it should be, but this was another call. Create a policy with this token.';
  if (call !== createPolicy || status !== 201 || history.has(lacksScope)) return false;
  return token?.scope === 'policies:write'
    ? `No call was refused yet. First try with a token for ${narrow} alone.`
    : `This token may create policies. Use one for ${narrow} alone.`;
}

/** Judges a token that was got after the refusal. */
function rightToken(entry: Entry, history: History): Verdict {
  const refused = entry.call === newToken && history.last(lacksScope);
  if (!refused) return false;
  const isRefused = entry.status >= 400 && entry.status < 500;
  if (isRefused) return 'You got no token: this request was refused. The answer says why.';
  return isNewToken(entry) && fits(entry.token, refused);
}

/** Judges a second try to create the policy, by the refusal before its token was got. */
function secondTry(entry: Entry, history: History): Verdict {
  if (entry.call !== createPolicy || !history.has(lacksScope)) return false;
  const isCreated = entry.status === 201;
  const isOtherwiseRefused = [400, 409, 415, 422].includes(entry.status);
  if (!isCreated && !isRefusedCreate(entry) && !isOtherwiseRefused) return false;
  const [known] = history.all(({ token }) => token?.jti === entry.token?.jti);
  const refused = (known ? history.before(known) : history).last(lacksScope);
  const verdict = !isRefusedCreate(entry) && refused && fits(entry.token, refused);
  if (isOtherwiseRefused)
    return verdict === true && 'The scope is right, but the call was refused for something else. The answer says what.';
  if (verdict === true) return true;
  if (history.has((each) => rightToken(each, history.before(each)) === true))
    return 'You have the right token already. Send that one.';
  if (!isCreated) return 'The call was refused once more: this token does not have the missing scope either.';
  return verdict || 'You had this token before the refusal. Get a new one, with the scope that the refusal names.';
}

/** Seconds by which a clock is moved to see a token expire. */
const aboutAnHour = { from: 55 * 60, to: 3 * 60 * 60 };

/** Explains a new token that was got after the clock was moved, before a call was refused. */
function tooEarly(entry: Entry, history: History): Verdict {
  const before = isNewToken(entry) && history.last(isNewToken);
  if (!before) return false;
  const passed = (entry.token?.iat ?? 0) - (before.token?.iat ?? 0);
  const moved = passed - (entry.at - before.at) / 1000;
  if (moved < aboutAnHour.from || moved > aboutAnHour.to || history.since(before).some(hasExpired)) return false;
  return 'You got the new token too early: no call has been refused yet. Calls to /range do not count: first make one to the insurer or the claims system with a token that has expired.';
}

const hasExpired = ({ answer }: Entry) => answer.headers['www-authenticate']?.includes('The token expired at') ?? false;

/** Tells whether a token was refused as expired before, and a new one was got since. */
function isOldToken({ token }: Entry, history: History): boolean {
  const refused = history.last((each) => hasExpired(each) && each.token?.jti === token?.jti);
  return refused !== undefined && history.since(refused).some(isNewToken);
}

/** Nobody looks at a token that is sent there. */
const openToAll = [listOptions, ping, signedCheck, readWsdl, lookUpBySoap, lookUpByRest];

/** Nor there, where it is known who calls. */
const asksForClient = [newClient, newToken, revoke, introspect];

/** Explains a call whose token had not expired, or was not looked at. */
function stillValid(entry: Entry): string | false {
  if (openToAll.includes(entry.call)) return 'Nobody looks at the token of this call. Make another one.';
  return isDone(entry) && entry.status < 400 && 'The token of this call was accepted: it has not expired.';
}

/** A call whose token was accepted, whatever came of it. */
const isDone = ({ token, call, status }: Entry) =>
  token !== undefined &&
  ![...openToAll, ...asksForClient].includes(call) &&
  status < 500 &&
  ![401, 403, 429].includes(status);

const ofRange = 'Calls to /range do not count here. Make one to the insurer or the claims system.';

/** Method, path and query. */
const shown = (entry: Entry) => `${methodOf(entry)} ${shownPath(entry.path + entry.search)}`;

const isOfOtherKey = (entry: Entry) => isNewToken(entry) && entry.drills.includes('rotate-key');

/** The log has the keys only while the other one is among them. */
const hasReadKeys = ({ call, status }: Entry) => call === readKeys && status === 200;

/** A call with a token of the other key, by somebody who read the keys once there was one. */
function calledWithOtherKey(entry: Entry, history: History): Verdict {
  const got = history.last(isOfOtherKey);
  if (isNewToken(entry) && !isOfOtherKey(entry))
    return 'This token names the usual kid: the drill is not on, or only publishes its key as yet. Start it with `publishedFor` 0, and get another token.';
  if (hasReadKeys(entry))
    return got === undefined && 'You read the keys before you had a token that names the other kid. Get one first.';
  if (got === undefined || entry.token === undefined || isNewToken(entry) || !isDone(entry)) return false;
  if (entry.tokenKey !== got.tokenKey)
    return 'This call had a token of the usual key. Send the one that names the other kid.';
  const since = history.since(history.all(isOfOtherKey).find(({ tokenKey }) => tokenKey === got.tokenKey) ?? got);
  if (since.some(hasReadKeys)) return true;
  return 'The call was accepted, but since you got this token your own view of the keys was not read. The plain one does not have this key.';
}

const isBoundToken = (entry: Entry) => isNewToken(entry) && entry.token?.isBound === true;

/** A call that was refused since the certificate of its token was not there. */
const lacksCertificate = ({ problem, token, answer }: Entry) =>
  problem === 'invalid-token' &&
  token?.isBound === true &&
  answer.text.includes('The token is bound to a client certificate');

const isOfSameToken = (one: Entry, other: Entry) => one.token?.jti === other.token?.jti;

function gotBound(entry: Entry, history: History): Verdict {
  if (isBoundToken(entry)) return true;
  if (!isNewToken(entry) || history.has(isBoundToken)) return false;
  return 'This token is bound to nothing: the service saw no certificate, or one that it does not accept. What it saw of yours, POST /insurer/v1/signed/policy-check tells.';
}

/** A call that was refused since the certificate was not there, or was to be. */
function refusedForCertificate(entry: Entry, history: History): Verdict {
  if (!lacksCertificate(entry)) return notRefusedForCertificate(entry, history);
  if (history.has((each) => isBoundToken(each) && isOfSameToken(each, entry))) return true;
  return 'This is the right refusal, but you got the token of this call before you began. Get a new one, with your certificate.';
}

const ofNoCertificate =
  'The token of this call is bound to nothing, so whoever has it can use it. Send the one that you got with your certificate.';

function notRefusedForCertificate(entry: Entry, history: History): string | false {
  if (!entry.token || !history.has(isBoundToken)) return false;
  if (openToAll.includes(entry.call)) return 'Nobody looks at the token of this call. Make another one.';
  if (!isDone(entry)) return false;
  if (!entry.token.isBound) return ofNoCertificate;
  if (history.has(lacksCertificate)) return false;
  return 'This call was accepted, since it came with your certificate. Leave the certificate out first, as a thief of the token has to.';
}

/** The call that was refused, with what it lacked. */
function cameWithCertificate(entry: Entry, history: History): Verdict {
  const refused = history.last((each) => refusedForCertificate(each, history.before(each)) === true);
  if (!refused || !entry.token) return false;
  if (lacksCertificate(entry))
    return 'The certificate of the token was not there this time either. The answer says what came with the call.';
  if (entry.problem === 'insufficient-scope' && isOfSameToken(entry, refused))
    return 'The certificate is the right one, but the token lacks the scope for this call. Begin with a token that has it.';
  if (!isDone(entry)) return false;
  if (!entry.token.isBound) return ofNoCertificate;
  if (!isOfSameToken(entry, refused))
    return 'This is another token than the one that was refused. With its certificate, that one still holds.';
  const isSame = history.has((each) => lacksCertificate(each) && isOfSameToken(each, entry) && isSameCall(each, entry));
  return isSame || `You made ${shown(entry)}, but what had been refused is ${shown(refused)}: make that one again.`;
}

function isTooMuch(entry: Entry): Verdict {
  const { call, search, status, problem, sent, answer } = entry;
  const refused = problem === 'invalid-scope' ? refusedIn(answer) : '';
  if (refused === tooMuch) return true;
  if (refused.split(/[^\w:]/).includes(tooMuch)) {
    return refused.includes(',')
      ? 'The comma made one scope of what you sent. The answer says how several are written.'
      : `What was refused is ${tooMuch} with something around it. Send the name alone.`;
  }
  if (problem === 'invalid-scope')
    return `The scope that was refused is “${excerpt(refusedIn(answer))}”. Ask for ${tooMuch}.`;
  const isMeant = /admin/i.test(sent.text + search);
  if (isNewToken(entry) && !isMeant) return `You got a token, since you did not ask for ${tooMuch}.`;
  if (call !== newToken || !isMeant) return false;
  if (status === 401) return 'The credentials were refused first, so nobody looked at the scope.';
  if (status === 200)
    return 'You got a token: the service saw no scope in the body. See where it belongs, and its name.';
  if (status !== 400) return false;
  return 'The answer is about the form of the request, not about the scope. Read what is wrong with it.';
}

export const access: LessonTopic = {
  id: 'access',
  title: 'Scopes and lifetimes',
  lessons: [
    {
      id: 'scope-needed',
      title: 'Known, but not allowed',
      level: 2,
      goal: 'With a token that has only the scope `policies:read`, try to create a policy. The refusal names the scope that is missing: get a new token with this scope, and with `policies:read` if you like, but with no other. Then make the call again.',
      why: 'If a token can do only what its program needs, a thief can do little with it.',
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
      remember:
        '403 means: known, but not allowed. Ask for a token with the scope that the refusal names, and no other.',
      without:
        'To be quick, the program asks for all scopes. Whoever finds its token in a log can now cancel policies, not only read them.',
      shortestWay: 4,
      way: [createPolicy, `${createPolicy} 403`],
      steps: [
        {
          title: 'Try to create a policy with a token for policies:read alone',
          judge: (entry, history) => lacksScope(entry) || notRefused(entry, history),
        },
        { title: 'Get a new token with the scope that is missing', judge: rightToken },
        { title: 'Create the policy with the new token', judge: secondTry },
      ],
    },
    {
      id: 'scope-refused',
      title: 'Asking for too much',
      level: 1,
      goal: 'Ask for a token with the scope `policies:admin`, which nobody can have, and read what the refusal says.',
      why: 'If a token endpoint gave you less than you asked for and did not say so, you would get a 403 much later, far from its cause.',
      hints: [
        'It is a token request with the right credentials and a scope that does not exist.',
        '`POST /auth/token` takes the member scope beside client_id and client_secret.',
        '`curl -i $ROOT/insurer/v1/auth/token -d grant_type=client_credentials -d client_id=$CLIENT_ID -d client_secret=$CLIENT_SECRET -d "scope=policies:read policies:admin"`. The status is 400, and you get no token at all.',
      ],
      sections: ['Authentication, 3', 'Authentication, 4', 'Endpoints, 3'],
      buildsOn: ['token-by-json'],
      remember:
        'An unknown scope is refused with 400, and you get no token. Take the names of the scopes from the description.',
      without:
        'A typing error in a setting stops the program at its start. People change the secret, though the message names the scope.',
      shortestWay: 1,
      needsNoToken: true,
      steps: [{ title: 'Ask for a token with the scope policies:admin', judge: isTooMuch }],
    },
    {
      id: 'token-expired',
      title: 'The token expires, the call is not lost',
      level: 2,
      goal: 'Make a call to the insurer or the claims system with a token that has expired, and read in the 401 that it has expired. Get a new token, and make the same call again with it. You can move your clock at L-Plate ahead, so you need not wait for an hour.',
      why: 'The token of a long-running program expires every hour, and the order that it is sending then must not be lost.',
      hints: [
        'The range moves your clock: `POST /range/v1/me/clock`. The range is described at /docs, too.',
        'A token is valid for 60 minutes. Move the clock by PT61M, call `GET /policies` with the old token, get a new one, call again.',
        '`curl $ROOT/range/v1/me/clock -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d \'{"advance":"PT61M"}\'`. After it, `curl -i $ROOT/insurer/v1/policies -H "Authorization: Bearer $TOKEN"` is 401. Get a new token and send it again.',
      ],
      sections: ['Authentication, 1', 'Authentication, 2', 'Limits, Token lifetime', 'Token response'],
      buildsOn: ['token-decoded'],
      remember:
        'When a token has expired, get a new one and repeat the same call once. Keep the call until it is done.',
      without:
        'The program works in each short test. At night, after an hour, it fails, and the order that it was sending is lost.',
      shortestWay: 3,
      way: [listOptions, listPolicies, `${listPolicies} 401`],
      unlogged: { [readMe]: ofRange },
      steps: [
        {
          title: 'Make a call with a token that has expired',
          judge: (entry, history) => hasExpired(entry) || tooEarly(entry, history) || stillValid(entry),
        },
        { title: 'Get a new token', judge: (entry, history) => isNewToken(entry) && history.has(hasExpired) },
        {
          title: 'Make the same call again',
          judge(entry, history) {
            const refused = history.last(hasExpired);
            if (!refused) return false;
            if (hasExpired(entry))
              return isOldToken(entry, history) && 'You sent the old token again. Send the new one.';
            const isSame = history.has((each) => hasExpired(each) && isSameCall(each, entry));
            if (isSame && entry.problem === 'insufficient-scope')
              return 'The new token lacks the scope for this call. Get one with the scopes of the old one.';
            if (!isDone(entry)) return false;
            if (isSame) return true;
            return `You made ${shown(entry)}, but what had been refused is ${shown(refused)}: make that one again.`;
          },
        },
      ],
    },
    {
      id: 'unknown-key',
      title: 'An unknown key',
      level: 3,
      goal: 'Start the drill `rotate-key`, with `publishedFor` 0, and get a token: its `kid` is one that you have not seen. Find its key in your own view of the keys, which is at /for/, your `client_id` and `/.well-known/jwks.json`, and check the signature (L-Plate can’t see whether you did). Then make a call with that token.',
      why: 'Whoever keeps the keys and never gets them again refuses every token on the day when the key is replaced.',
      hints: [
        'A program that checks tokens keeps the keys. When does it have to get them again?',
        'The metadata below /for/ and your client_id name the address of the keys as well: jwks_uri. Read them after you have the token.',
        '`curl $ROOT/range/v1/me/drills -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d \'{"name":"rotate-key","parameters":{"publishedFor":0}}\'`, a new token, `curl $ROOT/for/$CLIENT_ID/.well-known/jwks.json`, and then any call with the token.',
      ],
      sections: ['Authentication, 1', 'The range'],
      buildsOn: ['token-key'],
      remember: 'Keep the keys of a service. Get them again when a token names a `kid` that you do not know.',
      without:
        'The service replaces its key, as it said it would. Your gateway refuses everybody until somebody restarts it.',
      shortestWay: 3,
      way: [readKeys, listPolicies],
      unlogged: {
        [readMe]: ofRange,
        [readKeys]: 'These are the keys that all see. In your own view the path begins with /for/ and your client_id.',
      },
      steps: [
        { title: 'Get a token that is signed with the other key', judge: isOfOtherKey },
        {
          title: 'Read your own view of the keys',
          judge: (entry, history) => hasReadKeys(entry) && history.has(isOfOtherKey),
        },
        { title: 'Make a call with this token', judge: calledWithOtherKey },
      ],
    },
    {
      id: 'mutual-tls',
      title: 'A token bound to a certificate',
      level: 3,
      goal: 'Get a token over a connection with your client certificate: its claim `cnf` names the certificate. Be the thief of this token, and call `GET /insurer/v1/policies` with it, but without the certificate: it is refused. Then make the same call as its owner, with both.',
      why: 'Whoever copies a bearer token can use it until it expires; one that is bound to a certificate is worth nothing without the private key.',
      hints: [
        'No header brings a certificate: the client presents it when the connection is made. To get one, see “Client certificates” in the guide “Operating L-Plate”, or ask your trainer.',
        'The token is bound if its second part has `cnf`. If it has none, ask POST /insurer/v1/signed/policy-check what the service sees of your certificate.',
        '`curl --cert client.pem --key client-key.pem $ROOT/insurer/v1/auth/token -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials` gets the token. Send it to `$ROOT/insurer/v1/policies`, first without `--cert` and `--key`, then with them.',
      ],
      sections: ['RFC 8705, section 3', 'Authentication, 1', 'Authentication, 2'],
      buildsOn: ['token-decoded'],
      remember:
        'A token with `cnf` holds only over a connection with its certificate. After a new certificate, get a new token.',
      without:
        'A token stands in the log of a proxy, and somebody reads it there. Until it expires nobody can tell their calls from yours.',
      shortestWay: 3,
      way: [listPolicies, `${listPolicies} 401`],
      needsCertificate: true,
      steps: [
        { title: 'Get a token with your certificate', judge: gotBound },
        { title: 'Have it refused without the certificate', judge: refusedForCertificate },
        { title: 'Make the same call with the certificate', judge: cameWithCertificate },
      ],
    },
  ],
};
