"""`make sam-local` as a person uses it: what its screen says, requests over HTTP, Ctrl-C."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from local.containers.building import DIRECTORY
from local.template import ROOT
from tests.harness.world import Answer

READY_SECONDS = 400
"""To build everything from nothing, on a machine that does other things too."""
SOON_SECONDS = 180
"""For what waits for a function's first container."""
LOGS = ("start-api.log", "start-lambda.log")

_SCREEN = re.compile(
    r"runs at http://(?P<host>\S+)/v1.*\nA store's address for write-backs[^:]*: "
    r"(?P<write_backs>\S+)\n.*Lambda is at http://127.0.0.1:(?P<lambda_port>\d+)\. .*Ctrl-C",
    re.DOTALL,
)


class Matching:
    """Equal to every text that a pattern matches, so that whole answers can be compared."""

    def __init__(self, pattern: str) -> None:
        """`pattern` is for the whole text."""
        self._pattern = re.compile(pattern)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and self._pattern.fullmatch(other) is not None

    def __hash__(self) -> int:
        return hash(self._pattern)

    def __repr__(self) -> str:
        return f"<{self._pattern.pattern}>"


ID = Matching(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
MOMENT = Matching(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@dataclass(frozen=True)
class Service:
    """A run that is ready."""

    process: subprocess.Popen[bytes]
    host: str
    write_back_url: str
    lambda_port: int

    @property
    def network(self) -> str:
        """The network of the run's containers."""
        return f"storepost-{self.host.rpartition(':')[2]}"

    def call(
        self,
        method: str,
        target: str,
        *,
        token: str | None = None,
        json_body: object = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """A request to a path of the origin."""
        sent = dict(headers or {})
        if token:
            sent["authorization"] = f"Bearer {token}"
        if json_body is not None:
            body = json.dumps(json_body, ensure_ascii=False).encode()
            sent["content-type"] = "application/json"
        connection = http.client.HTTPConnection(self.host, timeout=SOON_SECONDS)
        try:
            connection.request(method, target, body=body, headers=sent)
            response = connection.getresponse()
            return Answer(response.status, dict(response.getheaders()), response.read())
        finally:
            connection.close()

    def json_of(self, status: int, method: str, target: str, **options: Any) -> Any:
        """The JSON of an answer, once it has this status."""
        answer = self.call(method, target, **options)
        assert answer.status == status, answer.body
        return answer.json

    def email_to(self, address: str, subject: str) -> dict[str, Any]:
        """The email of this subject to somebody, as soon as there is one."""

        def look() -> list[dict[str, Any]]:
            emails = self.json_of(200, "GET", "/_local/emails")
            return [e for e in emails if (e["to"], e["subject"]) == (address, subject)]

        (email,) = soon(look)
        return email

    def stop(self) -> int:
        """Ctrl-C: the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(SOON_SECONDS)


def start(directory: Path) -> Service:
    """A run on a free port, once it is ready; its output is in the directory's file `said`."""
    paths = os.pathsep.join([str(ROOT), str(ROOT / "layers" / "core")])
    screen = directory / "screen"
    with screen.open("wb") as shown, (directory / "said").open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "local.containers"],
            env={**os.environ, "PYTHONPATH": paths, "PORT": "0"},
            cwd=ROOT,
            stdout=shown,
            stderr=errors,
        )
    until = time.monotonic() + READY_SECONDS
    while not (found := _SCREEN.search(screen.read_text())):
        if process.poll() is not None or time.monotonic() > until:
            process.terminate()
            raise AssertionError((directory / "said").read_text())
        time.sleep(0.1)
    return Service(process, found["host"], found["write_backs"], int(found["lambda_port"]))


def soon[T](look: Callable[[], T]) -> T:
    """What `look` returns, once that is true."""
    until = time.monotonic() + SOON_SECONDS
    while not (seen := look()):
        assert time.monotonic() < until, "it never came"
        time.sleep(0.1)
    return seen


def containers_made() -> set[str]:
    """The ids of all containers that the run's functions had."""
    logs = "".join((DIRECTORY / log).read_text() for log in LOGS)
    return set(re.findall(r"SAM_CONTAINER_ID: (\w+)", logs))


def docker(*arguments: str) -> list[str]:
    """The lines that Docker answers."""
    done = subprocess.run(["docker", *arguments], check=True, capture_output=True, text=True)
    return done.stdout.split()
