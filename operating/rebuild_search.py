"""`make rebuild-search`: rebuilds all postings of a workspace, while it is in use.

The migrations worker does the work, and continues by itself; this command starts it and shows its
progress. Run again, the command follows the current run, and restarts one that has stopped.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from botocore.exceptions import BotoCoreError, ClientError

from operating.clients import client_of
from operating.queues import ACCESS, NoSuchQueue, url_of
from operating.tables import TableOfStack, table_of
from storepost.platform.migrations.keys import REBUILD_SEARCH, migration_key
from storepost.values.scope import WorkspaceScope

QUEUE_NAME = "MigrationQueue"
_LOOK_AGAIN_SECONDS = 2
_STANDS_STILL_SECONDS = 900


class NoSuchWorkspace(Exception):  # noqa: N818 - it is what was given
    """The argument isn't a workspace's id; the message says what to do."""


class StandsStill(Exception):  # noqa: N818 - it is what happened
    """The run has made no progress for a quarter of an hour; the message says what to do."""


@dataclass(frozen=True)
class Progress:
    """The progress of a migration's run, from its row."""

    run: int
    step: str
    after: str
    counts: Mapping[str, int]
    is_done: bool

    @property
    def line(self) -> str:
        """Returns the progress as a line of text."""
        counts = ", ".join(f"{number:,} {name}" for name, number in self.counts.items() if number)
        return f"{'done' if self.is_done else self.step}: {counts or 'nothing yet'}"


@dataclass(frozen=True)
class Rebuild:
    """The rebuild of one workspace's search in a stack."""

    workspace: WorkspaceScope
    table: TableOfStack
    queue_url: str
    sqs: Any

    def start(self) -> int:
        """Sends the message of a new run, or of the unfinished one; returns the run's number."""
        progress = self.progress()
        run = progress.run + progress.is_done if progress else 1
        body = {"workspaceId": str(self.workspace.id), "name": REBUILD_SEARCH, "run": run}
        self.sqs.send_message(QueueUrl=self.queue_url, MessageBody=json.dumps(body))
        return run

    def progress(self) -> Progress | None:
        """Returns the newest run's progress; None if there was no run."""
        row = self.table.row(*migration_key(self.workspace, REBUILD_SEARCH))
        if row is None:
            return None
        return Progress(
            int(row["run"]["N"]),
            row["step"]["S"],
            row["after"]["S"],
            json.loads(row["counts"]["S"]),
            "done_at" in row,
        )

    def show_progress(
        self, run: int, show: Callable[[str], None], wait: Callable[[float], None]
    ) -> None:
        """Shows a run's progress until it is done. Raises StandsStill. `wait` takes seconds."""
        before, unchanged_seconds = None, 0.0
        while True:
            progress = self.progress()
            if progress and progress.run >= run and progress != before:
                show(progress.line)
                before, unchanged_seconds = progress, 0.0
                if progress.is_done:
                    return
            if unchanged_seconds >= _STANDS_STILL_SECONDS:
                raise StandsStill(
                    f"The rebuild stands still. See whether {QUEUE_NAME} has dead letters"
                    " (docs/operating.md, section 8); the same command then goes on with it."
                )
            wait(_LOOK_AGAIN_SECONDS)
            unchanged_seconds += _LOOK_AGAIN_SECONDS


def rebuild_of(
    stack: str,
    workspace: str,
    cloudformation: Any,  # noqa: ANN401 - botocore's clients
    sqs: Any,  # noqa: ANN401
    dynamodb: Any,  # noqa: ANN401
) -> Rebuild:
    """Returns the rebuild of one workspace. Raises NoSuchWorkspace and NoSuchQueue."""
    try:
        scope = WorkspaceScope(UUID(workspace))
    except ValueError as error:
        raise NoSuchWorkspace(
            f"{workspace!r} is no id. Give the workspace's as WORKSPACE, as GET /workspaces has it."
        ) from error
    url = url_of(stack, QUEUE_NAME, cloudformation)
    table = table_of(stack, cloudformation, dynamodb)
    row = table.row(scope.key, "workspace")
    if row is None or "ended_at" in row:
        raise NoSuchWorkspace(f"{stack} has no workspace {workspace}. Give its id as WORKSPACE.")
    return Rebuild(scope, table, url, sqs)


def main() -> int:
    """Rebuilds the search of `WORKSPACE` in `STACK`. Returns 0, or 1 if that failed."""
    stack, workspace = os.environ["STACK"], os.environ.get("WORKSPACE", "")
    try:
        clients = (client_of(name) for name in ("cloudformation", "sqs", "dynamodb"))
        rebuild = rebuild_of(stack, workspace, *clients)
        run = rebuild.start()
        print(f"Run {run} of the rebuild: the workspace can be used meanwhile.", flush=True)
        print("Ctrl-C ends this display, and not the rebuild.", flush=True)
        rebuild.show_progress(run, lambda line: print(line, flush=True), time.sleep)
    except KeyboardInterrupt:
        print("The rebuild goes on. The same command shows it again.")
    except (NoSuchQueue, NoSuchWorkspace, StandsStill) as problem:
        print(problem, file=sys.stderr)
        return 1
    except (BotoCoreError, ClientError) as error:
        print(f"AWS can't be asked: {error} {ACCESS}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
