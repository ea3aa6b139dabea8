"""The webhooks of the insurer: subscriptions, and calls by the Standard Webhooks specification. `insurer.py` starts it."""

import base64
import hashlib
import hmac
import http.client
import ipaddress
import json
import secrets
import threading
import time
import uuid
from urllib.parse import urlsplit

import insurer_events
from insurer import (
    CLAIMS, ROUTES, STATE, STATUS_OF, Problem, instant, invalid, mutant, now, page_fault, size_fault, today)

BASE = f'{CLAIMS}/subscriptions'
PAUSES = [5, 30, 120, 600, 1800, 3600, 7200, 14400, 21600, 36000]
SUBSCRIPTIONS = {}
STATUS_OF.update({'subscription-not-found': 404, 'delivery-not-found': 404, 'subscription-disabled': 409})


# ---- Subscriptions


def url_fault(url):
    if not isinstance(url, str):
        return 'must be a URL.'
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return 'must be a URL.'
    if parts.scheme not in ('http', 'https') or not host or parts.username is not None:
        return None if mutant('any-url') and parts.scheme else 'must be http or https, without a user.'
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    is_open = address.is_loopback or address.is_global or mutant('private-urls')
    return None if is_open else 'can’t be called: its address is private.'


def new_secret():
    return 'whsec_' + base64.b64encode(secrets.token_bytes(32)).decode()


def shown(subscription):
    body = {name: subscription[name] for name in ['id', 'url', 'createdAt', 'status', 'disabledAt', 'disabledReason']}
    body.update(via='direct', delayed=None, missedEvents=0)
    if mutant('secret-shown-again'):
        body['secret'] = subscription['secrets'][0]
    attempted = [each for each in subscription['deliveries'] if each['attempts']]
    if attempted:
        last = attempted[-1]
        attempt = last['attempts'][-1]
        status = attempt['responseStatus']
        body['lastDelivery'] = {
            'number': last['number'], 'status': last['status'], 'attemptedAt': attempt['attemptedAt'],
            'responseStatus': status, 'nextAttemptAt': last['nextAttemptAt'],
            'failure': None if status and 200 <= status < 300 else 'The receiver did not take it.'}
    return body


def create(call):
    body = call.json_object()
    if body.get('via', 'direct') != 'direct':
        raise invalid(('/via', 'must be direct.'))
    if 'url' not in body:
        raise invalid(('/url', 'is missing.'))
    if url_fault(body['url']):
        raise invalid(('/url', url_fault(body['url'])))
    subscription_id = f'sub-{uuid.uuid4()}'
    subscription = {
        'id': subscription_id, 'url': body['url'], 'createdAt': instant(), 'status': 'active', 'disabledAt': None,
        'disabledReason': None, 'secrets': [new_secret()], 'client': call.client, 'deliveries': [],
        'position': 0 if mutant('events-from-before') else len(insurer_events.LOG)}
    SUBSCRIPTIONS[subscription_id] = subscription
    headers = {} if mutant('subscription-without-location') else {'Location': call.url(f'{BASE}/{subscription_id}')}
    answer = {**shown(subscription), 'secret': subscription['secrets'][0]}
    return (200 if mutant('subscribed-200') else 201), answer, headers


def own(call, subscription_id, act='read'):
    subscription = SUBSCRIPTIONS.get(subscription_id)
    if subscription is None or (subscription['client'] != call.client and not mutant(f'subscription-{act}-of-others')):
        raise Problem('subscription-not-found', f'You have no subscription {subscription_id}.')
    return subscription


def listed(call):
    query = call.query({'page': page_fault, 'pageSize': size_fault})
    found = [shown(each) for each in SUBSCRIPTIONS.values()
             if each['client'] == call.client or mutant('subscriptions-of-all')]
    return call.page(found, BASE, query, {})


def read(call, subscription_id):
    return 200, shown(own(call, subscription_id)), {}


