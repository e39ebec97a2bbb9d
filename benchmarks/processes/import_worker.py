"""Measures a pull in a process of its own.

It is `python -m benchmarks.processes.import_worker <way> …`.

`parse FILE STAGE STORE` only reads a file's records; `pull STORE` runs a whole import. A store is
given by its workspace's id and its own. It prints JSON.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

from storepost.people.consent.model import ConsentOrigin, ConsentSource
from storepost.stores.imports.model import ImportStage
from storepost.stores.stores.model import Store
from storepost.stores.stores.repository import StoreRepository
from storepost.sync.batches.records import Sender
from storepost.sync.pulls.records import ExportedRecords
from storepost.sync.pulls.running import pull
from storepost.sync.pulls.spool import Spool
from storepost.values.scope import WorkspaceScope

PIECE = 1 << 16
A_DAY = 24 * 60 * 60 * 1000


def parse(store: Store, path: str, stage: str) -> None:
    """Reads each record of a file, as a pull does."""
    with Spool() as spool, Path(path).open("rb") as file:
        spool.fill(iter(lambda: file.read(PIECE), b""))
        sender = Sender(store, ConsentOrigin(ConsentSource.SHOPIFY, store.id))
        for _record in ExportedRecords(spool, ImportStage(stage), sender):
            pass


def measured(work: Callable[[], object]) -> dict[str, float]:
    """Returns seconds by the clock and of the CPU, and memory in MB before and at most."""
    before, began, cpu = peak_memory(), time.perf_counter(), time.process_time()
    work()
    return {
        "seconds": time.perf_counter() - began,
        "cpu": time.process_time() - cpu,
        "before": before,
        "most": peak_memory(),
    }


def peak_memory() -> float:
    """Returns this program's peak memory in MB; `getrusage` would include its parent process's."""
    for line in Path("/proc/self/status").read_text("ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("the system doesn't tell how much memory was taken")


def main(way: str, workspace: str, store_id: str, *more: str) -> None:
    """Does it and prints its cost."""
    store = StoreRepository(WorkspaceScope(UUID(workspace))).get(UUID(store_id))
    if store is None:
        raise RuntimeError("there is no such store")
    found = store
    work = {"parse": lambda: parse(found, *more), "pull": lambda: pull(found, 1, lambda: A_DAY)}
    print(json.dumps(measured(work[way])))


if __name__ == "__main__":
    main(*sys.argv[1:])
