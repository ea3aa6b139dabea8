import pytest

# integrations/pytest/pytest_l_plate.py as conftest.py; pip install pytest, then: pytest


@pytest.mark.parametrize("time", ["first", "second"])
def test_a_policy_begins_today_and_is_the_same_in_each_run(lplate, time):
    client = lplate.client()
    policy = lplate.call("POST", "/insurer/v1/policies", client.token(), {"regNumber": client.plate()})
    assert policy["id"] == "pol-019ca8a0-3e80-704c-acb3-fc0cb5a0e988"
    assert (policy["regNumber"], policy["startDate"]) == ("TEST-0001", "2026-03-01")


def test_a_claim_moves_when_time_does(lplate):
    client = lplate.client()
    token = client.token()
    policy = lplate.call("POST", "/insurer/v1/policies", token, {"regNumber": client.plate()})
    claim = lplate.call("POST", "/claims/v1/claims", token, {"policyNumber": policy["id"]})
    assert claim["status"] == "REGISTERED"
    lplate.advance("PT10S")
    assert lplate.call("GET", f"/claims/v1/claims/{claim['claimId']}", token)["status"] == "UNDER_REVIEW"
