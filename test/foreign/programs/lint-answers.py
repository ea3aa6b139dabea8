"""Walks through the service at an origin, and writes as JSON what httplint finds bad or doubtful in its answers."""
import json
import re
import socket
import sys
from urllib.parse import urlsplit

from httplint.message import HttpRequestLinter, HttpResponseLinter
from httplint.note import levels

origin, trainer = sys.argv[1:]
place = urlsplit(origin)
found = {}
statuses = set()


def read(method, connection):
    """The parts of an answer as they come: http.client would mend them. A stream ends after its head."""
    received = connection.makefile("rb")
    start = received.readline().rstrip(b"\r\n")
    headers = []
    while line := received.readline().rstrip(b"\r\n"):
        name, _, value = line.partition(b":")
        headers.append((name, value.strip(b" \t")))
    sent = {name.lower(): value for name, value in headers}
    _, status, phrase = start.split(b" ", 2)
    if b"event-stream" in sent.get(b"content-type", b"") or method == "HEAD" or status in (b"204", b"304"):
        return status, phrase, headers, None
    if b"content-length" in sent:
        return status, phrase, headers, received.read(int(sent[b"content-length"]))
    body = b""
    while size := int(received.readline(), 16):
        body += received.read(size)
        received.readline()
    return status, phrase, headers, body


def lint(method, path, headers=None, body=None):
    """Sends a request, lints its answer, and returns status, headers and JSON."""
    sent = {"Host": place.netloc, "User-Agent": "lint", "Connection": "close", **(headers or {})}
    content = b"" if body is None else body.encode()
    if body is not None:
        sent.setdefault("Content-Type", "application/json")
    if method not in ("GET", "HEAD", "OPTIONS"):
        sent["Content-Length"] = str(len(content))
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items())]
    with socket.create_connection((place.hostname, place.port), 30) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + content)
        status, phrase, got, answer = read(method, connection)
    request = HttpRequestLinter()
    request.process_request_topline(method.encode(), (origin + path).encode(), b"1.1")
    request.process_headers([(name.encode(), value.encode()) for name, value in sent.items()])
    request.feed_content(content)
    request.finish_content(True)
    response = HttpResponseLinter(_related=request, no_content=answer is None)
    response.is_head_response = method == "HEAD"
    response.base_uri = origin + path
    response.process_response_topline(b"1.1", status, phrase)
    response.process_headers(got)
    response.feed_content(answer or b"")
    response.finish_content(True)
    statuses.add(int(status))
    for note in response.notes:
        if note.level in (levels.BAD, levels.WARN):
            found.setdefault(type(note).__name__, set()).add(f"{method} {path[:60]} {int(status)}: {note.summary[:80]}")
    known = {name.decode().lower(): value.decode() for name, value in got}
    is_json = answer and "json" in known.get("content-type", "")
    return int(status), known, json.loads(answer) if is_json else {}


def token_of(credentials):
    form = json.dumps({"grant_type": "client_credentials", **credentials})
    return lint("POST", "/insurer/v1/auth/token", body=form)[2]["access_token"]


client = lint("POST", "/insurer/v1/demo-clients")[2]
own = {"Authorization": f"Bearer {token_of(client)}"}
policies, claims = "/insurer/v1/policies", "/claims/v1/claims"
create = ("POST", policies, own, '{"regNumber":"HL-1001"}')
policy = lint(*create)[2]["id"]
lint(*create)
claim = lint("POST", claims, own, json.dumps({"policyNumber": policy}))[2]["claimId"]
hook = json.dumps({"url": "http://127.0.0.1:9/hook"})
subscription = lint("POST", "/claims/v1/subscriptions", own, hook)[2]["id"]
lint("POST", f"/claims/v1/subscriptions/{subscription}/test", own)
lint("PUT", f"{policies}/{policy}", {**own, "If-Match": '"none"'}, '{"holder":"Ada"}')
lint("PUT", f"{policies}/{policy}", own, '{"holder":"Ada"}')
lint("PUT", f"{policies}/{policy}", own, "{")
lint("POST", policies, {**own, "Content-Type": "text/plain"}, "x")
lint("POST", policies, own, " " * 70_000)
lint("POST", f"{policies}/{policy}/cancel", own)
lint("GET", "/nowhere")
lint("GET", f"/{'x' * 9000}")
lint("DELETE", policies, own)
lint("DELETE", f"/claims/v1/subscriptions/{subscription}", own)
lint("POST", "/insurer/v1/auth/token", {"Content-Type": "application/x-www-form-urlencoded"}, "grant_type=none")
preflight = {"Origin": "https://a.example", "Access-Control-Request-Method": "POST"}
lint("OPTIONS", policies, {**preflight, "Access-Control-Request-Headers": "authorization"})
lint("POST", "/vehicle-registry/v1", {"Content-Type": "text/xml"}, "<x/>")
ids = {"policyId": policy, "claimId": claim, "client_id": client["client_id"], "reg_number": "AB-1234"}
ids.update(clientId=client["client_id"], subscriptionId=subscription)
paths = ["/", "/docs", "/problems", "/problems/not-found", "/kits", "/kits/l-plate.hurl"]
paths += ["/healthz", "/readyz", "/metrics", "/guides/tutorial.md", "/.well-known/jwks.json"]
paths += ["/vehicle-registry/v1", "/vehicle-registry/v1?wsdl", "/.well-known/oauth-authorization-server"]
paths += ["/insurer/v0/openapi.yaml", "/claims/v1/asyncapi.yaml"]
for base in ("/insurer/v1", "/vehicle-registry/v2", "/claims/v1", "/range/v1"):
    for path, operations in lint("GET", f"{base}/openapi.json")[2]["paths"].items():
        if "get" in operations:
            paths.append(base + re.sub(r"\{(\w+)\}", lambda name: ids.get(name[1], "none"), path))
for path in paths:
    bearer = {"Authorization": f"Bearer {trainer}"} if "/trainer" in path else own
    for method in ("GET", "HEAD", "OPTIONS", "PATCH"):
        lint(method, path, bearer)
    lint("GET", path)
    lint("GET", path, {**bearer, "Accept": "text/event-stream", "Accept-Encoding": "gzip, br"})
    tag = lint("GET", path, bearer)[1].get("etag")
    if tag:
        lint("GET", path, {**bearer, "If-None-Match": tag})
for _ in range(6):
    lint("GET", "/insurer/v1/limited/ping", own)
print(json.dumps({"statuses": sorted(statuses), "notes": {name: sorted(each) for name, each in found.items()}}))
