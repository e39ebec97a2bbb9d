"""Stages a feed's rows and resolves each on disk: in SQLite, so that memory use stays flat.

Rows are read once, then resolved in steps: of rows with the same id and locale the first stays; a
row that is unchanged since the previous import keeps its product; the others are matched; rows
about one product are put together. An import that stops stores the file elsewhere and resumes with
it.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any

from storepost.feeds.feeds.model import FeedCounts, SkippedRow
from storepost.feeds.files.reading import Row
from storepost.feeds.imports.file_formats import note_format
from storepost.feeds.imports.plan import BY_TITLE, FRESH, GROUPS, KNOWN, PLAN, title_key
from storepost.feeds.imports.row_staging import RowStager
from storepost.feeds.records.reading import SEEN_BEFORE, TOO_MANY_VARIANTS, RowReader

MAX_VARIANTS = 2_000
MIN_LOADED = 500
"""If an import has fewer new products, each is written by itself, in the file's order."""
_CACHE_KIB = 16_000


class State(IntEnum):
    """How far a row is resolved."""

    READ = 0
    CARRIED = 1
    """It is as the previous import left it."""
    PLACED = 2
    """It is about a product, and may be new there."""
    UNMATCHED = 3
    ALONE = 4
    """It matches nothing, and is to be added."""


@dataclass(frozen=True)
class UnresolvedRow:
    """The keys by which a row is matched."""

    number: int
    id: str
    group: str | None
    sku: str | None
    gtin: str | None


type ShouldStop = Callable[[], bool]
"""Returns whether it is time to stop."""
type Find = Callable[[Sequence[UnresolvedRow]], Sequence[tuple[str, str | None] | None]]
"""Returns the product's external id and the variant's key of each row; None for no match."""
type Finder = Callable[[int], Find]
"""Returns the function that finds them, given how many rows are to be matched."""

_SCHEMA = """
    CREATE TABLE row (number INTEGER PRIMARY KEY, id TEXT, locale TEXT, grp TEXT, digest BLOB,
        sku TEXT, gtin TEXT, content TEXT, product TEXT, variant TEXT, state INTEGER,
        more INTEGER);
    CREATE TABLE member (id TEXT, locale TEXT, grp TEXT);
    CREATE TABLE left_out (number INTEGER PRIMARY KEY, id TEXT, reason TEXT);
    CREATE TABLE skipped (number INTEGER PRIMARY KEY, id TEXT, reason TEXT);
    CREATE TABLE gone (id TEXT, locale TEXT, product TEXT, moved INTEGER);
    CREATE TABLE step (name TEXT PRIMARY KEY);
"""
_LEFT_OUT = "SELECT * FROM left_out WHERE number NOT IN (SELECT number FROM skipped)"
_MANIFEST = """
    CREATE TABLE {schema}.entry (id TEXT, locale TEXT, digest BLOB, product TEXT, variant TEXT,
        PRIMARY KEY (id, locale)) WITHOUT ROWID;
    CREATE TABLE {schema}.settings (digest TEXT);
"""