def delete(call, subscription_id):
    subscription = own(call, subscription_id, 'delete')
    if not mutant('deleted-stays'):
        SUBSCRIPTIONS.pop(subscription_id)
    if mutant('deleted-is-called'):
        SUBSCRIPTIONS[str(uuid.uuid4())] = {**subscription, 'client': subscription['client'] + ' '}
    return 204, None, {}


def renew(call, subscription_id):
    subscription = own(call, subscription_id, 'renew')
    kept = [] if mutant('old-secret-ends') else subscription['secrets'][:3 if mutant('three-secrets') else 1]
    subscription['secrets'] = [new_secret(), *kept]
    if mutant('secret-stays'):
        subscription['secrets'] = kept
    body = {'secret': subscription['secrets'][0], 'previousValidUntil': instant(now() + 24 * 3600)}
    return 201, body, {}


# ---- Deliveries


def delivery_of(subscription, event):
    claim = event['data']['claimId']
    waits = any(each['claimId'] == claim and each['status'] in ('waiting', 'pending')
                for each in subscription['deliveries'])
    at = now()
    delivery = {
        'number': len(subscription['deliveries']) + 1, 'eventId': event['eventId'], 'claimId': claim,
        'status': 'waiting' if waits else 'pending', 'attempts': [],
        'attemptCounts': {'total': 0, 'taken': 0, 'refused': 0, 'unanswered': 0},
        'nextAttemptAt': None if waits else instant(at), 'createdAt': instant(at),
        'due': at, 'tries': 0, 'event': event}
    subscription['deliveries'].append(delivery)
    return delivery


def shown_delivery(delivery):
    return {name: value for name, value in delivery.items() if name not in ('due', 'tries', 'event')}


def active(subscription):
    if subscription['status'] != 'active':
        raise Problem('subscription-disabled', 'The subscription is disabled.')
    return subscription


def test(call, subscription_id):
    subscription = active(own(call, subscription_id, 'test'))
    body = call.json_object() if call.body else {}
    event = body.get('payload') or insurer_events.status_changed(
        str(uuid.uuid4()), f'CLM-{today().year}-000000', f'pol-{uuid.uuid4()}', ('REGISTERED', 'UNDER_REVIEW'),
        now())
    return 202, shown_delivery(delivery_of(subscription, event)), {}


def deliveries(call, subscription_id):
    subscription = own(call, subscription_id, 'read')
    query = call.query({'page': page_fault, 'pageSize': size_fault})
    found = [shown_delivery(each) for each in subscription['deliveries']]
    return call.page(found, f'{BASE}/{subscription_id}/deliveries', query, {})


def redeliver(call, subscription_id, number):
    subscription = active(own(call, subscription_id, 'test'))
    found = [each for each in subscription['deliveries'] if str(each['number']) == number]
    if not found:
        raise Problem('delivery-not-found', f'There is no delivery {number}.')
    if not mutant('redelivery-forgotten'):
        at = now()
        found[0].update(status='pending', due=at, nextAttemptAt=instant(at), tries=0)
    return 202, shown_delivery(found[0]), {}


# ---- Calls


def signature(secret, event_id, timestamp, body):
    key = secret.encode() if mutant('key-is-text') else base64.b64decode(secret.removeprefix('whsec_'))
    if mutant('signature-of-spaced-json'):
        body = json.dumps(json.loads(body)).encode()
    signed = f'{event_id}.{timestamp}.'.encode() + body
    if mutant('signature-without-id'):
        signed = f'{timestamp}.'.encode() + body
    digest = hmac.new(key, signed, hashlib.sha256)
    return 'v1,' + (digest.hexdigest() if mutant('signature-in-hex') else base64.b64encode(digest.digest()).decode())


