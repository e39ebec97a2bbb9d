"""An erasure that is killed at any call, and concurrent writers."""

from collections.abc import Callable
from functools import partial

import pytest

from storepost.people.profiles.rows import ProfileItem
from tests.harness.call_interruption import before_the_commit
from tests.harness.crash_points import crashes
from tests.lifecycle.erasures.scenario import ANN, CAT, Place, day
from tests.lifecycle.erasures.test_erasure import personal
from tests.people.events.event_requests import event, post_events


class TestKilled:
    """The process dies at any of its calls."""

    def test_request_killed_at_any_call(self, place: Place) -> None:
        person = place.somebody()
        found = crashes(place.world, lambda: place.erase(person, key="k"))
        assert len(found.positions) > 10
        for positions in found:
            place.world.advance(minutes=5)
            assert place.erase(person, key="k").status == 204, positions
            place.world.deliver()
            assert (place.traces(), personal(place)) == ([], []), positions

    def test_worker_killed_at_any_call(self, place: Place) -> None:
        person = place.somebody()
        assert place.erase(person).status == 204
        found = crashes(place.world, lambda: place.work(person), deliver=False)
        assert len(found.positions) > 40
        for positions in found:
            place.work(person)
            assert (place.traces(but_owed=True), personal(place)) == ([], []), positions

    def test_customer_sent_again_between_kill_and_retry(self, place: Place) -> None:
        """A store puts the customer again wherever the worker died: they are a new person then."""
        person = place.somebody()
        assert place.erase(person).status == 204
        found = crashes(place.world, lambda: place.work(person), deliver=False)
        for positions in found:
            answer = place.customer(place.shop, "cust-ann", 3, email=ANN)
            assert answer.status == 201, positions
            place.work(person)
            anew = place.find_profile(email=ANN)
            assert place.ids(f"/profiles/{anew['id']}/customers", "externalId") == ["cust-ann"]
            place.check_rows()


def put_customer(place: Place, person: str) -> None:
    """The store sends the person with another name and consent."""
    consent = {"emailMarketingConsent": "unsubscribed"}
    place.customer(place.shop, "cust-ann", 5, email=ANN, firstName="Annabel", **consent)


def put_order(place: Place, person: str) -> None:
    """The store sends an order of the person."""
    place.order(place.shop, "7", 5, buyer={"externalId": "cust-ann", "email": ANN})


def change_consent(place: Place, person: str) -> None:
    """The person unsubscribes."""
    place.consent(person, "unsubscribed")


def import_consent(place: Place, person: str) -> None:
    """An import has the address."""
    word = {"email": CAT, "state": "subscribed", "occurredAt": day(300)}
    place.call("POST", "/consent/import", {"changes": [word]})


def merge_into(place: Place, person: str) -> None:
    """The person is merged into another profile."""
    other = place.upsert(anonymousId="another-browser")["id"]
    place.merge(other, person)


def take_in(place: Place, person: str) -> None:
    """Another profile is merged into the person."""
    place.merge(person, place.upsert(anonymousId="another-browser")["id"])


def rename(place: Place, person: str) -> None:
    """A request corrects the person's name."""
    place.call("PATCH", f"/profiles/{person}", {"firstName": "Annabella"})


def post_bulk(place: Place, person: str) -> None:
    """A bulk request has events of the address and of the browser."""
    post_events(place, event({"email": CAT}, "a"), event({"anonymousId": "browser-ann"}, "b"))


MEANWHILE = [
    put_customer,
    put_order,
    change_consent,
    import_consent,
    merge_into,
    take_in,
    rename,
    post_bulk,
]


@pytest.mark.parametrize("act", MEANWHILE)
class TestConcurrent:
    """An earlier write is erased too, a later one belongs to a new person."""

    def test_write_before_erasure_is_erased(
        self, place: Place, act: Callable[[Place, str], None]
    ) -> None:
        person = place.somebody()
        with before_the_commit(partial(act, place, person)):
            assert place.erase(person).status == 204
        place.world.deliver()
        assert place.call("GET", f"/profiles/{person}").status == 404
        assert (place.traces(), personal(place)) == ([], [])

    def test_write_after_erasure_belongs_to_new_person(
        self, place: Place, act: Callable[[Place, str], None]
    ) -> None:
        person = place.somebody()
        with before_the_commit(lambda: place.erase(person)):
            act(place, person)
        place.world.deliver()
        assert place.call("GET", f"/profiles/{person}").status == 404
        rows = place.world.rows(place.workspace.key)
        live = [row for row in rows if isinstance(row, ProfileItem)]
        assert "Annabella" not in {row.first_name for row in live}
        assert {str(row.id) for row in live}.isdisjoint({person})
        assert not [row for row in live if row.email_consent == "subscribed"]
        place.check_rows()
