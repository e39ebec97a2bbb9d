"""Events of suppressions: each type by the operation that causes it."""

from typing import Any
from uuid import UUID

import pytest

from storepost.people.consent.states import Channel
from storepost.people.deliverability.expiring import expire_due_suppressions
from storepost.people.deliverability.service import suppress
from storepost.people.suppressions.model import SuppressionReason, SuppressionSource
from storepost.values import clock
from tests.harness.world import CANARY
from tests.webhooks.events.shop import EMAIL, Shop, of


def create(shop: Shop, reason: str = "manual", address: str = EMAIL) -> dict[str, Any]:
    """The answered suppression."""
    body = {"channel": "email", "address": address, "reason": reason, "note": f"By {CANARY}"}
    made: dict[str, Any] = shop.call("POST", "/suppressions", body).json
    return made


class TestCreated:
    def test_payload_equals_the_response_and_is_marked_always(self, shop: Shop) -> None:
        made = create(shop)
        event = shop.only("suppression.created")
        assert (of(event), event.always) == (("suppression", UUID(made["id"])), True)
        assert shop.data(event) == shop.get(f"/suppressions/{made['id']}") == made

    def test_repeated_suppression_causes_no_event(self, shop: Shop) -> None:
        create(shop)
        shop.delivered()
        create(shop)
        assert shop.types() == []

    def test_complaint_also_unsubscribes(self, shop: Shop) -> None:
        shop.profile()
        shop.delivered()
        create(shop, "complaint")
        types = shop.types()
        assert {"suppression.created", "consent.changed"} <= {*types}
        assert len({*types}) == len(types)

    def test_by_an_import(self, shop: Shop) -> None:
        rows = [
            {"channel": "email", "address": f"p{n}.{EMAIL}", "reason": "manual"} for n in range(3)
        ]
        shop.call("POST", "/suppressions/import", {"suppressions": rows})
        events = [event for event in shop.events() if event.type == "suppression.created"]
        assert [event.always for event in events] == [True] * 3


class TestDeleted:
    def test_by_request(self, shop: Shop) -> None:
        made = create(shop)
        shop.delivered()
        shop.call("DELETE", f"/suppressions/{made['id']}")
        event = shop.only("suppression.deleted")
        assert (of(event), event.always) == (("suppression", UUID(made["id"])), True)
        assert shop.data(event) == shop.get(f"/suppressions/{made['id']}")
        assert shop.data(event)["liftedAt"] is not None

    def test_by_expiry(self, shop: Shop) -> None:
        now = clock.now()
        suppress(
            shop.workspace,
            Channel.EMAIL,
            EMAIL,
            SuppressionReason.HARD_BOUNCE,
            SuppressionSource.SES,
            at=now,
            ends_at=now.replace(year=now.year + 1),
        )
        shop.delivered()
        shop.world.advance(days=400)
        assert expire_due_suppressions() == 1
        assert shop.types() == ["suppression.deleted"]


@pytest.mark.parametrize("deliver", [False, True], ids=["before the worker", "after it"])
class TestErased:
    """Suppressed addresses stay suppressed; nothing names their person any more."""

    def test_pending_event_does_not_name_the_erased_person(self, shop: Shop, deliver: bool) -> None:
        eve = shop.profile()
        create(shop)
        event = shop.only("suppression.created")
        assert CANARY in str(shop.data(event))
        shop.call("DELETE", f"/profiles/{eve}")
        if deliver:
            shop.world.deliver()
        assert CANARY not in str({**shop.data(event), "by": None})
        assert shop.data(event)["address"] is None
        assert "suppression.created" not in shop.types()

    def test_address_without_a_profile_is_in_the_payload(self, shop: Shop, deliver: bool) -> None:
        create(shop)
        event = shop.only("suppression.created")
        if deliver:
            shop.world.deliver()
        assert shop.data(event)["address"] == EMAIL
