"""Methods of dataclasses, compiled before a function imports them.

Python generates the methods of a dataclass as source text, and compiles it each time the class is
defined: a fifth of an import's CPU (docs/adr/0012). `make build` compiles those of this package
into `FILE` (`local/containers/dataclass_methods.py`). If the file is missing, or a source isn't in
it, Python compiles as usual.
"""

import dataclasses
import marshal
from collections.abc import Callable, Mapping, MutableMapping
from hashlib import blake2b
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import CodeType
from typing import Any

FILE = Path(__file__).with_suffix(".marshal")

type Names = dict[str, Any]
type Execute = Callable[[str, Names, Names], None]
"""The function that `dataclasses` calls: the builtin `exec`, unless the module has another one.

Its arguments are a source, the globals of the class's module, and the names to set.
"""


def use(file: Path = FILE) -> None:
    """Makes `dataclasses` use the compiled code in a file from now on."""
    try:
        magic, code = marshal.loads(file.read_bytes())  # noqa: S302 - it stands beside this module
    except FileNotFoundError:
        return
    if magic == MAGIC_NUMBER:
        _replace(executing(code))


def collect(code: MutableMapping[bytes, bytes], package: str) -> None:
    """Adds to `code` the code of each dataclass that a package defines from now on."""

    def execute(source: str, module: Names, names: Names) -> None:
        compiled = compile(source, "<string>", "exec")
        if f"{module.get('__name__')}.".startswith(f"{package}."):
            code[_digest(source)] = marshal.dumps(compiled)
        _run(compiled, module, names)

    _replace(execute)


def write(code: Mapping[bytes, bytes], file: Path = FILE) -> None:
    """Writes the file that `use` reads; another version of Python ignores it."""
    file.write_bytes(marshal.dumps((MAGIC_NUMBER, dict(code))))


def executing(code: Mapping[bytes, bytes]) -> Execute:
    """Returns an `exec` that uses compiled code for a source if there is any."""

    def execute(source: str, module: Names, names: Names) -> None:
        known = code.get(_digest(source))
        # The code that `use` reads is part of this layer.
        _run(marshal.loads(known) if known else source, module, names)  # noqa: S302

    return execute


def _replace(execute: Execute) -> None:
    """Replaces `exec` in `dataclasses`: a name of the module precedes the builtin."""
    vars(dataclasses)["exec"] = execute


def _run(source: str | CodeType, module: Names, names: Names) -> None:
    exec(source, module, names)  # noqa: S102 - what `dataclasses` wrote


def _digest(source: str) -> bytes:
    return blake2b(source.encode(), digest_size=16).digest()
