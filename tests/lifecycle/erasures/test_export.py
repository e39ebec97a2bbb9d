"""GET /profiles/{id}/export."""

from typing import Any

import pytest

from storepost.lifecycle.exports import service
from tests.lifecycle.erasures.scenario import ANN, CAT, Place

SECTIONS = (
    "identities",
    "customers",
    "merges",
    "consentChanges",
    "consentEvidence",
    "suppressions",
    "optInRequests",
    "events",
    "orders",
    "couponCodes",
)


def export(place: Place, person: str) -> dict[str, Any]:
    """The export of a person."""
    found: dict[str, Any] = place.get(f"/profiles/{person}/export")
    return found


class TestExport:
    """The answer."""

    def test_erased_id(self, place: Place) -> None:
        erased = place.upsert(email=ANN)["id"]
        place.erase(erased)
        assert place.call("GET", f"/profiles/{erased}/export").problem() == (404, "not_found")

    @pytest.mark.parametrize("after_move", [False, True])
    def test_all_sections_equal_their_lists(self, place: Place, after_move: bool) -> None:
        """Each section equals its own list, with whole orders, also before a merge's worker ran."""
        person = place.somebody()
        form = {"proof": {"reference": "form-2026"}}
        assert place.call("POST", f"/profiles/{person}/opt-in-requests", form).status == 202
        if after_move:
            place.world.deliver()
        found = export(place, person)
        assert set(found) == {"exportedAt", "complete", "profile", *SECTIONS}
        assert found["complete"] is True
        assert found["profile"] == place.get(f"/profiles/{person}")
        lists = {
            "identities": f"/profiles/{person}/identities",
            "customers": f"/profiles/{person}/customers",
            "merges": f"/profiles/{person}/merges",
            "consentChanges": f"/profiles/{person}/consent",
            "consentEvidence": f"/profiles/{person}/consent/evidence",
            "optInRequests": f"/profiles/{person}/opt-in-requests",
            "events": f"/profiles/{person}/events",
        }
        for section, path in lists.items():
            listed = place.get(path, pageSize=100)
            assert found[section] == {"items": listed["items"], "total": listed["total"]}
            assert listed["total"] > 0
        ids = place.ids("/orders", profileId=person)
        orders = [place.get(f"/orders/{order}") for order in ids]
        assert found["orders"] == {"items": orders, "total": 2}
        assert found["couponCodes"] == {"items": [], "total": 0}
        assert {change["address"] for change in found["consentChanges"]["items"]} == {ANN, CAT}
        assert "198.51.100.7" in {
            change["proof"]["ip"] for change in found["consentChanges"]["items"]
        }

    def test_merged_id_exports_survivor(self, place: Place) -> None:
        person = place.somebody()
        [merged] = place.ids(f"/profiles/{person}/merges", "mergedProfileId")
        by_merged, itself = export(place, merged), export(place, person)
        assert by_merged["profile"] == itself["profile"]

    def test_profile_with_one_identity(self, place: Place) -> None:
        found = export(place, place.upsert(anonymousId="b")["id"])
        totals = {section: found[section]["total"] for section in SECTIONS}
        assert totals == {**dict.fromkeys(SECTIONS, 0), "identities": 1}
        assert found["complete"] is True

    def test_rows_beyond_limit_are_left_out(
        self, place: Place, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(service, "MAX_ROWS", 2)
        monkeypatch.setattr(service, "_AT_ONCE", 1)
        person = place.somebody()
        place.order(place.shop, "3", 2, buyer={"email": ANN})
        found = export(place, person)
        newest = place.ids("/orders", profileId=person)[:2]
        assert [order["id"] for order in found["orders"]["items"]] == newest
        assert (found["orders"]["total"], found["complete"]) == (3, False)
        assert (len(found["identities"]["items"]), found["identities"]["total"]) == (2, 7)

    def test_bytes_beyond_limit_are_left_out(
        self, place: Place, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        person = place.somebody()
        whole = place.call("GET", f"/profiles/{person}/export")
        monkeypatch.setattr(service, "MAX_BYTES", len(whole.body) // 2)
        cut = place.call("GET", f"/profiles/{person}/export")
        assert len(cut.body) < len(whole.body)
        assert cut.json["complete"] is False
        assert cut.json["orders"] == {"items": [], "total": 2}
        assert cut.json["identities"] == whole.json["identities"]
