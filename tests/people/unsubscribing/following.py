"""A person with an address, links for it, and requests that follow them."""

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from storepost.people.profiles.rows import IdentityItem, ProfileItem
from storepost.platform.attempts import posting
from tests.harness.receiver import Receiver
from tests.harness.world import BASE_URL, Answer
from tests.people.consent.listening_store import HOOK, URL
from tests.people.matching.scenario import ANN, Scenario

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0"
# The headers that Firefox and Chromium send for a page.
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
FORM = "application/x-www-form-urlencoded"
ONE_CLICK = {"List-Unsubscribe": "One-Click"}
BY_PAGE = {"List-Unsubscribe": "By-Page"}


@dataclass
class Recipient:
    """A person of a workspace who gets emails with a link."""

    scenario: Scenario
    id: str
    email: str = ANN
    path: str = field(default="", repr=False)
    """Of the last link."""

    @property
    def state(self) -> str:
        """The consent that the profile shows."""
        return str(self.scenario.get(f"/profiles/{self.id}")["emailMarketingConsent"])

    @property
    def changes(self) -> list[dict[str, Any]]:
        """The history of the person's consent, the last first."""
        found: list[dict[str, Any]] = self.scenario.get(f"/profiles/{self.id}/consent")["items"]
        return found


@dataclass
class Reader(Recipient):
    """One who gets links to unsubscribe."""

    def link(self, **body: object) -> str:
        """The path of a link for the address that the profile shows now."""
        answer = self.scenario.call("POST", f"/profiles/{self.id}/unsubscribe-links", body)
        assert answer.status == 201, answer.body
        self.path = str(answer.json["url"]).removeprefix(BASE_URL)
        return self.path

    def subscribe(self) -> None:
        """Subscribes the address that the profile shows."""
        answer = self.scenario.consent(self.id, "subscribed")
        assert answer.status == 200, answer.body


def subscriber(scenario: Scenario, email: str = ANN) -> Reader:
    """A subscriber, with a link in an email."""
    reader = Reader(scenario, str(scenario.upsert(email=email)["id"]), email)
    reader.subscribe()
    reader.link()
    return reader


def opened(scenario: Scenario, path: str, **more: Any) -> Answer:
    """The link as a browser opens it."""
    sent = {"accept": BROWSER, "user-agent": FIREFOX, **more.pop("headers", {})}
    return scenario.world.call("GET", path, headers=sent, **more)


def posted(
    scenario: Scenario,
    path: str,
    fields: dict[str, str],
    *,
    multipart: str | None = None,
    agent: str | None = FIREFOX,
    accept: str = "*/*",
    **more: Any,
) -> Answer:
    """A form as it is sent; `multipart` is the boundary where it is in parts."""
    body, kind = urlencode(fields).encode(), FORM
    if multipart is not None:
        body, kind = in_parts(fields, multipart), f"multipart/form-data; boundary={multipart}"
    sent = {"content-type": kind, "accept": accept, **({"user-agent": agent} if agent else {})}
    return scenario.world.call("POST", path, headers=sent, body=body, **more)


def in_parts(fields: dict[str, str], boundary: str) -> bytes:
    """The fields, encoded as RFC 7578 says."""
    lines: list[str] = []
    for name, value in fields.items():
        lines += [
            f"--{boundary}",
            f'Content-Disposition: form-data; name="{quote(name)}"',
            "",
            value,
        ]
    return "\r\n".join([*lines, f"--{boundary}--", ""]).encode()


def forget(scenario: Scenario, *, profiles: bool = True, claims: bool = True) -> None:
    """Deletes every profile's row, and the claims of addresses."""
    kinds = (*([ProfileItem] if profiles else []), *([IdentityItem] if claims else []))
    for row in scenario.world.rows(scenario.workspace.key):
        if isinstance(row, kinds):
            row.delete()


def listening_stores(
    scenario: Scenario, monkeypatch: pytest.MonkeyPatch
) -> tuple[Receiver, list[str]]:
    """The messages to two stores that know the person, and the stores."""
    monkeypatch.setenv("FEED_ALLOW_HOSTS", HOOK)
    listener = Receiver()
    monkeypatch.setattr(posting, "post", listener.post)
    stores = sorted(scenario.store() for _ in range(2))
    for store in stores:
        assert scenario.call("PUT", f"/stores/{store}/write-back", {"url": URL}).status == 200
        assert scenario.customer(store, f"c-{store[:4]}", email=ANN).status == 201
    return listener, stores
