"""`/_local/`'s page of webhook endpoints, and the pretend endpoint, whose answers are set."""

import time

import pytest
from werkzeug.exceptions import UnprocessableEntity
from werkzeug.test import EnvironBuilder
from werkzeug.wrappers import Request

from local.pages import PAGES
from local.pretend_endpoint import HANG_SECONDS, PretendEndpoint
from storepost.platform.attempts.posting import TIMEOUT_SECONDS
from storepost.values.scope import WorkspaceScope
from tests.harness.world import Someone, World
from tests.local.conftest import Client, soon
from tests.local.pages.test_site import EVERY_PAGE, Page

PATH = f"{PAGES}/webhooks"


@pytest.fixture
def owner(world: World) -> Someone:
    """A person with a workspace."""
    made = world.person("Olive Owner")
    assert isinstance(world.workspace(made), WorkspaceScope)
    return made


def send(client: Client, owner: Someone, answer_query: str) -> str:
    """Sends a test to the pretend endpoint, which is to answer so: the delivery's id."""
    body = {"url": f"{client.run.webhook_url}{answer_query}", "events": ["webhook.test"]}
    made = client.call("POST", "/v1/webhook-endpoints", token=owner.token, json_body=body)
    assert made.status == 201, made.body
    path = f"/v1/webhook-endpoints/{made.json['endpoint']['id']}/test"
    sent = client.call("POST", path, token=owner.token)
    assert sent.status == 202, sent.body
    return str(sent.json["id"])


class TestPage:
    def test_no_endpoint_shows_how_to_create_one(self, client: Client) -> None:
        shown = Page(client.call("GET", PATH))
        assert "Make one with POST /v1/webhook-endpoints" in shown.text
        assert PATH in client.call("GET", EVERY_PAGE[0]).body.decode()

    @pytest.mark.parametrize(
        ("answer_query", "expected"),
        [
            ("", ["delivered", ": 204 ("]),
            ("?answer=503&retryAfter=600", ["pending", "status 503.", "It fails since"]),
            ("?answer=410", ["failed", "status 410.", "disabled (gone)"]),
            ("?answer=redirect", ["pending", "Redirects aren't followed."]),
        ],
    )
    def test_attempts_and_received_webhook_are_shown(
        self, client: Client, owner: Someone, answer_query: str, expected: list[str]
    ) -> None:
        delivery = send(client, owner, answer_query)
        soon(lambda: expected[1] in Page(client.call("GET", PATH)).text)
        answer = client.call("GET", PATH)
        shown = Page(answer)
        assert [part for part in expected if part not in shown.text] == []
        assert shown.text.count(delivery) >= 2, "with its attempts, and as it came"
        assert "webhook-signature: v1," in shown.text
        assert "whsec_" not in answer.body.decode()
        [received] = [each for each in client.get("/_local/webhooks") if delivery in str(each)]
        assert '"type":"webhook.test"' in received["body"]


class TestPretendEndpoint:
    def request(self, query: str) -> Request:
        """A message, as it is posted."""
        return Request(EnvironBuilder(method="POST", query_string=query, data=b"{}").get_environ())

    def test_hang_exceeds_the_delivery_timeout(self, monkeypatch: pytest.MonkeyPatch) -> None:
        slept: list[float] = []
        monkeypatch.setattr(time, "sleep", slept.append)
        endpoint = PretendEndpoint()
        assert endpoint.answer(self.request("answer=hang")).status_code == 204
        assert slept == [HANG_SECONDS]
        assert HANG_SECONDS > TIMEOUT_SECONDS
        assert len(endpoint.received()) == 1

    @pytest.mark.parametrize("answer", ["99", "600", "soon", "²", ""])
    def test_unknown_answer_is_422(self, answer: str) -> None:
        with pytest.raises(UnprocessableEntity):
            PretendEndpoint().answer(self.request(f"answer={answer}"))

    def test_retry_after_is_sent(self) -> None:
        answer = PretendEndpoint().answer(self.request("answer=429&retryAfter=60"))
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "60")
