import urllib3

# integrations/pytest/pytest_l_plate.py as conftest.py; pip install pytest urllib3, then: pytest


def test_a_read_that_is_refused_with_503_is_repeated(lplate):
    client = lplate.client()
    headers = {"Authorization": f"Bearer {client.token()}"}
    client.drill("unavailable", sequence=["hit", "pass"], retryAfter=1)
    retries = urllib3.Retry(total=3, status_forcelist=[503], respect_retry_after_header=True)

    answer = urllib3.PoolManager(retries=retries).request("GET", f"{lplate.url}/insurer/v1/policies", headers=headers)

    assert answer.status == 200
    attempts = client.exchanges(path="/insurer/v1/policies")
    assert [(each["status"], each["drills"]) for each in attempts] == [(503, ["unavailable"]), (200, [])]
