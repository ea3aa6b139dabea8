"""What a valid request needs beyond its schema. POLICY_ID is the id of a policy of the client that calls."""
import datetime
import json
import os

import schemathesis


def is_date(value):
    try:
        return bool(datetime.date.fromisoformat(value))
    except (TypeError, ValueError):
        return False


def is_short(value):
    return isinstance(value, str) and len(value) <= 2000


@schemathesis.serializer("application/x-ndjson")
def ndjson(context, value):
    """A text as it is; anything else as an import of one row."""
    return value.encode("utf-8", "replace") if isinstance(value, str) else json.dumps(value).encode()


@schemathesis.hook
def map_body(context, body):
    operation = context.operation.label
    # From today to a year ahead: a schema can't say so.
    if operation == "POST /policies" and isinstance(body, dict) and is_date(body.get("startDate")):
        body["startDate"] = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    # Of the ids that have the right form, the one of a policy that exists.
    if operation == "POST /claims" and isinstance(body, dict) and str(body.get("policyNumber")).startswith("pol-"):
        body["policyNumber"] = os.environ["POLICY_ID"]
    # Null is for a policy that has no holder; and a name of one letter is nearly that of the member id.
    if operation == "PUT /policies/{policyId}" and isinstance(body, dict):
        body = {name: value for name, value in body.items() if len(name) != 1}
        if body.get("holder", "") is None:
            body["holder"] = "Ada Example"
    # Of the strings, a URL that can be called; nobody listens there.
    if operation == "POST /subscriptions" and isinstance(body, dict) and is_short(body.get("url")):
        body["url"] = "http://127.0.0.1:9/"
    # An inbox has answers, and the others a URL: which members go together, the schema does not say.
    if operation == "POST /subscriptions" and isinstance(body, dict):
        if body.get("via") == "inbox":
            body.pop("url", None)
        else:
            body.pop("answers", None)
            body.setdefault("url", "http://127.0.0.1:9/")
    return body
