"""The folder that a run with `STORE=dynoxide` keeps for the next run; one run at a time uses it.

Beside the rows it holds the keys that seal their content, how far the clock was moved, the position
of each reader of the stream, and the demo's credentials. Each of these is a file of its own, which
is replaced atomically, so that a killed run leaves either the old file or the new one.
"""

import fcntl
import json
import os
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from local.aws.moto_keys import KeyMaterial
from local.aws.stream_positions import StreamPositions
from local.console import CannotRun, say
from local.template import KEY, ROOT, resources

FOLDER = ROOT / ".local" / "kept"


class DataFolder:
    """The folder. Entering locks it for this run, leaving unlocks it."""

    def __init__(self, folder: Path) -> None:
        """Takes a folder that need not exist yet."""
        self.folder = folder
        self.rows = folder / "rows.db"
        self._lock: IO[str] | None = None

    def __enter__(self) -> "DataFolder":
        """Locks it. Raises CannotRun if another run holds the lock, or if it is incomplete."""
        # It holds sealing keys and credentials, so only this user may read it.
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock_folder()
        try:
            self._check()
        except BaseException:
            self._give_free()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Unlocks it."""
        self._give_free()

    @property
    def start_over(self) -> str:
        """The command that deletes the data, so that the next run starts empty."""
        return f"rm -r {self.folder.relative_to(Path.cwd(), walk_up=True)}"

    def keys(self) -> dict[str, KeyMaterial]:
        """The KMS keys by logical id, each made on first use."""
        stored = self._read("keys") or {}
        keys = {name: KeyMaterial.of_json(key) for name, key in stored.items()}
        new = {name: KeyMaterial.new() for name in resources(KEY) if name not in keys}
        if new:
            keys |= new
            self._write("keys", {name: key.as_json() for name, key in keys.items()})
        return keys

    @property
    def clock_offset(self) -> timedelta:
        """How far the service's time was moved."""
        return timedelta(seconds=self._read("clock") or 0)

    def keep_clock(self, offset: timedelta) -> None:
        """Stores how far the service's time is moved."""
        self._write("clock", offset.total_seconds())

    @property
    def demo(self) -> Any:  # noqa: ANN401 - JSON
        """The stored demo; None if there is none yet."""
        return self._read("demo")

    @demo.setter
    def demo(self, demo: Any) -> None:  # noqa: ANN401 - JSON
        self._write("demo", demo)

    @property
    def history(self) -> Any:  # noqa: ANN401 - JSON
        """How far the large demo's history is imported; None if no import was started."""
        return self._read("history")

    @history.setter
    def history(self, loaded: Any) -> None:  # noqa: ANN401 - JSON
        self._write("history", loaded)

    def positions(self) -> StreamPositions:
        """The stream readers' positions, stored each time that one advances."""
        return StreamPositions(self._read("places"), lambda found: self._write("places", found))

    def _lock_folder(self) -> None:
        # The file stays open: the system releases the lock when this process ends, in any way.
        self._lock = (self.folder / "lock").open("a+")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.seek(0)
            other = self._lock.read().strip()
            self._give_free()
            raise CannotRun(
                f"Another run (process {other}) has what is kept in {self.folder}:"
                " stop that one first, or leave STORE out."
            ) from None
        self._lock.truncate(0)
        self._lock.write(str(os.getpid()))
        self._lock.flush()

    def _give_free(self) -> None:
        if self._lock:
            self._lock.close()

    def _check(self) -> None:
        """Starts empty if there is no data yet, or only a demo that was never completed."""
        if self.rows.exists() and self.demo:
            self._check_rows()
            if self._read("keys") is None:
                self._refuse("holds no keys.json, and without it what is sealed can't be opened")
            return
        if self.rows.exists():
            say("The run before this one ended before its demo data was loaded: beginning anew.")
        for file in self.folder.iterdir():
            if file.name != "lock":
                file.unlink()

    def _check_rows(self) -> None:
        try:
            with closing(sqlite3.connect(self.rows)) as rows:
                found = rows.execute("PRAGMA quick_check(1)").fetchall()
                rows.execute("SELECT 1 FROM _tables").fetchall()
        except sqlite3.DatabaseError as error:
            self._refuse(f"holds a broken rows.db ({error})")
        if found != [("ok",)]:
            self._refuse("holds a broken rows.db")

    def _refuse(self, why: str) -> None:
        raise CannotRun(f"{self.folder} {why}. To start over: {self.start_over}")

    def _read(self, name: str) -> Any:  # noqa: ANN401 - JSON
        try:
            return json.loads((self.folder / f"{name}.json").read_text("utf-8"))
        except FileNotFoundError:
            return None
        except ValueError:
            self._refuse(f"holds a broken {name}.json")

    def _write(self, name: str, content: Any) -> None:  # noqa: ANN401 - JSON
        new = self.folder / f"{name}.json.new"
        new.write_text(json.dumps(content, indent=2), "utf-8")
        new.replace(self.folder / f"{name}.json")
