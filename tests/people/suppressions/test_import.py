"""POST /suppressions/import."""

from datetime import timedelta
from typing import Any

import pytest

from storepost.api.http.app import BODY_BYTES
from storepost.people.deliverability import importing
from storepost.people.deliverability.import_schemas import SuppressionFault
from storepost.people.suppressions.model import SuppressionReason
from storepost.people.suppressions.trees import SuppressionLists
from storepost.platform.persistence.counted_tree.checking import faults
from storepost.values import clock
from tests.harness.call_interruption import before_the_commit
from tests.harness.crash_points import KEY, crashes, until_answered
from tests.harness.world import CANARY, Answer
from tests.people.consent.imports import ANN, BEN, CAT, history_of, profile_of, upserted
from tests.people.consent.listening_store import PHONE, Shop
from tests.people.suppressions.suppression_requests import (
    addresses_of,
    call,
    consent,
    create,
    lift,
    listed,
    reachable,
    row,
)
from tests.people.suppressions.test_suppress import marks, suppressed


def send(shop: Shop, rows: list[Any], **more: Any) -> Answer:
    """The answer to an import."""
    return call(shop, "POST", "/suppressions/import", {"suppressions": rows}, **more)


def counts(shop: Shop, *rows: object, **more: Any) -> tuple[int, int]:
    """How many of an import's rows, which can all be read, were new, and how many known."""
    answer = send(shop, list(rows), **more)
    assert answer.status == 200, answer.body
    assert set(answer.json) == {"created", "known", "failed"}
    assert answer.json["failed"] == []
    return answer.json["created"], answer.json["known"]


class TestImport:
    """The effect of the rows."""

    def test_rows_create_suppressions(self, shop: Shop) -> None:
        person = upserted(shop, email=ANN, phone=PHONE)
        assert counts(shop, row(ANN, note="old list"), row(PHONE), row(BEN, "hard_bounce")) == (
            3,
            0,
        )
        found = {each["address"]: each for each in listed(shop)}
        assert set(found) == {ANN, BEN, PHONE}
        assert {each["source"] for each in found.values()} == {"import"}
        assert {each["by"] for each in found.values()} == {shop.owner.name}
        assert (found[ANN]["reason"], found[ANN]["note"]) == ("manual", "old list")
        assert marks(shop, person) == {"email", "sms"}
        assert marks(shop, upserted(shop, email=BEN)) == {"email"}

    def test_existing_suppression_counts_as_known(self, shop: Shop) -> None:
        made = create(shop, ANN)
        assert counts(shop, row(ANN, note="another"), row(ANN, "invalid"), row(BEN)) == (2, 1)
        assert made in listed(shop)

    def test_duplicate_rows_count_as_known(self, shop: Shop) -> None:
        rows = [row(ANN), row(ANN), row(ANN, "invalid"), *[row(BEN)] * 40]
        assert counts(shop, *rows) == (3, 40)
        assert sorted(addresses_of(listed(shop))) == [ANN, ANN, BEN]

    def test_complaints_unsubscribe(self, shop: Shop) -> None:
        person = upserted(shop, email=ANN, phone=PHONE)
        consent(shop, person, "subscribed")
        consent(shop, person, "subscribed", "sms")
        assert counts(shop, row(ANN, "complaint"), row(PHONE, "complaint")) == (2, 0)
        shown = profile_of(shop, ANN)
        assert {shown["emailMarketingConsent"], shown["smsMarketingConsent"]} == {"unsubscribed"}
        assert len(history_of(shop, person)) == 4
        assert reachable(shop, "email", "sms") == set()

    def test_repeated_complaint_unsubscribes_resubscribed_person(self, shop: Shop) -> None:
        """The suppression exists, but the complaint is new."""
        person = upserted(shop, email=ANN)
        assert counts(shop, row(ANN, "complaint")) == (1, 0)
        shop.world.advance(minutes=1)
        consent(shop, person, "subscribed")
        shop.world.advance(minutes=1)
        assert counts(shop, row(ANN, "complaint")) == (0, 1)
        assert profile_of(shop, ANN)["emailMarketingConsent"] == "unsubscribed"

    def test_hundred_rows_of_known_and_unknown_people(self, shop: Shop) -> None:
        emails = [f"a{number}.{CANARY}@example.com" for number in range(100)]
        people = [upserted(shop, email=email) for email in emails[:20]]
        for person in people:
            consent(shop, person, "subscribed")
        reasons = ["hard_bounce", "complaint", "manual", "invalid"]
        rows = [row(email, reasons[n % 4]) for n, email in enumerate(emails)]
        assert counts(shop, *rows) == (100, 0)
        assert reachable(shop, "email") == set()
        lists = SuppressionLists(shop.workspace)
        assert faults(lists.in_force) == []
        assert counts(shop, *rows) == (0, 100)


