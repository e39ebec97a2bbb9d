"""The consents that a profile shows: copies of the states of its shown addresses.

State belongs to the address (docs/semantics.md, section 2.1). Each transaction that changes the
shown address or the state that holds updates the copy. The same goes for whether these addresses
are suppressed.
"""

from collections.abc import Mapping
from dataclasses import replace

from storepost.people.consent.model import Address, Subject
from storepost.people.consent.repository import ConsentRepository, saved_states
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.profiles.absent_consents import expect_consent_of
from storepost.people.profiles.model import Identity, IdentityType, Profile
from storepost.people.suppressions.suppression_summary import is_suppressed_once_shown, saved_marks
from storepost.platform.persistence.changes import Changes


def show_consents(
    changes: Changes,
    before: Profile | None,
    after: Profile,
    asserted: Mapping[Address, ConsentState],
) -> Profile:
    """Returns the profile with the states of the addresses that it shows now.

    `asserted` are the states of the addresses that this unit of work asserts; those that it has
    saved are known.
    """
    return replace(
        after,
        email_consent=_state(changes, before, after, Channel.EMAIL, asserted),
        sms_consent=_state(changes, before, after, Channel.SMS, asserted),
        suppressed=frozenset(
            channel for channel in Channel if _is_suppressed(changes, before, after, channel)
        ),
    )


def subject_of(profile: Profile) -> Subject:
    """Returns the profile as the subject of an assertion.

    It has the stores with a customer of the profile.
    """
    stores = (store_id for store_id, link in profile.links.items() if link.customers)
    return Subject(profile.workspace, profile.id, tuple(sorted(stores)))


def primary_address(profile: Profile | None, channel: Channel) -> Address | None:
    """Returns the address that a profile shows for a channel."""
    if profile is None:
        return None
    value = profile.email if channel is Channel.EMAIL else profile.phone
    return Address(channel, value) if value else None


def identity_of(address: Address) -> Identity:
    """Returns the identity whose claim names the profile that has the address."""
    kind = IdentityType.EMAIL if address.channel is Channel.EMAIL else IdentityType.PHONE
    return Identity(kind, address.value)


def _state(
    changes: Changes,
    before: Profile | None,
    after: Profile,
    channel: Channel,
    asserted: Mapping[Address, ConsentState],
) -> ConsentState:
    address = primary_address(after, channel)
    if address is None:
        return ConsentState.NOT_SUBSCRIBED
    saved = {**saved_states(changes, after.workspace), **asserted}
    if address in saved:
        return saved[address]
    if address == primary_address(before, channel):
        return after.consent_of(channel)
    repository = ConsentRepository(after.workspace, changes.reads)
    consent = repository.consent_of(address)
    expect_consent_of(changes, after.workspace, repository, address, identity_of(address))
    return consent.state


def _is_suppressed(
    changes: Changes, before: Profile | None, after: Profile, channel: Channel
) -> bool:
    address = primary_address(after, channel)
    if address is None:
        return False
    marks = saved_marks(changes, after.workspace)
    if address not in marks and address == primary_address(before, channel):
        return channel in after.suppressed
    is_known = before is not None and identity_of(address) in before.sightings
    return is_suppressed_once_shown(changes, after.workspace, address, is_known=is_known)
