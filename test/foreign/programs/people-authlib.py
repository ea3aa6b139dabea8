"""An app that a person lets in, by Authlib. Arguments: issuer, origin, client, secret."""
import json
import sys

import requests
from authlib.common.security import generate_token
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata, get_well_known_url
from callback import check_issuer, let_in

issuer, origin, client, secret = sys.argv[1:]
metadata = AuthorizationServerMetadata(requests.get(get_well_known_url(issuer, external=True)).json())
metadata.validate()
session = OAuth2Session(client, secret, scope="policies:read claims:read", code_challenge_method="S256")


def begin(redirect_uri):
    session.redirect_uri = redirect_uri
    verifier = generate_token(48)
    url, state = session.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier)

    def accept(callback):
        check_issuer(callback, metadata)
        return session.fetch_token(
            metadata["token_endpoint"], authorization_response=callback, state=state, code_verifier=verifier
        )

    return url, accept


def policies():
    answer = session.get(f"{origin}/insurer/v1/policies")
    return [each["id"] for each in answer.json()["items"]] if answer.ok else answer.status_code


token, refusals = let_in(begin)
seen = policies()
# Else it asks for all that it asked for at first, which may be more than the person allowed.
session.scope = token["scope"]
session.refresh_token(metadata["token_endpoint"])
again = policies()
username = session.introspect_token(metadata["introspection_endpoint"], token=session.token["access_token"]).json()
session.revoke_token(metadata["revocation_endpoint"], token=session.token["refresh_token"])
call = policies()
try:
    session.refresh_token(metadata["token_endpoint"])
    refresh = None
except OAuthError as refused:
    refresh = refused.error
print(
    json.dumps(
        {
            "refusals": refusals,
            "scope": token["scope"],
            "seen": seen,
            "again": again,
            "username": username["username"],
            "ended": [call, refresh],
        }
    )
)
