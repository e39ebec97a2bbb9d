"""A process as Lambda starts one: the layers on its path, and nothing that only the workshop has.

The development environment holds more than the layer, and libraries load what they find: botocore
takes 35 ms for awscrt, urllib3 25 for pyOpenSSL, in a handler and in its floor alike.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

from local.template import ROOT

REQUIREMENTS = ROOT / "layers" / "dependencies" / "requirements.txt"


def pinned() -> Iterator[str]:
    """The distributions that the layer has."""
    for line in REQUIREMENTS.read_text().splitlines():
        if match := re.match(r"([\w.-]+)==", line):
            yield match[1]


@dataclass(frozen=True)
class Layer:
    """Where the packages are, and Python's compiled code."""

    folder: Path

    @classmethod
    def put_together(cls, folder: Path) -> "Layer":
        """The layer in an empty folder, of what is installed here."""
        layer = cls(folder)
        layer._packages.mkdir()
        shutil.copytree(ROOT / "layers" / "core", layer._core)
        for name in pinned():
            found = distribution(name)
            for top in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
                (layer._packages / top).symlink_to(str(found.locate_file(top)))
        return layer

    def compile(self, modules: Iterable[str]) -> None:
        """Imports each module once, so that Python keeps what it compiled."""
        keep = ("-m", "local.containers.dataclass_methods", str(self._core / "storepost"))
        environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'layers' / 'core'}:{ROOT}"}
        subprocess.run([sys.executable, *keep], env=environment, check=True)
        for module in modules:
            self.run("-c", f"import {module}", compiled=True)
        library = Path(os.__file__).parent.relative_to("/")
        shutil.copytree(self._cache(compiled=True) / library, self._cache(compiled=False) / library)

    def run(self, *arguments: str, compiled: bool) -> str:
        """What Python prints, in a process of its own.

        With compiled code of everything, or of Python's own library alone, which is what a
        function has whose layers bring none.
        """
        path = (self._packages, self._core if compiled else ROOT / "layers" / "core", ROOT)
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, path)),
            "PYTHONPYCACHEPREFIX": str(self._cache(compiled=compiled)),
            "PYTHONDONTWRITEBYTECODE": "" if compiled else "1",
        }
        # -S leaves out the environment's own packages, -P the working directory.
        command = [sys.executable, "-S", "-P", *arguments]
        return subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, text=True, check=True
        ).stdout

    @property
    def _core(self) -> Path:
        """The package as `make build` leaves it: with its dataclasses compiled."""
        return self.folder / "core"

    @property
    def _packages(self) -> Path:
        return self.folder / "python"

    def _cache(self, *, compiled: bool) -> Path:
        return self.folder / ("compiled" if compiled else "library")
