"""SAM CLI's two servers, the gateway's and Lambda's, whose functions run in warm containers."""

import json
import os
import signal
import socket
import subprocess
import time
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from local.console import CannotRun
from local.containers.building import DIRECTORY, IMAGE, sam, sam_environment
from local.containers.variables import VARIABLES
from local.template import Function

READY_SECONDS = 60
STOP_SECONDS = 30
COLD_SECONDS = 120
"""The time to build an image and create a container, on top of the function's own timeout."""


class FunctionFailed(Exception):  # noqa: N818 - it is what happened
    """The function raised an error of the named type; its message could hold personal data."""


class NoAnswer(Exception):  # noqa: N818 - it is what happened
    """SAM CLI could not run the function; the message is the HTTP status."""


@dataclass(frozen=True)
class Server:
    """One of the two servers."""

    process: subprocess.Popen[bytes]
    port: int
    log: Path


class Sam:
    """Both servers, at 127.0.0.1."""

    def __init__(self, template: Path, network: str, api_port: int) -> None:
        """Starts them, with the functions' environment variables in `VARIABLES`."""
        options = _options(template, network)
        self._api = _start("start-api", api_port, options)
        self._lambda = _start("start-lambda", free_port(), options)

    @property
    def lambda_port(self) -> int:
        """The port of the Lambda server."""
        return self._lambda.port

    @property
    def logs(self) -> list[Path]:
        """The files with the output of the servers and the functions."""
        return [self._api.log, self._lambda.log]

    def wait(self) -> None:
        """Returns once both answer; raises CannotRun if one doesn't."""
        for server in (self._api, self._lambda):
            _wait(server)

    def invoke(self, function: Function, event: dict[str, Any]) -> Any:  # noqa: ANN401 - its own answer
        """Runs the function on the event; raises FunctionFailed and NoAnswer."""
        return invoke_at(self.lambda_port, function, event)

    def stop(self) -> None:
        """Ends both, each with its containers."""
        for server in (self._api, self._lambda):
            server.process.send_signal(signal.SIGTERM)
        for server in (self._api, self._lambda):
            try:
                server.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                server.process.kill()
                server.process.wait()


def invoke_at(port: int, function: Function, event: dict[str, Any]) -> Any:  # noqa: ANN401
    """Invokes the function through the Lambda server at a port of 127.0.0.1.

    Returns the function's result; raises FunctionFailed and NoAnswer.
    """
    connection = HTTPConnection("127.0.0.1", port, timeout=function.timeout_seconds + COLD_SECONDS)
    try:
        path = f"/2015-03-31/functions/{function.name}/invocations"
        connection.request("POST", path, json.dumps(event), {"content-type": "application/json"})
        response = connection.getresponse()
        return read_answer(response.status, response.read())
    finally:
        connection.close()


def read_answer(status: int, body: bytes) -> Any:  # noqa: ANN401 - the function's own answer
    """Returns the function's result; raises FunctionFailed and NoAnswer.

    When a function raises, SAM CLI answers 200 without Lambda's `X-Amz-Function-Error`; the body
    has the error.
    """
    if status != 200:
        raise NoAnswer(str(status))
    answer = json.loads(body)
    if isinstance(answer, dict) and "errorType" in answer:
        raise FunctionFailed(answer["errorType"])
    return answer


def free_port() -> int:
    """Returns a free port of 127.0.0.1."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def _options(template: Path, network: str) -> list[str]:
    # A function's container is created at its first invocation, as no run needs all at once. SAM
    # CLI adds its emulator to the image once, and doesn't rebuild that unless told to.
    return [
        *("--template", str(template), "--env-vars", str(VARIABLES)),
        *("--invoke-image", IMAGE, "--skip-pull-image", "--force-image-build"),
        *("--docker-network", network, "--warm-containers", "LAZY", "--no-watch"),
    ]


def _start(command: str, port: int, options: list[str]) -> Server:
    log = DIRECTORY / f"{command}.log"
    with log.open("wb") as file:
        process = subprocess.Popen(
            sam("local", command, "--port", str(port), *options),
            env=sam_environment(),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            # A terminal's Ctrl-C must reach only the run, which stops its processes in order.
            start_new_session=True,
        )
    return Server(process, port, log)


def _wait(server: Server) -> None:
    until = time.monotonic() + READY_SECONDS
    while time.monotonic() < until and server.process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", server.port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise CannotRun(f"SAM CLI did not start; {os.path.relpath(server.log)} has what it said.")
