"""GET /search, and the postings that follow the rows."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from local.events.pumps import StreamPump
from storepost.platform.persistence.item import dynamodb_client
from storepost.platform.postings.entries import SearchEntry, SearchKind, postings_of
from storepost.platform.postings.repository import PostingRepository
from storepost.platform.postings.rows import PostingItem
from storepost.values import clock
from tests.catalog.products.sample import product, variant
from tests.harness.call_interruption import counted
from tests.harness.crash_points import crashes
from tests.harness.world import World
from tests.lifecycle.erasures.scenario import Place
from tests.people.matching.scenario import ANN, BOB, PHONE

type Body = dict[str, Any]

PERSON = uuid4()


class Library(Place):
    """A workspace that is searched."""

    def found(self, q: str, **query: object) -> list[Body]:
        """The groups, once all that was written has arrived."""
        self.world.deliver()
        groups: list[Body] = self.get("/search", q=q, **query)["groups"]
        return groups

    def arrived(self, q: str) -> list[Body]:
        """The groups, once the stream has brought what was written; queues stay as they are."""
        self.world.deliver_outbox()
        groups: list[Body] = self.get("/search", q=q)["groups"]
        return groups

    def titles(self, q: str, **query: object) -> list[tuple[str, list[str]]]:
        """What the groups show."""
        return [(g["kind"], [r["title"] for r in g["items"]]) for g in self.found(q, **query)]

    def postings(self) -> list[str]:
        """The words of all postings."""
        rows = self.world.rows(self.workspace.partition("search"))
        assert all(isinstance(row, PostingItem) for row in rows)
        return sorted(row.sk.partition("\x01")[0] for row in rows)


@pytest.fixture
def library(world: World) -> Library:
    """A new one."""
    return Library(world)


class TestSearch:
    """GET /search."""

    def test_all_fields(self, library: Library) -> None:
        library.customer(library.shop, "c", email=ANN, firstName="Ann", lastName="Lee")
        library.order(library.shop, "1", number="#1001", buyer={"externalId": "c", "email": ANN})
        profile = library.find_profile(email=ANN)
        [order] = library.get("/orders")["items"]
        store = library.get(f"/stores/{library.shop}")
        nothing: Body = {"image": None, "platform": None}
        assert library.found("ann lee") == [
            {
                "kind": "profile",
                "total": 1,
                "items": [
                    {
                        "kind": "profile",
                        "id": profile["id"],
                        "title": "Ann Lee",
                        "detail": ANN,
                        **nothing,
                    }
                ],
            }
        ]
        assert (
            library.found("1001")
            == library.found("#1001")
            == [
                {
                    "kind": "order",
                    "total": 1,
                    "items": [
                        {
                            "kind": "order",
                            "id": order["id"],
                            "title": "#1001",
                            "detail": "Ann Lee",
                            "image": None,
                            "platform": "custom",
                        }
                    ],
                }
            ]
        )
        [group] = library.found(store["name"])
        assert group["items"][0] == {
            "kind": "store",
            "id": library.shop,
            "title": store["name"],
            "detail": store["externalId"],
            "image": None,
            "platform": "custom",
        }

    def test_profile_is_found_by_email_phone_and_id(self, library: Library) -> None:
        library.customer(library.shop, "a", email=ANN, phone=PHONE, firstName="Ann")
        library.customer(library.shop, "b", email=f"x{ANN}", firstName="Bo")
        person = library.find_profile(email=ANN)["id"]
        for q in (ANN, ANN.upper(), PHONE, f"{PHONE[:3]} {PHONE[3:]}", person):
            assert [g["items"][0]["id"] for g in library.found(q)] == [person]

    def test_best_group_first(self, library: Library) -> None:
        library.customer(library.shop, "a", firstName="Linden", email=ANN)
        library.order(library.shop, "1", number="Linden")
        store = library.store("Linden")
        assert library.titles("linden") == [
            ("order", ["Linden"]),
            ("profile", ["Linden"]),
            ("store", ["Linden"]),
        ]
        assert library.titles("lind", kinds="store,profile") == [
            ("profile", ["Linden"]),
            ("store", ["Linden"]),
        ]
        assert library.found(store)[0]["kind"] == "store"

    def test_limit_with_exact_total(self, library: Library) -> None:
        for number in range(7):
            library.order(library.shop, f"o{number}", number, number=f"#77000{number}")
        [group] = library.found("77000", limit=2)
        assert [row["title"] for row in group["items"]] == ["#770006", "#770005"]
        assert group["total"] == 7
        assert len(library.found("77000")[0]["items"]) == 5

    def test_other_workspaces_records_are_not_found(self, library: Library) -> None:
        other = Library(library.world)
        other.customer(other.shop, "a", email=ANN, firstName="Ann")
        assert library.found(ANN) == library.found("ann") == []
        assert library.found(other.find_profile(email=ANN)["id"]) == []
        assert library.found(str(uuid4())) == []


class TestIndexing:
    """The postings follow the rows by the stream."""

    def test_changed_words(self, library: Library) -> None:
        library.customer(library.shop, "a", email=ANN, firstName="Ann", lastName="Lee")
        assert library.found("lee")
        library.customer(library.shop, "a", 1, email=ANN, firstName="Ann", lastName="Quill")
        assert library.found("lee") == []
        assert library.titles("ann quill") == [("profile", ["Ann Quill"])]

    def test_unchanged_words_write_nothing(self, library: Library) -> None:
        library.customer(library.shop, "a", email=ANN, firstName="Ann")
        library.world.deliver()
        library.customer(library.shop, "a", 1, email=ANN, firstName="Ann", locale="de")
        person = library.find_profile(email=ANN)["id"]
        assert library.consent(person, "subscribed").status == 200
        calls = counted(library.world.deliver)
        assert "BatchWriteItem" not in calls

    def test_deleted_order_is_not_found(self, library: Library) -> None:
        library.order(library.shop, "1", number="#1001")
        assert library.found("1001")
        library.call("DELETE", f"/stores/{library.shop}/orders/1")
        assert library.found("1001") == []
        assert "1001" not in library.postings()

    @pytest.mark.parametrize("year", ["0001", "1969", "9999"])
    def test_dates_of_any_year(self, library: Library, year: str) -> None:
        since: Body = {"externalCreatedAt": f"{year}-01-01T00:00:00Z"}
        library.customer(library.shop, "a", email=ANN, firstName="Ann", **since)
        person = library.find_profile(email=ANN)["id"]
        order: Body = {"placedAt": f"{year}-12-31T12:00:00.123Z", "number": "#1001"}
        library.order(library.shop, "1", customer=None, **order)
        assert library.titles("ann") == [("profile", ["Ann"])]
        assert library.titles("1001") == [("order", ["#1001"])]
        assert library.erase(person).status == 204
        library.world.deliver()
        assert [word for word in library.postings() if "ann" in word] == []

    def test_merged_and_erased_profiles(self, library: Library) -> None:
        library.customer(library.shop, "a", email=ANN, firstName="Ann")
        library.customer(library.shop, "b", email=BOB, firstName="Bo")
        ann, bo = (library.find_profile(email=email)["id"] for email in (ANN, BOB))
        assert library.found("bo")
        assert library.merge(ann, bo).status == 200
        assert library.found("bo") == []
        for named in (bo, ann, BOB, BOB.upper(), ANN):
            [group] = library.found(named, kinds="profile,order")
            assert (group["total"], [row["id"] for row in group["items"]]) == (1, [ann])
        assert library.erase(ann).status == 204
        library.world.deliver()
        assert library.found("ann") == library.found(ann) == library.found(bo) == []
        assert library.found(BOB) == library.found(ANN) == []
        assert [word for word in library.postings() if "ann" in word or "bo" in word] == []

    def test_order_of_just_merged_profile_shows_survivor(self, library: Library) -> None:
        """Its row is moved by a worker, which comes later."""
        library.customer(library.shop, "a", email=ANN, firstName="Ann")
        library.customer(library.shop, "b", email=BOB, firstName="Bo")
        library.order(library.shop, "1", number="#1001", buyer={"externalId": "b", "email": BOB})
        ann, bo = (library.find_profile(email=email)["id"] for email in (ANN, BOB))

        def buyer() -> str:
            [group] = library.arrived("1001")
            [order] = group["items"]
            shown: str = order["detail"]
            assert library.get(f"/orders/{order['id']}")["buyer"]["name"] == shown
            return shown

        assert buyer() == "Bo"
        assert library.merge(ann, bo).status == 200
        assert buyer() == "Ann"
        library.world.deliver()
        assert buyer() == "Ann"

    def test_order_deleted_before_stream_delivery_is_left_out(self, library: Library) -> None:
        """A result is read anew: what is gone by now isn't shown."""
        library.order(library.shop, "1", number="#1001")
        assert library.found("1001")
        library.call("DELETE", f"/stores/{library.shop}/orders/1")
        assert library.get("/search", q="1001")["groups"] == []

    def test_redelivered_records(self, library: Library) -> None:
        """The stream begins anew from its beginning: all ends as it was."""
        library.customer(library.shop, "a", email=ANN, firstName="Ann", lastName="Lee")
        library.customer(library.shop, "a", 1, email=ANN, firstName="Ann", lastName="Quill")
        library.world.deliver()
        expected = library.postings()
        anew = StreamPump()
        anew.readers = [each for each in anew.readers if each.function.job == "search_postings"]
        assert anew.pump() > 2
        assert library.postings() == expected
        assert library.found("lee") == []

    def test_rows_of_a_batch_share_write_calls(self, library: Library) -> None:
        """The 25 postings of a call are of whichever rows."""
        for number in range(6):
            path = f"/stores/{library.shop}/products/p-{number}"
            assert library.call("PUT", path, product()).status == 201
        library.world.deliver()
        expected = library.postings()
        anew = StreamPump()
        anew.readers = [each for each in anew.readers if each.function.job == "search_postings"]
        written = sum(isinstance(row, PostingItem) for row in library.world.rows())
        batches = 2
        assert counted(anew.pump).count("BatchWriteItem") <= batches + written // 25
        assert library.postings() == expected

    def test_stored_postings_equal_their_models(self, library: Library) -> None:
        entry = SearchEntry(
            SearchKind.PROFILE,
            PERSON,
            "Ann Lee",
            clock.now(),
            keys=("ann@example.com",),
            codes=("A 1",),
        )
        postings = PostingRepository(library.workspace, SearchKind.PROFILE)
        postings.update_index(None, entry)
        rows = {row.key: row.serialize() for row in map(postings.row, postings_of(entry))}
        found = {row.key: row.serialize() for row in library.world.rows() if row.key in rows}
        assert found == rows

    def test_killed_at_any_call(self, library: Library) -> None:
        postings = PostingRepository(library.workspace, SearchKind.PROFILE)
        words = [f"word{number}" for number in range(40)]
        old, new = (
            SearchEntry(SearchKind.PROFILE, PERSON, " ".join(title), clock.now())
            for title in (["ann", "lee"], ["ann", *words])
        )
        postings.update_index(old, new)
        expected = library.postings()
        postings.update_index(new, old)
        postings.update_index(None, old)
        found = crashes(library.world, lambda: postings.update_index(old, new), deliver=False)
        assert len(found.positions) == 4
        for _ in found:
            postings.update_index(old, new)
            assert library.postings() == expected

    def test_unprocessed_items_are_written(
        self, library: Library, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Throttled, it takes a part of a batch and hands the rest back."""
        client, refusals = dynamodb_client(), [2, 1]
        plain = client.batch_write_item

        def throttled(RequestItems: Body) -> Body:  # noqa: N803 - botocore's own
            [(table, requests)] = RequestItems.items()
            served = requests[refusals.pop() :] if refusals else requests
            plain(RequestItems={table: served})
            return {"UnprocessedItems": {table: [r for r in requests if r not in served]}}

        monkeypatch.setattr(client, "batch_write_item", throttled)
        postings = PostingRepository(library.workspace, SearchKind.PROFILE)
        postings.update_index(
            None, SearchEntry(SearchKind.PROFILE, PERSON, "ann bo cat", clock.now())
        )
        assert [word for word in library.postings() if len(word) < 4] == ["ann", "bo", "cat"]
        assert refusals == []


class TestProducts:
    """Products, by their words, ids and SKUs."""

    def test_all_fields(self, library: Library) -> None:
        made = library.call("PUT", f"/stores/{library.shop}/products/p-1", product())
        assert made.status == 201
        expected = {
            "kind": "product",
            "id": made.json["id"],
            "title": "Grüner Tee",
            "detail": "Olive's",
            "image": {"url": "https://shop.example.com/green-tea.jpg", "alt": "A cup"},
            "platform": "custom",
        }
        for q in ("gruner", "green tea", "p-1", "TEA-2", "tea-1", made.json["id"]):
            [group] = library.found(q, kinds="product")
            assert (group["total"], group["items"]) == (1, [expected]), q
        assert library.found("TEA-3", kinds="product") == []

    def test_removed_product_is_found_by_ids_and_skus_only(self, library: Library) -> None:
        path = f"/stores/{library.shop}/products/p-1"
        product_id = library.call("PUT", path, product()).json["id"]
        assert library.call("DELETE", path).status == 204
        for q in ("gruner", "p", "Green tea", "Grüner Tee"):
            assert library.found(q) == [], q
        for q in ("p-1", product_id, "TEA-1", "tea-2"):
            assert [g["items"][0]["id"] for g in library.found(q)] == [product_id], q

    def test_all_products_with_one_sku(self, library: Library) -> None:
        """In whatever case and with whatever accents, though it looks like an id."""
        id_like = str(PERSON).upper()
        for number, sku in enumerate(("Qué-77", "QUE-77", "que-77")):
            variants = [
                variant(1, sku=sku),
                variant(2, sku=id_like),
            ]
            path = f"/stores/{library.shop}/products/g-{number}"
            answer = library.call("PUT", path, product(variants=variants))
            assert answer.status == 201, answer.body
        for q in ("que-77", "QUÉ-77", id_like.lower()):
            [group] = library.found(q, kinds="product,coupon")
            assert (group["kind"], group["total"]) == ("product", 3), q
        assert library.found("que-7", kinds="product") == []

    def test_not_found_by_former_sku(self, library: Library) -> None:
        path = f"/stores/{library.shop}/products/p-1"
        for sku, gone in (("QX-77", "QX-78"), ("QX-78", "QX-77")):
            answer = library.call("PUT", path, product(variants=[variant(1, sku=sku)]))
            assert answer.status in {200, 201}
            assert library.found(sku.lower(), kinds="product")[0]["total"] == 1
            assert library.found(gone, kinds="product") == []


class TestCouponsAndFeeds:
    """What a shop has made to sell."""

    def test_coupon_is_found_by_name_and_code(self, library: Library) -> None:
        terms = {"kind": "bulk", "quantity": 2, "valueType": "percentage", "value": 5}
        body = {"storeId": library.shop, "name": "Spring sale", "reissue": "every_email", **terms}
        made = library.call("POST", "/coupons", {**body, "validity": {"type": "none"}})
        assert made.status == 201
        library.world.deliver()
        path = f"/coupons/{made.json['id']}"
        code = library.get(f"{path}/codes")["items"][0]["code"]
        expected = {
            "kind": "coupon",
            "id": made.json["id"],
            "title": "Spring sale",
            "detail": "active",
            "image": None,
            "platform": "custom",
        }
        for q in ("sale", code, code.lower(), made.json["id"]):
            assert library.found(q) == [{"kind": "coupon", "total": 1, "items": [expected]}], q
        for step in ("end", "archive"):
            assert library.call("POST", f"{path}/{step}").status == 200
        assert library.found("sale") == library.found("Spring sale") == []
        archived = {**expected, "detail": "archived"}
        assert library.found(code) == [{"kind": "coupon", "total": 1, "items": [archived]}]

    def test_expired_coupon_is_shown_as_ended(self, library: Library) -> None:
        ends_at = clock.to_text(clock.now() + timedelta(hours=1))
        terms = {
            "kind": "personal",
            "valueType": "percentage",
            "value": 5,
            "reissue": "every_email",
        }
        body = {"storeId": library.shop, "name": "Spring sale", **terms}
        validity = {"type": "until", "endsAt": ends_at}
        made = library.call("POST", "/coupons", {**body, "validity": validity})
        assert made.status == 201
        for hours, status in ((0, "active"), (2, "ended")):
            library.world.advance(hours=hours)
            expected = {
                "kind": "coupon",
                "id": made.json["id"],
                "title": "Spring sale",
                "detail": status,
                "image": None,
                "platform": "custom",
            }
            assert library.arrived("sale") == [{"kind": "coupon", "total": 1, "items": [expected]}]
            assert library.get(f"/coupons/{made.json['id']}")["status"] == status

    def test_newer_coupon_first_for_same_code_in_two_stores(self, library: Library) -> None:
        stores = [library.shop, library.store("other")]
        for number, order in enumerate((stores, stores[::-1])):
            made = []
            for store in order:
                body = {"storeId": store, "name": "Gifts", "content": f"GIFT-{number}"}
                rules = {"validity": {"type": "none"}, "reissue": "every_email"}
                answer = library.call("POST", "/coupons/import", {**body, **rules})
                assert answer.status == 202
                made.append(answer.json["id"])
                library.world.advance(minutes=1)
            [group] = library.found(f"gift-{number}")
            assert (group["kind"], group["total"]) == ("coupon", 2)
            assert [each["id"] for each in group["items"]] == made[::-1]

    def test_feed_is_found_by_name_and_url(self, library: Library) -> None:
        url = "https://93.184.215.14/spring.csv"
        feed = {"storeId": library.shop, "name": "Garden", "url": url, "mode": "enrich_only"}
        made = library.call("POST", "/feeds", {**feed, "mapping": {"sku": "id"}})
        assert made.status == 201
        expected = {
            "kind": "feed",
            "id": made.json["id"],
            "title": "Garden",
            "detail": "93.184.215.14",
            "image": None,
            "platform": "custom",
        }
        for q in ("gard", "spring", made.json["id"]):
            assert library.arrived(q) == [{"kind": "feed", "total": 1, "items": [expected]}], q
        assert library.call("DELETE", f"/feeds/{made.json['id']}").status == 204
        assert library.arrived("gard") == []
