"""Third-party scripts that pages load, as downloaded when the service was built.

Each file's name has its version, so that a browser may cache it for ever.
"""

import gzip
from pathlib import Path

from storepost.values.problems import NotFound

EXPLORER = "scalar"
SEARCH = "minisearch"
_PACKED = ".js.gz"


class Assets:
    """The files of a folder, each packed by gzip."""

    def __init__(self, folder: Path) -> None:
        """`folder` need not exist."""
        self._files = {path.name.removesuffix(".gz"): path for path in folder.glob(f"*{_PACKED}")}

    def name_of(self, library: str) -> str | None:
        """Returns the library's file, such as `scalar-1.72.1.js`; None where it is missing."""
        return next((name for name in sorted(self._files) if name.startswith(f"{library}-")), None)

    def packed(self, name: str) -> bytes:
        """Returns the file in gzip's format; raises NotFound."""
        if name not in self._files:
            raise NotFound()
        return self._files[name].read_bytes()

    def plain(self, name: str) -> bytes:
        """Returns the file for a caller that doesn't accept gzip."""
        return gzip.decompress(self.packed(name))
