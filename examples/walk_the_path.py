"""Solves the lessons of the first level. It needs a running L-Plate, Python 3.9 or newer, and requests:

    pip install requests
    python3 examples/first_level.py
"""
import base64
import json
import os
import re
import time

import requests

ROOT = os.environ.get("LPLATE_URL", "http://localhost:8080")
INSURER = f"{ROOT}/insurer/v1"

# The same address gives the same client for every call, so what has no token is known by the prefix /for/CLIENT_ID.
client = requests.post(f"{INSURER}/demo-clients").json()
personal = f"{ROOT}/for/{client['client_id']}"


def token(**more):
    return requests.post(f"{INSURER}/auth/token", **more)


# Credentials and tokens: three ways to get a token, and what is in it.
requests.get(f"{personal}/insurer/v1/coverage-options")
access_token = token(json=client).json()["access_token"]
token(data={"grant_type": "client_credentials", **client})
token(data={"grant_type": "client_credentials"}, auth=(client["client_id"], client["client_secret"]))

session = requests.Session()
session.headers["Authorization"] = f"Bearer {access_token}"


def answer(lesson, value):
    result = session.post(f"{ROOT}/range/v1/me/answers", json={"lesson": lesson, "answer": value}).json()
    assert result["correct"], f"{lesson}: {result['advice']}"


claims = access_token.split(".")[1]
answer("token-decoded", json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))["sub"])

# Four ways to be refused.
token(json={**client, "client_secret": "wrong"})
token(json={**client, "scope": "policies:admin"})
requests.get(f"{personal}/insurer/v1/policies")
requests.get(f"{personal}/insurer/v1/policies", headers={"Authorization": f"Token {access_token}"})

# Policies.
plate = f"PY-{int(time.time())}"
policy = session.post(f"{INSURER}/policies", json={"regNumber": plate}).json()
refused = session.post(f"{INSURER}/policies", json={"regNumber": plate})
assert refused.status_code == 409, refused.text
session.get(f"{INSURER}/policies/{policy['id']}")
session.get(f"{INSURER}/policies/pol-00000000-0000-7000-8000-000000000000")

# The vehicle registry: SOAP and its successor. Neither asks who calls.
wsdl = requests.get(f"{personal}/vehicle-registry/v1?wsdl").text
namespace = re.search('targetNamespace="([^"]+)"', wsdl)[1]
envelope = f"""<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>
<GetVehicleDataRequest xmlns="{namespace}"><RegNumber>AB-1234</RegNumber></GetVehicleDataRequest>
</s:Body></s:Envelope>"""
headers = {"Content-Type": "text/xml; charset=utf-8", "SOAPAction": f'"{namespace}/GetVehicleData"'}
requests.post(f"{personal}/vehicle-registry/v1", data=envelope, headers=headers)
requests.get(f"{personal}/vehicle-registry/v2/vehicles/AB-1234")

# A claim that will be rejected. The own clock moves on, so that nobody has to wait for its review.
wish = {"policyNumber": policy["id"], "outcome": "REJECTED", "paceSeconds": 60}
claim = session.post(f"{ROOT}/claims/v1/claims", json=wish).json()
session.post(f"{ROOT}/range/v1/me/clock", json={"advance": "PT2M"})
for _ in range(20):
    claim = session.get(f"{ROOT}/claims/v1/claims/{claim['claimId']}").json()
    if claim["status"] == "REJECTED":
        break
    time.sleep(0.5)
answer("claim-rejected", claim["statusReason"])

lessons = session.get(f"{ROOT}/range/v1/me/lessons", params={"pageSize": 500}).json()["items"]
first = [lesson for lesson in lessons if lesson["level"] == 1]
for lesson in first:
    print(f"{lesson['state']:8}{lesson['title']}")
    assert lesson["state"] == "solved", lesson["goal"]
print(f"{len(first)} lessons of the first level are solved.")
