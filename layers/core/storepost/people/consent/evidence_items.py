"""Rows of evidence: one statement about an address, in the partition of the profile that had it.

Evidence of a change is stored in the row of its change, which has the same fields (docs/adr/0069).
It is numbered too, and every eighth number has its own row in any case: that row's time tells where
among the profile's changes the numbers before it are.
"""

import hashlib
from collections.abc import Collection
from uuid import UUID

from pynamodb.attributes import UnicodeAttribute

from storepost.people.consent.evidence import Evidence, SeriesKey
from storepost.people.consent.items import ConsentChangeItem
from storepost.people.consent.rows import proof_row
from storepost.people.consent.states import Channel, OptInLevel
from storepost.platform.persistence.item import Identifier, Item, Key, UtcDateTimeAttribute
from storepost.platform.persistence.records import Json
from storepost.values.ids import from_short, from_short_number, short, short_number, timed_id
from storepost.values.scope import WorkspaceScope

_HASH_LENGTH = 32
_NUMBERS_OF_A_MOMENT = 4096
"""How many timed ids of one millisecond sort by their numbers."""


class EvidenceItem(Item, discriminator="consent_evidence"):
    """A statement about an address; the sort key has the channel and the number."""

    id = Identifier()
    address = UnicodeAttribute(null=True)
    state = UnicodeAttribute()
    source = UnicodeAttribute()
    store_id = Identifier(null=True)
    proof = Json()
    by = UnicodeAttribute(null=True)
    occurred_at = UtcDateTimeAttribute()
    recorded_at = UtcDateTimeAttribute()
    change_id = Identifier(null=True)
    wording = UnicodeAttribute(null=True)
    """The hash of the wording, which has its own row."""
    text_version = UnicodeAttribute(null=True)
    url = UnicodeAttribute(null=True)
    opt_in_level = UnicodeAttribute(null=True)

    @property
    def number(self) -> int:
        """Returns its number in its series."""
        return from_short_number(self.sk.rpartition("#")[2])

    @property
    def series_key(self) -> SeriesKey:
        """Returns the key of its series: the profile whose partition it is in, and the channel."""
        return (from_short(self.pk.rpartition("#")[2]), self.channel)

    @property
    def channel(self) -> Channel:
        """Returns the channel that the statement is about."""
        return Channel(self.sk.split("#")[1])


def evidence_key(workspace: WorkspaceScope, series_key: SeriesKey, number: int) -> Key:
    """Returns the key of evidence: in the profile's partition, by its channel and number."""
    profile_id, channel = series_key
    partition = workspace.partition("profile", short(profile_id))
    return (partition, f"evidence#{channel}#{short_number(number)}")


def wording_hash(text: str) -> str:
    """Returns the hash that identifies a wording."""
    return hashlib.sha256(text.encode()).hexdigest()[:_HASH_LENGTH]


def evidence_item(key: Key, evidence: Evidence, number: int) -> EvidenceItem:
    """Returns the row of a statement with this number in its series."""
    origin, details = evidence.origin, evidence.details
    level, moment = details.opt_in_level, evidence.recorded_at
    return EvidenceItem(
        *key,
        id=evidence.id or timed_id(moment, number % _NUMBERS_OF_A_MOMENT),
        address=evidence.address.value if evidence.address else None,
        state=evidence.state,
        source=origin.source,
        store_id=origin.store_id,
        proof=proof_row(origin.proof),
        by=origin.by,
        occurred_at=evidence.occurred_at,
        recorded_at=moment,
        change_id=evidence.change_id,
        wording=None if details.text is None else wording_hash(details.text),
        text_version=details.text_version,
        url=details.url,
        opt_in_level=None if level is OptInLevel.UNKNOWN else level,
    )


NUMBERS_A_ROW = 8
"""One of this many numbers has its own row in any case."""

_PREFIX = "consent#"
_END = "consent$"
"""Sorts after all of a profile's changes."""


def has_own_row(number: int) -> bool:
    """Returns whether the evidence with this number has its own row, besides its change's."""
    return number % NUMBERS_A_ROW == 0


def own_row_from(number: int) -> int:
    """Returns the first number from this one on that always has its own row."""
    return number + -number % NUMBERS_A_ROW


def keep_in_change(row: ConsentChangeItem, evidence: EvidenceItem) -> None:
    """Stores in a change's row what an own row of its evidence would add."""
    row.evidence = [
        evidence.number,
        short(evidence.id),
        evidence.wording,
        evidence.text_version,
        evidence.url,
        evidence.opt_in_level,
    ]


def evidence_in(row: ConsentChangeItem) -> EvidenceItem | None:
    """Returns the evidence stored in a change's row, as an unsaved row, or None."""
    if row.evidence is None:
        return None
    number, evidence_id, wording, text_version, url, opt_in_level = row.evidence
    return EvidenceItem(
        row.pk,
        f"evidence#{row.channel}#{short_number(number)}",
        id=from_short(evidence_id),
        address=row.address,
        state=row.state,
        source=row.source,
        store_id=row.store_id,
        proof=row.proof,
        by=row.by,
        occurred_at=row.occurred_at,
        recorded_at=row.recorded_at,
        change_id=row.id,
        wording=wording,
        text_version=text_version,
        url=url,
        opt_in_level=opt_in_level,
    )


def _sort_key(row: EvidenceItem) -> str:
    """The sort key of its change; without a change, the end of the changes of its millisecond."""
    if row.change_id is not None:
        return f"{_PREFIX}{short(row.change_id)}"
    milliseconds = timed_id(row.recorded_at).int >> 80
    return f"{_PREFIX}{short(UUID(int=(milliseconds + 1 << 80) - 1))}"


def find_in_changes(
    workspace: WorkspaceScope,
    series_key: SeriesKey,
    numbers: Collection[int],
    newer: EvidenceItem | None,
    limit: int,
) -> dict[int, EvidenceItem]:
    """Returns the evidence of these numbers that is stored in changes.

    It should be among the `limit` changes up to `newer`, the next newer row of evidence, or None.
    If clocks differed when they were recorded, all of the profile's changes are read.
    """
    until = _sort_key(newer) if newer else _END
    found = _up_to(workspace, series_key, numbers, until, limit)
    missing = set(numbers) - found.keys()
    if missing and newer:
        found |= _up_to(workspace, series_key, missing, _END, limit)
    return found


def _up_to(
    workspace: WorkspaceScope,
    series_key: SeriesKey,
    numbers: Collection[int],
    until: str,
    page_size: int,
) -> dict[int, EvidenceItem]:
    """Reads changes back from a sort key, newest first, until all numbers are found."""
    _, channel = series_key
    pk, _ = evidence_key(workspace, series_key, 0)
    found = dict[int, EvidenceItem]()
    rows = ConsentChangeItem.query(
        pk,
        ConsentChangeItem.sk.between(_PREFIX, until),
        consistent_read=True,
        scan_index_forward=False,
        page_size=page_size,
    )
    for row in rows:
        evidence = evidence_in(row)
        if evidence is not None and row.channel == channel and evidence.number in numbers:
            found[evidence.number] = evidence
            if len(found) == len(numbers):
                break
    return found
