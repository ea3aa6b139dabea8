"""The desk of the insurer, which moves claims, and its topic: in batches and as streams. `insurer.py` starts it."""

import json
import re
import threading
import time
import uuid

from insurer import CLAIMS, ROUTES, STATE, Problem, instant, integer_fault, invalid, mutant, now, reason_for, statuses_of

TOPIC = f'{CLAIMS}/topics/claims.status-changed'
LOG = []  # (client, event); the cursor of an event is how many there are up to it
NEWS = threading.Condition(STATE.lock)


# ---- The desk


def status_changed(event_id, claim_id, policy_number, change, at):
    previous, new = change
    return {'eventId': event_id, 'eventType': 'ClaimStatusChanged', 'eventVersion': '1.0', 'occurredAt': instant(at),
            'source': 'claims-core', 'data': {'claimId': claim_id, 'policyNumber': policy_number,
                                              'previousStatus': previous, 'newStatus': new,
                                              'statusReason': reason_for(new)}}


def due_at(claim):
    pace = claim['pace'] * (2 if mutant('pace-doubled') else 1)
    return claim['at'] + (claim['moves'] + 1) * pace


def move(claim):
    """Moves a claim by one status, and publishes that."""
    at = due_at(claim)
    claim['moves'] += 1
    statuses = statuses_of(claim)
    change = statuses[claim['moves'] - 1], statuses[claim['moves']]
    if mutant('previous-is-first'):
        change = statuses[0], change[1]
    if mutant('review-unpublished') and change[1] == 'UNDER_REVIEW':
        return
    at += 0.2 if mutant('event-of-publication') else 0
    policy = claim['claimId'] if mutant('event-names-claim') else claim['policyNumber']
    event = status_changed(str(uuid.uuid4()), claim['claimId'], policy, change, at)
    publish(claim['client'], event)


def publish(client, event):
    # Events may come twice: each third does.
    for _ in range(2 if len(LOG) % 3 == 0 else 1):
        LOG.append((client, event))


def may_move(claim):
    last = 2 if mutant('claim-never-closed') else 3
    if mutant('cancelled-policy-stops-claims') and STATE.policies[claim['policyNumber']]['status'] == 'cancelled':
        return False
    return claim['moves'] < last and due_at(claim) <= now()


def desk():
    while True:
        time.sleep(0.02)
        with NEWS:
            due = [claim for claim in STATE.claims.values() if may_move(claim)]
            for claim in sorted(due, key=due_at):
                move(claim)
            if due:
                NEWS.notify_all()


# ---- The topic


def cursor_fault(value):
    number = re.fullmatch('c([0-9]{1,9})', value)
    if value in ('earliest', 'latest') or (number and int(number[1]) <= len(LOG)) or mutant('any-cursor'):
        return None
    return 'must be a cursor of this topic, earliest or latest.'


def position_of(text):
    if text == 'latest' and not mutant('latest-is-earliest'):
        return len(LOG)
    return int(text[1:]) if re.fullmatch('c[0-9]+', text) else 0


def told(event):
    return {**event, 'eventId': str(uuid.uuid4())} if mutant('event-id-of-read') else event


def after(position, client):
    """The events of a client after a position, each with the position behind it."""
    found = [(at + 1, told(event)) for at, (owner, event) in enumerate(LOG)
             if at >= position and (owner == client or mutant('topic-of-all'))]
    return found[::-1] if mutant('newest-event-first') else found


def read_topic(call):
    if 'text/event-stream' in call.headers.get('Accept', ''):
        return stream(call)
    query = call.query({'after': cursor_fault, 'limit': integer_fault(1, 501 if mutant('limit-of-501') else 500),
                        'wait': integer_fault(0, 99 if mutant('wait-of-99') else 30)})
    position = position_of(query.get('after', 'earliest'))
    end = time.monotonic() + int(query.get('wait', 0))
    if mutant('wait-ignored'):
        end = 0
    if mutant('wait-in-full'):
        NEWS.wait_for(lambda: False, int(query.get('wait', 0)))
    seen = len(LOG)
    while not after(position, call.client) and (left := end - time.monotonic()) > 0:
        NEWS.wait(left)
        if mutant('woken-by-others') and len(LOG) > seen:
            break
    found = after(position, call.client)
    limit = int(query.get('limit', 100)) + (1 if mutant('limit-and-one') else 0)
    if not mutant('limit-ignored'):
        found = found[:limit]
    # Where nothing is left of the client, the cursor moves with the topic.
    next_one = found[-1][0] if found else max(position, len(LOG))
    if mutant('cursor-skips') and found:
        others = [at for at, event in after(next_one, call.client) if event != found[-1][1]]
        next_one = others[-1] if others else next_one
    if mutant('cursor-stays'):
        next_one = position
    if mutant('cursor-is-count'):
        next_one = len(found)
    body = {'events': [event for _, event in found], 'next': f'c{next_one}'}
    if mutant('next-missing') and not found:
        del body['next']
    if mutant('reading-removes'):
        LOG[:] = [(None if owner == call.client else owner, event) for owner, event in LOG]
    return 200, body, {}


def stream(call):
    query = call.query({'after': cursor_fault})
    resumed = call.headers.get('Last-Event-ID', '')
    if resumed and (cursor_fault(resumed) or not resumed.startswith('c')) and not mutant('any-last-event-id'):
        raise invalid(('Last-Event-ID', 'must be the id of an event of this topic.'))
    start = query.get('after', 'earliest')
    if resumed and not mutant('last-event-id-ignored') and not (mutant('after-overrides') and 'after' in query):
        start = resumed
    position = len(LOG) if mutant('stream-without-old') and start == 'earliest' else position_of(start)
    if mutant('resume-repeats') and start.startswith('c'):
        position -= 1
    call.send_response(200)
    call.send_header('Content-Type', 'application/json' if mutant('stream-as-json') else 'text/event-stream')
    call.send_header('Connection', 'close')
    call.end_headers()
    call.close_connection = True
    try:
        call.wfile.write(b'retry: 3000\n\n')
        call.wfile.flush()
        while True:
            for at, event in after(position, None if mutant('stream-of-nobody') else call.client):
                write(call.wfile, at, event)
                position = at
                if mutant('stream-of-one'):
                    return
            call.wfile.flush()
            if mutant('stream-late'):
                NEWS.wait_for(lambda: False, 4)
            elif not NEWS.wait(15):
                call.wfile.write(b': still here\n\n')
    except OSError:
        return


def write(file, at, event):
    lines = [] if mutant('stream-without-ids') else [f'id: c{1 if mutant("stream-id-stays") else at}']
    if mutant('stream-names-events'):
        lines.append('event: ClaimStatusChanged')
    text = json.dumps(event, ensure_ascii=False)
    if mutant('stream-data-wrapped'):
        text = json.dumps({'event': event})
    file.write(('\n'.join([*lines, f'data: {text}']) + '\n\n').encode())


def start():
    ROUTES.append((TOPIC, 'GET', None if mutant('topic-for-all') else 'claims:read', read_topic))
    threading.Thread(target=desk, daemon=True).start()
