"""Evidence of consent of erased people: deleted, or sealed for as long as the workspace says.

Also the log's lines: who read evidence, exported and erased people.
"""

from typing import Any
from uuid import UUID

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.people.consent.evidence_items import EvidenceItem, evidence_in
from storepost.people.consent.items import ConsentChangeItem
from storepost.people.consent.sealed_evidence import SealedEvidenceItem
from storepost.people.profiles import erasing
from storepost.values import logs
from tests.harness.crash_points import crashes
from tests.lifecycle.erasures.scenario import ANN, CAT, Place
from tests.lifecycle.erasures.test_erasure import personal

SETTINGS, OPEN = "/consent/settings", "/consent/erased-evidence"
FORM = {"text": "I want news.", "url": "https://shop.example.com/form-2026"}


def keep(place: Place, days: int) -> None:
    """The workspace sets how long evidence is kept."""
    answer = place.call("PUT", SETTINGS, {"evidenceRetentionDays": days})
    assert (answer.status, answer.json) == (200, {"evidenceRetentionDays": days})


def opened(place: Place, address: str = ANN, channel: str = "email") -> list[dict[str, Any]]:
    """The opened evidence of an erased person's address."""
    answer = place.call("POST", OPEN, {"channel": channel, "address": address})
    assert answer.status == 200, answer.body
    return list(answer.json["items"])


def statements(place: Place) -> int:
    """How many statements there are, in rows of their own and in those of changes."""
    rows = place.world.rows()
    changes = [row for row in rows if isinstance(row, ConsentChangeItem)]
    return sum(isinstance(row, EvidenceItem) for row in rows) + sum(
        map(bool, map(evidence_in, changes))
    )


def sealed(place: Place) -> int:
    """How many sealed statements there are."""
    return sum(isinstance(row, SealedEvidenceItem) for row in place.world.rows())


class TestSettings:
    def test_retention_is_zero_by_default(self, place: Place) -> None:
        assert place.get(SETTINGS) == {"evidenceRetentionDays": 0}
        keep(place, 30)
        assert place.get(SETTINGS) == {"evidenceRetentionDays": 30}

    @pytest.mark.parametrize("days", [-1, 3651, "7", 1.5, None, True])
    def test_invalid_days_are_refused(self, place: Place, days: object) -> None:
        answer = place.call("PUT", SETTINGS, {"evidenceRetentionDays": days})
        assert answer.error_paths() == ["/evidenceRetentionDays"]


