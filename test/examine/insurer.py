"""A small insurer, written from the descriptions alone: what `--examine` is tested with. It is no part of the service.

    python3 insurer.py PORT

Its data is in memory, and no call is limited but the probe. MUTANT=name breaks one rule: `mutants.json` says which stage
has to notice.
"""

import base64
import calendar
import datetime
import hashlib
import hmac
import json
import os
import re
import secrets
import sys
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlencode, urlsplit

import insurer_hooks
import insurer_imports
from insurer_registry import Registry

BASE, CLAIMS = '/insurer/v1', '/claims/v1'
HMAC_SECRET = os.environ.get('HMAC_SECRET', 'examination').encode()
TOKEN_KEY = secrets.token_bytes(32)
TOKEN_SECONDS = 3600
# In another order than the descriptions have: it does not count.
SCOPES = ['claims:write', 'claims:read', 'policies:write', 'policies:read']
MONTHS = {'MTPL-1M': 1, 'MTPL-3M': 3, 'MTPL-6M': 6, 'MTPL-12M': 12}
STATUSES = ['active', 'updated', 'cancelled', 'expired']
CLAIM_STATUSES = ['REGISTERED', 'UNDER_REVIEW', 'APPROVED', 'REJECTED', 'CLOSED']
# What JavaScript calls white space.
BLANKS = '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'

MUTANT = os.environ.get('MUTANT', '')


def mutant(name):
    """Whether this one rule is to be broken."""
    return MUTANT == name


def gap(name):
    """Lets other calls in between, if this rule is broken."""
    if mutant(name):
        STATE.lock.release()
        time.sleep(0.2)
        STATE.lock.acquire()


HOOKS = insurer_hooks.Hooks(mutant)


# ---- Problems


STATUS_OF = {
    'malformed-json': 400, 'validation-error': 400, 'invalid-scope': 400, 'missing-token': 401, 'invalid-token': 401,
    'invalid-client': 401, 'invalid-signature': 401, 'insufficient-scope': 403, 'not-found': 404,
    'policy-not-found': 404, 'claim-not-found': 404, 'vehicle-not-found': 404, 'import-not-found': 404,
    'method-not-allowed': 405, 'duplicate-policy': 409, 'policy-immutable': 409, 'precondition-failed': 412,
    'unsupported-media-type': 415, 'idempotency-key-reused': 422, 'rate-limit-exceeded': 429,
}
OAUTH = {'invalid-scope': 'invalid_scope', 'invalid-client': 'invalid_client'}
SIGNATURE_CHALLENGE = 'Signature realm="insurer", algorithm="hmac-sha256", headers="x-signature"'


class Problem(Exception):
    def __init__(self, name, detail, headers=None, errors=None, error=None):
        super().__init__(detail)
        self.name, self.detail, self.headers, self.errors, self.error = name, detail, headers or {}, errors, error


def invalid(*faults, error=None):
    """A request that breaks a rule. Each fault: a place, `/member`, `?parameter` or `Header`, and what is wrong."""
    def place(at):
        if at.startswith('?'):
            return {'parameter': at[1:]}
        return {'pointer': at} if at == '' or at.startswith('/') else {'header': at}
    errors = [{**place(at), 'detail': detail} for at, detail in faults]
    return Problem('validation-error', ' '.join(f'{at}: {detail}' for at, detail in faults), errors=errors, error=error)


def problem_body(problem):
    body = {'type': f'https://insurer.example/problems/{problem.name}',
            'title': problem.name.replace('-', ' ').capitalize(), 'status': STATUS_OF[problem.name], 'detail': problem.detail}
    return {**body, 'errors': problem.errors} if problem.errors else body


def challenge(more=''):
    return {'WWW-Authenticate': 'Bearer realm="insurer"' + more}


# ---- Time


def now():
    return time.time() + HOOKS.ahead


def instant(seconds=None):
    at = datetime.datetime.fromtimestamp(now() if seconds is None else seconds, datetime.timezone.utc)
    return at.strftime('%Y-%m-%dT%H:%M:%S.') + f'{at.microsecond // 1000:03d}Z'


def today():
    return datetime.datetime.fromtimestamp(now(), datetime.timezone.utc).date()


def after_months(day, months):
    """The same day so many months later; the last of the month where it has no such day."""
    month = day.year * 12 + day.month - 1 + months
    year, month = month // 12, month % 12 + 1
    return datetime.date(year, month, min(day.day, calendar.monthrange(year, month)[1]))


def last_day(start, code):
    months = 12 if mutant('term-always-a-year') else MONTHS[code]
    if mutant('end-a-day-late'):
        return after_months(start, months)
    # The day before, then the months: what began on the first ends with the last of a month.
    if start.day == 1:
        return after_months(start, months) - datetime.timedelta(days=1)
    end = after_months(start.replace(day=1), months)
    return end.replace(day=min(start.day - 1, calendar.monthrange(end.year, end.month)[1]))


# ---- What is kept


class State:
    def __init__(self):
        self.lock = threading.Lock()
        self.clients = {}  # id: secret
        self.policies = {}  # id: policy; in the order in which they were created
        self.insured = {}  # key of a vehicle: id of its policy in force
        self.claims = {}
        self.answers = {}  # (client, path, key): (what was asked, answer)
        self.pings = []


STATE = State()


# ---- Clients and tokens


