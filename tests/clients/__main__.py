"""`make test-clients`: both clients are made and checked, and the guide is typed word for word.

Ends with 1 where something is wrong, and with 3 where something can't be had on this machine.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from local.template import ROOT
from tests.clients import command_line, samples
from tests.clients.guide import Guide

_CAN_NOT_BE_HAD = 3
_PYTHON = Path("clients/.venv/bin")
_TYPESCRIPT = Path("clients/typescript")
_COMPILER = _TYPESCRIPT / "node_modules" / ".bin" / "tsc"
_PLAIN_TYPES = _TYPESCRIPT / "node_modules" / ".bin" / "openapi-typescript"
_DESCRIPTION = "layers/core/storepost/api/reference/openapi.json"
_USE = """\
import type { components, operations } from "./interface.js";
type Schemas = components["schemas"];
type Refusal = operations["orders.put"]["responses"][409]["content"]["application/problem+json"];
export const isStale = (refusal: Refusal): boolean => refusal.code === "stale_update";
export const days = (validity: Schemas["Coupon"]["validity"]): number | null =>
  validity.type === "days" ? validity.days : null;
export const draft: Schemas["NewWorkspaceLocale"] = { code: "de-AT" };
export const html = (found: Schemas["Definition"]): string =>
  found.kind === "email_template" ? found.definition.body.content : "";
export const all = (condition: Schemas["SegmentCondition"]): number =>
  condition.type === "all" ? condition.conditions.length : 0;
// @ts-expect-error: a flow has no subject
export const subject = (found: Schemas["FlowDefinition"]): string => found.definition.subject;
// @ts-expect-error: no such code
export const isWrong = (refusal: Refusal): boolean => refusal.code === "no_such_code";
"""
_TYPES = ("--types", "node", "--typeRoots", str(_TYPESCRIPT / "node_modules" / "@types"))
_TSC = ("--strict", "--noEmit", "--target", "es2022", "--module", "nodenext", "--skipLibCheck")
_PYTHON_PARTS = ("py.typed", "generated/operations.json", "generated/api/orders/orders_list.py")


class _Wrong(Exception):  # noqa: N818 - it is what happened
    """A step failed; what it said has been shown."""


def main() -> int:
    """Checks what can be checked here, and says what can't."""
    missing = []
    if _run("make", "--silent", "clients/.venv/installed", may_fail=True):
        print("pip can't install what makes the client for Python.")
        return _CAN_NOT_BE_HAD
    has_npm = shutil.which("npm") is not None and not _run(
        "make", "--silent", "clients/typescript/node_modules/installed", may_fail=True
    )
    if not has_npm:
        missing.append("npm can't install what makes the client for TypeScript.")
    try:
        _check_python()
        if has_npm:
            _check_typescript()
            _verify_write_backs()
        _type_the_guide(has_npm=has_npm)
    except _Wrong:
        return 1
    print("\n".join(missing) or "Both clients work, and so does the guide.")
    return _CAN_NOT_BE_HAD if missing else 0


def _check_python() -> None:
    """Strict types of the client, of what is generated and of the guide's shop, and its tests."""
    _run("make", "--silent", "client-python")
    mypy = (_PYTHON / "mypy", "--config-file", "clients/python/pyproject.toml")
    _run(*mypy, "-p", "storepost_client")
    _run(*mypy, *sorted(Path("clients/python/tests").glob("*.py")))
    _run(*mypy, "clients/preparing.py", "examples/shop-python/shop.py")
    with tempfile.TemporaryDirectory() as folder:
        sample = Path(folder) / "sample.py"
        sample.write_text(_sample("python"), "utf-8")
        _run(*mypy, sample, *samples.write(Path(folder), "python"))
    _run(_PYTHON / "pytest", "-q", "clients/python/tests")
    with tempfile.TemporaryDirectory() as folder:
        _run(_PYTHON / "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
             "--wheel-dir", folder, "clients/python")  # fmt: skip
        (wheel,) = Path(folder).glob("*.whl")
        packed = set(zipfile.ZipFile(wheel).namelist())
    _has(packed, [f"storepost_client/{name}" for name in _PYTHON_PARTS])


def _check_typescript() -> None:
    """The compiler's strict types, and its tests."""
    _run("make", "--silent", "client-typescript")
    tests = sorted((_TYPESCRIPT / "dist" / "test").glob("*.test.js"))
    _run("node", "--test", "--test-reporter=dot", *tests)
    output = subprocess.run(
        ["npm", "pack", "--dry-run", "--json"],
        cwd=ROOT / _TYPESCRIPT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    packed = {file["path"] for file in json.loads(output)[0]["files"]}
    # In the client's own folder, where its name is known.
    with tempfile.TemporaryDirectory(prefix=".samples-", dir=ROOT / _TYPESCRIPT) as folder:
        sample = Path(folder) / "sample.ts"
        sample.write_text(_sample("ts"), "utf-8")
        _run(_COMPILER, *_TSC, *_TYPES, sample, *samples.write(Path(folder), "typescript"))
    _has(packed, ["dist/src/index.js", "dist/src/index.d.ts", "dist/src/generated/sdk.gen.js"])
    _compile_plain_types()


def _compile_plain_types() -> None:
    """Compiles openapi-typescript's types: many callers use those and no client at all."""
    with tempfile.TemporaryDirectory(prefix=".types-", dir=ROOT / _TYPESCRIPT) as folder:
        types, use = Path(folder) / "interface.ts", Path(folder) / "use.ts"
        _run(_PLAIN_TYPES, _DESCRIPTION, "--output", types)
        use.write_text(_USE, "utf-8")
        _run(_COMPILER, *_TSC, *_TYPES, use)


def _verify_write_backs() -> None:
    """The guides' code in TypeScript, and in PHP where that is installed."""
    for guide in samples.GUIDES:
        with tempfile.TemporaryDirectory() as folder:
            if not samples.verify_in_typescript(Path(folder), ROOT / _COMPILER, guide):
                print("npm can't install the library that verifies messages in TypeScript.")
                raise _Wrong
    for guide in samples.GUIDES:
        with tempfile.TemporaryDirectory() as folder:
            if not samples.verify_in_php(Path(folder), guide):
                print(f"Left out: {guide.name} in PHP, as php, composer or its library isn't here.")


def _type_the_guide(*, has_npm: bool) -> None:
    """Each command of the guide, by both languages, and more commands at the same service."""
    with tempfile.TemporaryDirectory() as folder, Guide(Path(folder)) as guide:
        guide.start_service()
        guide.connect("Python")
        guide.look_closer()
        if has_npm:
            guide.connect("TypeScript")
        for seconds, what in guide.times:
            print(f"{seconds:6.1f} s  {what}", flush=True)
        command_line.check(guide.command, guide.credentials)


def _sample(language: str) -> str:
    """What the clients' page shows of a language."""
    page = (ROOT / "clients" / "README.md").read_text("utf-8")
    (sample,) = re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return str(sample)


def _has(packed: set[str], parts: list[str]) -> None:
    """Whether a package has these files once installed."""
    if missing := set(parts) - packed:
        print(f"The package lacks {', '.join(sorted(missing))}")
        raise _Wrong


def _run(*command: str | Path, may_fail: bool = False) -> int:
    """Runs a program in the repository, without this process's environment variables."""
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=ROOT, env=own, check=False)
    if done.returncode and not may_fail:
        print(f"Failed: {' '.join(map(str, command))}")
        raise _Wrong
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
