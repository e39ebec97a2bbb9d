"""Rows of evidence: one statement about an address, in the partition of the profile that had it.

Evidence of a change stands in the row of its change, which says the same anyway (docs/adr/0069). It
has its number all the same, and of eight numbers one has a row of its own: such a row says by its
moment where among the profile's changes the numbers before it are to be looked for.
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
"""So many timed ids of one moment sort by their numbers."""


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
    """The hash of the wording, which stands elsewhere."""
    text_version = UnicodeAttribute(null=True)
    url = UnicodeAttribute(null=True)
    opt_in_level = UnicodeAttribute(null=True)

    @property
    def number(self) -> int:
        """Returns its number in its series."""
        return from_short_number(self.sk.rpartition("#")[2])

    @property
    def series_key(self) -> SeriesKey:
        """Returns the key of its series: whose partition it is in, and of which channel."""
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
    """Returns what identifies a wording."""
    return hashlib.sha256(text.encode()).hexdigest()[:_HASH_LENGTH]


def evidence_item(key: Key, evidence: Evidence, number: int) -> EvidenceItem:
    """Returns the row of a statement that has this number in its series."""
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
"""Of so many numbers one has a row of its own in any case."""

_PREFIX = "consent#"
_END = "consent$"
"""Follows all of a profile's changes."""


def has_own_row(number: int) -> bool:
    """Returns whether the evidence of this number has a row of its own beside its change's."""
    return number % NUMBERS_A_ROW == 0


def own_row_from(number: int) -> int:
    """Returns the next number that has a row of its own in any case; the number itself may be."""
    return number + -number % NUMBERS_A_ROW


def keep_in_change(row: ConsentChangeItem, evidence: EvidenceItem) -> None:
    """Lets a change's row say what its evidence would say in a row of its own."""
    row.evidence = [
        evidence.number,
        short(evidence.id),
        evidence.wording,
        evidence.text_version,
        evidence.url,
        evidence.opt_in_level,
    ]


def evidence_in(row: ConsentChangeItem) -> EvidenceItem | None:
    """Returns the evidence that stands in a change's row, as a row that isn't stored, or None."""
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
    """Where its change stands; where it has none, where the changes of its moment end."""
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
    """Returns evidence of these numbers that stands in changes.

    It should be among the `limit` changes up to `newer`, the next row of evidence; None where there
    is none. Where clocks differed when they were recorded, all of the profile's changes are read.
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
    """Reads changes up to a sort key, the newest first, until all numbers are found."""
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
