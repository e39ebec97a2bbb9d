"""Rows of evidence, in the partition of the profile that had the address, and of wordings.

A row's number follows from the profile's row, which each unit of work saves with it: so a page of
any series is one query. A wording stands once for the whole workspace, since a form shows all its
visitors the same one: an address's evidence costs one small row.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from dataclasses import replace
from heapq import merge
from itertools import islice
from uuid import UUID

from pynamodb.attributes import UnicodeAttribute

from storepost.people.consent.evidence import Evidence, EvidenceDetails, Series, SeriesKey
from storepost.people.consent.model import Address, ConsentOrigin, ConsentSource, Proof
from storepost.people.consent.repository import as_proof, proof_row
from storepost.people.consent.states import Channel, ConsentState, OptInLevel
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import (
    Identifier,
    Item,
    Key,
    UtcDateTimeAttribute,
    find_all,
    find_in,
)
from storepost.platform.persistence.records import Json
from storepost.values.ids import from_short, from_short_number, short, short_number, timed_id
from storepost.values.scope import WorkspaceScope

_HASH_LENGTH = 32
_NO_ID = UUID(int=0)
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


class WordingItem(Item, discriminator="consent_wording"):
    """Says what people agree to, as a form shows it to all of them."""

    text = UnicodeAttribute()


def evidence_key(workspace: WorkspaceScope, series_key: SeriesKey, number: int) -> Key:
    """Returns the key of evidence: in the profile's partition, by its channel and number."""
    profile_id, channel = series_key
    partition = workspace.partition("profile", short(profile_id))
    return (partition, f"evidence#{channel}#{short_number(number)}")


def wording_partition(workspace: WorkspaceScope) -> str:
    """Returns the partition of a workspace's wordings."""
    return workspace.partition("wordings")


def wording_key(workspace: WorkspaceScope, text: str) -> Key:
    """Returns the key of a wording: by its hash, so that each stands once."""
    return _wording_key(workspace, wording_hash(text))


def wording_hash(text: str) -> str:
    """Returns what tells a wording from every other."""
    return hashlib.sha256(text.encode()).hexdigest()[:_HASH_LENGTH]


def _wording_key(workspace: WorkspaceScope, hashed: str) -> Key:
    return (wording_partition(workspace), f"wording#{hashed}")


def add_evidence(
    changes: Changes, workspace: WorkspaceScope, profile_id: UUID, evidence: Evidence
) -> None:
    """Adds evidence to a unit of work, which has to save the profile: that numbers and writes it.

    A wording that isn't known yet is written with it.
    """
    pending_evidence(changes, profile_id).append(evidence)
    if (text := evidence.details.text) is not None:
        row = WordingItem(*wording_key(workspace, text), text=text)
        if not changes.has(row) and changes.reads.find(WordingItem, row.key) is None:
            # On no condition: whoever writes it meanwhile writes the same.
            changes.save(row)


def pending_evidence(changes: Changes, profile_id: UUID) -> list[Evidence]:
    """Returns the evidence that a unit of work has left with a profile so far."""
    return changes.shared(("consent_evidence", profile_id), list[Evidence])


def write_evidence(
    changes: Changes,
    workspace: WorkspaceScope,
    profile_id: UUID,
    series: MutableMapping[SeriesKey, Series],
    pending: Iterable[Evidence],
) -> None:
    """Writes what a unit of work has left with a profile, numbered on from `series`."""
    for evidence in pending:
        series_key = (profile_id, evidence.channel)
        known = series.get(series_key, Series())
        series[series_key] = known = replace(known, last=known.last + 1)
        changes.create(_row(evidence_key(workspace, series_key, known.last), evidence, known.last))


def delete_evidence(
    changes: Changes, series: Mapping[SeriesKey, Series], rows: Iterable[EvidenceItem]
) -> dict[SeriesKey, Series]:
    """Deletes these rows; returns the series without them,
    which the profile has to keep from then on.
    """
    after = dict(series)
    for row in rows:
        changes.delete(EvidenceItem(*row.key))
        after[row.series_key] = after[row.series_key].without({row.number})
    return after