def create_client(call):
    if mutant('one-client-for-all') and STATE.clients:
        client, secret = next(iter(STATE.clients.items()))
    else:
        client = f'demo-{secrets.token_hex(10)}'
        if mutant('race-clients'):
            client = f'demo-{len(STATE.clients):020d}'
        gap('race-clients')
        secret = STATE.clients[client] = secrets.token_urlsafe(24) + '+/=&%'
    body = {'client_id': client, 'client_secret': secret}
    if mutant('client-id-without-prefix'):
        STATE.clients[client[5:]] = secret
        body['client_id'] = client[5:]
    if mutant('secret-missing'):
        del body['client_secret']
    if mutant('secret-cut'):
        body['client_secret'] = secret[:-1]
    return (200 if mutant('client-200') else 201), body, {}


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b'=').decode()


def signed(head):
    return b64(hmac.new(TOKEN_KEY, head.encode(), hashlib.sha256).digest())


def create_token(call):
    sent, is_form = call.json_or_form()
    faults = [] if isinstance(sent, dict) else [('', 'must be a JSON object.')]
    if not faults:
        for name in ['client_id', 'client_secret']:
            if mutant('secret-type-free') and name == 'client_secret' and name in sent:
                sent[name] = str(sent[name])
            if not isinstance(sent.get(name), str):
                faults.append((f'/{name}', 'must be a string.'))
        if not isinstance(sent.get('scope', ''), str):
            faults.append(('/scope', 'must be a string.'))
        if is_form and 'grant_type' not in sent and not mutant('grant-type-optional'):
            faults.append(('/grant_type', 'is missing.'))
        elif sent.get('grant_type', 'client_credentials') != 'client_credentials':
            raise invalid(('/grant_type', 'must be client_credentials.'), error='unsupported_grant_type')
    if faults and not mutant('missing-secret-401'):
        raise invalid(*faults)
    client, secret = ('', '') if faults else (sent['client_id'], sent['client_secret'])
    known = STATE.clients.get(client)
    if known is None and mutant('unknown-client-404'):
        raise Problem('not-found', 'No such client.')
    is_right = hmac.compare_digest((known or '').encode(), secret.encode('utf-8', 'replace'))
    if known is None or not (is_right or mutant('secret-unchecked')):
        headers = {} if mutant('client-challenge-missing') else {'WWW-Authenticate': 'Basic realm="insurer"'}
        raise Problem('invalid-client', 'No client has this id and this secret.', headers)
    asked = sent.get('scope', '')
    names = asked.split()
    if mutant('blank-scope-refused') and asked == '' and 'scope' in sent:
        raise Problem('invalid-scope', 'The scope is empty.')
    unknown = [name for name in names if name not in SCOPES]
    if unknown and not mutant('unknown-scope-ignored'):
        raise Problem('invalid-scope', 'There is no such scope.')
    granted = ' '.join(scope for scope in SCOPES if not names or scope in names)
    if mutant('scope-ignored'):
        granted = ' '.join(SCOPES)
    issued = int(now())
    lifetime = 60 if mutant('token-expires-early') else TOKEN_SECONDS
    claims = {'sub': client, 'scope': granted, 'iat': issued, 'exp': issued + lifetime}
    if mutant('token-of-nobody'):
        del claims['sub']
    head = '.'.join(b64(json.dumps(part).encode()) for part in [{'alg': 'HS256', 'typ': 'at+jwt'}, claims])
    token = f'{head}.{signed(head)}'
    body = {'access_token': token, 'token_type': 'Bearer', 'expires_in': TOKEN_SECONDS, 'scope': granted}
    if mutant('lifetime-as-text'):
        body['expires_in'] = str(TOKEN_SECONDS)
    if mutant('token-type-lower'):
        body['token_type'] = 'bearer'
    return 200, body, {} if mutant('token-may-be-kept') else {'Cache-Control': 'no-store'}


def caller(authorization, needed):
    """The client of a call that needs this scope."""
    scheme, _, token = (authorization or '').partition(' ')
    if scheme.lower() != 'bearer' and not (mutant('any-scheme') and scheme):
        raise Problem('missing-token', 'Send Authorization: Bearer with a token.', challenge())
    head, _, signature = token.strip().rpartition('.')
    wrong = Problem('invalid-token', 'The token is not valid.', challenge(', error="invalid_token"'))
    try:
        claims = json.loads(base64.urlsafe_b64decode(head.split('.')[1] + '=='))
    except (ValueError, IndexError):
        raise wrong from None
    is_right = hmac.compare_digest(signature.encode(), signed(head).encode())
    if not (is_right or mutant('token-unverified')) or (claims['exp'] <= now() and not mutant('token-never-ends')):
        raise wrong
    has = claims['scope'].split()
    if mutant('write-means-read') and needed.replace(':read', ':write') in has:
        return claims['sub']
    if any(each not in has for each in needed.split()) and not mutant('scope-unchecked'):
        more = ', error="insufficient_scope"' + ('' if mutant('scope-not-named') else f', scope="{needed}"')
        name = 'invalid-token' if mutant('scope-401') else 'insufficient-scope'
        raise Problem(name, f'The token needs the scope {needed}.', challenge(more))
    return claims['sub']


# ---- Rules of a body


def vehicle_key(reg_number):
    key = reg_number if mutant('dashes-count') else reg_number.replace('-', '')
    return key if mutant('case-counts') else key.upper()


def reg_fault(value):
    longest = 41 if mutant('plate-of-41') else 39 if mutant('plate-of-39') else 40
    if isinstance(value, int) and mutant('plate-may-be-number'):
        return None
    if not isinstance(value, str):
        return 'must be a string.'
    if mutant('dashes-alone') and re.fullmatch('-+', value):
        return None
    if mutant('any-letters') and value.isprintable() and ' ' not in value and value.replace('-', ''):
        return None
    if len(value) > longest or not re.fullmatch('-*[A-Za-z0-9][A-Za-z0-9-]*', value):
        return '1 to 40 letters, digits and dashes, at least one letter or digit.'
    return None


