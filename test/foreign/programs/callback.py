"""What an app on a person's own machine has besides its OAuth client: a port at which the browser comes back."""
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlsplit


class _Callback(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.path = self.path
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"Go on in the app.")

    def log_message(self, *_):
        pass


def let_in(begin):
    """Sends a person out, by a line with the address, until something comes back that is accepted.

    begin(redirect_uri) returns the address, and what accepts the address at which the browser came back, or throws. Returns what
    came of it, with the reasons of what was not accepted.
    """
    refusals = []
    with HTTPServer(("127.0.0.1", 0), _Callback) as server:
        origin = f"http://127.0.0.1:{server.server_port}"
        while True:
            url, accept = begin(f"{origin}/callback")
            print(url, flush=True)
            server.handle_request()
            try:
                return accept(origin + server.path), refusals
            except Exception as refused:
                refusals.append(f"{type(refused).__name__}: {refused}")


def check_issuer(callback, metadata):
    """RFC 9207, section 2.4: no answer of another server is taken."""
    sent = parse_qs(urlsplit(callback).query).get("iss")
    if sent != [metadata["issuer"]]:
        raise ValueError(f"iss is {sent}")
