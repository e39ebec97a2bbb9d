"""The operations on suppressions."""

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.accounts.workspaces.model import Role
from storepost.people.suppressions.model import SuppressionReason
from storepost.people.suppressions.trees import SuppressionLists
from storepost.platform.persistence.counted_tree import scanning
from storepost.platform.persistence.counted_tree.checking import faults
from storepost.values import clock
from tests.harness.engines import engine
from tests.harness.receiver import Receiver
from tests.harness.world import BASE_URL, CANARY
from tests.people.consent.customers_of_stores import put_customer, received, send_write_backs
from tests.people.consent.imports import ANN, BEN, CAT, history_of, upserted
from tests.people.consent.listening_store import PHONE, Shop
from tests.people.suppressions.suppression_requests import (
    addresses_of,
    call,
    channel_of,
    create,
    get,
    lift,
    listed,
    row,
)
from tests.people.suppressions.test_suppress import bounced, marks

REASONS = [each.value for each in SuppressionReason]


class TestCreate:
    """POST /suppressions."""

    @pytest.mark.parametrize("address", [ANN, PHONE])
    @pytest.mark.parametrize("reason", REASONS)
    def test_new_is_201_and_repeated_is_200(self, shop: Shop, address: str, reason: str) -> None:
        before = clock.to_text(clock.now())
        answer = call(shop, "POST", "/suppressions", row(address, reason, note="as asked"))
        made = answer.json
        assert (answer.status, answer.header("location")) == (
            201,
            f"{BASE_URL}/suppressions/{made['id']}",
        )
        assert made == {
            "id": made["id"],
            "channel": channel_of(address),
            "address": address,
            "reason": reason,
            "source": "manual",
            "note": "as asked",
            "by": shop.owner.name,
            "createdAt": made["createdAt"],
            "endsAt": None,
            "liftedAt": None,
            "liftedBy": None,
            "liftNote": None,
        }
        assert before <= made["createdAt"] <= clock.to_text(clock.now())
        again = call(shop, "POST", "/suppressions", row(address, reason, note="another"))
        assert (again.status, again.json) == (200, made)
        assert get(shop, made) == made
        assert listed(shop) == [made]

    def test_source_is_api_for_key(self, shop: Shop) -> None:
        secret = shop.world.api_key(shop.workspace, KeyScope.WRITE)
        made = call(shop, "POST", "/suppressions", row(ANN), token=secret).json
        assert (made["source"], made["by"]) == ("api", shop.world.key_of(secret).name)

    def test_address_is_normalized(self, shop: Shop) -> None:
        made = create(shop, ANN)
        assert create(shop, f"  {ANN.upper()} ") == made
        assert made["address"] == ANN

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, ["/channel", "/address", "/reason"]),
            ({**row(ANN), "channel": "fax"}, ["/channel"]),
            ({**row(ANN), "address": "ann at example"}, ["/address"]),
            ({**row(PHONE), "address": ANN}, ["/address"]),
            ({**row(ANN), "address": f"{'a' * 300}@example.com"}, ["/address"]),
            (row(ANN, "bounce"), ["/reason"]),
            (row(ANN, note=""), ["/note"]),
            (row(ANN, note="n" * 256), ["/note"]),
            (row(ANN, source="ses"), ["/source"]),
        ],
    )
    def test_bad_input(self, shop: Shop, body: object, paths: list[str]) -> None:
        assert call(shop, "POST", "/suppressions", body).error_paths() == paths
        assert listed(shop) == []

    def test_complaint_unsubscribes_holder_and_is_written_back(
        self, shop: Shop, listener: Receiver
    ) -> None:
        put_customer(shop, shop.store(), "a", 5, email=ANN, emailMarketingConsent="subscribed")
        send_write_backs(shop)
        listener.received.clear()
        create(shop, ANN, "complaint")
        send_write_backs(shop)
        assert received(listener) == [("unsubscribed", "a")]
        person = upserted(shop, email=ANN)
        change = history_of(shop, person)[0]
        assert (change["state"], change["source"]) == ("unsubscribed", "import")
        assert change["by"] == shop.owner.name
        assert change["proof"] == {
            "ip": None,
            "userAgent": None,
            "userId": str(shop.owner.id),
            "apiKeyId": None,
            "reference": "complaint",
        }


