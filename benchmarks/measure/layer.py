"""Starts a process as Lambda does: with the layers on its path, and without development packages.

The development environment has more packages than the layer, and libraries load those that they
find: botocore takes 35 ms for awscrt, urllib3 25 for pyOpenSSL, in a handler and in its floor.
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
    """Yields the distributions of the layer."""
    for line in REQUIREMENTS.read_text().splitlines():
        if match := re.match(r"([\w.-]+)==", line):
            yield match[1]


@dataclass(frozen=True)
class Layer:
    """The folder of the packages and of Python's compiled code."""

    folder: Path

    @classmethod
    def put_together(cls, folder: Path) -> "Layer":
        """Builds the layer in an empty folder from the installed packages."""
        layer = cls(folder)
        layer._packages.mkdir()
        shutil.copytree(ROOT / "layers" / "core", layer._core)
        for name in pinned():
            found = distribution(name)
            for top in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
                (layer._packages / top).symlink_to(str(found.locate_file(top)))
        return layer

    def compile(self, modules: Iterable[str]) -> None:
        """Imports each module once, so that Python caches its compiled code."""
        keep = ("-m", "local.containers.dataclass_methods", str(self._core / "storepost"))
        environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'layers' / 'core'}:{ROOT}"}
        subprocess.run([sys.executable, *keep], env=environment, check=True)
        for module in modules:
            self.run("-c", f"import {module}", compiled=True)
        library = Path(os.__file__).parent.relative_to("/")
        shutil.copytree(self._cache(compiled=True) / library, self._cache(compiled=False) / library)

    def run(self, *arguments: str, compiled: bool) -> str:
        """Runs Python in a process of its own; returns its output.

        It has compiled code of everything, or only of Python's own library, like a function whose
        layers contain none.
        """
        path = (self._packages, self._core if compiled else ROOT / "layers" / "core", ROOT)
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, path)),
            "PYTHONPYCACHEPREFIX": str(self._cache(compiled=compiled)),
            "PYTHONDONTWRITEBYTECODE": "" if compiled else "1",
        }
        # -S omits the environment's own packages, -P the working directory.
        command = [sys.executable, "-S", "-P", *arguments]
        return subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, text=True, check=True
        ).stdout

    @property
    def _core(self) -> Path:
        """The package as `make build` produces it: with its dataclasses compiled."""
        return self.folder / "core"

    @property
    def _packages(self) -> Path:
        return self.folder / "python"

    def _cache(self, *, compiled: bool) -> Path:
        return self.folder / ("compiled" if compiled else "library")
