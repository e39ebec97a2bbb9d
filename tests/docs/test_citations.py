"""Whatever the code and the documents cite stands in the repository."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.docs import source

_CITED = re.compile(r"docs/([\w/-]+\.md)(?:, sections? (\d+(?:\.\d+)?)(?: to (\d+(?:\.\d+)?))?)?")
_UNNAMED = re.compile(r"\([a-z_-]+, sections? \d")
"""A section of a document that isn't named by its path, so that nobody knows where it stands."""
_DECISION = re.compile(r"docs/adr/(\d{4})|\bADR (\d+)")
_HEADING = re.compile(r"^#+ (\d+)(?:\.(\d+))?\b")
_RULE = re.compile(r"^(\d+)\. ")
_FILE = re.compile(r"(?<![\w/.<>*#:-])((?:[\w-]+/)+[\w-]+\.(?:py|md|json|yaml|toml))\b")
_CODE = ("layers/core", "functions", "local", "openapi", "operating", "benchmarks")
_READ = (*_CODE, "tests", "examples")
_BESIDE = re.compile(r"`([a-z_]+\.py)`")
"""A file of the same folder, which code names by that alone."""
_MADE = {"openapi.json", "credentials.json"}
"""Names of files that the service serves or that a run writes."""
CLIENTS = source.ROOT / "clients" / "README.md"


@cache
def sections(document: str) -> frozenset[str]:
    """The numbers of a document's sections, and of the rules that are numbered inside them."""
    found, section = set[str](), ""
    for line in (source.ROOT / "docs" / document).read_text("utf-8").splitlines():
        if heading := _HEADING.match(line):
            section = heading[1]
            found.add(".".join(part for part in heading.groups() if part))
        elif section and (rule := _RULE.match(line)):
            found.add(f"{section}.{rule[1]}")
    return frozenset(found)


def documents() -> list[Path]:
    """The documents that people read: those of `docs/`, of the root, and the clients' page."""
    of_root = sorted(source.ROOT.glob("*.md"))
    return [*of_root, CLIENTS, *sorted((source.ROOT / "docs").rglob("*.md"))]


def texts() -> Iterator[str]:
    """Everything that may cite; a citation may go on in the next line of a docstring or comment."""
    files = [path for folder in _READ for path in (source.ROOT / folder).rglob("*.py")]
    for path in [*files, source.ROOT / "template.yaml", *documents()]:
        yield re.sub(r"\s+(?:# )?", " ", path.read_text("utf-8"))


def citations() -> set[tuple[str, str]]:
    """Each document that is cited, with each section of it; "" for the document as a whole."""
    found = set[tuple[str, str]]()
    for text in texts():
        for document, *numbers in _CITED.findall(text):
            found |= {(document, number) for number in numbers if number} or {(document, "")}
    return found


def test_every_cited_document_and_section_exists() -> None:
    cited = citations()
    assert len(cited) > 20
    missing = {
        (document, number)
        for document, number in cited
        if not (source.ROOT / "docs" / document).is_file()
        or (number and number not in sections(document))
    }
    assert missing == set()


def test_sections_are_cited_with_the_path_of_their_document() -> None:
    assert [cited for text in texts() for cited in _UNNAMED.findall(text)] == []


def test_every_cited_adr_exists() -> None:
    pages = (source.ROOT / "docs" / "adr").glob("[0-9]*.md")
    numbers = {int(page.name[:4]) for page in pages}
    cited = {int(a or b) for text in texts() for a, b in _DECISION.findall(text)}
    assert len(cited) > 10
    assert cited <= numbers


def test_every_file_named_in_a_document_exists() -> None:
    """A document names a file by its path, or by the end of it: `platform/messaging/outbox.py`."""
    folders = [source.ROOT / f for f in (*_READ, "docs", "events")]
    paths = [str(p) for f in folders for p in f.rglob("*") if p.is_file()] + [str(CLIENTS)]
    named = {
        (page.name, file)
        for page in documents()
        for file in _FILE.findall(page.read_text("utf-8"))
        if file.rsplit("/", 1)[1] not in _MADE
    }
    assert len(named) > 20
    missing = {(page, f) for page, f in named if not any(p.endswith(f"/{f}") for p in paths)}
    assert missing == set()


def test_every_file_named_in_the_code_exists() -> None:
    """Code names a file by the end of its path too, or one beside it by its name."""
    every = [p for f in (*_READ, "docs", "events") for p in (source.ROOT / f).rglob("*.*")]
    files = {"/".join(p.parts[-n:]) for p in every for n in range(1, len(p.parts))}
    code = [path for folder in _CODE for path in (source.ROOT / folder).rglob("*.py")]
    named = {(path, file) for path in code for file in _FILE.findall(path.read_text("utf-8"))}
    beside = {(path, name) for path in code for name in _BESIDE.findall(path.read_text("utf-8"))}
    assert len(named) > 20
    assert len(beside) > 5
    assert {(path.name, file) for path, file in named if file not in files} == set()
    assert {(p.name, name) for p, name in beside if not (p.parent / name).exists()} == set()
