"""What a run with `STORE=dynoxide` leaves to the next: a folder that one run at a time has.

Beside the rows it has the keys that seal their content, how far the clock was moved, where each
reader of the stream stood, and the demo's credentials. Each of these is a file of its own, replaced
whole, so that a run which is killed leaves the old one or the new.
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
    """The folder. Entering takes it for this run, leaving gives it free."""

    def __init__(self, folder: Path) -> None:
        """It need not be there yet."""
        self.folder = folder
        self.rows = folder / "rows.db"
        self._lock: IO[str] | None = None

    def __enter__(self) -> "DataFolder":
        """Takes it. Raises CannotRun where another run has it, or where it isn't whole."""
        # What seals and what signs in is in it: it is this user's alone.
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
        """Gives it free."""
        self._give_free()

    @property
    def start_over(self) -> str:
        """The command that makes the next run begin anew."""
        return f"rm -r {self.folder.relative_to(Path.cwd(), walk_up=True)}"

    def keys(self) -> dict[str, KeyMaterial]:
        """The KMS keys by logical id, each made when it is used first."""
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
        """Keeps how far the service's time is moved."""
        self._write("clock", offset.total_seconds())

    @property
    def demo(self) -> Any:  # noqa: ANN401 - JSON
        """The demo as it was kept; None before there was one."""
        return self._read("demo")

    @demo.setter
    def demo(self, demo: Any) -> None:  # noqa: ANN401 - JSON
        self._write("demo", demo)

    @property
    def history(self) -> Any:  # noqa: ANN401 - JSON
        """How far the large demo's history is imported; None where none was begun."""
        return self._read("history")

    @history.setter
    def history(self, loaded: Any) -> None:  # noqa: ANN401 - JSON
        self._write("history", loaded)

    def positions(self) -> StreamPositions:
        """Where the stream's readers stood, kept as they move on."""
        return StreamPositions(self._read("places"), lambda found: self._write("places", found))

    def _lock_folder(self) -> None:
        # It stays open: the system gives the folder free when this process ends, however it does.
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
        """Begins anew where there is nothing yet, or only a demo that was never finished."""
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
