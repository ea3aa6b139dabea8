import pytest

# pip install pytest, then: pytest examples/ci/pytest


def insure(insurer, token):
    status, policy = insurer.call("POST", "/insurer/v1/policies", token, {"regNumber": "CI-0001"})
    assert status == 201
    return policy


@pytest.mark.parametrize("time", ["first", "second"])
def test_a_policy_begins_today_and_is_the_same_in_each_run(insurer, time):
    policy = insure(insurer, insurer.token())
    assert policy["id"] == "pol-019ca8a0-3e80-704c-acb3-fc0cb5a0e988"
    assert policy["startDate"] == "2026-03-01"
    assert policy["createdAt"] == "2026-03-01T09:00:00.000Z"


def test_a_claim_moves_when_time_does(insurer):
    token = insurer.token()
    policy = insure(insurer, token)
    _, claim = insurer.call("POST", "/claims/v1/claims", token, {"policyNumber": policy["id"]})
    path = f"/claims/v1/claims/{claim['claimId']}"
    assert insurer.call("GET", path, token)[1]["status"] == "REGISTERED"
    insurer.advance("PT10S")
    assert insurer.call("GET", path, token)[1]["status"] == "UNDER_REVIEW"
