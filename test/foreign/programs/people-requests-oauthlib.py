"""An app that a person lets in, by requests-oauthlib. Arguments: issuer, origin, client, secret."""
import json
import sys

import requests
from callback import check_issuer, let_in
from oauthlib.oauth2 import OAuth2Error
from requests_oauthlib import OAuth2Session

issuer, origin, client, secret = sys.argv[1:]
metadata = requests.get(f"{issuer}/.well-known/oauth-authorization-server").json()
# It revokes nothing by itself, and gets no address by which it could.
credentials = (client, secret)


def begin(redirect_uri):
    session = OAuth2Session(client, redirect_uri=redirect_uri, scope="policies:read claims:read", pkce="S256")
    url, _ = session.authorization_url(metadata["authorization_endpoint"])

    def accept(callback):
        check_issuer(callback, metadata)
        session.fetch_token(metadata["token_endpoint"], authorization_response=callback, client_secret=secret)
        return session

    return url, accept


def policies(session):
    answer = session.get(f"{origin}/insurer/v1/policies")
    return [each["id"] for each in answer.json()["items"]] if answer.ok else answer.status_code


session, refusals = let_in(begin)
scope = session.token["scope"]
seen = policies(session)
# Else it asks for all that it asked for at first, which may be more than the person allowed.
session.scope = scope
session.refresh_token(metadata["token_endpoint"], auth=credentials)
again = policies(session)
form = {"token": session.token["refresh_token"]}
requests.post(metadata["revocation_endpoint"], data=form, auth=credentials).raise_for_status()
call = policies(session)
try:
    session.refresh_token(metadata["token_endpoint"], auth=credentials)
    refresh = None
except OAuth2Error as refused:
    refresh = refused.error
print(json.dumps({"refusals": refusals, "scope": " ".join(scope), "seen": seen, "again": again, "ended": [call, refresh]}))
