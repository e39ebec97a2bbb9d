"""Third-party scripts of the documentation: exactly those that are pinned."""

import gzip
import io
import subprocess
import tarfile
from base64 import b64encode
from dataclasses import replace
from hashlib import sha512
from pathlib import Path

import pytest

from local import site_assets
from local.site_assets import CannotDownload, Script, download
from local.template import ROOT


def package(code: bytes) -> bytes:
    """An npm package with one file."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        member = tarfile.TarInfo("package/index.js")
        member.size = len(code)
        archive.addfile(member, io.BytesIO(code))
    return packed.getvalue()


PACKAGE = package(b"let a = 1;\n//# sourceMappingURL=index.js.map\n")
SCRIPT = Script(
    "tiny",
    "tiny-package",
    "1.0.0",
    f"sha512-{b64encode(sha512(PACKAGE).digest()).decode()}",
    "package/index.js",
    "MIT",
)


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty folder, and an npm that brings the package."""
    made = tmp_path / "assets"
    monkeypatch.setattr(site_assets, "FOLDER", made)
    monkeypatch.setattr(site_assets, "SCRIPTS", (SCRIPT,))
    monkeypatch.setattr("shutil.which", lambda _: "/usr/bin/npm")

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        destination = Path(command[command.index("--pack-destination") + 1])
        assert command[-1] == "tiny-package@1.0.0"
        (destination / "tiny-package-1.0.0.tgz").write_bytes(PACKAGE)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr("subprocess.run", run)
    return made


def test_downloads_the_script_with_license_and_without_source_map(folder: Path) -> None:
    download()
    [file] = folder.iterdir()
    assert file.name == "tiny-1.0.0.js.gz"
    assert gzip.decompress(file.read_bytes()) == (
        b"/*! tiny-package 1.0.0, MIT license */\nlet a = 1;\n\n"
    )


def test_does_not_download_twice(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    download()
    monkeypatch.setattr("shutil.which", lambda _: None)
    download()


def test_removes_other_versions(folder: Path) -> None:
    folder.mkdir()
    (folder / "tiny-0.9.0.js.gz").write_bytes(b"")
    download()
    assert [file.name for file in folder.iterdir()] == ["tiny-1.0.0.js.gz"]


def test_refuses_content_that_differs_from_the_pinned_hash(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = replace(SCRIPT, integrity="sha512-" + "A" * 86 + "==")
    monkeypatch.setattr(site_assets, "SCRIPTS", (changed,))
    with pytest.raises(CannotDownload, match="pinned"):
        download()
    assert list(folder.iterdir()) == []


def test_missing_npm_leaves_pages_without_scripts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    assert site_assets.main() == 2
    assert "install Node.js" in capsys.readouterr().err


def test_downloaded_assets_are_ignored_by_git() -> None:
    assert "functions/api/site/assets/" in (ROOT / ".gitignore").read_text("utf-8").splitlines()
