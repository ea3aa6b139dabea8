"""A client of L-Plate with requests: it renews its token, waits when it is told to, and reads page by page."""

import hashlib
import hmac
import os
import random
import time
from urllib.parse import quote

import requests

URL = os.environ.get("LPLATE_URL", "http://localhost:8080")
INSURER, CLAIMS, REGISTRY = URL + "/insurer/v1", URL + "/claims/v1", URL + "/vehicle-registry/v1"


class Client:
    def __init__(self, credentials):
        self.credentials = credentials
        self.session = requests.Session()
        self.renew()

    def renew(self):
        self.session.headers.pop("Authorization", None)
        token = self.call("POST", INSURER + "/auth/token", json=self.credentials).json()
        self.session.headers["Authorization"] = "Bearer " + token["access_token"]

    def call(self, method, url, **body):
        """The answer, whatever its status; after a new token if that had expired, and after a pause if one is asked for."""
        renewed = False
        while True:
            answer = self.session.request(method, url, timeout=30, **body)
            if answer.status_code == 401 and "Authorization" in self.session.headers and not renewed:
                renewed = True
                self.renew()
            elif answer.status_code in (429, 503) and "Retry-After" in answer.headers:
                time.sleep(int(answer.headers["Retry-After"]))
            else:
                return answer

    def read(self, method, url, **body):
        """The JSON of an answer that is no refusal."""
        answer = self.call(method, url, **body)
        if not answer.ok:
            raise RuntimeError(answer.json()["detail"])
        return answer.json()

    def policies(self):
        """All of them, however many pages there are."""
        url = INSURER + "/policies?pageSize=2"
        while url:
            answer = self.call("GET", url)
            yield from answer.json()["items"]
            url = answer.links.get("next", {}).get("url")


def plate():
    """A vehicle that nobody else has, or hardly."""
    letters = "".join(random.choices("ABCDEGHIJKLMNOPRSTUWY", k=2))
    return f"{letters}-{random.randint(1, 9999):04}"


client = Client(requests.post(INSURER + "/demo-clients", timeout=30).json())
options = client.read("GET", INSURER + "/coverage-options")["options"]
drafts = [{"regNumber": plate(), "holder": "Ada Example", "coverageOption": options[0]["code"]} for _ in range(3)]
policy, *_ = [client.read("POST", INSURER + "/policies", json=draft) for draft in drafts]
address = INSURER + "/policies/" + quote(policy["id"])
print("insured:", client.read("GET", address)["regNumber"])
print("holder:", client.read("PUT", address, json={"holder": "Grace Example"})["holder"])
print("policies:", len(list(client.policies())))
print("again:", client.call("POST", INSURER + "/policies", json=drafts[0]).status_code)
print("cancelled:", client.read("POST", address + "/cancel")["status"])

claim = client.read("POST", CLAIMS + "/claims", json={"policyNumber": policy["id"], "paceSeconds": 1})
print("claim:", claim["status"])
batch = client.read("GET", CLAIMS + "/topics/claims.status-changed?after=earliest&wait=10")
print("event:", batch["events"][0]["data"]["newStatus"])

envelope = f"""<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>
<GetVehicleDataRequest xmlns="http://lplate.example/vehicle-registry/v1">
<RegNumber>{policy["regNumber"]}</RegNumber></GetVehicleDataRequest></soap:Body></soap:Envelope>"""
soap = requests.post(REGISTRY, data=envelope, headers={"Content-Type": "text/xml"}, timeout=30)
print("vehicle:", soap.status_code)

secret = os.environ.get("HMAC_SECRET")
if secret:
    body = f'{{"regNumber":"{policy["regNumber"]}"}}'.encode()
    signature = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    headers = {"Content-Type": "application/json", "X-Signature": signature}
    print("signed:", requests.post(INSURER + "/signed/policy-check", data=body, headers=headers, timeout=30).json()["insured"])
