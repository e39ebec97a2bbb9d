"""POST /consent/import."""

from datetime import timedelta
from typing import Any

import pytest

from local import functions
from local.functions import Context
from storepost.api.http.app import BODY_BYTES, LARGE_BODY_BYTES
from storepost.people.consent_changes import importing
from storepost.people.consent_changes.import_schemas import ChangeFault
from storepost.platform.persistence.changes import MAX_RUNS, Changes, LostRace, TooManyWrites
from storepost.platform.persistence.idempotency import RecordItem
from storepost.platform.persistence.ledger import Ledger
from storepost.values import clock
from tests.harness.call_interruption import before_the_commit, counted
from tests.harness.world import CANARY
from tests.people.consent.imports import (
    ANN,
    BEN,
    CAT,
    PROOF,
    at,
    check_lists,
    counts,
    history_of,
    profile_of,
    put_customer,
    row,
    send,
    total,
    upserted,
)
from tests.people.consent.listening_store import PHONE, Shop


class TestCaller:
    """W: a `write` key or a member."""

    def test_import_does_not_affect_other_workspaces(self, shop: Shop) -> None:
        stranger = shop.world.person()
        shop.world.workspace(stranger)
        own = upserted(shop, email=ANN)
        assert send(shop, [row(ANN)], token=stranger.token).json["recorded"] == 1
        assert profile_of(shop, ANN)["emailMarketingConsent"] == "not_subscribed"
        assert history_of(shop, own) == []


class TestBody:
    """What is wrong with the request as a whole."""

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, ["/changes"]),
            ({"changes": None}, ["/changes"]),
            ({"changes": row(ANN)}, ["/changes"]),
            ({"changes": []}, ["/changes"]),
            ({"changes": [row(ANN)], "source": "import"}, ["/source"]),
            ({"changes": [row(ANN)] * 501}, ["/changes"]),
        ],
    )
    def test_bad_input(self, shop: Shop, body: object, paths: list[str]) -> None:
        assert shop.owner.call("POST", "/consent/import", body).error_paths() == paths
        assert total(shop) == 0

    @pytest.mark.parametrize(
        ("size", "status"),
        [(BODY_BYTES + 1, 200), (LARGE_BODY_BYTES, 200), (LARGE_BODY_BYTES + 1, 413)],
    )
    def test_body_limit_is_five_megabytes(self, shop: Shop, size: int, status: int) -> None:
        start = b'{"changes":[0]}'
        body = start + b" " * (size - len(start))
        answer = shop.owner.call("POST", "/consent/import", body=body)
        assert answer.status == status
        if status == 413:
            assert answer.problem() == (413, "payload_too_large")
            assert "5 MB" in answer.json["detail"]


BAD_ROWS: list[tuple[object, str, str]] = [
    (7, "not_an_object", "JSON object"),
    (None, "not_an_object", "JSON object"),
    ([row(ANN)], "not_an_object", "JSON object"),
    ({**row(ANN), "name": "Ann"}, "unknown_field", "alone"),
    ({"state": "subscribed", "occurredAt": at(0)}, "address_missing", "`email` or a `phone`"),
    ({**row(ANN), "email": None}, "address_missing", "`email` or a `phone`"),
    ({**row(ANN), "email": ""}, "address_missing", "`email` or a `phone`"),
    ({**row(ANN), "email": "null"}, "address_missing", "`email` or a `phone`"),
    ({**row(ANN), "phone": PHONE}, "address_ambiguous", "two changes"),
    (row("ann at example"), "email_invalid", "name@example.com"),
    (row("a" * 250 + "@example.com"), "email_invalid", "name@example.com"),
    ({**row(ANN), "email": 7}, "email_invalid", "name@example.com"),
    (row("+43"), "phone_invalid", "country code"),
    ({"phone": "0660 1234567", "state": "subscribed", "occurredAt": at(0)}, "phone_invalid", "+1"),
    (row(ANN, "pending"), "state_invalid", "`unsubscribed`"),
    (row(ANN, "not_subscribed"), "state_invalid", "leave out"),
    ({"email": ANN, "occurredAt": at(0)}, "state_invalid", "`subscribed`"),
    ({"email": ANN, "state": "subscribed"}, "occurred_at_invalid", "occurredAt"),
    ({**row(ANN), "occurredAt": None}, "occurred_at_invalid", "occurredAt"),
    ({**row(ANN), "occurredAt": "2025-01-01"}, "occurred_at_invalid", "offset"),
    ({**row(ANN), "occurredAt": "2025-01-01T00:00:00"}, "occurred_at_invalid", "offset"),
    ({**row(ANN), "occurredAt": "0001-01-01T00:00:00+02:00"}, "occurred_at_invalid", "offset"),
    (row(ANN, proof={}), "proof_invalid", "`reference`"),
    (row(ANN, proof="form 7"), "proof_invalid", "`reference`"),
    (row(ANN, proof={"reference": "r" * 201}), "proof_invalid", "200"),
    (row(ANN, proof={"reference": "r", "ip": "1" * 65}), "proof_invalid", "IPv6"),
    (row(ANN, proof={"reference": "r", "ip": "the shop's"}), "proof_invalid", "IPv4"),
    (row(ANN, proof={"reference": "r", "userAgent": "u" * 1001}), "proof_invalid", "1,000"),
    (row(ANN, proof={"reference": "r", "userId": "u"}), "proof_invalid", "besides"),
    (row(ANN, evidence={"text": "x" * 4001}), "evidence_invalid", "4,000"),
    (row(ANN, evidence={"url": "ftp://example.com"}), "evidence_invalid", "`url`"),
    (row(ANN, evidence={"optInLevel": "double"}), "evidence_invalid", "`confirmed`"),
    (row(ANN, evidence={"form": 1}), "evidence_invalid", "`text`"),
    (row(ANN, evidence=7), "evidence_invalid", "`evidence`"),
]


