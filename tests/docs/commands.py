"""The commands that the documents have readers type: all of their `sh` blocks, line by line."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.docs import source

PAGES = (
    source.ROOT / "README.md",
    source.ROOT / "CONTRIBUTING.md",
    source.ROOT / "docs" / "operating.md",
    *sorted((source.ROOT / "docs" / "guides").glob("*.md")),
)
PLACEHOLDER = re.compile(r"<[^>\n]+>")
_BLOCK = re.compile(r"^ *```sh\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`((?:aws|make|\.venv/bin/\w+) [^`]+)`")
_VALUE = "placeholder"


@dataclass(frozen=True)
class Command:
    """A line that is typed, and the page that has it."""

    page: str
    line: str

    @property
    def program(self) -> str:
        """What it runs: `.venv/bin/sam` of a path, `make` of a line that begins with a variable."""
        line = re.sub(r"^(?:[A-Z]+=\$\(|(?:[A-Z]+=\S+ )+)", "", self.line)
        return line.split()[0]

    @property
    def words(self) -> list[str]:
        """The command as a shell splits it, with a word for each placeholder."""
        return shlex.split(PLACEHOLDER.sub(_VALUE, self.line), comments=True)


def commands() -> Iterator[Command]:
    """All of them; a line that ends with a backslash, or in quotes, goes on in the next one."""
    for page in PAGES:
        yield from commands_of(page)


def commands_of(page: Path) -> Iterator[Command]:
    """Those of a page: its blocks, and what stands in its sentences."""
    text = page.read_text("utf-8")
    name = str(page.relative_to(source.ROOT))
    for block in _BLOCK.findall(text):
        for line in typed(block):
            yield Command(name, line)
    for line in _INLINE.findall(_BLOCK.sub("", text)):
        if "…" not in line:
            yield Command(name, " ".join(line.split()))


def typed(block: str) -> Iterator[str]:
    """Each command of a block."""
    line = ""
    for part in re.sub(r"\\\n\s*", "", block).splitlines():
        line = f"{line}\n{part}" if line else part.strip()
        if line and _is_whole(line):
            yield line
            line = ""


def _is_whole(line: str) -> bool:
    try:
        shlex.split(line, comments=True)
    except ValueError:
        return False
    return True