class TestLift:
    """DELETE /suppressions/{id}."""

    @pytest.mark.parametrize("reason", ["manual", "invalid"])
    def test_lifted_suppression_stays_in_history(self, shop: Shop, reason: str) -> None:
        made = create(shop, ANN, reason)
        other = create(shop, BEN, reason)
        answer = lift(shop, made)
        assert (answer.status, answer.body) == (204, b"")
        lifted = get(shop, made)
        assert lifted["liftedAt"] >= made["createdAt"]
        assert lifted == {**made, "liftedAt": lifted["liftedAt"], "liftedBy": shop.owner.name}
        assert listed(shop) == [other]
        assert listed(shop, lifted="true") == [lifted]

    def test_second_lift_changes_nothing(self, shop: Shop) -> None:
        made = create(shop, ANN)
        lift(shop, made, "the first")
        before = get(shop, made)
        assert lift(shop, made, "the second").status == 204
        assert get(shop, made) == before

    @pytest.mark.parametrize("reason", ["hard_bounce", "complaint"])
    def test_bounce_and_complaint_require_note(self, shop: Shop, reason: str) -> None:
        made = create(shop, ANN, reason)
        assert lift(shop, made).error_paths() == ["query.note"]
        assert lift(shop, made, "").error_paths() == ["query.note"]
        assert lift(shop, made, "n" * 256).error_paths() == ["query.note"]
        assert get(shop, made) == made
        assert lift(shop, made, "they wrote to us").status == 204
        assert get(shop, made)["liftNote"] == "they wrote to us"

    @pytest.mark.parametrize("reason", REASONS)
    def test_member_can_lift_all_but_complaint(self, shop: Shop, reason: str) -> None:
        member = shop.world.member(shop.workspace)
        key = shop.world.api_key(shop.workspace, KeyScope.WRITE, member)
        made = create(shop, ANN, reason)
        for token in (member.token, key):
            answer = lift(shop, made, "why", token=token)
            if reason == "complaint":
                assert answer.problem() == (403, "role")
                assert get(shop, made) == made
            else:
                assert answer.status == 204

    @pytest.mark.parametrize("by_key", [True, False])
    def test_admin_can_lift_complaint(self, shop: Shop, *, by_key: bool) -> None:
        admin = shop.world.member(shop.workspace, Role.ADMIN)
        key = shop.world.api_key(shop.workspace, KeyScope.WRITE, admin)
        made = create(shop, ANN, "complaint")
        assert lift(shop, made, "why", token=key if by_key else admin.token).status == 204

    def test_key_whose_maker_left_cannot_lift_complaint(self, shop: Shop) -> None:
        key = shop.world.api_key(shop.workspace, KeyScope.WRITE)
        made = create(shop, ANN, "complaint")
        assert lift(shop, made, "why", token=key).problem() == (403, "role")

    def test_concurrent_demotion_refuses_lift(self, shop: Shop) -> None:
        admin = shop.world.member(shop.workspace, Role.ADMIN)
        made = create(shop, ANN, "complaint")
        demotes = shop.world.unseating(admin, shop.workspace, demoted=True)
        with shop.world.meanwhile(demotes):
            assert lift(shop, made, "why", token=admin.token).problem() == (403, "role")
        assert get(shop, made) == made

    def test_other_reasons_remain_in_force(self, shop: Shop) -> None:
        person = upserted(shop, email=ANN)
        made, other = create(shop, ANN), create(shop, ANN, "invalid")
        lift(shop, other)
        assert listed(shop) == [made]
        assert marks(shop, person) == {"email"}
        lift(shop, made)
        assert marks(shop, person) == set()

    def test_suppressing_again_creates_new_suppression(self, shop: Shop) -> None:
        made = create(shop, ANN)
        lift(shop, made)
        again = create(shop, ANN)
        assert again["id"] != made["id"]
        assert listed(shop) == [again]
        lift(shop, made)  # that is the one before
        assert listed(shop) == [again]
        lift(shop, again)
        assert {each["id"] for each in listed(shop, lifted="true")} == {made["id"], again["id"]}

    def test_profile_created_during_lift_is_not_marked(self, shop: Shop) -> None:
        made = create(shop, ANN)
        with shop.world.meanwhile(lambda _: upserted(shop, email=ANN)):
            lift(shop, made)
        assert marks(shop, upserted(shop, email=ANN)) == set()

    def test_lift_during_profile_creation_leaves_no_mark(self, shop: Shop) -> None:
        made = create(shop, ANN)
        with shop.world.meanwhile(lambda _: lift(shop, made)):
            person = upserted(shop, email=ANN)
        assert marks(shop, person) == set()

    def test_bounce_during_lift_leaves_profile_marked(self, shop: Shop) -> None:
        person = upserted(shop, email=ANN)
        made = create(shop, ANN)
        with shop.world.meanwhile(lambda _: bounced(shop)):
            lift(shop, made)
        assert marks(shop, person) == {"email"}


