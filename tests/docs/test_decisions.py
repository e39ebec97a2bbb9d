"""The pages of decisions, and the index that leads to them."""

import re

from tests.docs import source

FOLDER = source.ROOT / "docs" / "adr"
_LINE = re.compile(r"^- \[(\d+)\]\((.+?)\) (.+)$", re.MULTILINE)


def test_the_index_names_each_page_as_its_heading_does() -> None:
    index = (FOLDER / "README.md").read_text(encoding="utf-8")
    named = {page: f"# {number}. {title}" for number, page, title in _LINE.findall(index)}
    pages = {
        page.name: page.read_text(encoding="utf-8").splitlines()[0] for page in FOLDER.glob("0*.md")
    }
    assert named == pages
