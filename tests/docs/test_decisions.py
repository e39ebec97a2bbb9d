"""The pages of decisions, and the index that leads to them."""

import re
from datetime import date
from typing import NamedTuple

from tests.docs import source

FOLDER = source.ROOT / "docs" / "adr"
_TITLE = re.compile(r"# (\d+)\. (.+)")
_STATUS = re.compile(r"- Status: (accepted|superseded by (\d+))")
_DATE = re.compile(r"- Date: (\d{4}-\d\d-\d\d)")
_ROW = re.compile(r"^\| \[(\d+)\]\((.+?)\) \| (.+?) \| (.+?) \|$", re.MULTILINE)


class Decision(NamedTuple):
    """A page as its first lines and its name describe it."""

    number: int
    file: str
    title: str
    status: str
    superseded_by: int | None
    decided: date


def decisions() -> list[Decision]:
    """Every page of the folder but the index; a page of another form fails here."""
    return [_decision(path.name, path.read_text("utf-8")) for path in sorted(FOLDER.glob("0*.md"))]


def _decision(file: str, text: str) -> Decision:
    heading, blank, status_line, date_line, end, *_ = text.splitlines()
    title, status, decided = (
        pattern.fullmatch(line)
        for pattern, line in ((_TITLE, heading), (_STATUS, status_line), (_DATE, date_line))
    )
    assert title, f"{file}: the first line isn't `# <number>. <title>`"
    assert status, f"{file}: the third line isn't a status"
    assert decided, f"{file}: the fourth line isn't a date"
    assert (blank, end) == ("", ""), f"{file}: status and date stand apart from title and text"
    other = int(status[2]) if status[2] else None
    return Decision(int(title[1]), file, title[2], status[1], other, date.fromisoformat(decided[1]))


def test_each_adr_has_title_status_and_date() -> None:
    found = decisions()
    assert len(found) > 40
    assert [page.file for page in found] == sorted(p.name for p in FOLDER.glob("[0-9]*.md"))


def test_adr_file_names_begin_with_their_unique_number() -> None:
    found = decisions()
    assert all(page.file.startswith(f"{page.number:04}-") for page in found)
    assert len({page.number for page in found}) == len(found)


def test_superseded_adr_names_an_existing_successor() -> None:
    found = decisions()
    numbers = {page.number for page in found}
    for page in found:
        if page.superseded_by is not None:
            assert page.superseded_by in numbers - {page.number}, page.file


def test_superseded_status_is_parsed_with_its_number() -> None:
    text = "# 9. A title\n\n- Status: superseded by 64\n- Date: 2026-11-21\n\nWhy.\n"
    page = _decision("0009-a-title.md", text)
    assert (page.status, page.superseded_by) == ("superseded by 64", 64)


def test_index_has_number_title_and_status_of_each_adr() -> None:
    index = (FOLDER / "README.md").read_text("utf-8")
    named = sorted(_ROW.findall(index), key=lambda row: int(row[0]))
    expected = [(str(p.number), p.file, p.title, p.status) for p in decisions()]
    assert named == expected