class TestList:
    """GET /suppressions."""

    def test_newest_first_with_exact_totals(self, shop: Shop) -> None:
        made = [create(shop, f"a{number}@example.com") for number in range(12)]
        pages = [
            call(shop, "GET", "/suppressions", query={"page": page, "pageSize": 10}).json
            for page in (1, 2, 3)
        ]
        assert [each["total"] for each in pages] == [12, 12, 12]
        assert [len(each["items"]) for each in pages] == [10, 2, 0]
        assert [*pages[0]["items"], *pages[1]["items"]] == made[::-1]

    def test_filters(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        made = [
            create(shop, address, reason) for reason in REASONS for address in (ANN, BEN, PHONE)
        ]
        bounced(shop, CAT)
        made = listed(shop)
        for query in (
            {"channel": "email"},
            {"channel": "email,sms"},
            {"reason": "complaint"},
            {"reason": "complaint,manual"},
            {"source": "ses"},
            {"source": "manual", "reason": "hard_bounce"},
            {"source": "manual,api", "reason": "hard_bounce", "channel": "sms"},
            {"source": "import"},
        ):
            allowed = {name: value.split(",") for name, value in query.items()}
            expected = [
                each for each in made if all(each[name] in some for name, some in allowed.items())
            ]
            assert listed(shop, **query) == expected
        monkeypatch.setattr(scanning, "MAX_ROWS", 2)
        answer = call(shop, "GET", "/suppressions", query={"source": "manual", "reason": "invalid"})
        assert answer.problem() == (422, "filter_too_broad")
        assert answer.json["errors"][0]["path"] == "query.createdFrom"

    def test_filter_by_creation_time(self, shop: Shop) -> None:
        first = create(shop, ANN)
        shop.world.advance(minutes=1)
        second = create(shop, BEN)
        at = second["createdAt"]
        assert listed(shop, createdFrom=at) == [second]
        assert listed(shop, createdTo=at) == [first]
        assert listed(shop, createdFrom=at, reason="manual", source="manual") == [second]
        assert listed(shop, createdFrom=at, createdTo=at) == []

    def test_search_by_words_of_address(self, shop: Shop) -> None:
        create(shop, ANN)
        ben, phone = create(shop, BEN, "invalid"), create(shop, PHONE)
        old = create(shop, BEN)
        lift(shop, old)
        shop.world.deliver()
        assert listed(shop, q="ben") == [ben]
        assert listed(shop, q=BEN.upper()) == [ben]
        assert listed(shop, q=PHONE) == [phone]
        assert listed(shop, q=CANARY, channel="email", reason="invalid") == [ben]
        assert [each["id"] for each in listed(shop, q="ben", lifted="true")] == [old["id"]]
        assert addresses_of(listed(shop, q="example")) == [BEN, ANN]
        assert listed(shop, q="nobody") == []

    def test_erased_person_is_not_found_by_search(self, shop: Shop) -> None:
        person = upserted(shop, email=ANN)
        create(shop, ANN)
        shop.world.deliver()
        assert addresses_of(listed(shop, q="ann")) == [ANN]
        call(shop, "DELETE", f"/profiles/{person['id']}")
        shop.world.deliver()
        assert listed(shop, q="ann") == []
        assert addresses_of(listed(shop)) == [None]

    def test_list_trees_are_consistent(self, shop: Shop) -> None:
        made = [create(shop, f"a{number}@example.com") for number in range(90)]
        for each in made[::3]:
            lift(shop, each)
        lists = SuppressionLists(shop.workspace)
        assert faults(lists.in_force) == []
        assert faults(lists.lifted) == []
        assert (lists.in_force.counts()["n"], lists.lifted.counts()["n"]) == (60, 30)
        assert engine()
