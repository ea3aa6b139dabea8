"""A client that openapi-generator made of the published descriptions. Prints what it did as one line of JSON."""
import datetime
import json
import sys

import claims
import insurer

origin = sys.argv[1]
configuration = insurer.Configuration(host=f"{origin}/insurer/v1")
anybody = insurer.ClientsAndTokensApi(insurer.ApiClient(configuration))
credentials = anybody.create_demo_client()
token = anybody.create_token(insurer.TokenRequest(
    grant_type="client_credentials", client_id=credentials.client_id, client_secret=credentials.client_secret,
)).access_token

configuration.access_token = token
policies = insurer.PoliciesApi(insurer.ApiClient(configuration))
tomorrow = datetime.datetime.now(datetime.timezone.utc).date() + datetime.timedelta(days=1)
created = policies.create_policy(
    insurer.PolicyDraft(regNumber="WK-1234", holder="Ada Example", startDate=tomorrow)
)
read = policies.read_policy(created.id)
listed = policies.list_policies(page_size=5)
updated = policies.update_policy(created.id, insurer.PolicyChange(holder="Grace Example"))

service = claims.ClaimsApi(claims.ApiClient(claims.Configuration(host=f"{origin}/claims/v1", access_token=token)))
registered = service.register_claim(claims.ClaimDraft(policyNumber=created.id))
claim = service.read_claim(registered.claim_id)

cancelled = policies.cancel_policy(created.id)
try:
    policies.update_policy(created.id, insurer.PolicyChange(holder="Too Late"))
    refused = None
except insurer.ApiException as exception:
    refused = json.loads(exception.body)["title"]
print(json.dumps({
    "created": created.status, "read": read.reg_number, "listed": listed.total_items, "updated": updated.holder,
    "claim": claim.status, "cancelled": cancelled.status, "refused": refused,
}))
