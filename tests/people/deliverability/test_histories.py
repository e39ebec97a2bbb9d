"""Random histories of everything that decides who may be written to.

Requests and stores say what people want, links unsubscribe them, emails ask them for an opt-in, SES
says what became of the emails (twice, late, in any order), addresses are suppressed by hand and by
lists, and lifted; they move from one person to another; people are merged and erased. After each
step a plain model says of every address what may be sent. The reachability of profiles, the check
of addresses and the list's filter agree with it.
"""

import json
import os
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from local.aws import ses_events
from local.aws.ses_events import SentEmail
from storepost.accounts.identity.model import KeyScope
from storepost.people.consent.model import Address
from storepost.people.consent.states import Channel
from storepost.people.deliverability.expiring import expire_due_suppressions
from storepost.people.email_feedback.service import work_on
from storepost.people.opt_in.repository import OptInRepository
from storepost.people.profiles.consent_summary import identity_of
from storepost.people.profiles.model import Profile
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.resolution import look_up
from storepost.people.suppressions.repository import SuppressionRepository
from storepost.values import clock
from tests.harness.world import BASE_URL, CANARY, Answer, World
from tests.people.consent.listening_store import Shop
from tests.people.consent.pretend_stores import CustomStore, deliver
from tests.people.consent.rules import SUBSCRIBED, UNSUBSCRIBED, Rules, Statement
from tests.people.deliverability.rules import STRONGEST_FIRST, Deliverability, Request
from tests.people.matching.scenario import Scenario
from tests.people.opt_in.requested import pressed

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "ci"
SHARDS = range(8) if LONG else range(1)
"""So that several processes share them."""
HISTORIES = 250 if LONG else 6
"""A history takes about half a second: each step is followed by some ten requests."""
PHONE = "+436601234501"
STATES = [SUBSCRIBED, SUBSCRIBED, UNSUBSCRIBED]
EVENTS: list[tuple[str, Callable[[SentEmail], dict[str, Any]]]] = [
    ("arrived", ses_events.delivery),
    ("bounced", ses_events.bounce),
    ("returned", lambda email: ses_events.bounce(email, "Transient")),
    ("complained", ses_events.complaint),
    ("complained", ses_events.complaint),
    ("", lambda email: ses_events.complaint(email, "not-spam")),
    ("returned", lambda email: ses_events.bounce(email, "Undetermined", "Undetermined")),
]