class EvidenceRepository:
    """A workspace's evidence."""

    def __init__(self, workspace: WorkspaceScope) -> None:
        """Of one workspace."""
        self._scope = workspace

    def rows(
        self, series_key: SeriesKey, series: Series, skipped: int, most: int
    ) -> Iterator[EvidenceItem]:
        """Returns so many rows of a series, the newest first, behind those that are skipped."""
        if most <= 0 or skipped >= series.count:
            return iter(())
        first, (pk, last) = (
            evidence_key(self._scope, series_key, 1)[1],
            evidence_key(self._scope, series_key, series.number_at(skipped)),
        )
        return EvidenceItem.query(
            pk,
            EvidenceItem.sk.between(first, last),
            consistent_read=True,
            scan_index_forward=False,
            limit=most,
        )

    def page(self, series: Mapping[SeriesKey, Series], skipped: int, size: int) -> list[Evidence]:
        """Returns a page of all series together, the newest first.

        A page of one series is one query. Of several it isn't known which rows come before the
        page: those that surely do are left out by looking at one row of each series, and twice as
        few are left each time.
        """
        skips, remaining = self._skips(series, skipped, size)
        rows = merge(
            *(
                self.rows(series_key, series[series_key], skip, remaining + size)
                for series_key, skip in skips.items()
            ),
            key=lambda row: row.id,
            reverse=True,
        )
        return self.as_evidence(islice(rows, remaining, remaining + size))

    def _skips(
        self, series: Mapping[SeriesKey, Series], skipped: int, size: int
    ) -> tuple[dict[SeriesKey, int], int]:
        """How many rows of each series to skip, and how many more of all together."""
        skips, remaining = dict.fromkeys(series, 0), skipped
        while remaining:
            rest = {
                series_key: series[series_key].count - skip for series_key, skip in skips.items()
            }
            largest = max(rest, key=lambda series_key: rest[series_key])
            # So many of the largest come before the page even where all of the others do.
            surely = remaining - (sum(rest.values()) - rest[largest])
            if surely <= 0 and remaining <= size:
                break
            if surely <= 0:
                largest, surely = self._surely(series, skips, rest, remaining)
            skips[largest] += surely
            remaining -= surely
        return skips, remaining

    def _surely(
        self,
        series: Mapping[SeriesKey, Series],
        skips: Mapping[SeriesKey, int],
        rest: Mapping[SeriesKey, int],
        remaining: int,
    ) -> tuple[SeriesKey, int]:
        """A series of which so many rows are among the newest `remaining` of all."""
        series_keys = [series_key for series_key, count in rest.items() if count]
        steps = {
            series_key: min(max(remaining // len(series_keys), 1), rest[series_key])
            for series_key in series_keys
        }
        keys = {
            series_key: evidence_key(
                self._scope, series_key, series[series_key].number_at(skips[series_key] + step - 1)
            )
            for series_key, step in steps.items()
        }
        found = find_all(keys.values())
        ids = {
            series_key: row.id
            for series_key in series_keys
            if (row := find_in(found, EvidenceItem, keys[series_key]))
        }
        # Where one is gone meanwhile, any series will do: the list changes under the reader.
        newest = max(ids or steps, key=lambda series_key: ids.get(series_key, _NO_ID))
        return newest, steps[newest]

    def all_of(self, series: Mapping[SeriesKey, Series]) -> Iterator[EvidenceItem]:
        """Returns all rows of the series, one after the other."""
        for series_key, each in series.items():
            yield from self.rows(series_key, each, 0, each.count)

    def some_of(self, profile_id: UUID, most: int) -> list[EvidenceItem]:
        """Returns some rows of a partition, whatever the profile's row says of them."""
        pk, _ = evidence_key(self._scope, (profile_id, Channel.EMAIL), 0)
        prefix = EvidenceItem.sk.startswith("evidence#")
        return list(EvidenceItem.query(pk, prefix, consistent_read=True, limit=most))

    def as_evidence(self, rows: Iterable[EvidenceItem]) -> list[Evidence]:
        """Returns the rows as values, with their wordings."""
        found = list(rows)
        texts = self.wordings_of(row.wording for row in found)
        return [_as_evidence(row, texts) for row in found]

    def wordings_of(self, hashes: Iterable[str | None]) -> Mapping[str, str]:
        """Returns the wordings by their hashes, a hundred a call."""
        keys = {each: _wording_key(self._scope, each) for each in hashes if each}
        rows = find_all(keys.values()) if keys else {}
        items = ((each, find_in(rows, WordingItem, key)) for each, key in keys.items())
        return {each: item.text for each, item in items if item}


def _row(key: Key, evidence: Evidence, number: int) -> EvidenceItem:
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


def _as_evidence(row: EvidenceItem, texts: Mapping[str, str]) -> Evidence:
    details = EvidenceDetails(
        texts.get(row.wording or ""),
        row.text_version,
        row.url,
        OptInLevel(row.opt_in_level or OptInLevel.UNKNOWN),
    )
    proof: Proof = as_proof(row.proof)
    return Evidence(
        address=Address(row.channel, row.address) if row.address else None,
        channel=row.channel,
        state=ConsentState(row.state),
        origin=ConsentOrigin(ConsentSource(row.source), row.store_id, proof, row.by),
        details=details,
        occurred_at=row.occurred_at,
        recorded_at=row.recorded_at,
        change_id=row.change_id,
        id=row.id,
    )
