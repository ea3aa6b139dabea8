"""A client that openapi-python-client made of the published descriptions. Prints what it did as one line of JSON."""
import datetime
import json
import sys

from claims import AuthenticatedClient as ClaimsClient
from claims.api.claims import read_claim, register_claim
from claims.models import ClaimDraft
from insurer import AuthenticatedClient, Client
from insurer.api.clients_and_tokens import create_demo_client, create_token
from insurer.api.policies import cancel_policy, create_policy, list_policies, read_policy, update_policy
from insurer.models import PolicyChange, PolicyDraft, TokenRequest

origin = sys.argv[1]
anybody = Client(f"{origin}/insurer/v1")
credentials = create_demo_client.sync(client=anybody)
token = create_token.sync(client=anybody, body=TokenRequest(
    grant_type="client_credentials", client_id=credentials.client_id, client_secret=credentials.client_secret,
)).access_token

client = AuthenticatedClient(f"{origin}/insurer/v1", token=token)
tomorrow = datetime.datetime.now(datetime.timezone.utc).date() + datetime.timedelta(days=1)
created = create_policy.sync(
    client=client, body=PolicyDraft(reg_number="WK-1234", holder="Ada Example", start_date=tomorrow)
)
read = read_policy.sync(created.id, client=client)
listed = list_policies.sync(client=client, page_size=5)
updated = update_policy.sync(created.id, client=client, body=PolicyChange(holder="Grace Example"))

service = ClaimsClient(f"{origin}/claims/v1", token=token)
registered = register_claim.sync(client=service, body=ClaimDraft(policy_number=created.id))
claim = read_claim.sync(registered.claim_id, client=service)

cancelled = cancel_policy.sync(created.id, client=client)
refused = update_policy.sync(created.id, client=client, body=PolicyChange(holder="Too Late"))
print(json.dumps({
    "created": created.status, "read": read.reg_number, "listed": listed.total_items, "updated": updated.holder,
    "claim": claim.status, "cancelled": cancelled.status, "refused": refused.title,
}))
