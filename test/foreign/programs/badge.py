"""Checks badges with openbadgeslib by the key that their issuer's did:key is. Arguments: the files (JWT, SVG, PNG).

Prints what became of each, "taken" or the reason, as one line of JSON.
"""

import json
import sys
from pathlib import Path

import jwt
from openbadgeslib.errors import LibOpenBadgesException
from openbadgeslib.ob3.verifier import OB3Verifier


def token_of(path):
    content = Path(path).read_bytes()
    if path.endswith(".svg"):
        return OB3Verifier.extract_token_from_svg(content)
    if path.endswith(".png"):
        return OB3Verifier.extract_token_from_png(content)
    return content.decode()


def outcome(path):
    token = token_of(path)
    issuer = jwt.decode(token, options={"verify_signature": False})["issuer"]["id"]
    try:
        OB3Verifier.for_issuer_did(issuer).verify(token)
        return "taken"
    except LibOpenBadgesException as error:
        return str(error)


print(json.dumps([outcome(path) for path in sys.argv[1:]]))
