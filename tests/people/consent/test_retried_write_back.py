"""One write-back that failed is retried by a request."""

from typing import Any
from uuid import UUID

from storepost.people.consent.states import ConsentState
from storepost.people.profiles.model import Profile
from storepost.platform.attempts.waits import WAITS
from tests.harness.later_attempts import make_all
from tests.harness.receiver import Receiver
from tests.people.consent.listening_store import Shop, hand_over
from tests.people.consent.paths import NOBODY, path_of


class TestRetryWriteBack:
    """POST /profiles/{id}/consent/{changeId}/write-backs/{storeId}/retry."""

    def failed(self, shop: Shop, listener: Receiver) -> tuple[Profile, dict[str, Any], UUID]:
        """A change that a store refused."""
        store_id = shop.store()
        profile = shop.person(store_id)
        body = shop.change(profile, "subscribed")
        listener.answers = [400]
        shop.world.deliver()
        assert shop.outcome(profile, body, store_id) == "failed"
        return profile, body, store_id

    def retry(self, shop: Shop, *path: object, token: str | None = None, **more: Any) -> Any:
        profile, change, store_id = path
        return shop.world.call(
            "POST",
            path_of(profile, change, "write-backs", store_id, "retry"),  # type: ignore[arg-type]
            token=token or shop.owner.token,
            **more,
        )

    def test_unknown_ids_are_not_found(self, shop: Shop, listener: Receiver) -> None:
        profile, body, store_id = self.failed(shop, listener)
        other = shop.store()
        for path in (
            (NOBODY, body["id"], store_id),
            (profile, NOBODY, store_id),
            (profile, body["id"], other),
        ):
            assert self.retry(shop, *path).problem() == (404, "not_found")

    def test_pending_and_written_are_refused(self, shop: Shop, listener: Receiver) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        body = shop.change(profile, "subscribed")
        for outcome in ("pending", "written"):
            assert shop.outcome(profile, body, store_id) == outcome
            answer = self.retry(shop, profile, body["id"], store_id)
            assert answer.problem() == (409, "write_back_not_failed")
            shop.world.deliver()
        assert len(listener.received) == 1

    def test_write_back_pending_for_a_day_can_be_retried(
        self, shop: Shop, listener: Receiver
    ) -> None:
        """Its message is lost, as after a local run that ended."""
        store_id = shop.store()
        profile = shop.person(store_id)
        body = shop.change(profile, "subscribed")
        shop.world.lose_stream()
        for row in shop.world.rows("due#outbox#"):
            row.delete()
        for _ in range(2):  # and once more, if that message is lost too
            shop.world.advance(hours=23)
            refused = self.retry(shop, profile, body["id"], store_id)
            assert refused.problem() == (409, "write_back_not_failed")
            shop.world.advance(hours=1, minutes=1)
            answer = self.retry(shop, profile, body["id"], store_id)
            assert answer.status == 200
            assert [each["status"] for each in answer.json["writeBacks"]] == ["pending"]
        shop.world.deliver()
        assert shop.outcome(profile, body, store_id) == "written"
        assert listener.states == ["subscribed"]

    def test_failed_write_back_is_sent_again(self, shop: Shop, listener: Receiver) -> None:
        profile, body, store_id = self.failed(shop, listener)
        before = shop.read(profile, body)
        answer = self.retry(shop, profile, body["id"], store_id)
        assert answer.status == 200
        [write_back] = before["writeBacks"]
        assert write_back["error"] == "The store answered with status 400."
        assert write_back["doneAt"] >= body["recordedAt"]
        pending = {**write_back, "status": "pending", "error": None, "doneAt": None}
        assert answer.json == {**before, "writeBacks": [pending]}
        assert shop.read(profile, body) == answer.json
        shop.world.deliver()
        assert shop.outcome(profile, body, store_id) == "written"
        assert shop.store_consent(store_id) is ConsentState.SUBSCRIBED
        first, second = listener.received
        assert first.headers["webhook-id"] == second.headers["webhook-id"]

    def test_retry_has_all_attempts_again(self, shop: Shop, listener: Receiver) -> None:
        profile, body, store_id = self.failed(shop, listener)
        self.retry(shop, profile, body["id"], store_id)
        [message] = shop.queued()
        listener.answers = [503] * (len(WAITS) + 1)
        listener.received.clear()
        assert hand_over(message)
        make_all()
        assert len(listener.received) == len(WAITS) + 1
        assert shop.outcome(profile, body, store_id) == "failed"
