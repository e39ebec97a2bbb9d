"""Whatever the code and the documents cite stands in the repository."""

import re
from functools import cache

from tests.docs import source

_CITED = re.compile(r"docs/([\w/-]+\.md)(?:, sections? (\d+(?:\.\d+)?)(?: to (\d+(?:\.\d+)?))?)?")
_HEADING = re.compile(r"^#+ (\d+)(?:\.(\d+))?\b")
_RULE = re.compile(r"^(\d+)\. ")
_READ = ("layers/core", "functions", "local", "tests", "openapi", "benchmarks")


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


def citations() -> set[tuple[str, str]]:
    """Each document that is cited, with each section of it; \"\" for the document as a whole."""
    found = set[tuple[str, str]]()
    files = [path for folder in _READ for path in (source.ROOT / folder).rglob("*.py")]
    for path in [*files, source.ROOT / "template.yaml"]:
        # A citation may go on in the next line of a docstring or a comment.
        text = re.sub(r"\s+(?:# )?", " ", path.read_text("utf-8"))
        for document, *numbers in _CITED.findall(text):
            found |= {(document, number) for number in numbers if number} or {(document, "")}
    return found


def test_every_document_and_section_exists() -> None:
    cited = citations()
    assert len(cited) > 20
    missing = {
        (document, number)
        for document, number in cited
        if not (source.ROOT / "docs" / document).is_file()
        or (number and number not in sections(document))
    }
    assert missing == set()
