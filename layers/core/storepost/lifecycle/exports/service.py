"""Exports what is stored about a person: each section is from the slice that has the rows."""

import json
from collections.abc import Iterable, Iterator
from itertools import batched
from uuid import UUID

from storepost.accounts.workspaces.access_log import log_access
from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.coupons.code_listing import codes_of
from storepost.coupons.code_schemas import CouponCode
from storepost.lifecycle.exports.schemas import ExportSection, ProfileExport
from storepost.orders.details import OrderDetails
from storepost.orders.repository import OrderRepository
from storepost.orders.schemas import Order
from storepost.people.consent_changes.evidence import evidence_of, names_of_stores
from storepost.people.consent_changes.evidence_schemas import ConsentEvidence
from storepost.people.consent_changes.listing import history_of, store_names
from storepost.people.consent_changes.schemas import ConsentChange
from storepost.people.customers.listing import list_customers
from storepost.people.customers.schemas import ProfileCustomer
from storepost.people.deliverability.listing import suppressions_of_profile
from storepost.people.deliverability.schemas import Suppression
from storepost.people.events.listing import page_of_events
from storepost.people.events.schemas import ProfileEvent
from storepost.people.opt_in.listing import requests_of
from storepost.people.opt_in.schemas import OptInRequest
from storepost.people.profiles.model import Profile
from storepost.people.profiles.schemas import Profile as ProfileShape
from storepost.people.profiles.schemas import ProfileIdentity, ProfileMerge
from storepost.people.profiles.service import get_profile, list_identities, list_merges, stores_of
from storepost.values import clock
from storepost.values.pagination import PageRequest
from storepost.values.wire import Shape

MAX_ROWS = 1000
"""Rows of one kind; no profile has more identities."""

MAX_BYTES = 5_000_000
"""All sections together, as a string inside the function's answer, which may have 6 MB."""

_AT_ONCE = 25
"""Orders that are read together: one may have 250 KB."""


def export_profile(caller: WorkspaceCaller, profile_id: UUID) -> ProfileExport:
    """Returns everything stored about the person that fits an answer. Raises NotFound.

    The log has the caller.
    """
    workspace = caller.workspace
    profile = get_profile(workspace, profile_id)
    log_access("profile exported", profile.id, caller=caller)
    whole, room = PageRequest(1, MAX_ROWS), _Room(MAX_BYTES)
    identities = list_identities(workspace, profile.id, None, whole)
    customers, stores = list_customers(workspace, profile.id, None, whole)
    merges = list_merges(workspace, profile.id, whole)
    history, evidence = history_of(profile, whole), evidence_of(profile, None, whole)
    events = page_of_events(profile, whole)
    codes, suppressions = codes_of(profile), suppressions_of_profile(profile)
    opt_ins = requests_of(profile, whole)
    names = store_names(workspace, history.items)
    names |= names_of_stores(workspace, evidence.items)
    links = {(c.store_id, c.external_id): c.admin_url for c in customers.items}
    sections = (
        room.section(map(ProfileIdentity.of, identities.items), identities.total),
        room.section(
            (ProfileCustomer.of(each, stores[each.store_id]) for each in customers.items),
            customers.total,
        ),
        room.section(map(ProfileMerge.of, merges.items), merges.total),
        room.section((ConsentChange.of(each, names) for each in history.items), history.total),
        room.section((ConsentEvidence.of(each, names) for each in evidence.items), evidence.total),
        room.section(map(Suppression.from_model, suppressions), len(suppressions)),
        room.section((OptInRequest.of(each, clock.now()) for each in opt_ins.items), opt_ins.total),
        room.section(map(ProfileEvent.of, events.items), events.total),
        room.section(_orders(profile, links), profile.orders),
        room.section(map(CouponCode.of, codes), len(codes)),
    )
    return ProfileExport(
        exported_at=clock.now(),
        complete=all(len(section.items) >= section.total for section in sections),
        profile=ProfileShape.of(profile, stores_of(profile)),
        identities=sections[0],
        customers=sections[1],
        merges=sections[2],
        consent_changes=sections[3],
        consent_evidence=sections[4],
        suppressions=sections[5],
        opt_in_requests=sections[6],
        events=sections[7],
        orders=sections[8],
        coupon_codes=sections[9],
    )


class _Room:
    """The bytes of the answer that are left."""

    def __init__(self, size: int) -> None:
        """Starts with `size` bytes."""
        self._remaining = size

    def section[T: Shape](self, shapes: Iterable[T], total: int) -> ExportSection[T]:
        """Returns a section with as many of the shapes as fit."""
        return ExportSection(items=list(self._fitting(shapes)), total=total)

    def _fitting[T: Shape](self, shapes: Iterable[T]) -> Iterator[T]:
        for shape in shapes:
            # The answer's body is a JSON string in the function's answer.
            self._remaining -= len(json.dumps(shape.model_dump_json(by_alias=True))) + 1
            if self._remaining < 0:
                self._remaining = 0
                return
            yield shape


def _orders(profile: Profile, links: dict[tuple[UUID, str], str]) -> Iterator[Order]:
    """The person's orders in full, most recently placed first."""
    repository = OrderRepository(profile.workspace)
    stores = {store.id: store for store in stores_of(profile)}
    ids = repository.ids_of_profile(profile.partitions, MAX_ROWS, descending=True)
    for number, some in enumerate(batched(ids, _AT_ONCE, strict=False)):
        if number * _AT_ONCE >= MAX_ROWS:
            return
        for order in repository.get_many(some):
            link = links.get((order.store_id, order.customer_external_id or ""))
            if order.store_id in stores:
                yield Order.of(OrderDetails(order, stores[order.store_id], profile, link))
