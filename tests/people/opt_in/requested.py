"""A person who gets an opt-in email, and the requests that follow its link."""

import re
from dataclasses import dataclass
from typing import Any

from local.aws.mail import Email
from storepost.people.opt_in.repository import OptInRequestItem
from tests.harness.world import BASE_URL, Answer
from tests.people.matching.scenario import ANN, Scenario
from tests.people.unsubscribing.following import Recipient, posted

PROOF = {"reference": "form 4711", "ip": "203.0.113.7", "userAgent": "Safari/605"}
WORDING = "Yes, write to me about new things from the loom."
EVIDENCE = {"text": WORDING, "textVersion": "2026-01", "url": "https://shop.example.com/news"}
SUBSCRIBE = {"answer": "subscribe"}


@dataclass
class Requested(Recipient):
    """One who may get an opt-in email."""

    def ask(self, token: str | None = None, **body: object) -> Answer:
        """The request, with the form's proof."""
        path = f"/profiles/{self.id}/opt-in-requests"
        sent = {"proof": PROOF, **body}
        return self.scenario.world.call(
            "POST", path, token=token or self.scenario.token, json_body=sent
        )

    def request_link(self, **body: object) -> str:
        """The path of the link in the email of a request that was accepted."""
        answer = self.ask(None, **body)
        assert answer.status == 202, answer.body
        self.scenario.world.deliver()
        self.path = path_in(self.emails[-1])
        return self.path

    @property
    def emails(self) -> list[Email]:
        """The emails to the address, oldest first."""
        return [each for each in self.scenario.world.emails() if each.to == self.email]

    @property
    def evidence(self) -> list[dict[str, Any]]:
        """The evidence of the person's consent, the last first."""
        path = f"/profiles/{self.id}/consent/evidence"
        found: list[dict[str, Any]] = self.scenario.get(path)["items"]
        return found

    @property
    def requests(self) -> list[OptInRequestItem]:
        """The stored requests of the workspace."""
        rows = self.scenario.world.rows(self.scenario.workspace.key)
        return [row for row in rows if isinstance(row, OptInRequestItem)]


def somebody(scenario: Scenario, email: str = ANN, **more: object) -> Requested:
    """A person with an address without statements."""
    return Requested(scenario, str(scenario.upsert(email=email, **more)["id"]), email)


def path_in(email: Email) -> str:
    """The path of the link in an email."""
    [link] = re.findall(r"^https?://\S+$", email.text, re.MULTILINE)
    return str(link).removeprefix(BASE_URL)


def pressed(
    scenario: Scenario, path: str, fields: dict[str, str] | None = None, **more: Any
) -> Answer:
    """The page's form as a browser sends it."""
    return posted(scenario, path, SUBSCRIBE if fields is None else fields, **more)
