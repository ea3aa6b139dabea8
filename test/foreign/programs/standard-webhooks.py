"""Verifies calls by the library of Standard Webhooks. Argument: a file with a list of calls. Prints which are verified."""
import json
import sys

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

verified = []
for call in json.load(open(sys.argv[1], encoding="utf-8")):
    try:
        Webhook(call["secret"]).verify(call["body"], call["headers"])
        verified.append(True)
    except WebhookVerificationError:
        verified.append(False)
print(json.dumps(verified))