def trim(body):
    if isinstance(body.get('holder'), str) and not mutant('holder-untrimmed'):
        body['holder'] = body['holder'].strip(BLANKS)


def holder_fault(value):
    if not isinstance(value, str):
        return 'must be a string.'
    if mutant('holder-may-be-blank') and value.strip() == '':
        return None
    if not 1 <= len(value) <= (1000 if mutant('holder-of-101') else 99 if mutant('holder-of-99') else 100):
        return 'must have 1 to 100 characters.'
    if re.search('[\x00-\x1f\x7f-\x9f]', value) and not mutant('holder-with-controls'):
        return 'must have no control characters.'
    return 'must have whole characters.' if re.search('[\ud800-\udfff]', value) else None


def day_of(value):
    """The day that a text names, or None."""
    if not isinstance(value, str) or not re.fullmatch(r'\d{4}-\d\d-\d\d', value, re.ASCII):
        return None
    try:
        return datetime.date.fromisoformat(value)
    except ValueError:
        return today() if mutant('february-30') else None


def draft_faults(body):
    faults = [('/regNumber', reg_fault(body.get('regNumber')))]
    if 'holder' in body:
        faults.append(('/holder', holder_fault(body['holder'])))
    code = body.get('coverageOption', 'MTPL-12M')
    if not (isinstance(code, str) and code in MONTHS) and not mutant('option-unchecked'):
        faults.append(('/coverageOption', f'must be one of {", ".join(MONTHS)}.'))
    if 'startDate' in body and day_of(body['startDate']) is None:
        faults.append(('/startDate', 'must be a day, YYYY-MM-DD.'))
    return [fault for fault in faults if fault[1]]


# ---- Policies


def shown(policy):
    body = {name: value for name, value in policy.items() if name not in ('client', 'version')}
    last = today() - datetime.timedelta(days=1 if mutant('expires-a-day-late') else -1 if mutant('expires-a-day-early') else 0)
    never = mutant('updated-never-expires') and policy['status'] == 'updated' or mutant('policies-never-expire')
    if policy['status'] in ('active', 'updated') and policy['endDate'] < last.isoformat() and not never:
        body['status'] = 'expired'
    if mutant('end-missing'):
        del body['endDate']
    if mutant('times-in-seconds'):
        body['createdAt'] = int(now())
    return body


def policy_tag(policy):
    version = 1 if mutant('tag-stays') else policy['version']
    if mutant('tag-of-every-read'):
        version = secrets.token_hex(4)
    status = policy['status'] if mutant('expired-same-tag') else shown(policy)['status']
    tag = f'"{policy["id"][-12:]}.{version}-{status}"'
    return tag.strip('"') if mutant('tag-without-quotes') else f'W/{tag}' if mutant('weak-tag') else tag


def with_tag(policy):
    return {} if mutant('tag-missing') else {'ETag': policy_tag(policy)}


def own_policy(client, policy_id, act='read'):
    policy = STATE.policies.get(policy_id)
    if mutant('newest-is-read') and policy and act == 'read':
        policy = [each for each in STATE.policies.values() if each['client'] == client][-1]
    others = policy is not None and policy['client'] != client
    if others and mutant('others-403'):
        raise Problem('insufficient-scope', 'It is another client’s.', challenge())
    if policy is None or (others and not mutant(f'{act}-of-others')):
        name = 'not-found' if mutant('policy-not-found-unnamed') else 'policy-not-found'
        raise Problem(name, f'You have no policy with the id {policy_id}.')
    return policy


def once(call, client, asked, create):
    """Carries out a creation, or gives its answer again to the Idempotency-Key of its request."""
    header = call.headers.get('Idempotency-Key')
    if header is None or mutant('key-ignored'):
        return create()
    quoted = re.fullmatch(r'"((?:[ !#-\[\]-~]|\\["\\])+)"', header)
    key = re.sub(r'\\(.)', r'\1', quoted[1]) if quoted else header
    is_key = quoted or re.fullmatch(r'[!#-+\--~]+', header) or (mutant('key-with-blank') and header)
    if not is_key or len(key) > (256 if mutant('key-of-256') else 255):
        raise invalid(('Idempotency-Key', 'must be 1 to 255 printable ASCII characters.'))
    if mutant('key-quotes-count'):
        key = header
    if mutant('key-without-case'):
        key = key.lower()
    place = ('' if mutant('key-of-all') else client, '' if mutant('key-of-all-paths') else call.path, key)
    kept_for = 48 * 3600 if mutant('key-kept-two-days') else 3600 if mutant('key-kept-an-hour') else 24 * 3600
    gap('race-replays')
    if mutant('race-replays') and place in STATE.answers and now() - STATE.answers[place][2] < 1:
        raise Problem('idempotency-key-reused', 'It is being carried out.')
    if place in STATE.answers and now() - STATE.answers[place][2] < kept_for:
        before, (status, body, headers), _ = STATE.answers[place]
        if before != asked and not mutant('key-body-free'):
            status = 'duplicate-policy' if mutant('key-reused-409') else 'idempotency-key-reused'
            raise Problem(status, 'This key belongs to another request.')
        if mutant('replay-of-today') and body.get('id') in STATE.policies:
            body = shown(STATE.policies[body['id']])
        if mutant('replay-200'):
            status = 200
        return status, body, headers if mutant('replay-unsaid') else {**headers, 'Idempotency-Replayed': 'true'}
    gap('race-keys')
    try:
        answer = create()
    except Problem:
        if mutant('refusal-keeps-key'):
            STATE.answers[place] = (None, None, now())
            asked = None
        raise
    STATE.answers[place] = (asked, answer, now())
    return answer


