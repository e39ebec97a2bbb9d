"""A plan lists on disk what an import has to write: products in order, each with its rows."""

import json
import sqlite3
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from storepost.values.text import sort_key

_MAX_ROWS = 20_000
"""Rows that are read at once: a tenth of what 100 products may have."""
_MAX_CHARACTERS = 8_000_000
"""Characters of their contents; each takes up to four bytes."""

PLAN = """
    CREATE TABLE plan.product (seq INTEGER PRIMARY KEY, product TEXT);
    CREATE TABLE plan.row (product TEXT, number INTEGER, id TEXT, locale TEXT, grp TEXT,
        variant TEXT, content TEXT, PRIMARY KEY (product, number)) WITHOUT ROWID;
    CREATE TABLE plan.load (products INTEGER);
    INSERT INTO plan.load SELECT count(*) FROM fresh;
    INSERT INTO plan.product (product) SELECT product FROM fresh ORDER BY place;
    INSERT INTO plan.product (product) SELECT product FROM row LEFT JOIN known USING (product)
        WHERE product IN (SELECT product FROM changed EXCEPT SELECT product FROM fresh)
        GROUP BY product ORDER BY known.place, min(number);
    INSERT INTO plan.row SELECT product, number, id, locale, grp, variant, content FROM row
        WHERE product IN (SELECT product FROM changed) ORDER BY product, number;
    INSERT INTO plan.product (product) SELECT product FROM changed
        WHERE product NOT IN (SELECT product FROM row WHERE product IS NOT NULL) ORDER BY product;
"""
"""Fills a plan from the staged rows once they are resolved."""

FRESH = "SELECT product FROM unknown"
"""Selects the products that are probably new: sorted by title, their list entries are adjacent."""

KNOWN = "SELECT product FROM changed EXCEPT SELECT product FROM unknown"
"""Selects the others: a first import wrote them by title, so they may still be adjacent."""

BY_TITLE = """
    INSERT INTO {table} SELECT product, row_number() OVER (ORDER BY title, first) FROM (
        SELECT product, min(title_key(content)) AS title, min(number) AS first FROM row
        WHERE product IN ({products}) GROUP BY product);
    DELETE FROM {table} WHERE (SELECT count(*) FROM {table}) < {at_least};
"""
"""Sorts products by title, if there are at least `at_least`: for fewer it isn't worth it."""


GROUPS = """
    CREATE INDEX by_group ON row (grp, number) WHERE grp IS NOT NULL;
    CREATE INDEX by_member ON member (id, locale);
    UPDATE row SET grp = member.grp FROM member
        WHERE member.id = row.id AND member.locale = row.locale AND row.grp IS NULL
            AND member.grp <> row.id;
    CREATE TEMP TABLE named AS SELECT sku, min(id) AS id FROM row
        WHERE grp IS NULL AND sku <> id
            AND sku IN (SELECT other.grp FROM row other WHERE other.grp IS NOT NULL)
            AND sku NOT IN (SELECT other.id FROM row other)
        GROUP BY sku HAVING count(DISTINCT id) = 1;
    UPDATE row SET grp = named.id FROM named WHERE row.grp = named.sku;
"""
"""Sets the groups that a row alone doesn't show: rows that others list, or that name a SKU."""


def title_key(content: str) -> str:
    """Returns the sort key of a row's product in lists by title, from the row's content."""
    product, _ = json.loads(content)
    title = product.get("title")
    return f"={sort_key(title)}" if title else ">"


@dataclass(frozen=True)
class PlannedRow:
    """Says which product and variant a row is about."""

    id: str
    locale: str | None
    group: str | None
    variant: str | None
    content: str = field(repr=False)


class Plan(AbstractContextManager["Plan"]):
    """The products that an import has to write; use it in a `with`."""

    def __init__(self, path: Path) -> None:
        """Opens a plan that was written before."""
        self._db = sqlite3.connect(path, isolation_level=None)

    @property
    def fresh(self) -> int:
        """Returns how many products at the beginning are probably new; they are sorted by title."""
        with suppress(sqlite3.OperationalError):  # another release's plan has no such table
            return int(self._db.execute("SELECT products FROM load").fetchone()[0])
        return 0

    def rows_of_next(self, done: int, limit: int) -> dict[str, list[PlannedRow]]:
        """Returns the products after the first `done`, in order, each with the rows about it.

        Rows are in the file's order; a product that the file no longer has gets none. If products
        have many rows, fewer of them are returned, as they would take much memory.
        """
        found = self._db.execute(
            "SELECT p.product, id, nullif(locale, ''), grp, variant, content"
            " FROM product p LEFT JOIN row ON row.product = p.product"
            " WHERE seq > ? AND seq <= ? ORDER BY seq, number",
            (done, done + limit),
        )
        rows: dict[str, list[PlannedRow]] = {}
        characters = 0
        for number, (product, *row) in enumerate(found):
            is_full = number >= _MAX_ROWS or characters >= _MAX_CHARACTERS
            if is_full and product not in rows:
                break
            of_product = rows.setdefault(product, [])
            if row[0] is not None:
                planned = PlannedRow(*row)
                of_product.append(planned)
                characters += len(planned.content)
        return rows

    def __exit__(self, *_: object) -> None:
        self._db.close()


def plan_removal(manifest: Path, path: Path) -> None:
    """Writes a plan with all products of a manifest, and without rows: each is to be removed."""
    db = sqlite3.connect(path, isolation_level=None)
    try:
        db.execute("ATTACH ? AS manifest", (str(manifest),))
        db.executescript("""
            CREATE TABLE product (seq INTEGER PRIMARY KEY, product TEXT);
            CREATE TABLE row (product TEXT, number INTEGER, id TEXT, locale TEXT, grp TEXT,
                variant TEXT, content TEXT);
            INSERT INTO product (product) SELECT DISTINCT product FROM manifest.entry
                ORDER BY product;
        """)
    finally:
        db.close()
