"""The fixture `lplate` is L-Plate, as after its start, for each test.

It starts `npx l-plate`, which needs Node.js 24 or newer; LPLATE_COMMAND names another command. It needs no package but pytest,
so this file can also be copied beside your tests, as `conftest.py`.
"""

import json
import os
import shlex
import subprocess
import urllib.error
import urllib.parse
import urllib.request

import pytest

COMMAND = shlex.split(os.environ.get("LPLATE_COMMAND", "npx --yes l-plate"))
# It ends with the tests, also when they are killed: the pipe to its standard input is closed then.
ALWAYS = ["--port", "0", "--ready", "json", "--end-with-stdin"]
# The project's setting lplate_settings takes their place.
SETTINGS = ["--log-level", "warn", "--seed", "47", "--now", "2026-03-01T09:00Z"]
SETTINGS += ["--rate-limit-per-minute", "off", "--probe-limit-per-minute", "off"]


def pytest_addoption(parser):
    parser.addini("lplate_settings", "flags of L-Plate, as `npx l-plate --help` lists them", "args", SETTINGS)


class Refused(Exception):
    """L-Plate refused a call. `problem` says why: type, status, detail, errors."""

    def __init__(self, problem):
        super().__init__(problem["detail"])
        self.problem = problem


class LPlate:
    def __init__(self, url, secrets):
        self.url = url
        self.secrets = secrets
        self.plates = 0

    def call(self, method, path, token=None, body=None):
        """Returns the parsed body of the answer, or raises Refused."""
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request) as answer:
                return json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            raise Refused(json.loads(error.read())) from None

    def as_trainer(self, method, path, body=None):
        return self.call(method, f"/range/v1/trainer{path}", self.secrets["trainerToken"], body)

    def reset(self):
        """The state of the start. Clients are gone then."""
        self.as_trainer("POST", "/reset?what=everything")
        self.plates = 0

    def advance(self, duration):
        """Lets time go on for everybody, such as PT10S."""
        self.as_trainer("POST", "/clock", {"advance": duration})

    def client(self):
        """A new demo client."""
        return Client(self, self.call("POST", "/insurer/v1/demo-clients"))


class Client:
    def __init__(self, lplate, credentials):
        self.lplate = lplate
        self.credentials = credentials
        self.learner = f"/learners/{credentials['client_id']}"

    def token(self):
        """A new access token, valid for an hour of this client's clock."""
        return self.lplate.call("POST", "/insurer/v1/auth/token", body=self.credentials)["access_token"]

    def plate(self):
        """A registration number that nobody has insured."""
        self.lplate.plates += 1
        return f"TEST-{self.lplate.plates:04}"

    def drill(self, name, **parameters):
        """Starts a fault that hits the calls of this client alone, for five minutes. Get a token before it."""
        self.lplate.as_trainer("POST", f"{self.learner}/drills", {"name": name, "parameters": parameters})

    def advance(self, duration):
        """Moves the clock of this client, such as P8D."""
        self.lplate.as_trainer("POST", f"{self.learner}/clock", {"advance": duration})

    def exchanges(self, **filters):
        """The calls of this client, the oldest first: path, status, kind, problem."""
        query = urllib.parse.urlencode({**filters, "pageSize": 500})
        return self.lplate.as_trainer("GET", f"{self.learner}/exchanges?{query}")["items"][::-1]


@pytest.fixture(scope="session")
def running_lplate(pytestconfig):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    program = subprocess.Popen([*COMMAND, *ALWAYS, *pytestconfig.getini("lplate_settings")], **pipes, shell=os.name == "nt")
    line = program.stdout.readline()
    assert line, f"L-Plate did not start: exit code {program.wait()}"
    ready = json.loads(line)
    yield LPlate(ready["url"], ready["secrets"])
    program.stdin.close()
    program.wait(timeout=15)


@pytest.fixture
def lplate(running_lplate):
    """L-Plate in its first state: `call`, `client`, `advance`, `reset`, `url`, `secrets`."""
    running_lplate.reset()
    return running_lplate