def request_of(subscription, delivery):
    body = json.dumps(delivery['event'], ensure_ascii=False, separators=(',', ':')).encode()
    event_id = str(uuid.uuid4()) if mutant('id-of-call') else delivery['eventId']
    timestamp = int(now() * (1000 if mutant('timestamp-in-milliseconds') else 1))
    if mutant('timestamp-of-event'):
        timestamp = int(subscription['deliveries'][0]['due']) - 60
    signed_by = subscription['secrets'][:1] if mutant('one-signature') else subscription['secrets']
    headers = {
        'Content-Type': 'text/plain' if mutant('call-as-text') else 'application/json',
        'webhook-id': event_id, 'webhook-timestamp': str(timestamp),
        'webhook-signature': ' '.join(signature(each, event_id, timestamp, body) for each in signed_by),
        'webhook-attempt': '1' if mutant('attempt-stays') else str(delivery['attemptCounts']['total'] + 1)}
    if mutant('attempt-missing'):
        del headers['webhook-attempt']
    return body, headers


def post(url, body, headers):
    """The status that was answered, or None."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port or 80, timeout=5)
    try:
        connection.request('POST', parts.path or '/', body, headers)
        answer = connection.getresponse()
        location = answer.headers.get('Location')
        if mutant('redirects-followed') and location:
            return post(f'http://{parts.netloc}{location}', body, headers)
        return answer.status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def note(subscription, delivery, status):
    """What becomes of a delivery after a call."""
    at = now()
    taken = status is not None and (200 <= status < 300 or (mutant('any-answer-is-taken') and status < 500))
    outcome = 'unanswered' if status is None else 'taken' if taken else 'refused'
    for name in ['total', outcome]:
        delivery['attemptCounts'][name] += 1
    delivery['attempts'].append({
        'attempt': delivery['attemptCounts']['total'], 'attemptedAt': instant(at), 'responseStatus': status,
        'responseBody': None, 'error': 'did not answer' if status is None else None})
    if taken or (mutant('never-again') and status == 503):
        delivery.update(status='delivered', nextAttemptAt=None)
        following = [each for each in subscription['deliveries']
                     if each['claimId'] == delivery['claimId'] and each['status'] == 'waiting']
        for each in following[:1]:
            each.update(status='pending', due=at, nextAttemptAt=instant(at))
    else:
        pause = 0.5 if mutant('again-at-once') else 12 if mutant('again-late') else PAUSES[min(delivery['tries'], 9)]
        delivery['tries'] += 1
        delivery.update(due=at + pause, nextAttemptAt=instant(at + pause))
    if status == 410 and not mutant('gone-goes-on'):
        subscription.update(status='disabled', disabledAt=instant(at), disabledReason='The receiver answered 410.')


def take_events(subscription):
    for client, event in insurer_events.LOG[subscription['position']:]:
        if client == subscription['client'].strip() or mutant('posts-of-all'):
            delivery_of(subscription, event)
    subscription['position'] = len(insurer_events.LOG)


def dispatch():
    while True:
        time.sleep(0.02)
        with STATE.lock:
            found = []
            for subscription in SUBSCRIPTIONS.values():
                take_events(subscription)
                is_open = subscription['status'] == 'active'
                found += [(subscription, each, request_of(subscription, each)) for each in subscription['deliveries']
                          if is_open and each['status'] == 'pending' and each['due'] <= now()][:1]
            if mutant('posts-reversed'):
                found.reverse()
        for subscription, delivery, (body, headers) in found:
            status = post(subscription['url'], body, headers)
            with STATE.lock:
                note(subscription, delivery, status)


def start():
    change = 'claims:read' if mutant('subscribe-by-reading') else 'claims:read claims:write'
    ROUTES.extend([
        (BASE, 'GET', 'claims:read', listed),
        (BASE, 'POST', change, create),
        (f'{BASE}/([^/]+)', 'GET', 'claims:read', read),
        (f'{BASE}/([^/]+)', 'DELETE', change, delete),
        (f'{BASE}/([^/]+)/secret', 'POST', change, renew),
        (f'{BASE}/([^/]+)/test', 'POST', change, test),
        (f'{BASE}/([^/]+)/deliveries', 'GET', 'claims:read', deliveries),
        (f'{BASE}/([^/]+)/deliveries/([^/]+)/redeliver', 'POST', change, redeliver),
    ])
    threading.Thread(target=dispatch, daemon=True).start()
