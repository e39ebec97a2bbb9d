"""Random histories of an address, compared with a plain model of the rules.

Who may get a request, what a link still does, and the state that follows: no link subscribes a
person who opted out or was erased after they filled in the form.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storepost.accounts.identity.model import KeyScope
from storepost.people.opt_in.repository import OptInRepository
from storepost.values import clock
from tests.harness.world import CANARY
from tests.people.matching.scenario import Scenario
from tests.people.opt_in.requested import PROOF, pressed

RANKS = {"subscribed": 0, "pending": 1, "unsubscribed": 2}
type Answered = tuple[int, str | None]
"""An answer's status, and its problem's code."""


@dataclass
class Requested:
    """A request as the rules see it."""

    since: datetime
    sent_at: datetime
    is_confirmed: bool = False


@dataclass
class Rules:
    """The rules for one address."""

    asserted: list[tuple[datetime, int, str]] = field(default_factory=list)
    refused_at: datetime | None = None
    confirmed_at: datetime | None = None
    erased_at: datetime | None = None
    sends: list[datetime] = field(default_factory=list)
    requests: list[Requested] = field(default_factory=list)

    @property
    def state(self) -> str:
        return max(self.asserted)[2] if self.asserted else "not_subscribed"

    @property
    def _is_confirmed(self) -> bool:
        refused_at = self.refused_at
        return self.confirmed_at is not None and (
            refused_at is None or self.confirmed_at > refused_at
        )

    def says(self, state: str, moment: datetime) -> None:
        """A statement, which may be older than others."""
        if state != "unsubscribed" and self.erased_at and moment <= self.erased_at:
            return
        self.asserted.append((moment, RANKS[state], state))
        if state == "unsubscribed":
            self.refused_at = max(moment, self.refused_at or moment)

    def asks(self, form: datetime | None, now: datetime) -> Answered:
        """A request; `form` is its `occurredAt`."""
        if problem := self._problem(form, now):
            return problem
        since = form or now
        if self.refused_at:
            since = max(since, self.refused_at + timedelta(milliseconds=1))
        if self.state != "subscribed":
            self.says("pending", form or now)
        self.sends.append(now)
        self.requests.append(Requested(since, now))
        return 202, None

    def _problem(self, form: datetime | None, now: datetime) -> Answered | None:
        if self.state == "subscribed" and self._is_confirmed:
            return 409, "already_confirmed"
        if self.state == "unsubscribed" and (form is None or form <= max(self.asserted)[0]):
            return 409, "unsubscribed"
        if self.erased_at and form and form <= self.erased_at:
            return 409, "unsubscribed"
        lately = [sent for sent in self.sends if now - sent < timedelta(days=30)]
        if len(lately) >= 2 or any(now - sent < timedelta(days=1) for sent in lately):
            return 429, "opt_in_recently_sent"
        return None

    def follows(self, number: int, now: datetime) -> Answered:
        """A person presses the button behind a request's link."""
        request = self.requests[number]
        age = now - request.sent_at
        ended = [end for end in (self.refused_at, self.erased_at) if end and end >= request.since]
        is_late = age >= timedelta(days=30 if request.is_confirmed else 7)
        if ended or is_late:
            return 410, "gone"
        if not request.is_confirmed:
            request.is_confirmed, self.confirmed_at = True, now
            self.says("subscribed", now)
        return 200, None

    def erased(self, now: datetime) -> None:
        """The person is erased; when the address got its emails is kept."""
        self.asserted.clear()
        self.refused_at = self.confirmed_at = None
        self.erased_at = now


