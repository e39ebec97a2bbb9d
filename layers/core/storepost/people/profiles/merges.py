"""Merges of profiles, as values: the survivor, and its data after the merge.

docs/semantics.md, sections 1.5 to 1.7 have the rules.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from storepost.people.profiles.model import LocaleSource, Profile, StoreLink

MAX_ABSORBING = 20
"""The most profiles that a profile may still be absorbing when it is merged itself: this bounds the
chains.
"""


@dataclass(frozen=True)
class MergeCause:
    """The cause of a merge."""

    source: str
    """`api` for a key, `manual` for a person, the platform for a store's record."""
    reference: str | None = None
    """The external id of the order or customer that named both profiles."""


@dataclass(frozen=True)
class ProfileMerge:
    """A merge of a profile into another one."""

    id: UUID
    merged_profile_id: UUID
    merged_at: datetime
    cause: MergeCause


def survivor_first(people: Iterable[Profile]) -> tuple[Profile, ...]:
    """Returns the profiles in the order in which they survive an automatic merge."""
    return tuple(
        sorted(
            people,
            key=lambda each: (
                not any(link.customers for link in each.links.values()),
                each.email is None,
                each.first_seen_at,
                each.id,
            ),
        )
    )


def absorbed(survivor: Profile, merged: Profile) -> Profile:
    """Returns the survivor after absorbing the other profile.

    It keeps its shown fields. The consents of the addresses that it shows aren't decided here.
    """
    after = _with_better_locale(survivor, merged)
    after = replace(
        after,
        first_name=survivor.first_name or merged.first_name,
        last_name=survivor.last_name or merged.last_name,
        email=survivor.email or merged.email,
        phone=survivor.phone or merged.phone,
    )
    return replace(
        after.seen(merged.first_seen_at, merged.last_seen_at),
        sightings={**survivor.sightings, **merged.sightings},
        former=survivor.former | merged.former,
        links=_joined(survivor, merged),
        orders=survivor.orders + merged.orders,
        spent=_added(survivor.spent, merged.spent),
        consent_changes=survivor.consent_changes + merged.consent_changes,
        histories=(*survivor.histories, *_histories(merged)),
        evidence={**survivor.evidence, **merged.evidence},
        events=survivor.events + merged.events,
        merges=survivor.merges + merged.merges + 1,
        pending_sources=(*survivor.pending_sources, *merged.partitions),
    )


def _histories(merged: Profile) -> tuple[UUID, ...]:
    return (*merged.histories, merged.id) if merged.consent_changes else ()


def _with_better_locale(survivor: Profile, merged: Profile) -> Profile:
    """The survivor with the other's locale if it has none, or one with a weaker signal."""
    if merged.locale is None or not _is_weaker(survivor, merged.locale_source):
        return survivor
    return replace(survivor, locale=merged.locale, locale_source=merged.locale_source)


def _is_weaker(profile: Profile, source: LocaleSource | None) -> bool:
    """Whether the other locale overrides the profile's; None is one that was set manually."""
    if profile.locale is None:
        return True
    current = profile.locale_source
    return current is not None and (source is None or source.beats(current))


def _joined(survivor: Profile, merged: Profile) -> dict[UUID, StoreLink]:
    """The links of both; the merged profile's entries in lists represent the survivor for now."""
    links = dict(survivor.links)
    for store_id, link in merged.links.items():
        own = links.get(store_id, StoreLink())
        listed = ((link.listed_at, merged.id),) if link.listed_at else ()
        links[store_id] = replace(
            own,
            customers=own.customers + link.customers,
            orders=own.orders + link.orders,
            stale_entries=(*own.stale_entries, *link.stale_entries, *listed),
        )
    return links


def _added(some: Mapping[str, int], more: Mapping[str, int]) -> dict[str, int]:
    sums = {code: some.get(code, 0) + more.get(code, 0) for code in {**some, **more}}
    return {code: amount for code, amount in sums.items() if amount}
