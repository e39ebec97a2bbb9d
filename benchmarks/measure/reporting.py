"""A benchmark's figures: a printed table, and the same as JSON under `benchmarks/results/`."""

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path

RESULTS = Path(__file__).parent.parent / "results"

type Cell = str | int | float | None


@dataclass(frozen=True)
class Column:
    """A column of the table. `name` is its name in the JSON, too."""

    name: str
    unit: str = ""
    digits: int = 0
    """Decimals in the table; the JSON has two more."""
    most: float | None = None
    """The limit: a cell above it is marked."""

    def text(self, cell: Cell) -> str:
        """Returns the cell's text in the table."""
        if cell is None:
            return "-"
        if isinstance(cell, str):
            return cell
        return f"{cell:,.{self.digits}f}{self._mark(cell)}"

    def stored(self, cell: Cell) -> Cell:
        """Returns the cell's value in the JSON."""
        return round(cell, self.digits + 2) if isinstance(cell, float) else cell

    def _mark(self, cell: float) -> str:
        if self.most is None:
            return ""
        return " !" if cell > self.most else "  "

    @property
    def heading(self) -> str:
        """Its name, its unit and its limit."""
        figure = "" if self.most is None else f"≤ {self.most:g}"
        about = ", ".join(part for part in (self.unit, figure) if part)
        return f"{self.name} ({about})" if about else self.name

    def described(self) -> dict[str, Cell]:
        """The column in the JSON."""
        unit: dict[str, Cell] = {"unit": self.unit} if self.unit else {}
        return {"name": self.name, **unit} | ({} if self.most is None else {"most": self.most})


@dataclass
class Table:
    """The figures of one benchmark; `name` is the module's and the file's."""

    name: str
    title: str
    columns: Sequence[Column]
    versions: Mapping[str, str]
    """The versions of the engine or libraries used, in addition to Python's."""
    notes: Sequence[str] = ()
    rows: list[Sequence[Cell]] = field(default_factory=list)

    def add(self, *cells: Cell) -> None:
        """Adds a row."""
        if len(cells) != len(self.columns):
            raise ValueError(f"{len(cells)} cells for {len(self.columns)} columns")
        self.rows.append(cells)

    def show(self, *cells: Cell) -> None:
        """Adds a row and prints it, as the whole table takes minutes."""
        self.add(*cells)
        lines = self.text().removesuffix("\n".join(self.notes)).rstrip()
        print(lines.splitlines()[-1], flush=True)

    def text(self) -> str:
        """Returns the table as text, with aligned figures."""
        heads = [column.heading for column in self.columns]
        body = [[c.text(x) for c, x in zip(self.columns, r, strict=True)] for r in self.rows]
        lines = [heads, *body]
        widths = [max(len(line[i]) for line in lines) for i in range(len(heads))]
        printed = [_line(line, widths) for line in lines]
        rule = "  ".join("-" * width for width in widths)
        return "\n".join([self.title, "", printed[0], rule, *printed[1:], "", *self.notes]).rstrip()

    def document(self, on: date) -> dict[str, object]:
        """Returns the table for programs; it doesn't identify the machine."""
        names = [column.name for column in self.columns]
        return {
            "benchmark": self.name,
            "title": self.title,
            "date": on.isoformat(),
            "versions": {"python": platform.python_version(), **self.versions},
            "columns": [column.described() for column in self.columns],
            "rows": [
                dict(zip(names, map(Column.stored, self.columns, row), strict=True))
                for row in self.rows
            ],
            "notes": list(self.notes),
        }

    def publish(self, results: Path = RESULTS) -> None:
        """Prints the table and writes it to its file."""
        print(self.text())
        results.mkdir(exist_ok=True)
        document = self.document(datetime.now(UTC).date())
        text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
        (results / f"{self.name}.json").write_text(text, "utf-8")


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Returns a line with the row's name aligned left, and the other cells aligned right."""
    first, *rest = (cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
    return "  ".join([first.strip().ljust(widths[0]), *rest]).rstrip()