class TestFailedRows:
    """Rows that can't be read fail alone, with what mends them."""

    @pytest.mark.parametrize(("bad", "code", "remedy"), BAD_ROWS)
    def test_invalid_row_fails_without_affecting_others(
        self, shop: Shop, bad: object, code: str, remedy: str
    ) -> None:
        answer = send(shop, [row(BEN), bad, row(CAT)])
        assert answer.status == 200
        [failed] = answer.json["failed"]
        assert answer.json == {"recorded": 2, "unchanged": 0, "older": 0, "failed": [failed]}
        assert (failed["index"], failed["code"]) == (1, code)
        assert remedy in failed["detail"]
        assert total(shop) == 2

    def test_every_error_code_is_tested(self) -> None:
        assert {code for _, code, _ in BAD_ROWS} == {fault.value for fault in ChangeFault}

    def test_detail_names_every_invalid_field(self, shop: Shop) -> None:
        [failed] = send(shop, [{"email": "x", "state": "maybe", "proof": 1}]).json["failed"]
        assert failed["code"] == "email_invalid"
        for field in ("email", "state", "occurredAt", "proof"):
            assert f"`{field}`" in failed["detail"]
        assert "phone" not in failed["detail"]

    def test_response_does_not_echo_row_content(self, shop: Shop) -> None:
        bad = [row(f"{CANARY} at example"), {**row(ANN), CANARY: CANARY}, row(ANN, CANARY)]
        answer = send(shop, bad)
        assert [failed["index"] for failed in answer.json["failed"]] == [0, 1, 2]
        assert CANARY not in answer.body.decode()

    def test_longest_response_is_stored_for_replay(self, shop: Shop) -> None:
        """A row of DynamoDB holds 400 KB."""
        worst = {"email": "x", "phone": "y", "state": 1, "proof": 1, "more": 1}
        first = send(shop, [worst] * 500, key="k")
        assert first.status == 200
        assert len(first.json["failed"]) == 500
        [stored] = RecordItem.scan()
        assert len(stored.answer or "") < 350_000
        again = send(shop, [worst] * 500, key="k")
        assert (again.body, again.header("idempotency-replayed")) == (first.body, "true")

    def test_empty_address_counts_as_missing(self, shop: Shop) -> None:
        assert counts(shop, {**row(ANN), "phone": ""}, {**row(PHONE), "email": None}) == (2, 0, 0)