class TestErasure:
    def test_all_evidence_is_deleted_by_default(self, place: Place) -> None:
        person = place.somebody()
        assert statements(place) > 0
        assert place.erase(person).status == 204
        place.world.deliver()
        assert statements(place) == sealed(place) == 0
        assert opened(place) == []

    def test_evidence_beyond_one_transaction_is_sealed(
        self, place: Place, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(erasing, "_MAX_CHANGES", 2)
        keep(place, 7)
        person = place.somebody()
        for number in range(5):
            proof = {"reference": f"form-2026-{number}"}
            assert place.consent(person, "subscribed", proof=proof).status == 200
        assert place.erase(person).status == 204
        place.world.deliver()
        assert statements(place) == 0
        assert len(opened(place)) == 6

    def test_sealed_evidence_can_be_read_only_with_the_address(self, place: Place) -> None:
        keep(place, 7)
        person = place.somebody()
        proof = {"reference": "form-2026", "ip": "198.51.100.7"}
        statement = place.consent(person, "subscribed", proof=proof, evidence=FORM)
        assert statement.status == 200
        stored = place.get(f"/profiles/{person}/consent/evidence", pageSize=100)["items"]
        assert place.erase(person).status == 204
        place.world.deliver()
        assert (place.traces(), personal(place)) == ([], [])
        assert opened(place) == [each for each in stored if each["address"] == ANN]
        assert opened(place, CAT) == [each for each in stored if each["address"] == CAT]
        assert opened(place)[0]["text"] == FORM["text"]
        assert opened(place, "nobody@example.com") == []

    def test_sealed_evidence_expires(self, place: Place) -> None:
        keep(place, 7)
        assert place.erase(place.somebody()).status == 204
        place.world.deliver()
        [*rows] = (row for row in place.world.rows() if isinstance(row, SealedEvidenceItem))
        assert all(row.expiration is not None for row in rows)
        place.world.advance(days=6)
        assert opened(place)
        place.world.advance(days=1, minutes=5)
        assert opened(place) == []

    def test_worker_killed_at_any_call(self, place: Place) -> None:
        keep(place, 7)
        person = place.somebody()
        stored = place.get(f"/profiles/{person}/consent/evidence")["total"]
        assert place.erase(person).status == 204
        for positions in crashes(place.world, lambda: place.work(person), deliver=False):
            place.work(person)
            assert statements(place) == 0, positions
            assert sealed(place) == stored, positions

    def test_returning_person_has_no_former_evidence(self, place: Place) -> None:
        person = place.somebody()
        assert place.erase(person).status == 204
        anew = place.upsert(email=ANN)["id"]
        assert place.consent(anew, "subscribed").status == 200
        assert place.get(f"/profiles/{anew}/consent/evidence")["total"] == 1
        place.world.deliver()
        assert place.get(f"/profiles/{anew}/consent/evidence")["total"] == 1

    def test_statement_from_before_erasure_leaves_no_evidence(self, place: Place) -> None:
        person = place.somebody()
        assert place.erase(person).status == 204
        place.world.deliver()
        consent = {
            "emailMarketingConsent": "subscribed",
            "emailMarketingConsentUpdatedAt": "2020-01-01T00:00:00Z",
        }
        assert place.customer(place.shop, "cust-ann", 3, email=ANN, **consent).status == 201
        assert statements(place) == 0


class TestOpening:
    def test_invalid_address_is_refused(self, place: Place) -> None:
        for channel, address in (("email", "x"), ("sms", ANN)):
            answer = place.call("POST", OPEN, {"channel": channel, "address": address})
            assert answer.error_paths() == ["/address"]


class TestLog:
    @pytest.fixture
    def lines(self, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, str]]]:
        """What is logged beside the requests' own lines."""
        found: list[tuple[str, dict[str, str]]] = []
        plain = logs.logger.info

        def note(message: str, *args: Any, extra: Any = None, **more: Any) -> None:
            if message != "request":
                found.append((message, dict(extra or {})))
            plain(message, *args, extra=extra, **more)

        monkeypatch.setattr(logs.logger, "info", note)
        return found

    def test_reads_exports_and_erasures_are_logged(
        self, place: Place, lines: list[tuple[str, dict[str, str]]]
    ) -> None:
        person = place.somebody()
        [merged] = place.ids(f"/profiles/{person}/merges", "mergedProfileId")
        place.get(f"/profiles/{person}/consent/evidence")
        place.get(f"/profiles/{merged}/export")
        place.erase(merged)
        opened(place)
        by = {"personId": str(place.owner.id)}
        assert lines == [
            ("consent evidence read", {"profileId": person, **by}),
            ("profile exported", {"profileId": person, **by}),
            ("profile erased", {"profileId": person, **by}),
            ("erased consent evidence opened", by),
        ]

    def test_api_key_is_logged_by_id(
        self, place: Place, lines: list[tuple[str, dict[str, str]]]
    ) -> None:
        person = place.upsert(email=ANN)["id"]
        key = place.world.api_key(place.workspace, KeyScope.WRITE, place.owner)
        path = f"/profiles/{person}/consent/evidence"
        assert place.world.call("GET", path, token=key).status == 200
        [(_, statement)] = lines
        assert set(statement) == {"profileId", "keyId"}
        assert UUID(statement["keyId"])

    def test_refused_requests_are_not_logged(
        self, place: Place, lines: list[tuple[str, dict[str, str]]]
    ) -> None:
        person = place.upsert(email=ANN)["id"]
        member = place.world.member(place.workspace)
        for method, what in (("GET", "/consent/evidence"), ("GET", "/export"), ("DELETE", "")):
            assert member.call(method, f"/profiles/{person}{what}").status == 403
        assert lines == []
