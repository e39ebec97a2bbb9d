"""Downloads third-party scripts of the documentation's pages: `python -m local.site_assets`.

npm downloads each package once, with exactly these bytes; the repository contains none of its
files. Without npm the pages are plain: they have no console to try requests, and no search.
"""

import gzip
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from base64 import b64encode
from dataclasses import dataclass
from hashlib import sha512
from pathlib import Path

from local.console import say
from local.template import ROOT

FOLDER = ROOT / "functions" / "api" / "site" / "assets"
_SECONDS = 180
_SOURCE_MAP = re.compile(rb"^//# sourceMappingURL=.*$", re.MULTILINE)


@dataclass(frozen=True)
class Script:
    """A file of an npm package, and the package's name, version and license."""

    library: str
    """The name that our pages use."""
    package: str
    version: str
    integrity: str
    """The SHA-512 of the package, as npm writes it."""
    member: str
    license: str

    @property
    def target(self) -> Path:
        """The path of the gzipped file."""
        return FOLDER / f"{self.library}-{self.version}.js.gz"


SCRIPTS = (
    Script(
        "scalar",
        "@scalar/api-reference",
        "1.72.1",
        "sha512-XpEJ0rfc/cXbCrR+iC4kK0o/WwX2dTtGQbT049OlPKAHD6IMIFdTeGz2r+M27P2EDWKyUITRm/NzlP8z2pw/Ow==",
        "package/dist/browser/standalone.js",
        "MIT",
    ),
    Script(
        "minisearch",
        "minisearch",
        "7.2.0",
        "sha512-dqT2XBYUOZOiC5t2HRnwADjhNS2cecp9u+TJRiJ1Qp/f5qjkeT5APcGPjHw+bz89Ms8Jp+cG4AlE+QZ/QnDglg==",
        "package/dist/umd/index.js",
        "MIT",
    ),
)


class CannotDownload(Exception):  # noqa: N818 - it is what happened
    """The scripts can't be downloaded; the message says what to do."""


def download() -> None:
    """Downloads missing files, and removes those of other versions. Raises CannotDownload."""
    FOLDER.mkdir(exist_ok=True)
    for script in SCRIPTS:
        if not script.target.exists():
            script.target.write_bytes(_packed(script))
    for path in FOLDER.iterdir():
        if path not in {script.target for script in SCRIPTS}:
            path.unlink()


def _packed(script: Script) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        archive = _fetched(script, Path(folder))
        found = b64encode(sha512(archive.read_bytes()).digest()).decode()
        if f"sha512-{found}" != script.integrity:
            raise CannotDownload(
                f"{script.package} {script.version} isn't the package that is pinned."
            )
        with tarfile.open(archive) as package:
            member = package.extractfile(script.member)
            assert member is not None  # noqa: S101 - the bytes are pinned
            code = _SOURCE_MAP.sub(b"", member.read())
    banner = f"/*! {script.package} {script.version}, {script.license} license */\n"
    return gzip.compress(banner.encode() + code, mtime=0)


def _fetched(script: Script, folder: Path) -> Path:
    npm = shutil.which("npm")
    if npm is None:
        raise CannotDownload("They come from npm, and this machine has none: install Node.js.")
    package = f"{script.package}@{script.version}"
    ran = subprocess.run(  # noqa: S603 - nothing of it comes from outside
        [npm, "pack", "--silent", "--pack-destination", str(folder), package],
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    if ran.returncode:
        raise CannotDownload(f"npm can't download {package}:\n{ran.stderr.strip()}")
    return next(folder.glob("*.tgz"))


def main() -> int:
    """Downloads them. Returns 0, or 2 if that fails."""
    try:
        download()
    except (CannotDownload, subprocess.TimeoutExpired) as problem:
        say(f"The documentation's pages stay plain, without search. {problem}")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
