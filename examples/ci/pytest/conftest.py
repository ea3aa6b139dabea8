"""Starts L-Plate for tests: on a free port, nothing on disk, no rate limits, and the same ids, secrets and times in
each run. LPLATE_DIR is the clone of L-Plate that is started; by default the one that this file is in."""

import json
import os
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import pytest

DIRECTORY = os.environ.get("LPLATE_DIR", Path(__file__).resolve().parents[3])
SETTINGS = ["--port", "0", "--ready", "json", "--seed", "47", "--now", "2026-03-01T09:00Z"]
LIMITS = ["--rate-limit-per-minute", "off", "--probe-limit-per-minute", "off"]


class LPlate:
    def __init__(self, url, secrets):
        self.url = url
        self.secrets = secrets

    def call(self, method, path, token=None, body=None):
        """Returns the status and the body, parsed."""
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read() or b"null")

    def reset(self):
        """The state of the start."""
        return self.call("POST", "/range/v1/trainer/reset?what=everything", self.secrets["trainerToken"])

    def advance(self, duration):
        """Lets time go on for everybody, such as PT10S."""
        return self.call("POST", "/range/v1/trainer/clock", self.secrets["trainerToken"], {"advance": duration})

    def token(self):
        """A token of a new client."""
        _, credentials = self.call("POST", "/insurer/v1/demo-clients")
        _, body = self.call("POST", "/insurer/v1/auth/token", body=credentials)
        return body["access_token"]


@pytest.fixture(scope="session")
def running():
    command = ["npm", "start", "--silent", "--", *SETTINGS, *LIMITS]
    program = subprocess.Popen(
        command,
        cwd=DIRECTORY,
        env={**os.environ, "LOG_LEVEL": "warn"},
        stdout=subprocess.PIPE,
        text=True,
        shell=os.name == "nt",
    )
    line = program.stdout.readline()
    assert line, f"L-Plate did not start: exit code {program.wait()}"
    ready = json.loads(line)
    yield LPlate(ready["url"], ready["secrets"])
    program.terminate()
    program.wait(timeout=15)


@pytest.fixture
def insurer(running):
    """L-Plate, as after its start: for each test."""
    running.reset()
    return running
