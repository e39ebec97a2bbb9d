"""dynoxide, an engine with DynamoDB's API: one process on this machine, with its rows in SQLite.

moto tests logic; dynoxide tests what needs a real engine: units, races, and rows that outlive the
process that wrote them. npm installs the program (`@dynoxide/<platform>`, pinned here) once;
`python -m local.aws.dynoxide` runs that.
"""

import platform
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import IO

from local.console import say
from local.template import ROOT

VERSION = "1.2.1"
FOLDER = ROOT / ".local" / "dynoxide"
HOST = "127.0.0.1"
_READY_SECONDS = 10
_INSTALL_SECONDS = 120
_CPUS = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
_MEMORY = Path("/dev/shm")  # noqa: S108 - a folder of this run's own is made in it
_MEMORY_BYTES = 1024**3
# The pipe closes when this process ends, in any way; the shell then kills the engine.
_TIED = 'exec 3<&0; (cat <&3; kill $$) >/dev/null 2>&1 & exec "$@" </dev/null 3<&-'
# DynamoDB keeps a stream's records for a day. The last record stays: numbers continue from it.
_DAY_OF_STREAM = """
    DELETE FROM _stream_records
    WHERE created_at < CAST(strftime('%s', 'now', '-1 day') AS INTEGER)
    AND id NOT IN (SELECT max(id) FROM _stream_records GROUP BY table_name)
"""
# Each write reads the stream's last number, each reader the records after a number, and without
# this index the engine scans the whole stream: 90 writes at once took 130 ms after 6,000 others,
# and take 15 ms with it.
_STREAM_INDEX = """
    CREATE INDEX IF NOT EXISTS stream_by_number
    ON _stream_records (table_name, CAST(sequence_number AS INTEGER))
"""


class NoDynoxide(Exception):  # noqa: N818 - it is what happened
    """The program can't be installed or doesn't start; the message says what to do."""


def program() -> Path:
    """Returns the program's path; npm installs it if it is missing."""
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
    """The installed version as npm recorded it."""
    noted = FOLDER / "version"
    return noted.read_text("utf-8") if package.exists() and noted.exists() else None


def _install(package: str) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise NoDynoxide("dynoxide comes from npm, and this machine has none: install Node.js.")
    FOLDER.mkdir(parents=True, exist_ok=True)
    # No lock file: it would hold the address of this machine's registry.
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
        """`database` is the rows' SQLite file; without one the rows end with the process."""
        self.port = _free_port()
        self.url = f"http://{HOST}:{self.port}"
        self._folder = None if database else _passing_folder()
        self.database = database or Path(self._folder.name if self._folder else "") / "rows.db"
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
        """The running process's id."""
        assert self._process is not None  # noqa: S101 - it was started
        return self._process.pid

    def start(self) -> None:
        """Starts it and waits until it answers. Raises NoDynoxide."""
        command = [str(program()), "serve", "--host", HOST, "--port", str(self.port)]
        command += ["--db-path", str(self.database)]
        self.database.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile() as output:
            # A session of its own: Ctrl-C must reach only this process, which stops the engine
            # at its own end.
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                ["/bin/sh", "-c", _TIED, "sh", *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=output,
                start_new_session=True,
            )
            self._wait(output)
        with closing(sqlite3.connect(self.database)) as rows, rows:
            rows.execute(_STREAM_INDEX)
            rows.execute(_DAY_OF_STREAM)

    def _wait(self, output: IO[bytes]) -> None:
        assert self._process is not None  # noqa: S101 - it was started
        until = time.monotonic() + _READY_SECONDS
        while True:
            answers, ended = self._answers(), self._process.poll() is not None
            if answers and not ended:
                return
            if ended or time.monotonic() > until:
                self.stop()
                output.seek(0)
                reason = output.read().decode(errors="replace").strip() or "no reason given"
                raise NoDynoxide(f"dynoxide doesn't start on {self.database}: {reason}")
            time.sleep(0.02)

    def stop(self) -> None:
        """Ends the process; its data is in its file."""
        if self._process is None:
            return
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        self._process.stdin.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._folder:
            self._folder.cleanup()

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(self.url, timeout=1):  # noqa: S310 - our own process
                return True
        except urllib.error.HTTPError:
            return True
        except OSError:
            return False


def _passing_folder() -> tempfile.TemporaryDirectory[str]:
    """Returns a folder that is deleted with this process, in memory if there is room."""
    roomy = _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > _MEMORY_BYTES
    return tempfile.TemporaryDirectory(prefix="dynoxide-", dir=_MEMORY if roomy else None)


def _free_port() -> int:
    with socket.create_server((HOST, 0)) as listening:
        return int(listening.getsockname()[1])


def main() -> int:
    """Has npm install the program. Returns 0, or 2 if that fails."""
    try:
        program()
    except NoDynoxide as problem:
        say(str(problem))
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