def new_policy(client, body, call):
    """Insures a vehicle by a body that keeps the rules."""
    start = day_of(body['startDate']) if 'startDate' in body and not mutant('start-always-today') else today()
    latest = after_months(today(), 12)
    if (start < today() and not mutant('start-in-the-past')) or (start > latest and not mutant('start-far-ahead')):
        raise invalid(('/startDate', f'must be from {today()} to {latest}.'))
    reg_number = str(body['regNumber'])
    key = vehicle_key(reg_number)
    other = STATE.insured.get(key)
    if other and shown(STATE.policies[other])['status'] == 'expired' and not mutant('expired-keeps-vehicle'):
        del STATE.insured[key]
    is_taken = key in STATE.insured and not mutant('duplicates')
    if is_taken and mutant('duplicates-of-others') and STATE.policies[other]['client'] != client:
        is_taken = False
    if is_taken and mutant('updated-is-free') and STATE.policies[other]['status'] == 'updated':
        is_taken = False
    if is_taken:
        raise invalid(('/regNumber', 'is insured.')) if mutant('duplicate-400') else Problem(
            'duplicate-policy', f'The vehicle {reg_number} already has a policy in force.')
    gap('race-creates')
    code = body.get('coverageOption', 'MTPL-12M')
    at = instant()
    policy = {
        'id': f'{"" if mutant("id-without-prefix") else "pol-"}{uuid.uuid4()}',
        'status': 'active',
        'regNumber': reg_number.upper() if mutant('plate-in-capitals') else reg_number,
        'holder': body.get('holder', '' if mutant('no-holder-is-empty') else None),
        'coverageOption': code,
        'startDate': start.isoformat(),
        'endDate': last_day(start, code if code in MONTHS else 'MTPL-12M').isoformat(),
        'createdAt': at,
        'updatedAt': at,
        'client': client,
        'version': 1,
    }
    if mutant('holder-in-ascii') and policy['holder']:
        policy['holder'] = policy['holder'].encode('ascii', 'replace').decode()
    others = dict(STATE.policies)
    gap('race-lost-policies')
    if mutant('race-lost-policies'):
        STATE.policies = others
    STATE.policies[policy['id']] = policy
    STATE.insured[key] = policy['id']
    headers = with_tag(policy)
    if call and not mutant('location-missing'):
        path = f'{BASE}/policies' + ('' if mutant('location-of-list') else f'/{policy["id"]}')
        headers['Location'] = call.url(path)
    return (200 if mutant('created-200') else 201), shown(policy), headers


def create_policy(call):
    body = call.json_object()
    trim(body)
    if mutant('taken-before-checked') and isinstance(body.get('regNumber'), str) and draft_faults(body):
        STATE.insured[vehicle_key(body['regNumber'])] = None
    faults = draft_faults(body)
    if faults:
        if mutant('validation-422'):
            raise Problem('idempotency-key-reused', 'It breaks a rule.')
        raise invalid(*faults)
    asked = [body.get(name) for name in ['regNumber', 'holder', 'coverageOption', 'startDate']]

    return once(call, call.client, asked, lambda: new_policy(call.client, body, call))


def list_policies(call):
    query = call.query({'page': page_fault, 'pageSize': size_fault, 'status': status_fault, 'regNumber': reg_fault})
    found = [each for each in STATE.policies.values() if each['client'] == call.client or mutant('list-of-all')]
    if mutant('cancelled-unlisted'):
        found = [each for each in found if each['status'] != 'cancelled']
    everything = found
    wanted = []
    if 'status' in query and not mutant('status-filter-ignored'):
        wanted.append(lambda each: shown(each)['status'] == query['status'] or (
            mutant('updated-is-active') and query['status'] == 'active' and each['status'] == 'updated'))
    if 'regNumber' in query:
        key = vehicle_key(query['regNumber'])
        if mutant('plate-filter-exact'):
            wanted.append(lambda each: each['regNumber'] == query['regNumber'])
        elif mutant('plate-filter-part'):
            wanted.append(lambda each: key in vehicle_key(each['regNumber']))
        else:
            wanted.append(lambda each: vehicle_key(each['regNumber']) == key)
        if mutant('plate-filter-of-all'):
            found = list(STATE.policies.values())
    if wanted:
        fits = any if mutant('filters-or') else all
        found = [each for each in found if fits(test(each) for test in wanted)]
    if mutant('newest-first'):
        found.reverse()
    if mutant('sorted-by-plate'):
        found.sort(key=lambda each: each['regNumber'], reverse=True)
    total = len(everything) if mutant('total-of-all') else None
    filters = {} if mutant('links-without-filters') else {n: query[n] for n in ['status', 'regNumber'] if n in query}
    return call.page([shown(each) for each in found], f'{BASE}/policies', query, filters, total)


def read_policy(call, policy_id):
    policy = own_policy(call.client, policy_id)
    return call.conditional(policy_tag(policy), shown(policy), with_tag(policy))


def check_changeable(policy):
    if shown(policy)['status'] in ('cancelled', 'expired'):
        name = 'precondition-failed' if mutant('immutable-412') else 'policy-immutable'
        raise Problem(name, 'The policy can’t be changed any more.')


