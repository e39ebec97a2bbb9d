"""Histories of coupons against a plain model: codes, people, orders and time.

Coupons are made, filled, ended and archived; people get codes; orders carry them, late or before
they are any; time passes, and the schedule and the worker come to it or don't. What is read is the
same as if both always had.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from local.events import pumps
from storepost.accounts.identity.model import KeyScope
from storepost.values import clock
from tests.coupons.coupon_store import NONE, Shop
from tests.harness.histories import SHARDS, run_histories
from tests.harness.world import World

TEXTS = [f"GIFT-{letter}" for letter in "ABCDEF"]
PEOPLE = 3
PERSONS, WHICH = st.integers(0, PEOPLE - 1), st.integers(0, 5)
REFERENCES = st.sampled_from([None, "m1", "m2"])
VALIDITY = st.sampled_from(["none", "days", "until"])
REISSUE = st.sampled_from(["after_use_or_expiry", "every_email"])


@dataclass
class Code:
    """What the model knows of a code."""

    text: str
    person: int | None = None
    expires: datetime | None = None
    used: bool = False
    order: tuple[int, str] | None = None


@dataclass
class Coupon:
    """What the model knows of a coupon."""

    id: str
    kind: str
    source: str
    reissue: str
    days: int | None
    ends: datetime | None
    codes: dict[str, Code] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    """Codes that expired with the coupon's end, or their own."""
    ended: bool = False
    archived: bool = False
    waiting: list[str] = field(default_factory=list)
    """Imported texts that the worker is still to store."""
    never_stored: int = 0
    """Such as it never will, since the coupon ended before."""
    occasions: dict[tuple[int, str | None], str] = field(default_factory=dict)


_checkpoints: list[tuple[World, Shop, list[str], Callable[[], None]]] = []


def _beginning() -> tuple[World, Shop, list[str], Callable[[], None]]:
    """A shop with its people, made once a process and restored for each history."""
    if not _checkpoints:
        world = World()
        shop = Shop(world)
        shop.token = world.api_key(shop.workspace, KeyScope.WRITE, shop.owner)
        people = [shop.person() for _ in range(PEOPLE)]
        _checkpoints.append((world, shop, people, world.checkpoint()))
    return _checkpoints[0]