class History:
    """The service's side: one address, whichever profile has it."""

    def __init__(self, scenario: Scenario, email: str) -> None:
        self.scenario, self.email, self.rules = scenario, email, Rules()
        self.links: list[str] = []
        self.person = str(scenario.upsert(email=email)["id"])

    def step(self, what: str, hours: int, number: int) -> None:
        """A step, `hours` after the one before; the service and the rules agree."""
        self.scenario.world.advance(hours=hours)
        now = clock.now()
        getattr(self, what)(now, number)
        shown = self.scenario.get(f"/profiles/{self.person}")["emailMarketingConsent"]
        assert shown == self.rules.state, (what, self.rules)

    def ask(self, _: datetime, number: int) -> None:
        form = self._moment(number)
        body = {"proof": {**PROOF, "reference": f"form {number}"}}
        path = f"/profiles/{self.person}/opt-in-requests"
        sent = body | ({"occurredAt": clock.to_text(form)} if form else {})
        answer = self.scenario.call("POST", path, sent)
        now = clock.from_text(answer.json["sentAt"]) if answer.status == 202 else clock.now()
        self._agree(answer, self.rules.asks(form, now))
        if answer.status == 202:
            found = OptInRepository(self.scenario.workspace).of_profiles([UUID(self.person)])
            [link] = [each.link for each in found if str(each.id) == answer.json["id"]]
            self.links.append(f"/opt-in/{link.token}")

    def follow_link(self, now: datetime, number: int) -> None:
        if not self.links:
            return
        number %= len(self.links)
        answer = pressed(self.scenario, self.links[number])
        expected = self.rules.follows(number, now)
        self._agree(answer, expected)
        if expected[0] == 410:
            assert self.scenario.world.call("GET", self.links[number]).status == 410

    def refuse(self, now: datetime, number: int) -> None:
        self._say("unsubscribed", now, number)

    def agree(self, now: datetime, number: int) -> None:
        self._say("subscribed", now, number)

    def erase(self, _: datetime, _number: int) -> None:
        assert self.scenario.call("DELETE", f"/profiles/{self.person}").status == 204
        self.rules.erased(clock.now())
        self.person = str(self.scenario.upsert(email=self.email)["id"])

    def merge(self, _: datetime, _number: int) -> None:
        """A profile without an address is merged with the one that has it."""
        other = str(self.scenario.upsert(anonymousId=f"browser of {self.person}")["id"])
        assert self.scenario.merge(other, self.person).status == 200
        self.person = other

    def _say(self, state: str, now: datetime, number: int) -> None:
        moment = self._moment(number) or now
        answer = self.scenario.consent(self.person, state, occurredAt=clock.to_text(moment))
        assert answer.status == 200, answer.body
        self.rules.says(state, moment)

    def _moment(self, number: int) -> datetime | None:
        """So many hours ago; None for now."""
        return clock.to_milliseconds(clock.now() - timedelta(hours=number)) if number else None

    def _agree(self, answer: Any, expected: Answered) -> None:
        found = answer.status, None if answer.status < 400 else answer.json["code"]
        assert found == expected, self.rules


STEPS = (
    "ask",
    "ask",
    "follow_link",
    "follow_link",
    "follow_link",
    "refuse",
    "agree",
    "erase",
    "merge",
)
histories = st.lists(
    st.tuples(
        st.sampled_from(STEPS),
        st.sampled_from([1, 1, 2, 25, 24 * 8, 24 * 31]),
        st.sampled_from([0, 0, 1, 3, 30]),
    ),
    min_size=5,
    max_size=9,
).map(lambda steps: [("ask", 1, 0), *steps])


@pytest.fixture
def history(scenario: Scenario) -> Callable[[], History]:
    """Makes an address without statements."""
    scenario.token = scenario.world.api_key(scenario.workspace, KeyScope.WRITE, scenario.owner)
    numbers = count()
    return lambda: History(scenario, f"{next(numbers)}.{CANARY}@example.com")


# Each step is two or three requests: about four seconds for sixty histories.
@settings(
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(steps=histories)
def test_responses_and_state_match_model_in_random_histories(
    history: Callable[[], History], steps: list[tuple[str, int, int]]
) -> None:
    somebody = history()
    for step in steps:
        somebody.step(*step)