def update_policy(call, policy_id):
    body = call.json_object()
    trim(body)
    if 'holder' not in body or (body['holder'] is not None and holder_fault(body['holder'])):
        raise invalid(('/holder', 'must have 1 to 100 characters.'))
    if mutant('condition-before-404'):
        call.require('"none"')
    policy = own_policy(call.client, policy_id, 'change')
    if mutant('condition-before-409'):
        call.require(policy_tag(policy))
    if not mutant('cancelled-changes'):
        check_changeable(policy)
    if not mutant('update-if-match-ignored'):
        call.require(policy_tag(policy))
    before = shown(policy)
    fixed = [name for name in before if name != 'holder' and name in body and body[name] != before[name]]
    gap('race-updates')
    if mutant('fixed-ignored') or (mutant('status-can-be-set') and fixed == ['status']):
        fixed = []
    if mutant('only-holder-allowed'):
        fixed = [name for name in body if name != 'holder']
    if fixed:
        raise invalid(*[(f'/{name}', 'can’t be set here.') for name in fixed])
    if body['holder'] is None and policy['holder'] is not None and not mutant('holder-can-go'):
        raise invalid(('/holder', 'can’t be taken away.'))
    answer = {**policy, 'holder': body['holder'], 'status': 'active' if mutant('update-keeps-active') else 'updated',
              'updatedAt': policy['updatedAt'] if mutant('update-keeps-time') else instant(),
              'version': policy['version'] + (0 if mutant('same-holder-same-tag') and body['holder'] == policy['holder'] else 1)}
    if mutant('update-once') and policy['status'] == 'updated':
        raise Problem('policy-immutable', 'It was updated before.')
    if not mutant('update-lost'):
        policy.update(answer)
    return 200, shown(answer), {} if mutant('update-without-tag') else with_tag(answer)


def cancel_policy(call, policy_id):
    policy = own_policy(call.client, policy_id, 'cancel')
    again = policy['status'] == 'cancelled'
    gap('race-cancels')
    if not again:
        check_changeable(policy)
    if not mutant('cancel-if-match-ignored'):
        call.require(policy_tag(policy))
    if again and mutant('cancel-twice-409'):
        raise Problem('policy-immutable', 'It is cancelled.')
    if policy['status'] == 'active' and mutant('cancel-only-updated'):
        raise Problem('policy-immutable', 'It is active.')
    if again and mutant('cancel-twice-frees'):
        STATE.insured.pop(vehicle_key(policy['regNumber']), None)
    if not again or mutant('cancel-twice-moves-time'):
        policy['updatedAt'] = instant()
    if not again or mutant('cancel-twice-new-tag'):
        version = policy['version'] + 1
        gap('race-cancel-tags')
        policy['version'] = version + (secrets.randbelow(1000) if mutant('race-cancel-tags') else 0)
    if not again:
        policy['status'] = 'canceled' if mutant('cancelled-spelt') else 'cancelled'
        if not mutant('cancelled-keeps-vehicle'):
            STATE.insured.pop(vehicle_key(policy['regNumber']), None)
    if mutant('cancel-204'):
        return 204, None, {}
    if mutant('cancel-deletes'):
        del STATE.policies[policy_id]
    return 200, shown(policy), with_tag(policy)


# ---- Lists


def integer_fault(least, most):
    def fault(value):
        if not re.fullmatch('-?[0-9]{1,15}', value):
            return 'must be a whole number.'
        return None if least <= int(value) <= most else f'must be from {least} to {most}.'
    return fault


page_fault = integer_fault(0 if mutant('page-0') else 1, 1_000_000)
size_fault = integer_fault(1, 499 if mutant('size-of-499') else 501 if mutant('size-of-501') else 500)


def status_fault(value):
    if mutant('status-free') or (mutant('status-without-case') and value.lower() in STATUSES):
        return None
    return None if value in STATUSES else f'must be one of {", ".join(STATUSES)}.'


# ---- Probe and signed check


def ping(call):
    now = time.monotonic()
    STATE.pings = [at for at in STATE.pings if now - at < 60]
    most = 6 if mutant('probe-of-six') else 4 if mutant('probe-of-four') else 5
    reset = str(int(60 - (now - STATE.pings[0])) + 1 if STATE.pings else 60)
    if len(STATE.pings) >= most:
        headers = {'RateLimit-Limit': '5', 'RateLimit-Remaining': '0', 'RateLimit-Reset': reset}
        if not mutant('retry-after-missing'):
            headers['Retry-After'] = instant() if mutant('retry-after-no-number') else reset
        raise Problem('not-found' if mutant('limit-404') else 'rate-limit-exceeded', 'Too many calls.', headers)
    STATE.pings.append(now)
    left = 5 - len(STATE.pings) + (1 if mutant('one-too-many-left') else 0)
    headers = {} if mutant('rate-headers-missing') else {
        'RateLimit-Limit': '5', 'RateLimit-Remaining': str(left), 'RateLimit-Reset': reset}
    return 200, {'pong': True, 'remaining': left}, headers


