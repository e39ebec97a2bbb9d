"""Dataclasses whose methods were compiled beforehand."""

import dataclasses
import marshal
import sys
from collections.abc import Iterator
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from storepost.values import dataclass_code

SOURCE = """
from dataclasses import dataclass, field

@dataclass(frozen=True, order=True)
class Amount:
    cents: int
    currency: str = "EUR"
    notes: list[str] = field(default_factory=list, compare=False)
"""


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    """Undoes what a test changes in `dataclasses`."""
    before = vars(dataclasses).get("exec")
    yield
    vars(dataclasses).pop("exec", None)
    if before is not None:
        vars(dataclasses)["exec"] = before


def defined(package: str = "storepost.sample") -> Any:
    """The class, defined in a module of the package."""
    module = sys.modules[package] = ModuleType(package)
    try:
        exec(SOURCE, vars(module))
    finally:
        del sys.modules[package]
    return vars(module)["Amount"]


def collected() -> dict[bytes, bytes]:
    """The code of the class."""
    code = dict[bytes, bytes]()
    dataclass_code.collect(code, "storepost")
    defined()
    return code


def test_precompiled_code_makes_the_same_class(tmp_path: Path) -> None:
    file = tmp_path / "code.marshal"
    dataclass_code.write(collected(), file)
    dataclass_code.use(file)
    amount = defined()
    one, other = amount(5), amount(7, notes=["x"])
    assert (one, repr(one)) == (amount(5), "Amount(cents=5, currency='EUR', notes=[])")
    assert one < other
    assert hash(other) == hash(amount(7))
    assert dataclasses.replace(one, cents=7) == other
    assert one.notes is not amount(5).notes
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.cents = 6


def test_precompiled_code_is_not_compiled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    executed = list[object]()
    run = dataclass_code._run

    def watched(source: Any, *names: Any) -> None:
        executed.append(source)
        run(source, *names)

    monkeypatch.setattr(dataclass_code, "_run", watched)
    dataclass_code._replace(dataclass_code.executing(collected()))
    executed.clear()
    defined()
    assert [type(each).__name__ for each in executed] == ["code"]


def test_unknown_source_is_compiled() -> None:
    dataclass_code._replace(dataclass_code.executing({}))
    assert defined()(5).cents == 5


def test_other_packages_are_left_out() -> None:
    code = dict[bytes, bytes]()
    dataclass_code.collect(code, "storepost")
    defined("storeposter")
    assert code == {}


@pytest.mark.parametrize("exists", [False, True])
def test_file_missing_or_of_another_python_is_ignored(tmp_path: Path, exists: bool) -> None:
    vars(dataclasses).pop("exec", None)
    file = tmp_path / "code.marshal"
    if exists:
        file.write_bytes(marshal.dumps((bytes(reversed(MAGIC_NUMBER)), {})))
    dataclass_code.use(file)
    assert "exec" not in vars(dataclasses)


def test_repository_has_no_precompiled_file() -> None:
    """It would be of another commit: `make build` writes it into what is deployed."""
    assert not dataclass_code.FILE.exists()
