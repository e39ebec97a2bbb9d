"""Rows of evidence: one statement about an address, in the partition of the profile that had it."""

import hashlib

from pynamodb.attributes import UnicodeAttribute

from storepost.people.consent.evidence import Evidence, SeriesKey
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
    """Returns what tells a wording from every other."""
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
