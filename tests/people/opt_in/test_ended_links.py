"""Opt-in links that are over: too old, answered, refused, or of an address without a profile."""

from collections.abc import Callable

import pytest

from storepost.accounts.workspaces.repository import WorkspaceItem, workspace_key
from storepost.people.consent.states import Channel
from storepost.people.deliverability.service import suppression_of
from tests.people.matching.scenario import ANN, BOB, Scenario, day
from tests.people.opt_in.links import is_over
from tests.people.opt_in.requested import PROOF, Requested, pressed, somebody
from tests.people.opt_in.test_requests import suppress
from tests.people.unsubscribing.following import forget, opened


def give_up_address(scenario: Scenario, person: Requested) -> None:
    """Gives a person another address, and removes the former one from them."""
    path = f"/profiles/{person.id}"
    assert scenario.call("PATCH", path, {"email": BOB}).status == 200
    rows = scenario.get(f"{path}/identities")["items"]
    [claim] = [row["id"] for row in rows if row["value"] == ANN]
    assert scenario.call("DELETE", f"{path}/identities/{claim}").status == 204


class TestLinkEnd:
    """What ends a link, and what doesn't."""

    def test_link_expires_after_seven_days(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        path = person.request_link()
        scenario.world.advance(days=6, hours=23, minutes=59)
        assert opened(scenario, path).status == 200
        scenario.world.advance(minutes=2)
        is_over(scenario, path)

    def test_unsubscription_since_request_ends_link(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        path = person.request_link()
        scenario.consent(person.id, "unsubscribed")
        is_over(scenario, path)
        assert (opened(scenario, path).status, person.state) == (410, "unsubscribed")

    def test_unsubscription_and_resubscription_end_link(self, scenario: Scenario) -> None:
        """A link speaks for its request: after an opt-out the person needs a new request."""
        person = somebody(scenario)
        path = person.request_link()
        scenario.consent(person.id, "unsubscribed")
        scenario.consent(person.id, "subscribed")
        is_over(scenario, path)

    def test_unsubscription_after_confirmation_ends_link(self, scenario: Scenario) -> None:
        """A link subscribes a person at most once."""
        person = somebody(scenario)
        pressed(scenario, person.request_link())
        scenario.consent(person.id, "unsubscribed")
        is_over(scenario, person.path)

    def test_unsubscription_older_than_form_does_not_end_link(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        scenario.consent(person.id, "subscribed", occurredAt=day(1))
        path = person.request_link(occurredAt=day(3))
        scenario.consent(person.id, "unsubscribed", occurredAt=day(2))
        assert person.state == "unsubscribed"
        assert pressed(scenario, path).status == 200
        assert person.state == "subscribed"

    def test_unsubscription_overridden_before_request_does_not_end_link(
        self, scenario: Scenario
    ) -> None:
        """The person has subscribed since; the request has an old form's time."""
        person = somebody(scenario)
        for state, at in (("unsubscribed", day(2)), ("subscribed", day(3))):
            scenario.consent(person.id, state, occurredAt=at)
        assert pressed(scenario, person.request_link(occurredAt=day(1))).status == 200
        assert person.evidence[0]["optInLevel"] == "confirmed"

    def test_complaint_since_request_ends_link(self, scenario: Scenario) -> None:
        """A complaint unsubscribes, too."""
        person = somebody(scenario)
        path = person.request_link()
        suppress(scenario, ANN, "complaint")
        is_over(scenario, path)

    @pytest.mark.parametrize("reason", ["manual", "hard_bounce"])
    def test_suppression_does_not_end_link(self, scenario: Scenario, reason: str) -> None:
        """Consent and suppression don't change each other, and nothing is sent nevertheless."""
        person = somebody(scenario)
        path = person.request_link()
        suppress(scenario, ANN, reason)
        assert pressed(scenario, path).status == 200
        assert person.state == "subscribed"
        assert suppression_of(scenario.workspace, Channel.EMAIL, ANN)

    def test_link_subscribes_former_address_after_change(self, scenario: Scenario) -> None:
        """The link is about the address that it was sent to, whoever shows another one now."""
        person = somebody(scenario)
        path = person.request_link()
        changed = f"/profiles/{person.id}"
        assert scenario.call("PATCH", changed, {"email": BOB}).status == 200
        assert person.state == "not_subscribed"
        assert pressed(scenario, path).status == 200
        assert person.state == "not_subscribed"
        assert (person.changes[0]["address"], person.changes[0]["state"]) == (ANN, "subscribed")
        assert scenario.call("PATCH", changed, {"email": ANN}).status == 200
        assert person.state == "subscribed"

    def test_unclaimed_address_ends_link(self, scenario: Scenario) -> None:
        person = somebody(scenario, locale="de")
        path = person.request_link()
        give_up_address(scenario, person)
        is_over(scenario, path)

    def test_link_subscribes_new_holder_of_address(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        path = person.request_link()
        give_up_address(scenario, person)
        other = somebody(scenario)
        assert other.id != person.id
        assert pressed(scenario, path).status == 200
        assert (other.state, person.state) == ("subscribed", "not_subscribed")
        assert other.changes[0]["proof"]["reference"] == PROOF["reference"]

    @pytest.mark.parametrize("after_move", [True, False])
    def test_merge_does_not_end_link(self, scenario: Scenario, after_move: bool) -> None:
        person, other = somebody(scenario), somebody(scenario, BOB)
        path = person.request_link()
        assert scenario.merge(other.id, person.id).status == 200
        if after_move:
            scenario.world.deliver()
            scenario.check_rows()
        assert pressed(scenario, path).status == 200
        assert other.state == "not_subscribed"
        assert (other.changes[0]["address"], other.changes[0]["state"]) == (ANN, "subscribed")
        assert [each["optInLevel"] for each in other.evidence] == ["confirmed", "unknown"]

    @pytest.mark.parametrize("delivered", [True, False])
    def test_erasure_ends_link(self, scenario: Scenario, delivered: bool) -> None:
        person = somebody(scenario)
        path = person.request_link()
        assert scenario.call("DELETE", f"/profiles/{person.id}").status == 204
        if delivered:
            scenario.world.deliver()
            assert person.requests == []
            scenario.check_gone([person.id])
            stored = repr(
                [row.attribute_values for row in scenario.world.rows(scenario.workspace.key)]
            )
            assert not [each for each in (ANN, *PROOF.values()) if each in stored]
        is_over(scenario, path)
        somebody(scenario)
        is_over(scenario, path)

    def test_erasure_after_merge_ends_link(self, scenario: Scenario) -> None:
        person, other = somebody(scenario), somebody(scenario, BOB)
        path = person.request_link()
        assert scenario.merge(other.id, person.id).status == 200
        scenario.world.deliver()
        assert scenario.call("DELETE", f"/profiles/{other.id}").status == 204
        scenario.world.deliver()
        assert person.requests == []
        is_over(scenario, path)

    def test_erasure_of_later_holder_ends_link(self, scenario: Scenario) -> None:
        """The request of its former holder is over, too: the address was erased."""
        person = somebody(scenario)
        path = person.request_link()
        give_up_address(scenario, person)
        assert scenario.call("DELETE", f"/profiles/{somebody(scenario).id}").status == 204
        somebody(scenario)
        is_over(scenario, path)

    def test_deleted_workspace_ends_link(self, scenario: Scenario) -> None:
        path = somebody(scenario).request_link()
        WorkspaceItem.get(*workspace_key(scenario.workspace), consistent_read=True).delete()
        is_over(scenario, path)

    def test_missing_profile_ends_link(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        path = person.request_link()
        forget(scenario, claims=False)
        is_over(scenario, path)


def unsubscribe(scenario: Scenario, person: Requested) -> None:
    assert scenario.consent(person.id, "unsubscribed").status == 200


def erase(scenario: Scenario, person: Requested) -> None:
    assert scenario.call("DELETE", f"/profiles/{person.id}").status == 204


REFUSALS: dict[str, Callable[[Scenario, Requested], object]] = {
    "unsubscribed": unsubscribe,
    "erased": erase,
    "complaint": lambda scenario, _: suppress(scenario, ANN, "complaint"),
    "suppressed": lambda scenario, _: suppress(scenario, ANN, "manual"),
    "nobody's": give_up_address,
    "confirmed": lambda scenario, _: import_opt_in(scenario),
}


def import_opt_in(scenario: Scenario) -> None:
    """An import has a confirmed opt-in of the address."""
    row = {"email": ANN, "state": "subscribed", "occurredAt": day(1), "proof": PROOF}
    confirmed = {**row, "evidence": {"optInLevel": "confirmed"}}
    answer = scenario.call("POST", "/consent/import", {"changes": [confirmed]})
    assert (answer.status, answer.json["failed"]) == (200, [])


class TestQueuedEmail:
    """An email waits in its queue: what happens meanwhile decides whether it is sent."""

    @pytest.mark.parametrize("refusal", REFUSALS)
    def test_is_not_sent_after_refusal(self, scenario: Scenario, refusal: str) -> None:
        person = somebody(scenario)
        assert person.ask(occurredAt=day(0)).status == 202
        scenario.world.deliver_outbox()
        REFUSALS[refusal](scenario, person)
        assert person.emails == []
        assert [scenario.world.queue_depth(q) for q in ("EmailQueue", "EmailDeadLetters")] == [0, 0]

    def test_is_sent_after_merge(self, scenario: Scenario) -> None:
        person, other = somebody(scenario), somebody(scenario, BOB)
        assert person.ask().status == 202
        scenario.world.deliver_outbox()
        scenario.merge(other.id, person.id)
        assert len(person.emails) == 1