class TestEffectiveState:
    """The latest `occurredAt`; at one moment `unsubscribed`."""

    def test_unchanged_state_records_nothing(self, shop: Shop) -> None:
        counts(shop, row(ANN))
        profile, history = profile_of(shop, ANN), history_of(shop, profile_of(shop, ANN))
        assert counts(shop, row(ANN), row(ANN, minutes=5), row(ANN, minutes=-5)) == (0, 3, 0)
        assert profile_of(shop, ANN) == profile
        assert history_of(shop, profile) == history

    def test_unchanged_state_raises_as_of(self, shop: Shop) -> None:
        counts(shop, row(ANN, proof=PROOF))
        counts(shop, row(ANN, minutes=9, proof=PROOF))
        assert counts(shop, row(ANN, "unsubscribed", 5)) == (0, 0, 1)
        assert profile_of(shop, ANN)["emailMarketingConsent"] == "subscribed"

    def test_older_statement_is_only_recorded_in_history(self, shop: Shop) -> None:
        store_id = shop.store()
        put_customer(shop, store_id, email=ANN)
        counts(shop, row(ANN, "unsubscribed", 9))
        messages = shop.queued()
        assert counts(shop, row(ANN, "subscribed", 5)) == (0, 0, 1)
        assert profile_of(shop, ANN)["emailMarketingConsent"] == "unsubscribed"
        assert shop.queued() == messages
        old, holding = history_of(shop, profile_of(shop, ANN))
        assert (old["state"], old["occurredAt"]) == ("subscribed", at(5))
        assert (holding["state"], holding["occurredAt"]) == ("unsubscribed", at(9))
        [write_back] = old["writeBacks"]
        assert (write_back["status"], write_back["skipReason"]) == ("skipped", "superseded")

    @pytest.mark.parametrize("turned", [False, True])
    def test_unsubscribed_wins_at_same_time(self, shop: Shop, turned: bool) -> None:
        rows = [row(ANN, "subscribed", 5), row(ANN, "unsubscribed", 5)]
        rows = rows[::-1] if turned else rows
        assert counts(shop, *rows) == ((1, 0, 1) if turned else (2, 0, 0))
        assert profile_of(shop, ANN)["emailMarketingConsent"] == "unsubscribed"

    @pytest.mark.parametrize("turned", [False, True])
    def test_future_times_count_as_now(self, shop: Shop, turned: bool) -> None:
        """All future moments count as one moment, in any order."""
        soon = [clock.to_text(clock.now() + timedelta(hours=hours)) for hours in (1, 2)]
        rows = [
            {**row(ANN, "unsubscribed"), "occurredAt": soon[0]},
            {**row(ANN, "subscribed"), "occurredAt": soon[1]},
        ]
        before = clock.to_text(clock.now())
        counts(shop, *(rows[::-1] if turned else rows))
        profile = profile_of(shop, ANN)
        assert profile["emailMarketingConsent"] == "unsubscribed"
        for change in history_of(shop, profile):
            assert before <= change["occurredAt"] <= change["recordedAt"]

    def test_later_request_overrides_import_dated_in_future(self, shop: Shop) -> None:
        soon = clock.to_text(clock.now() + timedelta(days=1))
        counts(shop, {**row(ANN), "occurredAt": soon})
        shop.world.advance(seconds=1)
        path = f"/profiles/{profile_of(shop, ANN)['id']}/consent/email"
        answer = shop.owner.call("PUT", path, {"state": "unsubscribed"})
        assert answer.json["state"] == "unsubscribed"

    def test_year_one_is_accepted_as_time(self, shop: Shop) -> None:
        never = {**row(ANN), "occurredAt": "0001-01-01T00:00:00Z"}
        assert counts(shop, never) == (1, 0, 0)
        assert counts(shop, row(ANN, "unsubscribed")) == (1, 0, 0)
        [_, first] = history_of(shop, profile_of(shop, ANN))
        assert first["occurredAt"] == "0001-01-01T00:00:00.000Z"


