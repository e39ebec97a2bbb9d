"""`python -m local`: what it says when it can't run, and that Ctrl-C ends it cleanly."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from local.template import ROOT

# The credentials go elsewhere: a developer's own run may be using the file.
RUN = """
import sys
from pathlib import Path
from local import aws
aws.prepare_environment()
from local import demo
demo.CREDENTIALS = Path(sys.argv[1])
from local.__main__ import main
sys.exit(main())
"""


def environment(**given: str) -> dict[str, str]:
    """This process's environment with these variables, and without an engine of its tests."""
    paths = os.pathsep.join([str(ROOT), str(ROOT / "layers" / "core")])
    own = {n: v for n, v in os.environ.items() if not n.startswith("AWS_ENDPOINT_URL_")}
    return {**own, "STORE": "", "PYTHONPATH": paths, **given}


def refused(**given: str) -> str:
    """What it says when it ends at once."""
    ended = subprocess.run(
        [sys.executable, "-m", "local"],
        check=False,
        env=environment(**given),
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert ended.returncode == 2
    assert ended.stdout == ""
    (line,) = ended.stderr.splitlines()
    return line


def test_another_store_is_not_available_yet() -> None:
    assert refused(STORE="dynoxide").startswith("STORE=dynoxide is not available yet")


@pytest.mark.parametrize("port", ["http", "-1", "65536", "8000.5"])
def test_a_port_is_a_number(port: str) -> None:
    assert refused(PORT=port) == f"PORT must be a number up to 65535, not '{port}'."


def test_a_port_in_use_is_told_plainly() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = refused(PORT=str(port))
    assert said == (
        f"Port {port} can't be used (Address already in use)."
        f" Choose another one: make run PORT={port + 1}"
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_runs_and_ends_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    path = tmp_path / ".local" / "credentials.json"
    run = subprocess.Popen(
        [sys.executable, "-c", RUN, str(path)],
        env=environment(PORT="0"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        until = time.monotonic() + 60
        while not path.exists() and run.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
        run.send_signal(number)
        shown, said = run.communicate(timeout=20)
    finally:
        run.kill()
    assert run.returncode == 0, said
    assert said.splitlines() == [
        "Starting AWS in this process ...",
        "Loading demo data through the API ...",
        "",
        "Stopping ...",
    ]
    base_url = json.loads(path.read_text())["baseUrl"]
    assert f"Storepost runs at {base_url} " in shown
