"""`make invoke FUNCTION=... EVENT=...`: runs one function in a container, on an event.

It uses the data of a running `make run` or `make sam-local`.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from socket import create_connection
from urllib.parse import urlsplit

from local.console import CannotRun, say
from local.containers import building, engine
from local.containers.variables import VARIABLES
from local.template import ROOT, functions

LOOK_SECONDS = 5


def main() -> int:
    """Builds what has changed and invokes the function; returns SAM CLI's status, or 2."""
    try:
        return invoke(os.environ.get("FUNCTION", ""), os.environ.get("EVENT", ""))
    except CannotRun as problem:
        say(str(problem))
        return 2


def invoke(function: str, event: str) -> int:
    """Runs the function on the file's event; raises CannotRun, before anything is built."""
    check(function, event)
    building.build()
    return subprocess.run(
        building.sam("local", "invoke", function, "--event", event),
        check=False,
        env=building.sam_environment(),
        cwd=ROOT,
    ).returncode


def check(function: str, event: str) -> None:
    """Raises CannotRun if there is no such function or file, no Docker, or no run."""
    names = sorted(each.name for each in functions())
    if function not in names:
        raise CannotRun(f"FUNCTION must be one of {', '.join(names)}.")
    if not Path(event).is_file():
        raise CannotRun("EVENT must be a file with an event, such as events/api/orders.json.")
    if engine.default_network() is None:
        raise CannotRun("make invoke needs Docker, and it gets no answer. Start it first.")
    if not _is_running():
        raise CannotRun(
            "make invoke answers from the data of a running `make run` or `make sam-local`, and"
            " there is none. Start one in another terminal, after Docker."
        )


def _is_running() -> bool:
    """Whether the run that wrote the variables answers; a killed run leaves its file behind."""
    try:
        parameters = json.loads(VARIABLES.read_text())["Parameters"]
        aws = urlsplit(parameters["AWS_ENDPOINT_URL"])
        with create_connection((aws.hostname, aws.port), timeout=LOOK_SECONDS):
            return True
    except (OSError, ValueError, KeyError):
        return False


if __name__ == "__main__":
    sys.exit(main())
