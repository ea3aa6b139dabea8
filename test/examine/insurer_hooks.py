"""What the tests' insurer offers beside the interface, so that nobody has to wait: its clock and its limit can be set."""

import re
import threading
import time

FORM = r'P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?'


class Hooks:
    """Seconds that the clock is ahead, and how many calls a minute each address may make."""

    def __init__(self, mutant):
        self.mutant, self.ahead, self.most, self.calls = mutant, 0, None, []
        self.lock = threading.Lock()

    def advance(self, call):
        found = re.fullmatch(FORM, call.json_object().get('advance', ''))
        days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
        self.ahead += ((days * 24 + hours) * 60 + minutes) * 60 + seconds
        return 204, None, {}

    def limit(self, call):
        self.most, self.calls = call.json_object()['perMinute'], []
        return 204, None, {}

    def count(self, call):
        """Takes a call from what is left. Returns the headers that say so, and whether there was none left."""
        if self.most is None or call.path.endswith('/limited/ping'):
            return {}, False
        mutant = self.mutant
        with self.lock:
            now = time.monotonic()
            if mutant('limit-counts-gets') and call.command != 'GET':
                return {}, False
            self.calls = [at for at in self.calls if now - at < 60]
            most = self.most + (1 if mutant('limit-of-61') else -1 if mutant('limit-of-59') else 0)
            if mutant('limit-unset'):
                most = 1_000_000
            is_over = len(self.calls) >= most
            if not is_over:
                self.calls.append(now)
            reset = str(int(60 - (now - self.calls[0])) + 1)
            left = max(0, self.most - len(self.calls) + (1 if mutant('limit-left-before') else 0))
            headers = {'RateLimit-Limit': str(self.most), 'RateLimit-Remaining': str(left), 'RateLimit-Reset': reset}
            if mutant('limit-headers-missing'):
                headers = {}
            if mutant('limit-headers-of-refusals') and not is_over:
                headers = {}
            if is_over and not mutant('limit-without-retry-after'):
                headers['Retry-After'] = '3600' if mutant('limit-for-an-hour') else reset
            return headers, is_over
