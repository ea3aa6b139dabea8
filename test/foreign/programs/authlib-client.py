"""A consumer by Authlib, which reads and validates the published metadata. Arguments: origin, client, secret."""
import json
import sys

import requests
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata, get_well_known_url

origin, client, secret = sys.argv[1:]
metadata = AuthorizationServerMetadata(requests.get(get_well_known_url(origin, external=True)).json())
metadata.validate()

told = []
for method in metadata["token_endpoint_auth_methods_supported"]:
    session = OAuth2Session(client, secret, token_endpoint_auth_method=method, scope="policies:read")
    token = session.fetch_token(metadata["token_endpoint"], grant_type="client_credentials")
    listed = session.get(f"{origin}/insurer/v1/policies").json()
    try:
        OAuth2Session(client, "wrong", token_endpoint_auth_method=method).fetch_token(
            metadata["token_endpoint"], grant_type="client_credentials"
        )
        error = None
    except OAuthError as refused:
        error = refused.error
    told.append({"scope": token["scope"], "type": token["token_type"], "listed": listed["totalItems"], "error": error})
print(json.dumps(told))
