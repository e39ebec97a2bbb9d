"""Evidence in the partition of the profile that had the address, and wordings.

The profile's row has the last number; each unit of work that adds evidence saves it. Evidence of a
change is stored in the change's row, other evidence in rows of its own. A wording is stored once
for the whole workspace, since a form shows the same one to all visitors: so evidence costs one
small row.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from dataclasses import replace
from heapq import merge
from itertools import islice
from uuid import UUID

from pynamodb.attributes import UnicodeAttribute

from storepost.people.consent.evidence import Evidence, EvidenceDetails, Series, SeriesKey
from storepost.people.consent.evidence_items import (
    NUMBERS_A_ROW,
    EvidenceItem,
    evidence_in,
    evidence_item,
    evidence_key,
    find_in_changes,
    has_own_row,
    keep_in_change,
    own_row_from,
    wording_hash,
)
from storepost.people.consent.items import ConsentChangeItem
from storepost.people.consent.model import Address, ConsentOrigin, ConsentSource, Proof
from storepost.people.consent.repository import added_to
from storepost.people.consent.rows import as_proof
from storepost.people.consent.states import Channel, OptInLevel
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Item, Key, find_all, find_in
from storepost.platform.persistence.mapping import as_value
from storepost.values.scope import WorkspaceScope

_NO_ID = UUID(int=0)


class WordingItem(Item, discriminator="consent_wording"):
    """A wording that people agree to, as a form shows it."""

    text = UnicodeAttribute()


def wording_partition(workspace: WorkspaceScope) -> str:
    """Returns the partition of a workspace's wordings."""
    return workspace.partition("wordings")


def wording_key(workspace: WorkspaceScope, text: str) -> Key:
    """Returns the key of a wording: by its hash, so that each is stored once."""
    return _wording_key(workspace, wording_hash(text))


def _wording_key(workspace: WorkspaceScope, hashed: str) -> Key:
    return (wording_partition(workspace), f"wording#{hashed}")


def add_evidence(
    changes: Changes, workspace: WorkspaceScope, profile_id: UUID, evidence: Evidence
) -> None:
    """Adds evidence to a unit of work, which must save the profile: that numbers and writes it.

    A wording that isn't stored yet is written with it.
    """
    pending_evidence(changes, profile_id).append(evidence)
    if (text := evidence.details.text) is not None:
        row = WordingItem(*wording_key(workspace, text), text=text)
        if not changes.has(row) and changes.reads.find(WordingItem, row.key) is None:
            # Without a condition: a concurrent writer writes the same text.
            changes.save(row)


def pending_evidence(changes: Changes, profile_id: UUID) -> list[Evidence]:
    """Returns the evidence that a unit of work has added for a profile so far."""
    return changes.shared(("consent_evidence", profile_id), list[Evidence])


def write_evidence(
    changes: Changes,
    workspace: WorkspaceScope,
    profile_id: UUID,
    series: MutableMapping[SeriesKey, Series],
    pending: Iterable[Evidence],
) -> None:
    """Writes the evidence that a unit of work has added for a profile, numbered on from `series`.

    Evidence of a change that the unit adds is written in the change's row.
    """
    added = added_to(changes, profile_id)
    for evidence in pending:
        series_key = (profile_id, evidence.channel)
        known = series.get(series_key, Series())
        series[series_key] = known = replace(known, last=known.last + 1)
        key = evidence_key(workspace, series_key, known.last)
        row = evidence_item(key, evidence, known.last)
        change = added.get(evidence.change_id) if evidence.change_id else None
        if change is None or has_own_row(known.last):
            changes.create(row)
        else:
            keep_in_change(change, row)