def check_policy(call):
    if mutant('check-json-first'):
        call.json_object()
    body = call.body
    if mutant('signature-of-json'):
        try:
            body = json.dumps(json.loads(body), separators=(',', ':'), ensure_ascii=False).encode()
        except ValueError:
            pass
    digest = hmac.new(HMAC_SECRET, body, hashlib.sha256).hexdigest()
    sent = call.headers.get('X-Signature', '')
    if not mutant('signature-in-lower-case'):
        sent = sent.lower()
    is_right = hmac.compare_digest(digest.encode(), sent.encode('utf-8', 'replace'))
    if mutant('signature-prefix'):
        is_right = digest.startswith(sent[:64]) and sent != ''
    if mutant('signature-optional') and sent == '':
        is_right = True
    if not is_right and not mutant('signature-unchecked'):
        name = 'insufficient-scope' if mutant('signature-403') else 'invalid-signature'
        scheme = 'Bearer' if mutant('signature-challenge') else SIGNATURE_CHALLENGE
        raise Problem(name, 'The signature is not that of the body.', {'WWW-Authenticate': scheme})
    sent = call.json_object()
    if reg_fault(sent.get('regNumber')):
        raise invalid(('/regNumber', '1 to 40 letters, digits and dashes.'))
    key = vehicle_key(sent['regNumber'])
    policy = STATE.policies.get(STATE.insured.get(key), None)
    day = today().isoformat()
    insured = policy is not None and (policy['startDate'] <= day or mutant('insured-before-start')) and (
        day <= policy['endDate'] or mutant('expired-is-insured'))
    if mutant('check-remembers-cancelled'):
        insured = any(vehicle_key(each['regNumber']) == key for each in STATE.policies.values())
    body = {'regNumber': sent['regNumber'].upper() if mutant('check-in-capitals') else sent['regNumber'],
            'insured': str(insured).lower() if mutant('insured-as-text') else insured}
    return 200, body, {}


# ---- Claims


def statuses_of(claim):
    return ['REGISTERED', 'UNDER_REVIEW', claim['outcome'], 'CLOSED']


def reason_for(status):
    if status == 'CLOSED' and mutant('closed-without-reason'):
        return None
    return 'It was decided.' if status in ('REJECTED', 'CLOSED') else None


def shown_claim(claim):
    """A claim as it is now. `insurer_events` moves it."""
    status = statuses_of(claim)[claim['moves']]
    return {
        'claimId': claim['claimId'],
        'policyNumber': claim['policyNumber'],
        'status': status.lower() if mutant('claim-status-lower') else status,
        'statusReason': reason_for(status),
        'registeredAt': instant(claim['at']),
        'updatedAt': instant(claim['at'] + (0 if mutant('claim-time-stays') else claim['moves'] * claim['pace'])),
    }


def claim_tag(claim):
    return {'ETag': f'"{"" if mutant("claim-tag-stays") else claim["status"]}-{claim["registeredAt"]}"'}


def create_claim(call):
    body = call.json_object()
    number, outcome, pace = body.get('policyNumber'), body.get('outcome', 'APPROVED'), body.get('paceSeconds', 10)
    faults = []
    if not isinstance(number, str) or not 1 <= len(number) <= 100:
        faults.append(('/policyNumber', 'must be the id of a policy.'))
    if outcome not in ('APPROVED', 'REJECTED') and not mutant('outcome-free'):
        faults.append(('/outcome', 'must be APPROVED or REJECTED.'))
    whole = isinstance(pace, int) and not isinstance(pace, bool) or isinstance(pace, float) and pace.is_integer()
    if not (whole and 1 <= pace <= (3601 if mutant('pace-of-3601') else 3600)):
        faults.append(('/paceSeconds', 'must be a whole number from 1 to 3600.'))
    if faults:
        raise invalid(*faults)

    def create():
        if not mutant('claim-on-anything'):
            policy = own_policy(call.client, number, 'claim-on')
            if mutant('no-claim-on-cancelled'):
                check_changeable(policy)
        claim_id = f'CLM-{today().year}-{len(STATE.claims) + 1:0{3 if mutant("claim-id-short") else 6}d}'
        claim = {'claimId': claim_id, 'policyNumber': number, 'outcome': outcome, 'pace': pace, 'at': now(),
                 'client': call.client, 'moves': 0}
        gap('race-claims')
        STATE.claims[claim_id] = claim
        made = shown_claim(claim)
        return 201, made, {**claim_tag(made), 'Location': call.url(f'{CLAIMS}/claims/{claim_id}')}

    return once(call, call.client, [number, body.get('outcome'), body.get('paceSeconds')], create)


def own_claims(call):
    return [each for each in STATE.claims.values() if each['client'] == call.client or mutant('claims-of-all')]


def list_claims(call):
    query = call.query({
        'page': page_fault, 'pageSize': size_fault,
        'status': lambda value: None if value in CLAIM_STATUSES else 'is no status.',
        'policyNumber': lambda value: None if 1 <= len(value) <= 100 else 'must be the id of a policy.'})
    found = [shown_claim(each) for each in own_claims(call)]
    filters = {name: query[name] for name in ['status', 'policyNumber'] if name in query}
    if not mutant('claim-filters-ignored'):
        found = [each for each in found if all(each[name] == value for name, value in filters.items())]
    return call.page(found, f'{CLAIMS}/claims', query, filters)


def read_claim(call, claim_id):
    found = [each for each in own_claims(call) if each['claimId'] == claim_id]
    if not found:
        name = 'policy-not-found' if mutant('claim-not-found-unnamed') else 'claim-not-found'
        raise Problem(name, f'There is no claim {claim_id} on your policies.')
    claim = shown_claim(found[0])
    return call.conditional(claim_tag(claim)['ETag'], claim, claim_tag(claim))


# ---- Paths


def coverage_options(call):
    options = [{'code': code, 'name': f'Liability, {months} months', 'term': 'P1Y' if months == 12 else f'P{months}M'}
               for code, months in MONTHS.items()]
    if mutant('option-missing'):
        options.pop()
    if mutant('option-name-missing'):
        del options[0]['name']
    if mutant('term-in-months'):
        options[3]['term'] = 'P12M'
    if mutant('options-unsorted'):
        options.reverse()
    return 200, options if mutant('options-bare') else {'options': options}, {}


