"""The result of each row of a request that takes several transactions.

Each of those transactions also writes the results of its rows into one row beside the idempotency
record. A retry with the same key skips rows that have a result, and answers as if the request had
run once. Each write is conditioned on the one before it: of two concurrent runs, only one writes a
row.
"""

import math
from collections.abc import Mapping
from datetime import datetime

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.expressions.condition import Condition

from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.idempotency import STORED_SECONDS
from storepost.platform.persistence.item import UtcDateTimeAttribute, dynamodb_client
from storepost.platform.persistence.row import IdempotencyRow
from storepost.values import clock

_OPEN = "."


class LedgerItem(IdempotencyRow):
    """A request's ledger: a letter for each row, and when its first run began."""

    began = UtcDateTimeAttribute()
    outcomes = UnicodeAttribute()
    version = NumberAttribute()


class Ledger:
    """The ledger of one request; without an idempotency key it lasts as long as the request."""

    def __init__(self) -> None:
        """Begins without outcomes."""
        self._id: str | None = None
        self._began = clock.now()
        self._outcomes: dict[int, str] = {}
        self._version = 0

    @property
    def began(self) -> datetime:
        """Returns when the first run began, which counts as the time of the request."""
        return self._began

    def keep_under(self, request_id: str) -> None:
        """Stores the ledger from now on under an id of the request's key and content."""
        self._id = request_id

    def read(self) -> None:
        """Reads the outcomes of other runs; it is repeated after another run has written."""
        if self._id is None:
            return
        answer = dynamodb_client().get_item(
            TableName=LedgerItem.Meta.table_name, Key={"id": {"S": self._id}}, ConsistentRead=True
        )
        if "Item" not in answer:
            return
        item = LedgerItem.from_raw_data(answer["Item"])
        self._version = int(item.version)
        if item.expiration > clock.now().timestamp():
            self._began = item.began
            self._outcomes |= {n: o for n, o in enumerate(item.outcomes) if o != _OPEN}

    def outcome(self, row: int) -> str | None:
        """Returns the outcome of a row; None while it has none."""
        return self._outcomes.get(row)

    def commit(self, changes: Changes, outcomes: Mapping[int, str]) -> None:
        """Commits the changes together with the outcomes of their rows, a letter each.

        Raises what the changes raise, and LostRace where another run wrote in between.
        """
        after = {**self._outcomes, **outcomes}
        if self._id is not None and len(changes):
            changes.save(self._item(self._id, after), self._unchanged())
            changes.commit()
            self._version += 1
        else:
            changes.commit()
        self._outcomes = after

    def _item(self, ledger_id: str, outcomes: Mapping[int, str]) -> LedgerItem:
        return LedgerItem(
            ledger_id,
            began=self._began,
            outcomes="".join(outcomes.get(row, _OPEN) for row in range(max(outcomes) + 1)),
            version=self._version + 1,
            expiration=math.floor(clock.now().timestamp()) + STORED_SECONDS,
        )

    def _unchanged(self) -> Condition:
        if not self._version:
            return LedgerItem.id.does_not_exist()
        return LedgerItem.version == self._version
