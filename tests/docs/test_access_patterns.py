"""The page of access patterns against the code: rows, keys, operations, and how reads are made."""

import ast
import re
from collections.abc import Iterator

from local.template import functions
from tests.docs import source

PAGE = (source.ROOT / "docs" / "access-patterns.md").read_text(encoding="utf-8")
_OPERATION = re.compile(r"[a-z]\w*\.[a-z]\w*")


def rows_of(section: str) -> Iterator[list[str]]:
    """The cells of the tables below a heading of the second level, without the tables' heads."""
    text = PAGE.split(f"\n## {section}\n", 1)[1].split("\n## ", 1)[0]
    for line in text.splitlines():
        if line.startswith("| ") and not line.startswith(("| Kind |", "| Worker |")):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def quoted(cell: str) -> list[str]:
    """What stands between backticks."""
    return re.findall(r"`([^`]+)`", cell)


def column_of(section: str, column: int) -> list[str]:
    """What a column of the section's tables names; a star for each id or value in a key."""
    names = [name for row in rows_of(section) for name in quoted(row[column])]
    return [re.sub(r"<[^>]*>", "*", name) for name in names]


class TestRows:
    """The tables of rows."""

    def test_every_kind_of_row_is_listed_exactly_once(self) -> None:
        assert len(source.kinds()) > 30
        assert sorted(column_of("Rows", 0)) == sorted(source.kinds().values())

    def test_exactly_the_partition_keys_are_listed(self) -> None:
        assert set(column_of("Rows", 1)) == source.partitions()

    def test_every_sort_key_is_listed(self) -> None:
        made = {sk for _, sk in source.key_pairs() if sk}  # the second table has no sort key
        assert made - {"*"} <= set(column_of("Rows", 2))

    def test_exactly_the_expiring_rows_are_marked(self) -> None:
        expiring = {kind for row in rows_of("Rows") if row[5] != "no" for kind in quoted(row[0])}
        assert expiring == source.expiring()


class TestOperationsAndWorkers:
    """The tables of operations and workers."""

    def test_exactly_the_reading_operations_are_listed(self) -> None:
        first = " ".join(line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| "))
        handlers = (source.ROOT / "functions" / "api").glob("*/handler.py")
        operations = {
            name
            for path in handlers
            # They tell of the service and read no row.
            if path.parent.name not in {"docs", "site"}
            for name in re.findall(r'operation_id="([^"]+)"', path.read_text(encoding="utf-8"))
        }
        assert len(operations) > 60
        assert {name for name in quoted(first) if _OPERATION.fullmatch(name)} == operations

    def test_exactly_the_workers_and_schedules_are_listed(self) -> None:
        jobs = {f.job for f in functions() if not f.folder.startswith("functions/api")}
        assert set(column_of("Workers", 0)) == jobs

    def test_every_read_is_strongly_consistent(self) -> None:
        """What no column says, as the page says it once, but for the postings of the search.

        And but for whoever asks `find_recent`, which asks `find_raw` for less, as those do who read
        pages of postings.
        """
        gets = [call for call in source.calls("get") if ast.unparse(call.func) == "model.get"]
        reads = gets + [c for name in ("query", "batch_get_item") for c in source.calls(name)]
        assert gets
        assert len(reads) > 10
        postings = [
            call
            for call in reads
            if ast.unparse(call.func) == "PostingItem.query"
            and "consistent_read=consistent" in ast.unparse(call)
        ]
        assert len(postings) == 1
        batches = [
            call
            for call in reads
            if "consistent_read=consistent" in ast.unparse(call) and call not in postings
        ]
        assert len(batches) == 1
        less = [c for c in source.nodes(ast.Call) if "consistent=False" in ast.unparse(c)]
        assert sorted(ast.unparse(call) for call in less) == [
            "find_raw(keys, consistent=False)",
            "find_raw(missing, consistent=False)",
        ]
        recent = [c for c in source.nodes(ast.Name) if c.id == "find_recent"]
        assert len(recent) == 1
        for call in (each for each in reads if each not in [*postings, *batches]):
            arguments = {word.arg: ast.unparse(word.value) for word in call.keywords}
            assert arguments.get("consistent_read") == "True", ast.unparse(call)
