"""DynamoDB as dynoxide speaks it: one process on this machine, its rows in SQLite or in memory.

moto judges logic; this judges what an engine of its own does: units, races, and rows that outlive
the process that wrote them. npm brings the program (`@dynoxide/<platform>`, pinned here), once.
"""

import platform
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType

from local.template import ROOT

VERSION = "1.2.1"
FOLDER = ROOT / ".local" / "dynoxide"
HOST = "127.0.0.1"
_READY_SECONDS = 10
_INSTALL_SECONDS = 120
_CPUS = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}


class NoDynoxide(Exception):  # noqa: N818 - it is what happened
    """The program can't be had or doesn't start; the message says what to do."""


def program() -> Path:
    """The program, installed by npm where it isn't yet."""
    package = f"@dynoxide/{_platform()}"
    found = FOLDER / "node_modules" / package / "dynoxide"
    if _installed(found.parent) != VERSION:
        _install(f"{package}@{VERSION}")
    if not found.exists():
        raise NoDynoxide(f"{package} {VERSION} holds no program for this machine.")
    return found


def _platform() -> str:
    return f"{sys.platform}-{_CPUS.get(platform.machine().lower(), platform.machine())}"


def _installed(package: Path) -> str | None:
    """The version that npm noted last, of what stands there."""
    noted = FOLDER / "version"
    return noted.read_text("utf-8") if package.exists() and noted.exists() else None


def _install(package: str) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise NoDynoxide("dynoxide comes from npm, and this machine has none: install Node.js.")
    FOLDER.mkdir(parents=True, exist_ok=True)
    # No lock file: it would hold the address of whatever registry this machine uses.
    ran = subprocess.run(  # noqa: S603 - nothing of it comes from outside
        [npm, "install", "--prefix", str(FOLDER), "--no-save", "--no-package-lock", package],
        capture_output=True,
        text=True,
        timeout=_INSTALL_SECONDS,
        check=False,
    )
    if ran.returncode:
        raise NoDynoxide(f"npm can't install {package}:\n{ran.stderr.strip()}")
    (FOLDER / "version").write_text(VERSION, "utf-8")


class Dynoxide:
    """One running engine. Entering starts it, leaving stops it."""

    def __init__(self, database: Path | None = None) -> None:
        """`database` is the SQLite file that keeps the rows; without one they die with it."""
        self.port = _free_port()
        self.url = f"http://{HOST}:{self.port}"
        self._database = database
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Dynoxide":
        """Starts it and waits until it answers."""
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stops it."""
        self.stop()

    @property
    def process_id(self) -> int:
        """The running process's."""
        assert self._process is not None  # noqa: S101 - it was started
        return self._process.pid

    def start(self) -> None:
        """Starts it and waits until it answers. Raises NoDynoxide."""
        command = [str(program()), "serve", "--host", HOST, "--port", str(self.port)]
        if self._database is not None:
            self._database.parent.mkdir(parents=True, exist_ok=True)
            command += ["--db-path", str(self._database)]
        # A session of its own: Ctrl-C is for this process, which stops the engine when it is done.
        self._process = subprocess.Popen(  # noqa: S603 - our own program
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        until = time.monotonic() + _READY_SECONDS
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > until:
                self.stop()
                raise NoDynoxide(f"{command[0]} doesn't answer on port {self.port}.")
            time.sleep(0.02)

    def stop(self) -> None:
        """Ends the process; what it keeps is in its file."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _answers(self) -> bool:
        try:
            urllib.request.urlopen(self.url, timeout=1)  # noqa: S310 - our own process
        except urllib.error.HTTPError:
            return True
        except OSError:
            return False
        return True


def _free_port() -> int:
    with socket.create_server((HOST, 0)) as listening:
        return int(listening.getsockname()[1])