class TestMany:
    """As many as a request takes, in as many transactions as they need."""

    @pytest.fixture(autouse=True)
    def _no_hurry(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """moto is slower than DynamoDB, and a busy machine is slower still."""
        monkeypatch.setattr(functions, "Context", lambda name, _: Context(name, 3_600_000))

    def rows(self, state: str, minutes: int) -> list[dict[str, Any]]:
        """The rows of 500 people."""
        return [row(f"p{n * 7919 % 1000}.{CANARY}@example.com", state, minutes) for n in range(500)]

    def test_five_hundred_people(self, shop: Shop) -> None:
        """New, known, and the same again; with so many calls at most."""
        new = counted(lambda: counts(shop, *self.rows("subscribed", 0)))
        assert total(shop) == total(shop, emailMarketingConsent="subscribed") == 500
        check_lists(shop)
        known = counted(lambda: counts(shop, *self.rows("unsubscribed", 1)))
        assert total(shop) == total(shop, emailMarketingConsent="unsubscribed") == 500
        check_lists(shop)
        again = counted(lambda: counts(shop, *self.rows("unsubscribed", 1)))
        assert len(new) < 600
        assert len(known) < 150
        assert len(again) < 30

    def test_five_hundred_statements_about_one_address(self, shop: Shop) -> None:
        states = ["subscribed", "unsubscribed"]
        rows = [row(ANN, states[n % 2], n, proof=PROOF) for n in range(500)]
        assert counts(shop, *rows) == (500, 0, 0)
        profile = profile_of(shop, ANN)
        assert profile["emailMarketingConsent"] == "unsubscribed"
        listed = shop.owner.call("GET", f"/profiles/{profile['id']}/consent").json
        assert listed["total"] == 500
        newest = [at(n) for n in range(499, 474, -1)]
        assert [change["occurredAt"] for change in listed["items"]] == newest

    def test_rows_exceeding_one_transaction(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(importing, "ROOM", 400)
        emails = [f"p{number}.{CANARY}@example.com" for number in range(60)]
        assert counts(shop, *map(row, emails)) == (60, 0, 0)
        assert total(shop, emailMarketingConsent="subscribed") == 60
        check_lists(shop)

    def test_row_too_large_for_transaction_ends_in_internal_error(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tried: list[dict[int, str]] = []

        def refuse(_ledger: Ledger, _changes: Changes, outcomes: dict[int, str]) -> None:
            tried.append(outcomes)
            raise TooManyWrites

        monkeypatch.setattr(Ledger, "commit", refuse)
        answer = send(shop, [row(f"p{number}.{CANARY}@example.com") for number in range(12)])
        assert answer.problem() == (500, "internal")
        sizes = [len(outcomes) for outcomes in tried]
        assert sizes[-1] == 1
        assert sizes == sorted(sizes, reverse=True)


class TestRaces:
    """Other writers change the same people meanwhile."""

    def test_concurrent_imports_of_one_address(self, shop: Shop) -> None:
        between: list[tuple[int, int, int]] = []
        with before_the_commit(
            lambda: between.append(counts(shop, row(ANN, "unsubscribed", 5), row(CAT)))
        ):
            assert counts(shop, row(ANN), row(BEN), row(CAT)) == (1, 1, 1)
        assert between == [(2, 0, 0)]
        assert total(shop) == 3
        profile = profile_of(shop, ANN)
        assert profile["emailMarketingConsent"] == "unsubscribed"
        assert [each["state"] for each in history_of(shop, profile)] == [
            "subscribed",
            "unsubscribed",
        ]
        check_lists(shop)

    def test_concurrent_request_of_the_person_wins(self, shop: Shop) -> None:
        """The person's request of now is later than the imported statement."""
        profile = upserted(shop, email=ANN)
        path, body = f"/profiles/{profile['id']}/consent/email", {"state": "unsubscribed"}

        def unsubscribe() -> None:
            assert shop.owner.call("PUT", path, body).status == 200

        with before_the_commit(unsubscribe):
            assert counts(shop, row(ANN), row(BEN)) == (1, 0, 1)
        assert profile_of(shop, ANN)["emailMarketingConsent"] == "unsubscribed"

    def test_repeated_lost_races_end_in_conflict_and_can_be_resumed(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A conflict; recorded rows stay recorded, and the retry continues with the others."""
        monkeypatch.setattr(importing, "ROOM", 16)
        rows = [row(ANN), row(BEN), row(CAT)]
        with monkeypatch.context() as patched:
            plain, commits = Ledger.commit, list[int]()

            def lose_all_but_one(ledger: Ledger, *arguments: Any) -> None:
                commits.append(1)
                if len(commits) > 1:
                    raise LostRace
                plain(ledger, *arguments)

            patched.setattr(Ledger, "commit", lose_all_but_one)
            assert send(shop, rows, key="k").problem() == (409, "conflict")
        assert len(commits) == 1 + 1 + MAX_RUNS
        assert total(shop) == 2
        assert counts(shop, *rows, key="k") == (3, 0, 0)
        assert total(shop) == 3


class TestRetries:
    """`idempotency-key`."""

    def test_replay(self, shop: Shop) -> None:
        rows = [row(ANN), row(ANN, "unsubscribed", -1), row(BEN), 7]
        first = send(shop, rows, key="k")
        assert first.json["failed"][0]["index"] == 3
        history = history_of(shop, profile_of(shop, ANN))
        again = send(shop, rows, key="k")
        assert (again.status, again.body) == (200, first.body)
        assert again.header("idempotency-replayed") == "true"
        assert history_of(shop, profile_of(shop, ANN)) == history
        other = send(shop, rows[:1], key="k")
        assert other.problem() == (422, "idempotency_key_reused")

    def test_repeat_without_key_is_unchanged(self, shop: Shop) -> None:
        rows = [row(ANN), row(BEN, "unsubscribed")]
        assert counts(shop, *rows) == (2, 0, 0)
        assert counts(shop, *rows) == (0, 2, 0)
        assert total(shop) == 2
        assert len(history_of(shop, profile_of(shop, ANN))) == 1
