"""A consumer by httpx-sse. Arguments: the topic's address, a token, how many events. Prints each as it came."""
import json
import sys

import httpx
from httpx_sse import connect_sse

address, token, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
came = []
last = ""
with httpx.Client(timeout=30) as client:
    with connect_sse(client, "GET", address, headers={"Authorization": f"Bearer {token}"}) as source:
        for event in source.iter_sse():
            # It delivers an id without data, too: the cursor of an idle stream, which has moved.
            if event.data == "" and event.id != last:
                last = event.id
                continue
            last = event.id
            came.append({"id": event.id, "type": json.loads(event.data)["eventType"]})
            if len(came) == count:
                break
print(json.dumps(came))
