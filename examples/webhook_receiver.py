"""Receives webhooks, with Python's own library only. Refuses those that are old or not signed, and says why."""

import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("WEBHOOK_SECRET", "")
PORT = int(os.environ.get("PORT", "9000"))
if not SECRET.startswith("whsec_"):
    raise SystemExit("WEBHOOK_SECRET must be the secret of the subscription")
KEY = base64.b64decode(SECRET.removeprefix("whsec_"))
seen = set()


def refusal(headers, body):
    """Why a call is refused; None if it is from L-Plate."""
    event_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
        return "The timestamp is missing, or more than five minutes off."
    # The bytes as they arrived: JSON that is parsed and written again has another signature.
    signed = f"{event_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(KEY, signed, hashlib.sha256))
    # There may be several, such as of an old and a new secret.
    sent = headers.get("webhook-signature", "").encode().split(b" ")
    if not any(hmac.compare_digest(expected, each) for each in sent):
        return "No signature fits: is WEBHOOK_SECRET that of this subscription?"
    return None


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) >= 10_000:
            return self.answer(413, "The body is too long.")
        body = self.rfile.read(int(length))
        reason = refusal(self.headers, body)
        if reason:
            return self.answer(401, reason)
        event = json.loads(body)
        if event["eventId"] not in seen:
            data = event["data"]
            print(f"{data['claimId']}: {data['previousStatus']} -> {data['newStatus']}", flush=True)
        seen.add(event["eventId"])
        self.answer(204)

    def answer(self, status, reason=""):
        """The delivery log of L-Plate shows the reason."""
        if reason:
            print(f"refused ({status}): {reason}", flush=True)
        self.close_connection = status == 413
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", str(len(reason)))
        self.end_headers()
        self.wfile.write(reason.encode())

    def log_message(self, *_):
        """What came is printed above."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("", PORT), Receiver)
    print(f"listening on http://localhost:{PORT}, and on all addresses of this machine", flush=True)
    server.serve_forever()