# Path, method, the scope of the token that it needs, and what answers.
ROUTES = [
    (f'{BASE}/coverage-options', 'GET', None, coverage_options),
    (f'{BASE}/demo-clients', 'POST', None, create_client),
    (f'{BASE}/auth/token', 'POST', None, create_token),
    (f'{BASE}/policies', 'GET', 'policies:read', list_policies),
    (f'{BASE}/policies', 'POST', 'policies:write', create_policy),
    (f'{BASE}/policies/([^/]+)', 'GET', 'policies:read', read_policy),
    (f'{BASE}/policies/([^/]+)', 'PUT', 'policies:write', update_policy),
    (f'{BASE}/policies/([^/]+)/cancel', 'POST', 'policies:write', cancel_policy),
    (f'{BASE}/limited/ping', 'GET', None, ping),
    (f'{BASE}/signed/policy-check', 'POST', None, check_policy),
    (f'{CLAIMS}/claims', 'GET', 'claims:read', list_claims),
    (f'{CLAIMS}/claims', 'POST', 'claims:write', create_claim),
    (f'{CLAIMS}/claims/([^/]+)', 'GET', 'claims:read', read_claim),
    *Registry(mutant, Problem).routes(),
]
ROUTES += insurer_imports.routes(sys.modules[__name__])
ROUTES += [(f'{BASE}/test/clock', 'POST', None, HOOKS.advance), (f'{BASE}/test/limits', 'POST', None, HOOKS.limit)]
if mutant('policies-can-be-deleted'):
    ROUTES.append((f'{BASE}/policies/([^/]+)', 'DELETE', 'policies:write', cancel_policy))
if mutant('cancel-by-get'):
    ROUTES.append((f'{BASE}/policies/([^/]+)/cancel', 'GET', 'policies:write', cancel_policy))


