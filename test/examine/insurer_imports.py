"""Imports of policies, of the tests' insurer: lines that are worked off in the background."""

import json
import threading
import time
import uuid

NDJSON = 'application/x-ndjson'
ROW_STATUSES = ['created', 'refused', 'waiting']
WEEK = 7 * 86400


class Job:
    def __init__(self, client, lines, now):
        self.id, self.client, self.at, self.completed_at = f'imp-{uuid.uuid4()}', client, now, None
        self.lines = lines
        self.rows = []


def routes(insurer):
    """The routes of imports. `insurer` is the module that has the rules of policies."""
    mutant, Problem, state = insurer.mutant, insurer.Problem, insurer.STATE
    path = f'{insurer.BASE}/policy-imports'
    jobs = {}

    def shown(job):
        done = len(job.rows)
        status = 'completed' if done == len(job.lines) else 'running' if done else 'accepted'
        created = sum(row['status'] == 'created' for row in job.rows)
        body = {'id': job.id, 'status': status, 'total': len(job.lines), 'done': done, 'created': created,
                'refused': done - created, 'createdAt': insurer.instant(job.at),
                'completedAt': insurer.instant(job.completed_at) if job.completed_at else None}
        if mutant('import-done-too-many'):
            body['done'] += 1 if done else 0
        if mutant('import-refused-uncounted'):
            body['refused'] = 0
        if mutant('import-never-ends'):
            body['status'] = 'accepted' if not done else 'running'
        return body

    def work(job):
        for number, text in job.lines:
            time.sleep(0.002)
            with state.lock:
                row = {'line': number, 'status': 'created', 'policyId': None}
                try:
                    row['policyId'] = insurer.new_policy(job.client, read(text), None)[1]['id']
                except Problem as problem:
                    row.update(status='refused', problem=insurer.problem_body(problem))
                    if mutant('import-stops-at-refusal'):
                        job.lines = [line for line in job.lines if line[0] <= number]
                if mutant('import-status-of-row'):
                    row.get('problem', {})['status'] = 422
                if mutant('import-row-created') and row['status'] == 'refused':
                    row['status'] = 'created'
                job.rows.append(row)
        with state.lock:
            job.completed_at = insurer.now()

    def read(text):
        try:
            body = json.loads(text)
        except ValueError:
            raise Problem('malformed-json', 'The line is not JSON.') from None
        if not isinstance(body, dict):
            raise insurer.invalid(('', 'must be a JSON object.'))
        insurer.trim(body)
        faults = insurer.draft_faults(body)
        if faults:
            raise insurer.invalid(*faults)
        return body

    def create(call):
        if call.media_type() != NDJSON and not (mutant('import-of-any-type') and call.body) and (call.body or call.media_type()):
            raise Problem('unsupported-media-type', f'Send {NDJSON}.')
        texts = call.body.decode('utf-8', 'replace').split('\n')
        lines = [(number, text) for number, text in enumerate(texts, 1) if text.strip()]
        if mutant('import-blank-not-counted'):
            lines = [(number, text) for number, (_, text) in enumerate(lines, 1)]
        if mutant('import-blank-refused'):
            lines = list(enumerate(texts[:-1], 1))
        if not lines:
            raise Problem('malformed-json', 'There are no lines.')
        if len(lines) > (1001 if mutant('import-of-1001') else 1000):
            raise insurer.invalid(('', 'has more than 1,000 lines.'))

        def accept():
            job = Job(call.client, lines, insurer.now())
            jobs[job.id] = job
            threading.Thread(target=work, args=[job], daemon=True).start()
            headers = {'Location': call.url(f'{path}/{job.id}'), 'Retry-After': '1'}
            if mutant('import-unlocated'):
                del headers['Location']
            if mutant('import-without-retry-after'):
                del headers['Retry-After']
            return (201 if mutant('import-201') else 202), shown(job), headers

        if mutant('import-key-ignored'):
            return accept()
        return insurer.once(call, call.client, [text for _, text in lines], accept)

    def own(call, job_id, act='read'):
        job = jobs.get(job_id)
        is_old = job and job.completed_at and insurer.now() - job.completed_at >= (
            30 * WEEK if mutant('import-kept-for-ever') else 86400 if mutant('import-kept-a-day') else WEEK)
        is_others = job and job.client != call.client and not mutant(f'import-{act}-of-others')
        if job is None or is_others or is_old:
            raise Problem('not-found' if mutant('import-not-found-unnamed') else 'import-not-found', 'You have no such import.')
        return job

    def read_job(call, job_id):
        body = shown(own(call, job_id))
        return 200, body, {} if body['status'] == 'completed' else {'Retry-After': '1'}

    def list_jobs(call):
        query = call.query({'page': insurer.page_fault, 'pageSize': insurer.size_fault})
        found = [shown(job) for job in jobs.values() if job.client == call.client or mutant('imports-of-all')]
        if mutant('imports-newest-first'):
            found.reverse()
        return call.page(found, path, query, {})

    def list_rows(call, job_id):
        job = own(call, job_id, 'rows')
        query = call.query({'page': insurer.page_fault, 'pageSize': insurer.size_fault,
                            'status': lambda value: None if value in ROW_STATUSES or mutant('row-status-free') else 'is no status.'})
        waiting = [{'line': number, 'status': 'waiting', 'policyId': None} for number, _ in job.lines[len(job.rows):]]
        found = job.rows + waiting
        if 'status' in query and not mutant('row-status-ignored'):
            found = [row for row in found if row['status'] == query['status']]
        if mutant('rows-refused-first'):
            found.sort(key=lambda row: row['status'], reverse=True)
        if mutant('row-numbers-from-0'):
            found = [{**row, 'line': row['line'] - 1} for row in found]
        return call.page(found, f'{path}/{job_id}/rows', query, {name: query[name] for name in ['status'] if name in query})

    return [
        (path, 'POST', 'policies:read' if mutant('import-scope-read') else 'policies:write', create),
        (path, 'GET', 'policies:read', list_jobs),
        (f'{path}/([^/]+)', 'GET', 'policies:read', read_job),
        (f'{path}/([^/]+)/rows', 'GET', 'policies:read', list_rows),
    ]