def rows_of_evidence(pending: Iterable[Evidence]) -> int:
    """Returns how many rows `write_evidence` writes for the pending evidence, at most."""
    of_changes = Counter(each.channel for each in pending if each.change_id)
    alone = sum(1 for each in pending if not each.change_id)
    return alone + sum(-(-count // NUMBERS_A_ROW) for count in of_changes.values())


def delete_evidence(
    changes: Changes,
    series: Mapping[SeriesKey, Series],
    rows: Iterable[EvidenceItem],
    deleted: Iterable[ConsentChangeItem],
) -> dict[SeriesKey, Series]:
    """Deletes these rows; returns the series without them.

    The result also lacks the evidence stored in the changes that this unit deletes. The caller must
    save it in the profile.
    """
    after, own = dict(series), list(rows)
    for row in own:
        changes.delete(EvidenceItem(*row.key))
    for row in (*own, *filter(None, map(evidence_in, deleted))):
        after[row.series_key] = after[row.series_key].without({row.number})
    return after


class EvidenceRepository:
    """A workspace's evidence."""

    def __init__(self, workspace: WorkspaceScope) -> None:
        """Makes the repository of one workspace."""
        self._scope = workspace

    def rows(
        self, series_key: SeriesKey, series: Series, skipped: int, limit: int
    ) -> Iterator[EvidenceItem]:
        """Returns up to `limit` statements of a series, newest first, after `skipped` of them.

        Evidence stored in its change's row is returned like an own row.
        """
        positions = range(skipped, min(skipped + limit, series.count))
        numbers = [series.number_at(place) for place in positions]
        if not numbers:
            return iter(())
        highest = own_row_from(numbers[0])
        found = {row.number: row for row in self._own_rows(series_key, numbers[-1], highest)}
        missing = {number for number in numbers if number not in found}
        if missing:
            newer = min((number for number in found if number > max(missing)), default=0)
            max_changes = (newer or series.last) - min(missing) + 1
            found |= find_in_changes(
                self._scope, series_key, missing, found.get(newer), max_changes
            )
        return (found[number] for number in numbers if number in found)

    def _own_rows(self, series_key: SeriesKey, lowest: int, highest: int) -> Iterator[EvidenceItem]:
        """The series' own rows between two numbers, newest first."""
        (pk, first), (_, last) = (
            evidence_key(self._scope, series_key, number) for number in (lowest, highest)
        )
        return iter(
            EvidenceItem.query(
                pk,
                EvidenceItem.sk.between(first, last),
                consistent_read=True,
                scan_index_forward=False,
            )
        )

    def page(self, series: Mapping[SeriesKey, Series], skipped: int, size: int) -> list[Evidence]:
        """Returns a page of all series together, newest first.

        A page of one series is one query. With several series it isn't known which rows precede the
        page. Rows that surely do are skipped by reading one row of each series, which each time
        halves the rest.
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
            # At least so many of the largest series precede the page, even if all of the others do.
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
        """A series, and how many of its rows are surely among the newest `remaining` of all."""
        series_keys = [series_key for series_key, count in rest.items() if count]
        steps = {
            series_key: min(max(remaining // len(series_keys), 1), rest[series_key])
            for series_key in series_keys
        }
        ids = {
            series_key: row.id
            for series_key, step in steps.items()
            for row in self.rows(series_key, series[series_key], skips[series_key] + step - 1, 1)
        }
        # Where a row was deleted meanwhile, any series will do: the list changes during the read.
        newest = max(ids or steps, key=lambda series_key: ids.get(series_key, _NO_ID))
        return newest, steps[newest]

    def own_rows_of(self, series: Mapping[SeriesKey, Series]) -> Iterator[EvidenceItem]:
        """Returns all own rows of the series, one series after another, none from changes."""
        for series_key, each in series.items():
            yield from self._own_rows(series_key, 1, each.last)

    def some_of(self, profile_id: UUID, limit: int) -> list[EvidenceItem]:
        """Returns some own rows of a partition, whatever the profile's row says of them.

        Evidence stored in changes isn't included.
        """
        pk, _ = evidence_key(self._scope, (profile_id, Channel.EMAIL), 0)
        prefix = EvidenceItem.sk.startswith("evidence#")
        return list(EvidenceItem.query(pk, prefix, consistent_read=True, limit=limit))

    def as_evidence(self, rows: Iterable[EvidenceItem]) -> list[Evidence]:
        """Returns the rows as values, with their wordings."""
        found = list(rows)
        texts = self.wordings_of(row.wording for row in found)
        return [_as_evidence(row, texts) for row in found]

    def wordings_of(self, hashes: Iterable[str | None]) -> Mapping[str, str]:
        """Returns the wordings by their hashes; reads a hundred per call."""
        keys = {each: _wording_key(self._scope, each) for each in hashes if each}
        rows = find_all(keys.values()) if keys else {}
        items = ((each, find_in(rows, WordingItem, key)) for each, key in keys.items())
        return {each: item.text for each, item in items if item}


def _as_evidence(row: EvidenceItem, texts: Mapping[str, str]) -> Evidence:
    details = EvidenceDetails(
        texts.get(row.wording or ""),
        row.text_version,
        row.url,
        OptInLevel(row.opt_in_level or OptInLevel.UNKNOWN),
    )
    proof: Proof = as_proof(row.proof)
    return as_value(
        Evidence,
        row,
        address=Address(row.channel, row.address) if row.address else None,
        channel=row.channel,
        origin=ConsentOrigin(ConsentSource(row.source), row.store_id, proof, row.by),
        details=details,
    )
