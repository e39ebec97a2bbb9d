"""An endpoint's deliveries, the newest first, of which at most 20,000 are read."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from storepost.values.pagination import MAX_ROWS, FilterTooBroad, Listing, PageRequest, cut
from storepost.values.problems import NotFound, needed
from storepost.values.scope import WorkspaceScope
from storepost.webhooks.deliveries.model import Delivery, DeliveryStatus
from storepost.webhooks.deliveries.repository import ANY_TIME, CreatedWithin, DeliveryRepository
from storepost.webhooks.endpoints.service import check_types, found_endpoint


@dataclass(frozen=True)
class DeliveryFilter:
    """The filters of a list of deliveries; None doesn't filter."""

    types: Collection[str] | None = None
    statuses: Collection[DeliveryStatus] | None = None
    created: CreatedWithin = ANY_TIME

    @property
    def advised(self) -> str:
        """Returns the parameter that would narrow the list."""
        return "createdTo" if self.created.since else "createdFrom"

    def passes(self, delivery: Delivery) -> bool:
        """Returns whether the delivery passes the filters."""
        has_type = self.types is None or delivery.event.type in self.types
        return has_type and (self.statuses is None or delivery.status in self.statuses)


def list_deliveries(
    workspace: WorkspaceScope, endpoint_id: UUID, filters: DeliveryFilter, page: PageRequest
) -> Listing[Delivery]:
    """Returns the deliveries of the last 30 days. Raises FilterTooBroad and UnknownEventType."""
    check_types("query.type", list(filters.types or ()))
    found_endpoint(workspace, endpoint_id)
    return cut(matching(workspace, endpoint_id, filters), page)


def matching(
    workspace: WorkspaceScope, endpoint_id: UUID, filters: DeliveryFilter, place: str = "query."
) -> list[Delivery]:
    """Returns all deliveries that pass the filters, the newest first. Raises FilterTooBroad."""
    repository = DeliveryRepository(workspace)
    found = list(repository.newest_first(endpoint_id, filters.created, MAX_ROWS + 1))
    if len(found) > MAX_ROWS:
        raise FilterTooBroad(filters.advised, place=place)
    return [each for each in found if filters.passes(each)]


def found_delivery(workspace: WorkspaceScope, endpoint_id: UUID, delivery_id: UUID) -> Delivery:
    """Returns the delivery. Raises NotFound."""
    found_endpoint(workspace, endpoint_id)
    return needed(
        DeliveryRepository(workspace).get(endpoint_id, delivery_id), NotFound.of("delivery")
    )
