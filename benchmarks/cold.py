"""`make bench-cold`: the CPU time of importing each function, beside a bare handler's.

With compiled code, and without it, as in layers that don't contain it: Lambda can't store it.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measure.layer import Layer
from benchmarks.measure.measuring import Sample, in_turn
from benchmarks.measure.reporting import Column, Table
from local import aws
from local.template import functions

FLOOR = "benchmarks.processes.bare_handler"
ROUNDS = 7
ROUNDS_FROM_SOURCE = 3
COLUMNS = (
    Column("function"),
    Column("median", "ms", 0),
    Column("least", "ms", 0),
    Column("ratio", digits=2, most=1.3),
    Column("from source", "ms", 0),
    Column("its ratio", digits=2),
    Column("clients"),
    Column("more at first"),
)


def measured(layer: Layer, modules: list[str], *, compiled: bool) -> dict[str, Sample]:
    """Returns the milliseconds of CPU of each import."""

    def import_cpu(module: str) -> Callable[[], float]:
        return lambda: (
            1000
            * float(layer.run("-m", "benchmarks.processes.importing", module, compiled=compiled))
        )

    ways = {module: import_cpu(module) for module in modules}
    return in_turn(ways, ROUNDS if compiled else ROUNDS_FROM_SOURCE)


def clients(module: str) -> tuple[str, str]:
    """Returns the clients that an import makes, and those that the first request adds."""
    command = [sys.executable, "-m", "benchmarks.processes.clients", module]
    printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    imported, later = json.loads(printed.splitlines()[-1])
    return ", ".join(imported) or "none", ", ".join(later) or "none"


def table(layer: Layer) -> Table:
    """Returns the table of all functions, with the floor first."""
    modules = [FLOOR, *(f.folder.strip("/").replace("/", ".") + ".handler" for f in functions())]
    layer.compile(modules)
    compiled, source = (measured(layer, modules, compiled=c) for c in (True, False))
    made = Table(
        "cold",
        "CPU to import a function, in a new process with the layers alone on its path",
        COLUMNS,
        {name: version(name) for name in ("aws-lambda-powertools", "botocore", "pynamodb")},
        (
            "ratio: the median beside the bare handler's.",
            "from source: with no compiled code but Python's own library's.",
            "clients: made by the import; then those that the sample event adds.",
        ),
    )
    for module in modules:
        from_compiled, slow = compiled[module], source[module]
        made.add(
            "bare handler" if module == FLOOR else ".".join(module.split(".")[1:-1]),
            from_compiled.median,
            from_compiled.least,
            from_compiled.median / compiled[FLOOR].median,
            slow.median,
            slow.median / source[FLOOR].median,
            *clients(module),
        )
    return made


if __name__ == "__main__":
    aws.prepare_environment()
    os.environ["POWERTOOLS_LOG_LEVEL"] = "CRITICAL"
    with TemporaryDirectory() as folder:
        table(Layer.put_together(Path(folder))).publish()
