"""Brings the webhooks of L-Plate to a receiver on this machine, which L-Plate can't reach itself. Python 3.9 or newer:

    LPLATE_URL=… CLIENT_ID=… CLIENT_SECRET=… python3 relay.py

It holds a stream open, by which L-Plate sends each call of your subscriptions with "via": "relay". It makes the call
here, as it is, and sends back what was answered. All connections begin here, so nobody has to reach this machine.
If L-Plate has a certificate of its own, SSL_CERT_FILE is the file of its authority.
"""

import base64
import json
import os
import socket
import sys
import threading
import time
from contextlib import suppress
from http.client import BadStatusLine, HTTPConnection, HTTPException
from ipaddress import ip_address
from ssl import SSLCertVerificationError, SSLEOFError, SSLError, create_default_context
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

RELAY, SECONDS, LONGEST = "/range/v1/me/relay", 15, 2000  # that a receiver may take; bytes of its answer that are sent
KEPT = ("content-type", "date", "location", "retry-after")  # its headers that are, too
ERRORS = {socket.gaierror: "name", socket.timeout: "timeout", SSLCertVerificationError: "tls", SSLEOFError: "closed"}
ERRORS |= {SSLError: "handshake", ConnectionRefusedError: "refused", ConnectionError: "closed", BadStatusLine: "http"}
SETTINGS = {name: os.environ.get(name, "") for name in ("LPLATE_URL", "CLIENT_ID", "CLIENT_SECRET")}
URL, CLIENT_ID, CLIENT_SECRET = SETTINGS.values()
token = ""


def say(text):
    print(time.strftime("%H:%M:%S"), text, flush=True)


def send(method, path, body=None, **headers):
    headers |= {"Content-Type": "application/json", "L-Plate-Console": "relay"}  # no lesson counts it
    return urlopen(Request(URL.rstrip("/") + path, body, headers, method=method), timeout=60)  # no stream is so silent


def authorized(method, path, body=None, **headers):
    """Calls L-Plate with the token, or with a new one if that has ended."""
    global token
    try:
        return send(method, path, body, Authorization=f"Bearer {token}", **headers)
    except HTTPError as error:
        if error.code != 401:
            raise
    form = {"grant_type": "client_credentials", "client_id": CLIENT_ID, "client_secret": CLIENT_SECRET}
    with send("POST", "/insurer/v1/auth/token", json.dumps(form).encode()) as answer:
        token = json.load(answer)["access_token"]
    return send(method, path, body, Authorization=f"Bearer {token}", **headers)


def calls(stream):
    """The calls that come by the stream."""
    event = ""
    for line in stream:
        name, _, value = line.decode().strip().partition(": ")
        if name == "event":
            event = value
        elif name == "data" and event == "replaced":
            sys.exit("relay: another relay of this client has begun, and gets the calls now.")
        elif name == "data" and event == "call":
            yield json.loads(value)


def connect(host, port):
    """Connects to the receiver, if it is on this machine."""
    addresses = [found[4][:2] for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    if "--allow-any-host" not in sys.argv and not all(ip_address(host).is_loopback for host, _ in addresses):
        raise OSError("the relay calls this machine alone, unless it is started with --allow-any-host")
    for address in addresses[:-1]:  # localhost often has two
        with suppress(OSError):
            return socket.create_connection(address, SECONDS)
    return socket.create_connection(addresses[-1], SECONDS)


def make(call, url):
    """Makes a call, with these headers and bytes. It follows no redirect."""
    connection = connect(url.hostname, url.port or (443 if url.scheme == "https" else 80))
    if url.scheme == "https":
        connection = create_default_context().wrap_socket(connection, server_hostname=url.hostname)
    with connection:
        receiver = HTTPConnection(url.hostname)
        receiver.sock = connection
        target = url.path + (f"?{url.query}" if url.query else "")
        receiver.putrequest(call["method"], target, skip_host=True, skip_accept_encoding=True)
        for name, value in {**call["headers"], "Connection": "close"}.items():
            receiver.putheader(name, value)
        receiver.endheaders(base64.b64decode(call["body"]))
        answer = receiver.getresponse()
        headers = {name: answer.getheader(name) for name in KEPT if name in answer.headers}
        return {"status": answer.status, "headers": headers, "body": beginning(answer, connection)}


def beginning(answer, connection):
    """What comes of a body within a second: a receiver that goes on sending has answered all the same."""
    body, until = b"", time.monotonic() + 1
    connection.settimeout(1)
    with suppress(OSError, HTTPException):
        while len(body) < LONGEST and time.monotonic() < until and (more := answer.read1(LONGEST - len(body))):
            body += more
    return base64.b64encode(body).decode()


def relay(call):
    """Makes a call, and sends back what was answered, or why nothing was."""
    url, start = urlsplit(call["url"]), time.monotonic()
    try:
        outcome = make(call, url)
    except (OSError, HTTPException) as error:
        known = [{"error": kind} for of, kind in ERRORS.items() if isinstance(error, of)]
        outcome = known[0] if known else {"error": "other", "detail": str(error)[:200]}
    said, ms = outcome.get("status") or " ".join(outcome.values()), 1000 * (time.monotonic() - start)
    say(f"{call['method']} {url.path} {said} {ms:.0f} ms")
    try:
        authorized("POST", f"{RELAY}/{call['id']}", json.dumps(outcome).encode()).close()
    except OSError as error:
        say(f"L-Plate did not take this answer: {error}")


def main():
    missing = [name for name, value in SETTINGS.items() if not value]
    if missing or not URL.startswith(("http://", "https://")):
        sys.exit(f"relay: {missing[0] + ' is missing' if missing else 'LPLATE_URL is no address that begins with http'}.")
    pause = 1
    while True:
        try:
            with authorized("GET", RELAY, Accept="text/event-stream") as stream:
                say(f"connected to {URL}; Ctrl+C ends it")
                pause = 1
                for call in calls(stream):
                    threading.Thread(target=relay, args=[call], daemon=True).start()
            raise OSError("the stream ended")
        except (OSError, HTTPException) as error:
            if isinstance(error, HTTPError) and error.code in (400, 401, 403, 404):
                sys.exit(f"relay: {error.url} answered {error.code}: {error.read(500).decode()}")
            say(f"{URL}: {error}; trying again in {pause} s")
        time.sleep(pause)
        pause = min(2 * pause, 30)


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main()
    say("stopped by Ctrl+C")