class Call(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    wbufsize = -1  # head and body go together
    client = None

    def log_message(self, *_):
        pass

    def url(self, path):
        return f'http://{self.headers.get("Host", "localhost")}{path}'

    # What a request has

    def media_type(self):
        return self.headers.get('Content-Type', '').split(';')[0].strip().lower()

    def is_form(self):
        return self.media_type() == 'application/x-www-form-urlencoded'

    def json(self):
        if self.body == b'' and self.media_type() == '':
            raise invalid(('', 'The request has no body.'))
        if self.media_type() != 'application/json' and not mutant('media-type-free'):
            raise Problem('unsupported-media-type', 'Send application/json.')
        try:
            return json.loads(self.body.decode(), parse_constant=lambda name: int(name))
        except (ValueError, RecursionError):
            if mutant('malformed-500'):
                raise KeyError('malformed') from None
            if mutant('malformed-unnamed') or (self.body == b'' and mutant('empty-body-unnamed')):
                raise invalid(('', 'The body is not JSON.')) from None
            raise Problem('malformed-json', 'The body is not valid JSON.') from None

    def json_object(self):
        body = self.json()
        if not isinstance(body, dict):
            if mutant('list-as-body-500'):
                body['regNumber']
            raise invalid(('', 'The body must be a JSON object.'))
        return body

    def json_or_form(self):
        if not self.is_form() or mutant('form-refused'):
            return self.json(), False
        return dict(parse_qsl(self.body.decode('utf-8', 'replace'), keep_blank_values=True)), True

    def query(self, rules):
        sent, faults = {}, []
        for name, value in parse_qsl(urlsplit(self.target).query, keep_blank_values=True):
            if name not in rules:
                continue
            if name in sent and not mutant('parameter-twice'):
                faults.append((f'?{name}', 'is there twice.'))
            sent[name] = value
            if mutant('wrong-page-is-1') and name in ('page', 'pageSize') and rules[name](value):
                sent[name] = '1'
            elif rules[name](value):
                faults.append((f'?{name}', rules[name](value)))
        if faults:
            raise invalid(*faults)
        return sent

    def tags(self, name):
        return [tag.strip() for tag in self.headers.get(name, '').split(',') if tag.strip()]

    def has_tag(self, tag):
        known = ['*'] if not mutant('if-none-match-without-star') else []
        return any(each.removeprefix('W/') == tag or each in known for each in self.tags('If-None-Match'))

    def require(self, tag, but_none_match=True):
        sent = self.tags('If-Match')
        if mutant('weak-if-match'):
            sent = [each.removeprefix('W/') for each in sent]
        if mutant('one-tag-only'):
            sent = [self.headers['If-Match']] if 'If-Match' in self.headers else []
        if mutant('if-match-star-refused'):
            sent = [each + '.' if each == '*' else each for each in sent]
        fits = 'If-Match' not in self.headers or '*' in sent or tag in sent
        if not fits or (but_none_match and self.has_tag(tag) and not mutant('change-if-none-match-ignored')):
            name = 'policy-immutable' if mutant('precondition-409') else 'precondition-failed'
            raise Problem(name, f'The tag is {tag}.')

    # What an answer has

    def conditional(self, tag, body, headers):
        if not mutant('read-if-match-ignored'):
            self.require(tag, but_none_match=False)
        if self.has_tag(tag) and not mutant('never-304'):
            return 304, None, {} if mutant('304-without-tag') else headers
        return 200, body, headers

    def page(self, found, path, query, filters, total=None):
        page, size = int(query.get('page', 1)), int(query.get('pageSize', 10 if mutant('pages-of-10') else 20))
        start = page * size if mutant('pages-from-0') else (page - 1) * size
        if mutant('page-skips-one') and page > 1:
            start += 1
        items = found[start:start + size]
        if mutant('page-one-too-long'):
            items = found[start:start + size + 1]
        total = len(found) if total is None else total
        pages = -(-total // size)
        if mutant('pages-rounded-down'):
            pages = total // size
        if mutant('one-page-if-empty'):
            pages = max(1, pages)
        if mutant('page-after-last-404') and page > max(1, pages):
            raise Problem('not-found', 'There is no such page.')
        last = max(1, pages)
        targets = {'first': 1, 'prev': min(page - 1, last), 'next': page + 1 if page < last else 0, 'last': last}
        if mutant('next-after-last'):
            targets['next'] = page + 1
        if mutant('prev-after-last') and page > last:
            targets['prev'] = page - 1
        if mutant('first-not-linked'):
            del targets['first']
        links = ', '.join(
            f'<{self.url(path)}?{urlencode({**filters, "page": number, "pageSize": size})}>; rel="{rel}"'
            for rel, number in targets.items() if number >= 1)
        body = {'items': items, 'page': page, 'pageSize': size, 'totalItems': total, 'totalPages': pages}
        if mutant('total-of-page'):
            body['totalItems'] = len(items)
        if mutant('page-as-text'):
            body['page'] = str(page)
        return 200, body, {} if mutant('link-missing') else {'Link': links}

    def send(self, status, body, headers):
        # 304 is of what was read: it has no body, and says nothing of one.
        # What is no JSON is text, and has its type among its headers.
        written = body if isinstance(body, str) else '' if body is None else json.dumps(body, ensure_ascii=False)
        data = written.encode('utf-8', 'replace')
        self.send_response(status)
        for name, value in {**self.limits, **headers}.items():
            self.send_header(name, value)
        if body is not None and not isinstance(body, str):
            kind = 'application/problem+json' if 'status' in body and 'type' in body and 'title' in body else 'application/json'
            # OAuth 2.0 has its own form of errors (RFC 6749, section 5.2), which its tools send forms for.
            if mutant('problems-as-json') or (self.path == f'{BASE}/auth/token' and self.is_form()):
                kind = 'application/json'
            if mutant('json-as-text') and kind == 'application/json':
                kind = 'text/plain'
            self.send_header('Content-Type', kind)
        if status not in (204, 304):
            self.send_header('Content-Length', str(len(data)))
        self.end_headers()
        if self.command != 'HEAD':
            self.wfile.write(data)

    def refuse(self, problem):
        status, body = STATUS_OF[problem.name], problem_body(problem)
        if self.path == f'{BASE}/auth/token' and not mutant('oauth-error-missing'):
            body['error'] = problem.error or OAUTH.get(problem.name, 'invalid_request')
        if mutant('type-is-title'):
            body['type'] = body['title']
        if mutant('problem-without-status'):
            body['status'] = str(status)
        if mutant('problem-without-detail'):
            del body['detail']
        if mutant('always-400') and status in (404, 405):
            status = 400
        self.send(status, body, problem.headers)

    def route(self):
        fitting = [(match, *rest) for pattern, *rest in ROUTES if (match := re.fullmatch(pattern, self.path))]
        for match, method, scope, answer in fitting:
            if method != ('GET' if self.command == 'HEAD' and not mutant('no-head') else self.command):
                continue
            if mutant('body-before-scope') and self.body and not self.json():
                raise invalid(('', 'is empty.'))
            if scope and not (mutant('list-without-token') and answer is list_policies and 'Authorization' not in self.headers):
                self.client = caller(self.headers.get('Authorization'), scope)
            return answer(self, *match.groups())
        if not fitting or mutant('no-405'):
            if mutant('nothing-is-200'):
                return 200, {}, {}
            raise Problem('not-found', f'There is nothing at {self.path}.')
        methods = [method for _, method, *_ in fitting]
        allow = ', '.join(['GET', 'HEAD', 'POST', 'PUT'] if mutant('allow-everything') else methods)
        raise Problem('method-not-allowed', f'{self.command} is not allowed here.',
                      {} if mutant('allow-missing') else {'Allow': allow})

    def answer(self):
        self.target, self.client = self.path, None
        self.path = urlsplit(self.target).path.rstrip('/')
        self.body = self.rfile.read(int(self.headers.get('Content-Length', 0)))
        is_hook = self.path.startswith(f'{BASE}/test/')
        self.limits, is_over = ({}, False) if is_hook else HOOKS.count(self)
        try:
            if is_over:
                raise Problem('not-found' if mutant('limit-unnamed') else 'rate-limit-exceeded', 'Too many calls.')
            with STATE.lock:
                answer = self.route()
                # A stream has been sent by then.
                if answer is None:
                    return None
        except Problem as problem:
            return self.refuse(problem)
        except Exception:  # a fault of this program
            return self.send(500, {'type': 'about:blank', 'title': 'Internal error', 'status': 500}, {})
        return self.send(*answer)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = answer


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *call):
        # Callers go, from streams above all.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(*call)


if __name__ == '__main__':
    # Its other modules import this one.
    sys.modules['insurer'] = sys.modules['__main__']
    import insurer_events
    import insurer_webhooks
    insurer_events.start()
    insurer_webhooks.start()
    server = Server(('127.0.0.1', int(sys.argv[1])), Call)
    print('ready', server.server_port, flush=True)
    server.serve_forever()