class FeedStaging(AbstractContextManager["FeedStaging"]):
    """Stages and resolves one import's or check's rows; use it in a `with`."""

    def __init__(self, path: Path, manifest: Path | None = None) -> None:
        """Resumes with what is in the file; `manifest` is the previous import's."""
        is_new = not path.exists()
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.execute("PRAGMA journal_mode = OFF")
        self._db.execute("PRAGMA synchronous = OFF")
        self._db.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        if is_new:
            self._db.executescript(_SCHEMA)
            note_format(self._db)
        self._db.execute("ATTACH ? AS before", (str(manifest) if manifest else ":memory:",))
        for name in ("fresh", "known"):
            self._db.execute(f"CREATE TEMP TABLE {name} (product TEXT PRIMARY KEY, place INTEGER)")
        if manifest is None:
            self._db.executescript(_MANIFEST.format(schema="before"))

    def read(self, rows: Iterable[Row], reader: RowReader, should_stop: ShouldStop) -> bool:
        """Reads the rows that aren't read yet; returns whether it has read all of them."""
        if self._is_done("read"):
            return True
        last_read = max(
            self._scalar("SELECT max(number) FROM row") or 0,
            self._scalar("SELECT max(number) FROM skipped") or 0,
        )
        with RowStager(self._db) as stager:
            for row in rows:
                if row.number <= last_read:
                    reader.note_row(row.cells)
                    continue
                stager.stage(row, reader)
                if stager.is_full:
                    stager.flush()
                    if should_stop():
                        return False
        self._mark_done("read")
        return True

    def _has_same(self, settings: str) -> bool:
        """Returns whether the previous import had the same settings."""
        return bool(self._scalar("SELECT digest FROM before.settings") == settings)

    @property
    def matched(self) -> int:
        """Returns how many rows are matched with a product, or known to match none."""
        return self.rows - int(
            self._scalar("SELECT count(*) FROM row WHERE state = 0 AND NOT more")
        )

    def resolve(
        self, finder: Finder, should_stop: ShouldStop, *, adds: bool, settings: str
    ) -> bool:
        """Finds each row's product; returns whether there was time for all.

        `adds` is whether rows that match nothing become products. If they don't, unchanged rows are
        matched again, too: no other source may have their product any more. The previous import's
        results count only if its `settings` were the same.
        """
        has_same_settings = self._has_same(settings)
        if not self._is_done("unique"):
            self._skip_repeated()
            self._gather_groups()
            if has_same_settings and adds:
                self._carry()
            self._mark_done("unique")
        if not self._match(finder, should_stop, adds=adds):
            return False
        if not self._is_done("planned"):
            self._join_groups(adds=adds)
            if has_same_settings:
                self._mark_unchanged()
            self._skip_overfull()
            self._plan()
            self._mark_done("planned")
        return True

    def _skip_repeated(self) -> None:
        self._db.execute("CREATE INDEX by_id ON row (id, locale, number)")
        self._skip(
            "SELECT number, id FROM (SELECT number, id, row_number() OVER"
            " (PARTITION BY id, locale ORDER BY number) AS place FROM row) WHERE place > 1",
            SEEN_BEFORE,
        )

    def _gather_groups(self) -> None:
        """Sets the groups that rows don't state themselves.

        A row that names no group, and that others name as theirs, belongs to that group. So do the
        rows that a group's row lists, and those that name it by its SKU.
        """
        self._db.executescript(GROUPS)
        self._db.execute(
            "UPDATE row SET grp = id WHERE grp IS NULL"
            " AND id IN (SELECT other.grp FROM row other WHERE other.grp IS NOT NULL)"
        )

    def _carry(self) -> None:
        """Gives unchanged rows the product and variant of the previous import.

        Except a product's own row whose group got its first other row since, or lost its last one;
        and a row that may have its product through others of its group, if any row of that product
        changed or is gone.
        """
        self._db.execute(
            "CREATE TEMP TABLE stirred AS SELECT DISTINCT b.product FROM before.entry b"
            " LEFT JOIN row ON row.id = b.id AND row.locale = b.locale AND row.digest = b.digest"
            " WHERE row.number IS NULL"
        )
        self._db.execute(
            "UPDATE row SET product = b.product, variant = b.variant, state = ?"
            " FROM before.entry b"
            " WHERE b.id = row.id AND b.locale = row.locale AND b.digest = row.digest"
            " AND (b.product <> b.id OR (b.variant IS NULL) = EXISTS (SELECT 1 FROM row other"
            "  WHERE other.grp = row.id AND other.id <> row.id AND NOT other.more))"
            " AND NOT row.more AND (b.product = b.id OR b.product IS row.grp"
            "  OR b.variant IS NOT b.id OR b.product NOT IN stirred)",
            (State.CARRIED,),
        )

    def _match(self, finder: Finder, should_stop: ShouldStop, *, adds: bool) -> bool:
        unmatched_state = State.ALONE if adds else State.UNMATCHED
        self._db.execute(
            "CREATE INDEX IF NOT EXISTS unmatched ON row (number) WHERE state = 0 AND NOT more"
        )
        unresolved = self._scalar("SELECT count(*) FROM row WHERE state = 0 AND NOT more")
        if not unresolved:
            return True
        find = finder(unresolved)
        while rows := self._unresolved():
            found = find(rows)
            self._db.execute("BEGIN")
            self._db.executemany(
                "UPDATE row SET product = ?, variant = ?, state = ? WHERE number = ?",
                [
                    (
                        *(matched or (None, None)),
                        State.PLACED if matched else unmatched_state,
                        row.number,
                    )
                    for row, matched in zip(rows, found, strict=True)
                ],
            )
            self._db.execute("COMMIT")
            if should_stop():
                return False
        return True

    def _unresolved(self) -> list[UnresolvedRow]:
        found = self._db.execute(
            "SELECT number, id, grp, sku, gtin FROM row WHERE state = 0 AND NOT more"
            " ORDER BY number LIMIT 500"
        )
        return [UnresolvedRow(*row) for row in found]

    def _join_groups(self, *, adds: bool) -> None:
        """Puts rows that match nothing into their group's product, or into a new one.

        Rows that only add to a product, such as images, get their group's product, whichever it is.
        """
        self._db.execute(
            "UPDATE row SET variant = id, product = coalesce((SELECT other.product"
            " FROM row other WHERE other.grp = row.grp AND other.state IN (1, 2)"
            " ORDER BY other.number LIMIT 1), grp, id) WHERE state = ?",
            (State.ALONE,),
        )
        self._db.execute("CREATE INDEX by_product ON row (product, number)")
        # The row of a group itself is the product alone, if others are its variants; unless
        # there is a variant with that id, too.
        self._db.execute(
            "UPDATE row SET variant = NULL WHERE grp = id AND product = id"
            " AND (state = ? OR variant <> id) AND EXISTS (SELECT 1"
            " FROM row other WHERE other.product = row.product AND other.id <> row.id)",
            (State.ALONE,),
        )
        self._db.execute(
            "CREATE TEMP TABLE unknown AS SELECT DISTINCT product FROM row WHERE state = ?"
            " EXCEPT SELECT product FROM row WHERE state IN (1, 2)"
            " EXCEPT SELECT product FROM before.entry",
            (State.ALONE,),
        )
        self._db.execute("UPDATE row SET state = ? WHERE state = ?", (State.PLACED, State.ALONE))
        self._db.execute(
            "UPDATE row SET product = coalesce((SELECT other.product FROM row other"
            " WHERE other.grp = row.grp AND other.state IN (1, 2) ORDER BY other.number LIMIT 1),"
            " iif(?, grp, NULL)) WHERE more",
            (adds,),
        )
        self._db.execute(
            "UPDATE row SET state = iif(product IS NULL, ?, ?) WHERE more",
            (State.UNMATCHED, State.PLACED),
        )

    def _mark_unchanged(self) -> None:
        """Marks rows with the previous content, product and variant: they need not be written."""
        self._db.execute(
            "UPDATE row SET state = ? FROM before.entry b"
            " WHERE b.id = row.id AND b.locale = row.locale AND b.digest = row.digest"
            " AND b.product = row.product AND b.variant IS row.variant AND row.state = ?",
            (State.CARRIED, State.PLACED),
        )

    def _skip_overfull(self) -> None:
        self._skip(
            "SELECT number, id FROM (SELECT number, id, dense_rank() OVER"  # noqa: S608
            " (PARTITION BY product ORDER BY first) AS place FROM (SELECT number, id, product,"
            " min(number) OVER (PARTITION BY product, variant) AS first FROM row"
            " WHERE product IN (SELECT product FROM row GROUP BY product"
            f" HAVING count(*) > {MAX_VARIANTS}) AND variant IS NOT NULL))"
            f" WHERE place > {MAX_VARIANTS}",
            TOO_MANY_VARIANTS,
        )

    def _skip(self, which: str, reason: str) -> None:
        self._db.execute(f"INSERT INTO skipped SELECT number, id, ? FROM ({which})", (reason,))  # noqa: S608
        self._db.execute("DELETE FROM row WHERE number IN (SELECT number FROM skipped)")

    def _plan(self) -> None:
        self._db.executescript("""
            INSERT INTO gone SELECT b.id, b.locale, b.product, r.number IS NOT NULL
                FROM before.entry b LEFT JOIN row r
                    ON r.id = b.id AND r.locale = b.locale AND r.state IN (1, 2)
                WHERE r.number IS NULL OR r.product <> b.product;
            CREATE TABLE changed (product TEXT PRIMARY KEY) WITHOUT ROWID;
            INSERT INTO changed SELECT product FROM row WHERE state = 2
                UNION SELECT product FROM gone;
        """)
        self._db.create_function("title_key", 1, title_key, deterministic=True)
        for table, products in (("fresh", FRESH), ("known", KNOWN)):
            self._db.executescript(
                BY_TITLE.format(table=table, products=products, at_least=MIN_LOADED)
            )

    @property
    def rows(self) -> int:
        """Returns how many rows the file has."""
        counts = "SELECT (SELECT count(*) FROM row) + (SELECT count(*) FROM skipped)"
        return int(self._scalar(counts))

    @property
    def has_ids(self) -> bool:
        """Returns whether any row has an id, whether it can be used or not."""
        ids = "SELECT EXISTS (SELECT 1 FROM row) OR EXISTS (SELECT 1 FROM skipped WHERE id <> '')"
        return bool(self._scalar(ids))

    @property
    def matches(self) -> int:
        """Returns how many rows match something."""
        return int(self._scalar("SELECT count(*) FROM row WHERE state IN (1, 2)"))

    @property
    def known_before(self) -> int:
        """Returns how many rows the previous import had."""
        return int(self._scalar("SELECT count(*) FROM before.entry"))

    def missing(self, settings: str) -> int:
        """Returns how many of those are missing from the file, or can't be used.

        A row that no longer matches anything doesn't count: the store changed, not the file. Nor
        does one that has another locale now because the feed's settings changed.
        """
        same = " AND row.locale = gone.locale" if self._has_same(settings) else ""
        return int(
            self._scalar(
                "SELECT count(*) FROM gone WHERE NOT moved AND NOT EXISTS"  # noqa: S608
                f" (SELECT 1 FROM row WHERE row.id = gone.id{same})"
            )
        )

    @property
    def planned(self) -> int:
        """Returns how many products are to be written."""
        return int(self._scalar("SELECT count(*) FROM changed"))

    def counts(self) -> FeedCounts:
        """Returns the import's counts, once the rows are resolved."""
        imported, products, variant_only, own = self._db.execute(
            "SELECT count(*), count(DISTINCT product),"
            " (SELECT count(*) FROM row WHERE product IS NOT NULL AND NOT more) - (SELECT count(*)"
            "   FROM (SELECT DISTINCT product, locale FROM row"
            "    WHERE product IS NOT NULL AND NOT more)),"
            " (SELECT count(DISTINCT product) FROM row WHERE id = product OR id = grp)"
            " FROM row WHERE product IS NOT NULL"
        ).fetchone()
        return FeedCounts(
            rows=self.rows,
            imported=imported,
            variant_only=variant_only,
            from_first_row=products - own,
            products=products,
            unmatched=int(self._scalar("SELECT count(*) FROM row WHERE state = 3")),
            skipped=int(self._scalar("SELECT count(*) FROM skipped")),
            removed=int(self._scalar("SELECT count(*) FROM gone WHERE NOT moved")),
            left_out=int(self._scalar(f"SELECT count(*) FROM ({_LEFT_OUT})")),  # noqa: S608
        )

    def skipped(self, limit: int) -> Iterator[SkippedRow]:
        """Returns the first of the rows that were skipped, in the file's order.

        They include rows that were imported without their price.
        """
        found = self._db.execute(
            f"SELECT * FROM skipped UNION ALL {_LEFT_OUT} ORDER BY number LIMIT ?",  # noqa: S608
            (limit,),
        )
        return (SkippedRow(*row) for row in found)

    def write_plan(self, path: Path) -> None:
        """Writes the plan: the products to write, in order, and their rows."""
        self._db.execute("ATTACH ? AS plan", (str(path),))
        self._db.execute("PRAGMA plan.journal_mode = OFF")
        self._db.executescript(PLAN)
        note_format(self._db, "plan")
        self._db.execute("DETACH plan")

    def write_manifest(self, path: Path, settings: str, *, is_ahead: bool) -> None:
        """Writes the manifest: the rows that the store has of the feed, by key, with digests.

        Before the products are written (`is_ahead`), it lists what the store had and what it may
        soon have: later imports then miss no product, however this import ends.
        """
        self._db.execute("ATTACH ? AS after", (str(path),))
        self._db.execute("PRAGMA after.journal_mode = OFF")
        self._db.executescript(_MANIFEST.format(schema="after"))
        note_format(self._db, "after")
        digest = "CASE state WHEN 1 THEN digest END" if is_ahead else "digest"
        self._db.execute(
            f"INSERT INTO after.entry SELECT id, locale, {digest}, product, variant FROM row"  # noqa: S608
            " WHERE state IN (1, 2) ORDER BY id, locale"
        )
        if is_ahead:
            self._db.execute("INSERT OR IGNORE INTO after.entry SELECT * FROM before.entry")
        self._db.execute("INSERT INTO after.settings VALUES (?)", (settings,))
        self._db.execute("DETACH after")

    def _is_done(self, step: str) -> bool:
        return bool(self._scalar("SELECT count(*) FROM step WHERE name = ?", step))

    def _mark_done(self, step: str) -> None:
        self._db.execute("INSERT INTO step VALUES (?)", (step,))

    def _scalar(self, query: str, *parameters: object) -> Any:  # noqa: ANN401 - whatever was asked for
        found = self._db.execute(query, parameters).fetchone()
        return found[0] if found else None

    def close(self) -> None:
        """Closes the files."""
        self._db.close()

    def __exit__(self, *_: object) -> None:
        self.close()