class TestBody:
    """What is wrong with the request as a whole."""

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, ["/suppressions"]),
            ({"suppressions": []}, ["/suppressions"]),
            ({"suppressions": [row(ANN)] * 501}, ["/suppressions"]),
            ({"suppressions": [row(ANN)], "source": "import"}, ["/source"]),
        ],
    )
    def test_bad_input(self, shop: Shop, body: object, paths: list[str]) -> None:
        assert call(shop, "POST", "/suppressions/import", body).error_paths() == paths
        assert listed(shop) == []

    def test_too_large_body_is_refused(self, shop: Shop) -> None:
        body = b'{"suppressions":[0]}' + b" " * BODY_BYTES
        path, token = "/suppressions/import", shop.owner.token
        answer = shop.world.call("POST", path, token=token, body=body)
        assert answer.problem() == (413, "payload_too_large")


BAD_ROWS: list[tuple[object, str, str]] = [
    (7, "not_an_object", "JSON object"),
    ({**row(ANN), "source": "ses"}, "unknown_field", "alone"),
    ({"address": ANN, "reason": "manual"}, "channel_invalid", "`sms`"),
    ({**row(ANN), "channel": "fax"}, "channel_invalid", "`sms`"),
    ({"channel": "email", "reason": "manual"}, "address_invalid", "name@example.com"),
    ({**row(ANN), "address": "ann at example"}, "address_invalid", "name@example.com"),
    ({**row(PHONE), "address": "0660 1234567"}, "address_invalid", "country code"),
    ({"channel": "email", "address": ANN}, "reason_invalid", "`complaint`"),
    (row(ANN, "bounce"), "reason_invalid", "`hard_bounce`"),
    (row(ANN, note="n" * 256), "note_invalid", "255"),
]


class TestFailedRows:
    """Rows that can't be read fail alone, with what mends them."""

    @pytest.mark.parametrize(("bad", "code", "remedy"), BAD_ROWS)
    def test_invalid_row_fails_without_affecting_others(
        self, shop: Shop, bad: object, code: str, remedy: str
    ) -> None:
        answer = send(shop, [row(BEN), bad, row(CAT)])
        [failed] = answer.json["failed"]
        assert answer.json == {"created": 2, "known": 0, "failed": [failed]}
        assert (failed["index"], failed["code"]) == (1, code)
        assert remedy in failed["detail"]
        assert sorted(addresses_of(listed(shop))) == [BEN, CAT]

    def test_every_error_code_is_tested(self) -> None:
        assert {code for _, code, _ in BAD_ROWS} == {fault.value for fault in SuppressionFault}

    def test_response_does_not_echo_row_content(self, shop: Shop) -> None:
        bad = [row(f"{CANARY} at example"), {**row(BEN), CANARY: CANARY}, row(BEN, CANARY)]
        answer = send(shop, bad)
        assert len(answer.json["failed"]) == 3
        assert CANARY.encode() not in answer.body


class TestRetriesAndRaces:
    """Repeated, interrupted, and with concurrent writers."""

    def test_replay(self, shop: Shop) -> None:
        rows = [row(ANN), row(BEN)]
        first, second = (send(shop, rows, key=KEY) for _ in range(2))
        assert first.json == second.json == {"created": 2, "known": 0, "failed": []}

    def test_killed_at_any_call(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        """The import takes two transactions, and continues after the first."""
        monkeypatch.setattr(importing, "ROOM", 12)
        person = upserted(shop, email=ANN, phone=PHONE)
        rows = [row(ANN, "complaint"), row(PHONE), row(BEN), row(CAT, "invalid")]
        expected = {"created": 4, "known": 0, "failed": []}
        found = crashes(shop.world, lambda: send(shop, rows, key=KEY))
        assert len(found.found) >= 3
        for positions in found:
            shop.world.advance(**{"minutes": 5})
            answer = until_answered(shop.world, lambda: send(shop, rows, key=KEY))
            assert answer.json == expected, positions
            assert len(listed(shop)) == 4
            assert len(history_of(shop, person)) == 1
            assert marks(shop, person) == {"email", "sms"}

    def test_profile_created_concurrently_is_marked(self, shop: Shop) -> None:
        with shop.world.meanwhile(lambda _: upserted(shop, email=ANN)):
            assert counts(shop, row(ANN), row(BEN)) == (2, 0)
        assert marks(shop, profile_of(shop, ANN)) == {"email"}

    def test_suppression_created_concurrently_counts_as_known(self, shop: Shop) -> None:
        with shop.world.meanwhile(lambda _: suppressed(shop, ANN, SuppressionReason.MANUAL)):
            assert counts(shop, row(ANN), row(BEN)) == (1, 1)
        assert len(listed(shop)) == 2

    def test_concurrent_lift_of_other_reason(self, shop: Shop) -> None:
        made = create(shop, ANN)
        with before_the_commit(lambda: lift(shop, made)):
            assert counts(shop, row(ANN, "invalid")) == (1, 0)
        [remaining] = listed(shop)
        assert remaining["reason"] == "invalid"
        assert marks(shop, upserted(shop, email=ANN)) == {"email"}
        assert remaining["createdAt"] >= clock.to_text(clock.now() - timedelta(minutes=1))
