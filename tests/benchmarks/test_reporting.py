"""What a benchmark prints and writes down: the figures as they are, and nothing of the machine."""

import json
import platform
from datetime import date
from itertools import count
from pathlib import Path

import pytest

from benchmarks.measure.measuring import Sample, in_turn
from benchmarks.measure.reporting import RESULTS, Column, Table

COLUMNS = (
    Column("what"),
    Column("cpu", "ms", 1),
    Column("ratio", "", 2, most=1.5),
    Column("calls"),
)


def table() -> Table:
    """Two ways of doing a thing, one of them too dear."""
    made = Table("thing", "A thing", COLUMNS, {"engine": "1.2"}, ["Said once."])
    made.add("cheap", 1.26, 1.5, 3)
    made.add("a dear one", 1234.5678, 1.501, None)
    return made


def test_table_is_aligned_and_marks_values_over_the_limit() -> None:
    assert table().text() == "\n".join(
        [
            "A thing",
            "",
            "what        cpu (ms)  ratio (≤ 1.5)  calls",
            "----------  --------  -------------  -----",
            "cheap            1.3         1.50        3",
            "a dear one   1,234.6         1.50 !      -",
            "",
            "Said once.",
        ]
    )


def test_json_document_has_units_limits_versions_and_date() -> None:
    assert table().document(date(2025, 3, 4)) == {
        "benchmark": "thing",
        "title": "A thing",
        "date": "2025-03-04",
        "versions": {"python": platform.python_version(), "engine": "1.2"},
        "columns": [
            {"name": "what"},
            {"name": "cpu", "unit": "ms"},
            {"name": "ratio", "most": 1.5},
            {"name": "calls"},
        ],
        "rows": [
            {"what": "cheap", "cpu": 1.26, "ratio": 1.5, "calls": 3},
            {"what": "a dear one", "cpu": 1234.568, "ratio": 1.501, "calls": None},
        ],
        "notes": ["Said once."],
    }


def test_publish_prints_and_writes_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table().publish(tmp_path)
    assert capsys.readouterr().out == table().text() + "\n"
    written = json.loads((tmp_path / "thing.json").read_text("utf-8"))
    assert written == table().document(date.fromisoformat(written["date"]))


def test_row_is_printed_once_it_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    table().show("dearest", 9876.5, 2, 4)
    assert capsys.readouterr().out == "dearest      9,876.5         2.00 !      4\n"


def test_row_with_wrong_number_of_cells_is_refused() -> None:
    with pytest.raises(ValueError, match="2 cells for 4 columns"):
        table().add("cheap", 1.0)


def test_each_variant_runs_once_per_round_in_varying_order() -> None:
    clock, order = count(), list[str]()

    def one(name: str) -> float:
        order.append(name)
        return float(next(clock))

    samples = in_turn({"a": lambda: one("a"), "b": lambda: one("b")}, 20)
    rounds = [order[i : i + 2] for i in range(0, 40, 2)]
    assert all(sorted(names) == ["a", "b"] for names in rounds)
    assert {names[0] for names in rounds} == {"a", "b"}
    assert {name: len(sample.values) for name, sample in samples.items()} == {"a": 20, "b": 20}


def test_sample_median_and_minimum() -> None:
    sample = Sample((5.0, 1.0, 3.0))
    assert (sample.median, sample.least) == (3.0, 1.0)


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.json")), ids=lambda path: path.stem)
def test_stored_results_belong_to_a_benchmark(path: Path) -> None:
    stored = json.loads(path.read_text("utf-8"))
    assert stored["benchmark"] == path.stem
    assert list(RESULTS.parent.rglob(f"{path.stem}.py"))
    names = [column["name"] for column in stored["columns"]]
    assert stored["rows"]
    assert all(list(row) == names for row in stored["rows"])
