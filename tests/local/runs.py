"""Whole local runs, each in a process of its own."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from local.template import ROOT

# It writes its files elsewhere: a developer's own run may be using them.
_RUN = """
import sys
from pathlib import Path
from local import alone, demo, run
from local.__main__ import main
alone.LOCK = Path(sys.argv[2])
demo.CREDENTIALS = Path(sys.argv[1])
run.FOLDER = Path(sys.argv[1]).parent / "kept"
sys.exit(main())
"""
_READY_SECONDS = 90


def command(credentials: Path, lock: Path) -> list[str]:
    """`python -m local` with its files elsewhere."""
    return [sys.executable, "-c", _RUN, str(credentials), str(lock)]


def environment(**overrides: str) -> dict[str, str]:
    """This process's environment with these variables, and without the tests' engine."""
    paths = os.pathsep.join([str(ROOT), str(ROOT / "layers" / "core")])
    own = {n: v for n, v in os.environ.items() if not n.startswith("AWS_ENDPOINT_URL_")}
    return {**own, "STORE": "", "PYTHONPATH": paths, **overrides}


@dataclass
class Run:
    """`make run` on a free port, with its files in a folder."""

    folder: Path
    store: str = ""
    credentials_name: str = "credentials.json"
    variables: Mapping[str, str] = field(default_factory=dict)
    process: subprocess.Popen[str] = field(init=False)
    shown: str = ""

    def __post_init__(self) -> None:
        self._credentials.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            command(self._credentials, self._credentials.with_suffix(".lock")),
            env=environment(PORT="0", STORE=self.store, **self.variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    @property
    def _credentials(self) -> Path:
        return self.folder / self.credentials_name

    def soon_ready(self) -> "Run":
        """Waits until the run has written the credentials, or has ended."""
        until = time.monotonic() + _READY_SECONDS
        while not self._credentials.exists() and self.process.poll() is None:
            assert time.monotonic() < until, "it never came up"
            time.sleep(0.05)
        return self

    def credentials(self) -> Any:
        """The callers' credentials."""
        return json.loads(self._credentials.read_text())

    def end(self, number: signal.Signals = signal.SIGINT) -> str:
        """Ends it by a signal: its output."""
        self.process.send_signal(number)
        try:
            self.shown, errors = self.process.communicate(timeout=30)
        finally:
            self.process.kill()
        return errors

    def call(self, method: str, path: str, token: str | None = None, body: object = None) -> Any:
        """The answer's JSON, of the API's path or one of `/_local`; an error's too."""
        base = urlsplit(self.credentials()["baseUrl"])
        target = path if path.startswith("/_local") else f"{base.path}{path}"
        headers = {"content-type": "application/json"}
        if token:
            headers["authorization"] = f"Bearer {token}"
        connection = http.client.HTTPConnection(base.netloc, timeout=30)
        try:
            connection.request(method, target, json.dumps(body) if body else None, headers)
            answer = connection.getresponse().read()
        finally:
            connection.close()
        return json.loads(answer) if answer else None
