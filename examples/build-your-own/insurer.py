"""The first stage of an insurer of your own, to go on from: it lists the coverage options. Needs Python 3.9 or newer.

    PORT=9000 python3 insurer.py
    l-plate examine http://localhost:9000/insurer/v1
"""

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

OPTIONS = [
    {"code": "MTPL-1M", "name": "One month", "term": "P1M"},
    {"code": "MTPL-3M", "name": "Three months", "term": "P3M"},
    {"code": "MTPL-6M", "name": "Six months", "term": "P6M"},
    {"code": "MTPL-12M", "name": "Twelve months", "term": "P1Y"},
]

# By method and path: what gives the status of the answer and its JSON.
ROUTES = {
    ("GET", "/insurer/v1/coverage-options"): lambda request, body: (200, {"options": OPTIONS}),
}


class Insurer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        route = ROUTES.get((self.command, self.path.split("?")[0]))
        # The second stage says what an address that you do not have is answered with.
        status, answer = route(self, body) if route else (404, {})
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = do_DELETE = answer


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Insurer)
print("ready", server.server_port, flush=True)
server.serve_forever()