class Histories(RuleBasedStateMachine):
    """One history."""

    def __init__(self) -> None:
        super().__init__()
        self.world, self.shop, self.people, restore = _beginning()
        restore()
        self.coupons: list[Coupon] = []
        self.uses: dict[str, tuple[int, str]] = {}
        """By folded text, the earliest order: its day, and its id."""
        self.stored: dict[str, Coupon] = {}
        """Which coupon has a text."""
        self.orders = 0

    @initialize()
    def begin(self) -> None:
        self.make("bulk", "none", "after_use_or_expiry", 2)

    @rule(
        kind=st.sampled_from(["bulk", "personal"]),
        validity=VALIDITY,
        reissue=REISSUE,
        quantity=st.integers(1, 3),
    )
    def make(self, kind: str, validity: str, reissue: str, quantity: int) -> None:
        if len(self.coupons) == 4:
            return
        options = {"quantity": quantity if kind == "bulk" else None}
        made = self.shop.coupon(kind=kind, reissue=reissue, **self._valid(validity), **options)
        coupon = self._coupon(made, validity)
        for text in self.shop.texts(coupon.id):
            self._store(coupon, text)

    @rule(
        texts=st.lists(st.sampled_from(TEXTS), min_size=1, max_size=4),
        validity=VALIDITY,
        reissue=REISSUE,
    )
    def import_codes(self, texts: list[str], validity: str, reissue: str) -> None:
        if len(self.coupons) == 4:
            return
        options = {**self._valid(validity), "reissue": reissue}
        answer = self.shop.import_codes("\n".join(texts), **options)
        if all(text.casefold() in self.stored for text in texts):
            assert answer.problem() == (422, "no_valid_codes")
            return
        coupon = self._coupon(answer.json, validity)
        coupon.waiting = list(dict.fromkeys(texts))

    @rule(which=WHICH, quantity=st.integers(1, 2))
    def top_up(self, which: int, quantity: int) -> None:
        coupon = self._of(which)
        if coupon.source == "import":
            return
        answer = self.shop.call("POST", f"/coupons/{coupon.id}/codes", {"quantity": quantity})
        if not self._active(coupon):
            assert answer.problem() == (409, "coupon_ended")
        elif coupon.kind == "personal":
            assert answer.problem() == (409, "not_a_pool")
        else:
            assert answer.status == 202
            for text in self.shop.texts(coupon.id):
                if text not in coupon.codes:
                    self._store(coupon, text)

    @rule(which=WHICH, person=PERSONS, reference=REFERENCES)
    def assign(self, which: int, person: int, reference: str | None) -> None:
        coupon = self._of(which)
        answer = self.shop.assign(coupon.id, self.people[person], reference)
        stored_code = self._kept_code(coupon, person, reference)
        free = [text for text in coupon.codes if self._status(coupon, text) == "available"]
        if not self._active(coupon):
            assert answer.problem() == (409, "coupon_ended")
        elif stored_code:
            assert (answer.status, answer.json["code"]) == (200, stored_code)
        elif coupon.kind == "bulk" and not free:
            assert answer.problem() == (409, "no_codes_left")
        else:
            assert answer.status == 201, answer.body
            assert (answer.json["code"] in free) == (coupon.kind == "bulk")
            self._give(coupon, person, reference, answer.json)

    def _give(
        self, coupon: Coupon, person: int, reference: str | None, assigned: dict[str, Any]
    ) -> None:
        text = assigned["code"]
        if coupon.kind == "personal":
            assert text not in coupon.codes
            self._store(coupon, text)
        code, now = coupon.codes[text], clock.from_text(assigned["assignedAt"])
        code.person = person
        code.expires = now + timedelta(days=coupon.days) if coupon.days else coupon.ends
        if coupon.reissue == "after_use_or_expiry":
            coupon.occasions[person, None] = text
        elif reference:
            coupon.occasions[person, reference] = text

    @rule(which=WHICH, place=st.integers(0, 5), day=st.integers(1, 4), upper=st.booleans())
    def use(self, which: int, place: int, day: int, *, upper: bool) -> None:
        coupon = self._of(which)
        texts = list(coupon.codes) or TEXTS
        self._use(texts[place % len(texts)], day, upper=upper)

    @rule(text=st.sampled_from(TEXTS), day=st.integers(1, 4))
    def use_any(self, text: str, day: int) -> None:
        self._use(text, day, upper=False)

    @rule(which=WHICH)
    def end(self, which: int) -> None:
        coupon = self._of(which)
        answer = self.shop.call("POST", f"/coupons/{coupon.id}/end")
        if self._active(coupon):
            assert (answer.status, answer.json["status"]) == (200, "ended")
            self._end(coupon)
        else:
            assert answer.problem() == (409, "invalid_state")

    @rule(which=WHICH)
    def archive(self, which: int) -> None:
        coupon = self._of(which)
        answer = self.shop.call("POST", f"/coupons/{coupon.id}/archive")
        if self._active(coupon) or coupon.archived:
            assert answer.problem() == (409, "invalid_state")
        else:
            assert answer.status == 200
            coupon.archived = True

    @rule(which=WHICH, place=st.integers(0, 5))
    def delete(self, which: int, place: int) -> None:
        coupon = self._of(which)
        codes = self.shop.codes(coupon.id)
        if not codes:
            return
        code = codes[place % len(codes)]
        answer = self.shop.call("DELETE", f"/coupon-codes/{code['id']}")
        if self._status(coupon, code["code"]) == "available":
            assert answer.status == 204
            del coupon.codes[code["code"]]
            del self.stored[code["code"].casefold()]
        else:
            assert answer.problem() == (409, "code_assigned")

    @rule(hours=st.sampled_from([1, 13, 25]))
    def wait(self, hours: int) -> None:
        self.world.advance(hours=hours)
        for coupon in self.coupons:
            self._active(coupon)

    @rule()
    def expire(self) -> None:
        pumps.run_schedule("coupon_expiry")

    @rule()
    def deliver(self) -> None:
        self.world.deliver()
        for coupon in self.coupons:
            waiting, coupon.waiting = coupon.waiting, []
            if not self._active(coupon):
                coupon.never_stored += len(waiting)
                continue
            for text in waiting:
                if text.casefold() not in self.stored:
                    self._store(coupon, text)

    @invariant()
    def what_is_read_of_the_last_one_is_what_the_model_says(self) -> None:
        if self.coupons:
            self._check(self.last, whole=False)

    def teardown(self) -> None:
        self._check_all()
        self.deliver()
        pumps.run_schedule("coupon_expiry")
        self.world.deliver()
        self._check_all()
        for row in self.shop.code_rows():
            coupon = next(c for c in self.coupons if c.id == str(row.coupon_id))
            assert row.status == self._status(coupon, row.text)

    def _check_all(self) -> None:
        self.shop.check()
        for coupon in self.coupons:
            self._check(coupon, whole=True)

    def _check(self, coupon: Coupon, *, whole: bool) -> None:
        shown = self.shop.get(f"/coupons/{coupon.id}")
        status = "archived" if coupon.archived else "ended"
        assert shown["status"] == ("active" if self._active(coupon) else status)
        listed = Counter(self._status(coupon, text) for text in coupon.codes)
        expected = Counter(listed)
        expected["pending" if self._active(coupon) else "expired"] += len(coupon.waiting)
        expected["expired"] += coupon.never_stored
        assert shown["codes"] == {**NONE, **expected}
        codes = {code["code"]: code for code in self.shop.codes(coupon.id)}
        assert codes.keys() == coupon.codes.keys()
        for text, code in codes.items():
            self._check_code(coupon, text, code)
        for status in ("available", "assigned", "expired") if whole else ():
            assert len(self.shop.texts(coupon.id, status=status)) == listed[status]

    def _check_code(self, coupon: Coupon, text: str, code: dict[str, Any]) -> None:
        known = coupon.codes[text]
        assert code["status"] == self._status(coupon, text), (text, code)
        person = self.people[known.person] if known.person is not None else None
        assert (code["profile"] and code["profile"]["id"]) == person
        use = self.uses.get(text.casefold())
        assert (code["order"] and code["order"]["id"]) == (use and use[1])
        if known.expires:
            assert code["expiresAt"] == clock.to_text(known.expires)

    def _valid(self, validity: str) -> dict[str, Any]:
        until = clock.to_text(clock.now() + timedelta(days=2))
        return {
            "validity": {
                "none": {"type": "none"},
                "days": {"type": "days", "days": 1},
                "until": {"type": "until", "endsAt": until},
            }[validity]
        }

    def _coupon(self, made: dict[str, Any], validity: str) -> Coupon:
        ends = clock.from_text(made["validity"]["endsAt"]) if validity == "until" else None
        days = 1 if validity == "days" else None
        coupon = Coupon(made["id"], made["kind"], made["source"], made["reissue"], days, ends)
        self.coupons.append(coupon)
        self.last = coupon
        return coupon

    def _of(self, which: int) -> Coupon:
        self.last = self.coupons[which % len(self.coupons)]
        return self.last

    def _store(self, coupon: Coupon, text: str) -> None:
        coupon.codes[text] = Code(text)
        self.stored[text.casefold()] = coupon

    def _active(self, coupon: Coupon) -> bool:
        if coupon.ends and coupon.ends <= clock.now():
            self._end(coupon)
            coupon.gone |= {t for t in coupon.codes if coupon.codes[t].person is not None}
        return not coupon.ended

    def _end(self, coupon: Coupon) -> None:
        if not coupon.ended:
            coupon.ended = True
            coupon.gone |= {t for t, code in coupon.codes.items() if code.person is None}

    def _status(self, coupon: Coupon, text: str) -> str:
        self._active(coupon)
        code = coupon.codes[text]
        if text.casefold() in self.uses:
            return "used"
        if text in coupon.gone or (code.expires and code.expires <= clock.now()):
            return "expired"
        return "available" if code.person is None else "assigned"

    def _kept_code(self, coupon: Coupon, person: int, reference: str | None) -> str | None:
        if coupon.reissue == "every_email":
            return coupon.occasions.get((person, reference)) if reference else None
        text = coupon.occasions.get((person, None))
        over = text and self._status(coupon, text) in {"used", "expired"}
        return None if over else text

    def _use(self, text: str, day: int, *, upper: bool) -> None:
        self.orders += 1
        order = self.shop.use(
            text.upper() if upper else text.lower(), order=f"o-{self.orders}", at=day
        ).json
        use, known = (day, order["id"]), self.uses.get(text.casefold())
        if known is None or use < known:
            self.uses[text.casefold()] = use


@pytest.mark.parametrize("shard", SHARDS)
def test_random_history_matches_model(shard: int) -> None:
    """In every order of events the service agrees with the model."""
    run_histories(Histories, shard, few=3, steps=15, long_steps=8, checkpoints=_checkpoints)
