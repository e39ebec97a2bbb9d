"""GET /unsubscribe/{token}: the page with the question, and links that lead nowhere."""

import re
from base64 import b64encode
from hashlib import sha256

import pytest

from storepost.accounts.workspaces.repository import (
    WorkspaceItem,
    WorkspaceRepository,
    workspace_key,
)
from tests.harness import pages
from tests.harness.world import Answer, World
from tests.people.matching.scenario import ANN, Scenario
from tests.people.unsubscribing.following import FIREFOX, forget, opened, posted, subscriber

NOWHERE = ["", "x", "unsubscribe", "AQ", "A" * 150, "A" * 8000, "%2F", "ä", "a b", "…"]


class Page(pages.Page):
    """The content of a page."""

    between_tags = ""

    def __init__(self, answer: Answer) -> None:
        """Reads it, once its headers are known to allow nothing but its own form."""
        html = answer.body.decode()
        assert answer.header("content-type") == "text/html; charset=utf-8"
        assert answer.header("cache-control") == "no-store"
        assert answer.header("referrer-policy") == "no-referrer"
        assert answer.header("x-frame-options") == "DENY"
        assert answer.header("set-cookie") is None
        [style] = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
        hashed = b64encode(sha256(style.encode()).digest()).decode()
        assert answer.header("content-security-policy") == (
            f"default-src 'none'; style-src 'sha256-{hashed}'; img-src data:; script-src 'none'; "
            "connect-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        )
        super().__init__(html)
        assert self.all("html") == [{"lang": answer.header("content-language")}]
        assert len(self.all("h1")) == 1
        assert not self.all("script")
        assert not self.all("img")

    @property
    def fields(self) -> dict[str, str]:
        """The fields of its form."""
        [form] = self.all("form")
        assert form == {"method": "post"}
        return {str(field["name"]): str(field["value"]) for field in self.all("input")}


class TestUnsubscribePage:
    """GET /unsubscribe/{token}."""

    def test_page_with_form(self, scenario: Scenario) -> None:
        reader = subscriber(scenario)
        sender = WorkspaceRepository(scenario.workspace).get()
        assert sender is not None
        answer = opened(scenario, reader.path)
        page = Page(answer)
        assert answer.status == 200
        assert "a•••@example.com" in page.text
        assert ANN not in answer.body.decode()
        assert page.text.count(sender.name) >= 2
        assert page.fields == {"List-Unsubscribe": "By-Page"}
        assert [button for button in page.all("button") if "type" not in button]

    def test_sender_name_is_escaped(self, world: World) -> None:
        scenario = Scenario(world)
        body = {"name": '<b>Ann & "Bob"\'s {{ shop }}</b>'}
        assert scenario.call("PATCH", f"/workspaces/{scenario.workspace.id}", body).status == 204
        answer = opened(scenario, subscriber(scenario).path)
        assert body["name"] in Page(answer).text
        assert b"<b>" not in answer.body

    @pytest.mark.parametrize(
        ("email", "masked"),
        [
            ("a@example.com", "a•••@example.com"),
            ("zoë.grün@exämple.com", "z•••@exämple.com"),
        ],
    )
    def test_address_is_masked(self, scenario: Scenario, email: str, masked: str) -> None:
        page = Page(opened(scenario, subscriber(scenario, email).path))
        assert masked in page.text

    @pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
    def test_safe_methods_change_nothing(self, scenario: Scenario, method: str) -> None:
        """Scanners of links and browsers that prefetch send such requests."""
        reader = subscriber(scenario)
        scenario.world.deliver()
        before = [row.serialize() for row in scenario.world.rows()]
        for agent in ("BarracudaCentral", "Mozilla/5.0 (compatible; GoogleImageProxy)", FIREFOX):
            scenario.world.call(method, reader.path, headers={"user-agent": agent})
        assert [row.serialize() for row in scenario.world.rows()] == before
        assert reader.state == "subscribed"

    @pytest.mark.parametrize("accept", ["*/*", "", "application/json"])
    def test_page_for_any_accept_header(self, scenario: Scenario, accept: str) -> None:
        reader = subscriber(scenario)
        answer = scenario.world.call("GET", reader.path, headers={"accept": accept})
        assert Page(answer).fields

    @pytest.mark.parametrize("token", NOWHERE)
    def test_invalid_token_is_not_found(self, scenario: Scenario, token: str) -> None:
        assert scenario.world.call("GET", f"/unsubscribe/{token}").problem() == (404, "not_found")

    def test_invalid_token_in_browser_shows_page(self, scenario: Scenario) -> None:
        answer = opened(scenario, "/unsubscribe/AQ")
        page = Page(answer)
        assert answer.status == 404
        assert answer.header("vary") == "Accept, Accept-Language"
        assert "open the link from the email again" in page.text
        assert not page.all("form")

    @pytest.mark.parametrize("claims", [True, False])
    def test_link_of_erased_person_is_gone(self, scenario: Scenario, claims: bool) -> None:
        """An erasure deletes the profile first, and its claims a little later."""
        reader = subscriber(scenario)
        forget(scenario, claims=claims)
        answer = scenario.world.call("GET", reader.path)
        assert answer.problem() == (410, "gone")
        assert answer.header("vary") == "Accept, Accept-Language"

    def test_link_of_erased_person_in_browser_shows_page(self, scenario: Scenario) -> None:
        reader = subscriber(scenario)
        forget(scenario)
        answer = opened(scenario, reader.path)
        page = Page(answer)
        assert answer.status == 410
        assert "nothing left to unsubscribe from" in page.text
        assert not page.all("form")

    def test_link_of_deleted_workspace_is_gone(self, scenario: Scenario) -> None:
        reader = subscriber(scenario)
        WorkspaceItem.get(*workspace_key(scenario.workspace), consistent_read=True).delete()
        assert scenario.world.call("GET", reader.path).problem() == (410, "gone")
        answer = posted(scenario, reader.path, {"List-Unsubscribe": "One-Click"})
        assert answer.problem() == (410, "gone")
