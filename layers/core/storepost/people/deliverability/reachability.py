"""Answers whether an address may be written to; a sender asks this right before it sends."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from storepost.people.consent.model import Address
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.profiles.consent_summary import primary_address
from storepost.people.profiles.service import get_profile
from storepost.people.suppressions.model import AddressSuppressions, Suppression
from storepost.people.suppressions.repository import SuppressionRepository
from storepost.values import clock
from storepost.values.scope import WorkspaceScope
from storepost.values.stored_enum import StoredEnum


class Obstacle(StoredEnum):
    """Why marketing may not be sent. `no_address`: the profile shows none of the channel.
    `not_subscribed`: there is no statement. `pending`: they were sent a request to confirm, and
    haven't confirmed yet. `unsubscribed`: they said no. `suppressed`: the address is suppressed.
    """

    NO_ADDRESS = "no_address"
    NOT_SUBSCRIBED = "not_subscribed"
    PENDING = "pending"
    UNSUBSCRIBED = "unsubscribed"
    SUPPRESSED = "suppressed"


@dataclass(frozen=True)
class ChannelReachability:
    """What may be sent to an address, and the obstacles."""

    channel: Channel
    address: Address | None
    consent: ConsentState
    suppressions: tuple[Suppression, ...] = ()
    """Those in force, the strongest one first."""

    @property
    def suppression(self) -> Suppression | None:
        """Returns the strongest suppression."""
        return next(iter(self.suppressions), None)

    @property
    def why(self) -> tuple[Obstacle, ...]:
        """Returns all obstacles to marketing."""
        if self.address is None:
            return (Obstacle.NO_ADDRESS,)
        is_subscribed = self.consent is ConsentState.SUBSCRIBED
        by_consent = () if is_subscribed else (Obstacle(self.consent.value),)
        return (*by_consent, Obstacle.SUPPRESSED) if self.suppressions else by_consent

    @property
    def marketing(self) -> bool:
        """Returns whether marketing may be sent."""
        return not self.why

    @property
    def transactional(self) -> bool:
        """Returns whether necessary emails may be sent, such as an order's confirmation."""
        blocked = any(each.blocks_everything for each in self.suppressions)
        return self.address is not None and not blocked


def reachability_of(workspace: WorkspaceScope, profile_id: UUID) -> list[ChannelReachability]:
    """Returns the reachability of the addresses that a profile shows, by channel.

    Raises NotFound.
    """
    profile = get_profile(workspace, profile_id)
    shown = {channel: primary_address(profile, channel) for channel in Channel}
    found = _looked_up(workspace, filter(None, shown.values()))
    return [
        found[address]
        if address
        else ChannelReachability(channel, None, ConsentState.NOT_SUBSCRIBED)
        for channel, address in shown.items()
    ]


def check_reachability(
    workspace: WorkspaceScope, addresses: Iterable[Address]
) -> list[ChannelReachability]:
    """Returns the reachability of each of the addresses, in their order; strongly consistent."""
    checked = list(addresses)
    found = _looked_up(workspace, checked)
    return [found[address] for address in checked]


def check_suppressions(
    workspace: WorkspaceScope, addresses: Iterable[Address]
) -> list[tuple[Address, Suppression | None]]:
    """Returns the suppression of each of the addresses, in their order.

    The reads are eventually consistent, for half the price: they may miss a change of the last
    second.
    """
    checked, now = list(addresses), clock.now()
    states = SuppressionRepository(workspace).recent_states_of(checked)
    return [(address, states[address].shown(now)) for address in checked]


def _looked_up(
    workspace: WorkspaceScope, addresses: Iterable[Address]
) -> Mapping[Address, ChannelReachability]:
    checked, now = list(dict.fromkeys(addresses)), clock.now()
    consents = ConsentRepository(workspace).consents_of(checked)
    states: Mapping[Address, AddressSuppressions] = SuppressionRepository(workspace).states_of(
        checked
    )
    return {
        each: ChannelReachability(
            each.channel, each, consents[each].state, states[each].in_force(now)
        )
        for each in checked
    }
