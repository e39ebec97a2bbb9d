"""Compiles the methods of the package's dataclasses for a built layer.

`make build` runs it with the package's folder in the layer. It imports every function, and writes
the code beside the module that uses it (`storepost/values/dataclass_code.py`).
"""

import sys
from importlib import import_module
from pathlib import Path

from storepost.values import dataclass_code


def keep_code(package: Path) -> None:
    """Writes the code into a copy of the package. No other module of it may be imported before."""
    code = dict[bytes, bytes]()
    dataclass_code.collect(code, "storepost")
    from local import aws  # noqa: PLC0415 - it imports dataclasses of the package
    from local.template import functions  # noqa: PLC0415

    aws.prepare_environment()
    for function in functions():
        import_module(function.folder.strip("/").replace("/", ".") + ".handler")
    dataclass_code.write(code, package / "values" / dataclass_code.FILE.name)


if __name__ == "__main__":
    keep_code(Path(sys.argv[1]))