class History:
    """A workspace with a store, and the steps."""

    def __init__(self, world: World, number: int) -> None:
        self.scenario, self.world = Scenario(world), world
        self.scope = self.scenario.workspace
        self.shop = Shop(world, self.scenario.owner, self.scope)
        self.scenario.token = world.api_key(self.scope, KeyScope.WRITE, self.scenario.owner)
        self.emails = [f"{name}{number}.{CANARY}@example.com" for name in ("ann", "ben", "cat")]
        self.addresses = [*self.emails, PHONE]
        self.consents = Rules(3)
        self.store = CustomStore(UUID(self.scenario.store()), self.shop, self.consents)
        self.store.call = self.scenario.call  # type: ignore[method-assign]
        consents = [self.consents.address(self.scope.id, each) for each in self.addresses]
        self.rules = dict(zip(self.addresses, map(Deliverability, consents), strict=True))
        self.links: list[tuple[str, str, str]] = []
        self.requests: list[tuple[str, Request]] = []
        self.sent: list[tuple[str, str, datetime, str]] = []
        self.released: list[str] = []
        self.numbers = count()

    def step(self, kind: str, minutes: int, one: int, two: int) -> None:
        """A random step; `one` and `two` choose its subjects."""
        self.world.advance(minutes=minutes)
        if minutes > 60:
            expire_due_suppressions()
        getattr(self, kind)(one, two)

    # -- who there is

    def call(self, method: str, path: str, body: object = None, **more: Any) -> Answer:
        return self.scenario.call(method, path, body, **more)

    def address(self, number: int) -> str:
        return self.addresses[number % len(self.addresses)]

    def profiles(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.scenario.get("/profiles", pageSize=100)["items"]
        return found

    def somebody(self, number: int) -> dict[str, Any] | None:
        found = sorted(self.profiles(), key=lambda each: str(each["id"]))
        return found[number % len(found)] if found else None

    def holder(self, address: str) -> Profile | None:
        channel = Channel.SMS if address == PHONE else Channel.EMAIL
        identity = identity_of(Address(channel, address))
        return look_up(ProfileRepository(self.scope), [identity]).holder_of(identity)

    def is_known(self, address: str) -> bool:
        """Whether a profile has the address, or a statement about it still counts."""
        return self.holder(address) is not None or bool(self.rules[address].consent.statements)

    def is_there(self, profile_id: str) -> bool:
        return ProfileRepository(self.scope).get(UUID(profile_id)) is not None

    def moment(self, number: int) -> datetime | None:
        """Some time ago, or none."""
        hours = [0, 0, 1, 30, 24 * 40][number % 5]
        return clock.to_milliseconds(clock.now() - timedelta(hours=hours)) if hours else None

    # -- steps

    def arrive(self, one: int, two: int) -> None:
        """A profile is created, with one address or two."""
        payload = {"email": self.emails[one % 3]} if one % 5 else {"phone": PHONE}
        if two % 4 == 0:
            payload = {"email": self.emails[one % 3], "phone": PHONE}
        answer = self.call("POST", "/profiles", payload)
        assert answer.status in {200, 201, 409}, answer.body

    def say(self, one: int, two: int) -> None:
        """A request changes a person's consent."""
        person = self.somebody(one)
        channel = "sms" if two % 4 == 0 else "email"
        address = person and person["phone" if channel == "sms" else "email"]
        if not person or not address:
            return
        state, at = STATES[one % 3], self.moment(two)
        body: dict[str, Any] = {"state": state}
        if at:
            body["occurredAt"] = clock.to_text(at)
        is_confirmed = state == SUBSCRIBED and two % 7 == 0
        if is_confirmed:
            body["evidence"] = {"optInLevel": "confirmed"}
        answer = self.call("PUT", f"/profiles/{person['id']}/consent/{channel}", body)
        assert answer.status == 200, answer.body
        rules, before = self.rules[address], len(self.rules[address].consent.statements)
        if at:
            rules.consent.add(Statement(state, at))
        else:
            rules.consent.add_now(state, clock.now())
        rules.confirmed += [s.at for s in rules.consent.statements[before:] if is_confirmed]

    def push(self, one: int, two: int) -> None:
        """The store's customer is new, changes, or gets another address."""
        states = [SUBSCRIBED, SUBSCRIBED, UNSUBSCRIBED, "not_subscribed", "pending"]
        at = self.moment(one + two)
        email, state = self.emails[one % 3], states[two % 5]
        self.store.change("78"[two % 2], email, state, clock.to_text(at) if at else None)

    def listed(self, one: int, two: int) -> None:
        """An import has a statement about an address."""
        email, state = self.emails[one % 3], STATES[two % 3]
        at = self.moment(two) or clock.now()
        row: dict[str, Any] = {"email": email, "state": state, "occurredAt": clock.to_text(at)}
        is_proven = one % 2 == 0
        row |= {"proof": {"reference": "form"}} if is_proven else {}
        assert self.call("POST", "/consent/import", {"changes": [row]}).json["failed"] == []
        at = clock.from_text(row["occurredAt"])
        self.consents.import_row(self.scope.id, email, Statement(state, at, is_proven), clock.now())

    def link(self, one: int, _two: int) -> None:
        """An email with an unsubscribe link is sent."""
        person = self.somebody(one)
        if person and person["email"]:
            made = self.call("POST", f"/profiles/{person['id']}/unsubscribe-links")
            self.links.append(
                (person["id"], person["email"], made.json["url"].removeprefix(BASE_URL))
            )

    def unsubscribe(self, one: int, _two: int) -> None:
        """A person unsubscribes by a link."""
        if not self.links:
            return
        profile, email, path = self.links[one % len(self.links)]
        form = {"content-type": "application/x-www-form-urlencoded"}
        answer = self.world.call("POST", path, headers=form, body=b"List-Unsubscribe=One-Click")
        is_there = bool(self.holder(email)) or self.is_there(profile)
        assert answer.status == (200 if is_there else 410), answer.body
        if is_there:
            self.rules[email].consent.add_now(UNSUBSCRIBED, clock.now())

    def suppress(self, one: int, two: int) -> None:
        """A request suppresses an address."""
        address, reason = self.address(one), STRONGEST_FIRST[two % 4]
        is_known = self.is_known(address)
        answer = self.call("POST", "/suppressions", self.row(address, reason))
        is_new = self.rules[address].suppress(reason, clock.now(), is_known=is_known)
        assert answer.status == (201 if is_new else 200), answer.body

    def suppress_many(self, one: int, two: int) -> None:
        """An import suppresses addresses."""
        suppressions = [(self.address(one + n), STRONGEST_FIRST[(two + n) % 4]) for n in range(3)]
        is_known = {address: self.is_known(address) for address, _ in suppressions}
        body = {"suppressions": [self.row(*each) for each in suppressions]}
        answer, created = self.call("POST", "/suppressions/import", body), 0
        for address, reason in suppressions:
            now = clock.now()
            rules = self.rules[address]
            created += rules.suppress(reason, now, at=now, is_known=is_known[address])
        assert answer.json == {"created": created, "known": 3 - created, "failed": []}

    def row(self, address: str, reason: str) -> dict[str, str]:
        channel = "sms" if address == PHONE else "email"
        return {"channel": channel, "address": address, "reason": reason}

    def lift(self, one: int, _two: int) -> None:
        """A request lifts a suppression."""
        found = self.scenario.get("/suppressions", pageSize=100)["items"]
        if not found:
            return
        lifted = found[one % len(found)]
        before = {address: self.stored(address) for address in self.addresses}
        answer = self.call("DELETE", f"/suppressions/{lifted['id']}", query={"note": "why"})
        assert answer.status == 204, answer.body
        [address] = [each for each in self.addresses if self.stored(each) != before[each]]
        assert lifted["address"] in {None, address}
        del self.rules[address].suppressions[lifted["reason"]]

    def stored(self, address: str) -> list[str]:
        """The stored reasons for which an address is suppressed, also those that have ended."""
        channel = Channel.SMS if address == PHONE else Channel.EMAIL
        state = SuppressionRepository(self.scope).state_of(Address(channel, address))
        return [each.reason for each in state.stored]

    def send(self, one: int, two: int) -> None:
        """An email is sent to a person who has or had an address; SES has an event about it."""
        email, sent_at = self.emails[one % 3], clock.now() - timedelta(minutes=two % 90)
        name = f"email-{next(self.numbers)}"
        self.sent.append((name, email, clock.to_milliseconds(sent_at), name))
        self.hear(len(self.sent) - 1, two)

    def send_seven(self, one: int, two: int) -> None:
        """Seven emails of a week bounce, in order or not."""
        email, names = self.emails[one % 3], list[int]()
        for day in range(7):
            name = f"email-{next(self.numbers)}"
            sent_at = clock.to_milliseconds(clock.now() - timedelta(days=7 - day))
            self.sent.append((name, email, sent_at, name))
            names.append(len(self.sent) - 1)
        turned = names[two % 7 :] + names[: two % 7]
        for number in turned:
            self.hear(number, 2)

    def hear(self, one: int, two: int) -> None:
        """SES sends an event about an email, possibly again, late, before others."""
        recent = [each for each in self.sent if each[2] > clock.now() - timedelta(days=40)]
        if not recent:
            return
        name, address, sent_at, _ = self.sent[one] if one < len(self.sent) else recent[-1]
        if sent_at <= clock.now() - timedelta(days=40):
            return
        outcome, event = EVENTS[two % len(EVENTS)]
        tags = {
            "kind": "opt_in",
            "id": str(uuid5(NAMESPACE_URL, name)),
            "workspace": str(self.scope.id),
        }
        email = SentEmail(name, address, "storepost@example.com", "set", tags, sent_at)
        is_known = self.is_known(address)
        for _ in range(1 + two % 2):
            work_on(json.dumps(event(email)))
        if outcome:
            now = clock.now()
            self.rules[address].hears(name, sent_at, outcome, sent_at, now, is_known)

    def ask(self, one: int, two: int) -> None:
        """A form requests an opt-in email for a person."""
        person, form = self.somebody(one), self.moment(two)
        if not person or not person["email"]:
            return
        body = {"proof": {"reference": "form"}}
        body |= {"occurredAt": clock.to_text(form)} if form else {}  # type: ignore[dict-item]
        answer = self.call("POST", f"/profiles/{person['id']}/opt-in-requests", body)
        rules = self.rules[person["email"]]
        problem = rules.problem(form, clock.now())
        found = answer.status, None if answer.status < 400 else answer.json["code"]
        assert found == (problem or (202, None)), (answer.body, rules)
        if problem:
            return
        since, sent_at = rules.ask(form, clock.now()), clock.from_text(answer.json["sentAt"])
        made = OptInRepository(self.scope).of_profiles([UUID(person["id"])])
        [link] = [each.link for each in made if str(each.id) == answer.json["id"]]
        request = Request(person["id"], since, sent_at, f"/opt-in/{link.token}")
        self.requests.append((person["email"], request))

    def confirm(self, one: int, two: int) -> None:
        """A scanner opens the link of an opt-in email, or a person presses the button."""
        if not self.requests:
            return
        email, request = self.requests[one % len(self.requests)]
        rules, now, holder = self.rules[email], clock.now(), self.holder(email)
        is_over = rules.is_over(request, now) or not holder or not self.is_there(request.profile)
        if two % 4 == 0:
            answer = self.world.call("GET", request.path)
        else:
            answer = pressed(self.scenario, request.path)
            if not is_over:
                rules.confirm(request, now)
        assert answer.status == (410 if is_over else 200), (answer.body, rules)

    def merge(self, one: int, two: int) -> None:
        """A request merges two profiles."""
        into, other = self.somebody(one), self.somebody(two)
        if into and other and into["id"] != other["id"]:
            assert self.scenario.merge(into["id"], other["id"]).status == 200

    def show(self, one: int, two: int) -> None:
        """A request shows another address of a profile."""
        person, address = self.somebody(one), self.address(two)
        if person:
            name = "phone" if address == PHONE else "email"
            holder = self.holder(address)
            answer = self.call("PATCH", f"/profiles/{person['id']}", {name: address})
            is_free = holder is None or str(holder.id) == person["id"]
            assert answer.status == (200 if is_free else 409), answer.body

    def release(self, one: int, two: int) -> None:
        """An address is removed from a profile, and may be another's later."""
        person = self.somebody(one)
        if not person:
            return
        found = self.scenario.get(f"/profiles/{person['id']}/identities", pageSize=100)["items"]
        found = [each for each in found if each["type"] in {"email", "phone"}]
        if found:
            path = f"/profiles/{person['id']}/identities/{found[two % len(found)]['id']}"
            if self.call("DELETE", path).status == 204:
                self.released.append(person["id"])

    def erase(self, one: int, _two: int) -> None:
        """A person is erased, unless an address of theirs may be another's by now."""
        person, profiles = self.somebody(one), ProfileRepository(self.scope)
        had = {str(each.id) for i in self.released if (each := profiles.get(UUID(i)))}
        if not person or person["id"] in had:
            return
        path, addresses, customers = f"/profiles/{person['id']}", list[str](), []
        for each in self.scenario.get(f"{path}/identities", pageSize=100)["items"]:
            if each["type"] in {"email", "phone"}:
                addresses.append(each["value"])
        for each in self.scenario.get(f"{path}/customers", pageSize=100)["items"]:
            customers.append((UUID(each["store"]["id"]), each["externalId"]))
        assert self.call("DELETE", path).status == 204
        self.consents.erase(self.scope.id, [], customers, clock.now())
        for address in addresses:
            self.rules[address].erase(clock.now())

    def work(self, _one: int, _two: int) -> None:
        """All queues are delivered."""
        deliver(self.world)

    # -- checks

    def check_addresses(self) -> None:
        """Every operation says of each address what the rules say may be sent."""
        now = clock.now()
        rows = [{"channel": "sms" if a == PHONE else "email", "address": a} for a in self.addresses]
        body = {"addresses": rows}
        items = self.call("POST", "/reachability/check", body).json["items"]
        for address, item in zip(self.addresses, items, strict=True):
            rules = self.rules[address]
            why = rules.why(now)
            assert item["why"] == why, (address, item, rules)
            assert item["marketing"] is (not why), (address, item, rules)
            assert item["transactional"] is rules.transactional(now), (address, item, rules)
        for address, item in zip(
            self.addresses,
            self.call("POST", "/suppressions/check", body).json["items"],
            strict=True,
        ):
            reasons = self.rules[address].reasons(now)
            assert (item["suppressed"], item["reason"]) == (
                bool(reasons),
                next(iter(reasons), None),
            )

    def check_profiles(self) -> None:
        """The profiles, and the lists of those who may get marketing, agree with the rules."""
        now, reachable = clock.now(), {"email": set[str](), "sms": set[str]()}
        for profile in self.profiles():
            path = f"/profiles/{profile['id']}/reachability"
            for each in self.scenario.get(path)["channels"]:
                address = profile["phone" if each["channel"] == "sms" else "email"]
                assert each["address"] == address
                why = self.rules[address].why(now) if address else ["no_address"]
                assert (each["why"], each["marketing"]) == (why, not why), (each, profile)
                if not why:
                    reachable[each["channel"]].add(profile["id"])
        for channels in ("email", "sms", "email,sms"):
            found = self.scenario.get("/profiles", reachable=channels, pageSize=100)
            expected = set[str]().union(*(reachable[each] for each in channels.split(",")))
            assert {each["id"] for each in found["items"]} == expected, channels
            assert found["total"] == len(expected)


STEPS = [
    *["arrive"] * 3,
    *["say"] * 4,
    *["push"] * 3,
    "listed",
    *["link", "unsubscribe"],
    *["suppress"] * 3,
    "suppress_many",
    *["lift"] * 3,
    *["send"] * 2,
    *["send_seven", "hear", "hear"],
    *["ask"] * 3,
    *["confirm"] * 3,
    *["merge", "show", "show", "release", "erase", "work", "work"],
]
MINUTES = [1, 1, 1, 1, 60 * 25, 60 * 24 * 8, 60 * 24 * 32, 60 * 24 * 200]
histories = st.lists(
    st.tuples(
        st.sampled_from(STEPS),
        st.sampled_from(MINUTES),
        st.integers(0, 1000),
        st.integers(0, 1000),
    ),
    min_size=12,
    max_size=30,
)


@pytest.fixture
def world(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """The clock only moves between two steps."""
    start = clock.now()
    monkeypatch.setattr(clock, "now", lambda: start + clock.offset())
    return world


@pytest.mark.parametrize("shard", SHARDS)
def test_reachability_matches_model_in_random_histories(world: World, shard: int) -> None:
    """A few by default; 2,000 with the profile of CI."""
    numbers = count()

    @settings(
        max_examples=HISTORIES,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],  # shrinking a history takes minutes: HISTORIES_SEED replays it
    )
    @seed(int(os.environ.get("HISTORIES_SEED", "0")) * 100 + shard)
    @given(steps=histories)
    def play(steps: list[tuple[str, int, int, int]]) -> None:
        history = History(world, next(numbers))
        for number, step in enumerate([("arrive", 1, 1, 1), ("arrive", 1, 2, 1), *steps]):
            history.step(*step)
            history.check_addresses()
            if number % 3 == 0:
                history.check_profiles()
        history.work(0, 0)
        history.check_addresses()
        history.check_profiles()

    play()
