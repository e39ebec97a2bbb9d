"""Each operation on feeds: what it answers, keeps and refuses."""

import gzip
from datetime import timedelta
from uuid import UUID

import pytest

from storepost.feeds.feeds import listing
from storepost.feeds.feeds.keys import skipped_partition
from storepost.feeds.feeds.repository import FeedRepository
from storepost.feeds.files import bounds
from storepost.values import clock, pagination
from storepost.values.ids import new_id
from tests.feeds.feeds.failing_feeds import FAILURES, ROWS, broken
from tests.feeds.feeds.feed_store import Json, Shop, counts, csv


class TestCreate:
    """POST /feeds."""

    def test_feed_is_created_with_first_import(self, shop: Shop) -> None:
        url = shop.server.put("/feed", ROWS)
        mapping = {"id": "id", "x": {"custom": "weight"}, "y": "ignore"}
        feed = shop.create(url, locale="DE-at", mode="enrich_only", mapping=mapping)
        [latest] = shop.get(f"/feeds/{feed['id']}/imports")["items"]
        assert feed == {
            "id": feed["id"],
            "store": {"id": shop.store_id, "name": feed["store"]["name"], "platform": "custom"},
            "name": "Catalogue",
            "url": url,
            "locale": "de-AT",
            "mode": "enrich_only",
            "mapping": mapping,
            "rank": 2,
            "latestImport": latest,
            "nextImportAt": feed["nextImportAt"],
            "createdAt": feed["createdAt"],
        }
        assert latest == {
            "id": latest["id"],
            "feedId": feed["id"],
            "status": "queued",
            "trigger": "created",
            "format": None,
            "bytes": None,
            "counts": counts(),
            "error": None,
            "queuedAt": latest["queuedAt"],
            "startedAt": None,
            "completedAt": None,
        }
        assert shop.get(f"/feeds/{feed['id']}") == feed
        created, following = map(clock.from_text, (feed["createdAt"], feed["nextImportAt"]))
        assert timedelta() < following - created <= timedelta(hours=6)

    def test_duplicate_url_is_refused(self, shop: Shop) -> None:
        url = shop.server.put("/feed", ROWS)
        shop.create(url)
        assert shop.do("POST", "/feeds", shop.draft(url)).problem() == (409, "feed_exists")
        assert shop.create(url, locale="fr")["rank"] == 3
        other = shop.world.store(shop.owner)
        assert shop.create(url, storeId=other)["rank"] == 2

    def test_invalid_feeds_are_refused(self, shop: Shop) -> None:
        def problem(**overrides: object) -> tuple[int, str]:
            body = {**shop.draft("https://127.0.0.1/"), **overrides}
            return shop.do("POST", "/feeds", body).problem()

        allowed = shop.server.put("/feed", ROWS)
        assert problem() == (422, "url_not_allowed")
        assert problem(url=allowed, mapping={"a": "title"}) == (422, "mapping_missing_id")
        assert problem(url=allowed, storeId=str(new_id())) == (422, "validation")
        for wrong in (
            {"mapping": {"a": "colour"}},
            {"mapping": {"a": {"custom": "Upper"}}},
            {"mapping": {"a": {"custom": "x", "more": 1}}},
            {"mapping": {"": "id"}},
            {"mode": "add"},
            {"locale": "klingon"},
            {"name": " "},
            {"url": "ftp://shop.example/"},
        ):
            assert problem(**{"url": allowed, **wrong}) == (422, "validation")

    def test_disconnected_store_is_refused(self, shop: Shop) -> None:
        url = shop.server.put("/feed", ROWS)
        assert shop.do("POST", f"/stores/{shop.store_id}/disconnect").status == 200
        assert shop.do("POST", "/feeds", shop.draft(url)).problem() == (409, "store_disconnected")


class TestList:
    """GET /feeds."""

    def test_filters_and_sort_orders(self, shop: Shop) -> None:
        other = shop.world.store(shop.owner)
        names: dict[str, Json] = {}
        for name, more in (
            ("Übersee", {}),
            ("Beta", {"mode": "enrich_only"}),
            ("alpha", {"storeId": other}),
        ):
            names[name] = shop.create(shop.server.put(f"/{len(names)}", ROWS), name=name, **more)
            shop.world.advance(seconds=1)
        shop.world.deliver()
        again = shop.do("POST", f"/feeds/{names['Beta']['id']}/imports")
        assert again.status == 202

        def found(**query: object) -> list[str]:
            listed = shop.get("/feeds", **query)
            assert listed["total"] == len(listed["items"])
            return [feed["name"] for feed in listed["items"]]

        assert found() == ["alpha", "Beta", "Übersee"]
        assert found(sort="name") == ["alpha", "Beta", "Übersee"]
        assert found(sort="-name") == ["Übersee", "Beta", "alpha"]
        assert found(sort="createdAt") == ["Übersee", "Beta", "alpha"]
        assert found(storeId=shop.store_id, sort="rank") == ["Übersee", "Beta"]
        assert found(storeId=shop.store_id, sort="-rank") == ["Beta", "Übersee"]
        assert found(q="uber") == ["Übersee"]
        assert found(mode="enrich_only") == ["Beta"]
        assert found(importStatus="completed", sort="name") == ["alpha", "Übersee"]
        assert found(importStatus="queued,running") == ["Beta"]
        assert found(storeId=str(new_id())) == []
        paged = shop.get("/feeds", pageSize=10, page=2)
        assert (paged["total"], paged["items"]) == (3, [])

    def test_page_too_large_is_refused(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        """A function's answer may have 6 MB, and a quote in a body takes four bytes of it."""
        monkeypatch.setattr(pagination, "MAX_ANSWERED", 15_000)
        columns = {f"{number}" + '"' * 250: "ignore" for number in range(10)}
        for number in range(2):
            shop.create(shop.server.put(f"/{number}", ROWS), mapping={"id": "id", **columns})
            page = shop.do("GET", "/feeds")
            expected = [(200, None), (422, "page_too_large")][number]
            assert (page.status, page.json.get("code")) == expected

    def test_other_workspaces_feeds_are_not_found(self, shop: Shop) -> None:
        feed = shop.create(shop.server.put("/feed", ROWS))
        stranger = shop.world.owner()
        found = stranger.call("GET", "/feeds")
        assert found.json["items"] == []
        one = stranger.call("GET", f"/feeds/{feed['id']}")
        assert one.problem() == (404, "not_found")


class TestUpdate:
    """PATCH /feeds/{id}."""

    def test_renaming_queues_no_import(self, shop: Shop) -> None:
        feed = shop.feed(ROWS)
        answer = shop.do("PATCH", f"/feeds/{feed['id']}", {"name": "Other"})
        assert (answer.status, answer.json) == (200, {**feed, "name": "Other"})
        assert shop.get(f"/feeds/{feed['id']}") == answer.json
        sources = shop.get(f"/products/{shop.products()['a']['id']}/sources")["items"]
        assert {item["source"]["name"] for item in sources} == {"Other"}

    def test_columns_in_another_order_are_another_mapping(self, shop: Shop) -> None:
        """Of several columns of one field the first with a value counts."""
        columns = {"id": "id", "name": "title", "label": "title"}
        feed = shop.feed(csv({"id": "a", "name": "Cup", "label": "A cup"}), mapping=columns)
        assert shop.products()["a"]["title"] == "Cup"
        turned = dict(reversed(columns.items()))
        answer = shop.do("PATCH", f"/feeds/{feed['id']}", {"mapping": turned})
        assert list(answer.json["mapping"]) == ["label", "name", "id"]
        shop.world.deliver()
        assert shop.products()["a"]["title"] == "A cup"

    def test_changed_mapping_queues_import(self, shop: Shop) -> None:
        feed = shop.feed(ROWS)
        answer = shop.do(
            "PATCH", f"/feeds/{feed['id']}", {"mapping": {"id": "id", "title": "brand"}}
        )
        assert answer.status == 200
        latest = answer.json["latestImport"]
        assert (latest["status"], latest["trigger"]) == ("queued", "manual")
        shop.world.deliver()
        product = shop.products()["a"]
        assert (product["title"], product["vendor"], product["price"]) == (None, "Cup", None)
        done = shop.get(f"/feeds/{feed['id']}")["latestImport"]
        assert (done["id"], done["counts"]) == (
            latest["id"],
            counts(rows=2, imported=2, products=2),
        )

    def test_queued_import_is_reused(self, shop: Shop) -> None:
        feed = shop.create(shop.server.put("/feed", ROWS))
        answer = shop.do("PATCH", f"/feeds/{feed['id']}", {"locale": "fr"})
        assert answer.json["latestImport"] == feed["latestImport"]
        assert shop.get(f"/feeds/{feed['id']}/imports")["total"] == 1

    def test_unchanged_values_change_nothing(self, shop: Shop) -> None:
        feed = shop.feed(ROWS)
        for body in ({}, {"name": feed["name"]}, {"locale": None}):
            answer = shop.do("PATCH", f"/feeds/{feed['id']}", body)
            assert (answer.status, answer.json) == (200, feed)

    def test_url_of_other_feed_is_refused(self, shop: Shop) -> None:
        first, second = (shop.create(shop.server.put(path, ROWS)) for path in ("/1", "/2"))
        body = {"url": second["url"]}
        assert shop.do("PATCH", f"/feeds/{first['id']}", body).problem() == (409, "feed_exists")
        new_url = shop.server.put("/3", ROWS)
        assert shop.do("PATCH", f"/feeds/{second['id']}", {"url": new_url}).status == 200
        assert shop.do("PATCH", f"/feeds/{first['id']}", body).status == 200

    def test_invalid_changes_are_refused(self, shop: Shop) -> None:
        path = f"/feeds/{shop.create(shop.server.put('/feed', ROWS))['id']}"
        assert shop.do("PATCH", path, {"url": "http://10.1.1.1/"}).problem() == (
            422,
            "url_not_allowed",
        )
        assert shop.do("PATCH", path, {"mapping": {}}).problem() == (422, "mapping_missing_id")
        assert shop.do("PATCH", path, {"mode": None}).error_paths() == ["/mode"]
        assert shop.do("PATCH", f"/feeds/{new_id()}", {}).problem() == (404, "not_found")

    def test_disconnected_store_queues_no_import(self, shop: Shop) -> None:
        feed = shop.feed(ROWS)
        shop.do("POST", f"/stores/{shop.store_id}/disconnect")
        answer = shop.do("PATCH", f"/feeds/{feed['id']}", {"mode": "enrich_only"})
        assert (answer.json["mode"], answer.json["latestImport"]) == (
            "enrich_only",
            feed["latestImport"],
        )


class TestImports:
    """POST and GET /feeds/{id}/imports, …/{importId}, …/skipped-rows."""

    def test_second_request_returns_queued_import(self, shop: Shop) -> None:
        feed = shop.feed(ROWS)
        path = f"/feeds/{feed['id']}/imports"
        first, second = (shop.do("POST", path) for _ in range(2))
        assert (first.status, second.status) == (202, 200)
        assert first.json == second.json
        assert first.json["trigger"] == "manual"
        shop.world.deliver()
        listed = shop.get(path)
        assert [row["trigger"] for row in listed["items"]] == ["manual", "created"]
        assert shop.get(path, status="queued,running")["total"] == 0
        assert shop.get(path, status="completed")["items"] == listed["items"]
        assert shop.get(path, pageSize=10, page=2) == {
            "items": [],
            "total": 2,
            "page": 2,
            "pageSize": 10,
        }
        assert shop.get(f"{path}/{first.json['id']}") == listed["items"][0]

    def test_status_filter_finds_failed_imports(self, shop: Shop) -> None:
        feed = shop.feed(ROWS)
        failed = shop.again(feed, "id\n")
        assert shop.get(f"/feeds/{feed['id']}/imports", status="failed")["items"] == [failed]
        assert [feed["id"] for feed in shop.get("/feeds", importStatus="failed")["items"]] == [
            feed["id"]
        ]

    def test_filter_too_broad(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(listing, "MAX_ROWS", 1)
        feed = shop.feed(ROWS)
        for content in ("id\n", ROWS):
            shop.again(feed, content)
        path = f"/feeds/{feed['id']}/imports"
        broad = shop.do("GET", path, query={"status": "failed"})
        assert broad.problem() == (422, "filter_too_broad")
        assert shop.get(path)["total"] == 3

    def test_disconnected_store_is_refused(self, shop: Shop) -> None:
        feed = shop.feed(ROWS)
        shop.do("POST", f"/stores/{shop.store_id}/disconnect")
        answer = shop.do("POST", f"/feeds/{feed['id']}/imports")
        assert answer.problem() == (409, "store_disconnected")

    def test_store_disconnected_while_import_is_queued(self, shop: Shop) -> None:
        feed = shop.create(shop.server.put("/feed", ROWS))
        shop.do("POST", f"/stores/{shop.store_id}/disconnect")
        shop.world.deliver()
        latest = shop.get(f"/feeds/{feed['id']}")["latestImport"]
        assert (latest["status"], latest["error"]) == ("failed", "import_failed")

    @pytest.mark.parametrize("code", FAILURES)
    def test_failed_import_has_error_code_and_writes_nothing(
        self, shop: Shop, code: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        shop.put_product("a")
        before = shop.products()
        feed = shop.create(broken(shop, code, monkeypatch))
        shop.world.deliver()
        latest = shop.get(f"/feeds/{feed['id']}")["latestImport"]
        assert (latest["status"], latest["error"]) == ("failed", code)
        assert shop.products() == before

    def test_too_large_file_fails_import(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(bounds, "MAX_BYTES", 3000)
        feed = shop.feed(
            gzip.compress(csv(*[{"id": str(n), "title": "x"} for n in range(999)]).encode())
        )
        latest = feed["latestImport"]
        assert (latest["status"], latest["error"]) == ("failed", "too_large")

    def test_skipped_rows_pagination(self, shop: Shop) -> None:
        feed = shop.feed("id,title\n" + "".join(f",{n}\n" for n in range(230)) + "a,x\n")
        import_id = feed["latestImport"]["id"]
        path = f"/feeds/{feed['id']}/imports/{import_id}/skipped-rows"
        seen = []
        for page in range(1, 11):
            listed = shop.get(path, page=page, pageSize=25)
            assert listed["total"] == 230
            seen += [row["row"] for row in listed["items"]]
        assert seen == list(range(1, 231))
        assert shop.get(path, page=11)["items"] == []
        rows = shop.world.rows(skipped_partition(shop.workspace, UUID(import_id)))
        assert len(rows) == 3


class TestDelete:
    """DELETE /feeds/{id}."""

    def test_products_fall_back_and_no_rows_remain(self, shop: Shop) -> None:
        shop.put_product("a")
        feed = shop.feed(csv({"id": "a", "brand": "B"}, {"id": "b", "title": "Pot"}, {"id": ""}))
        assert shop.products()["a"]["vendor"] == "B"
        path = f"/feeds/{feed['id']}"
        assert shop.do("DELETE", path).status == 204
        assert shop.do("GET", path).problem() == (404, "not_found")
        assert shop.get("/feeds")["total"] == 0
        shop.world.deliver()
        products = shop.products()
        assert set(products) == {"a"}
        assert products["a"]["vendor"] is None
        assert set(shop.products(status="removed")) == {"b"}
        assert FeedRepository(shop.workspace).get(UUID(feed["id"])) is None
        # A session's digest may have these letters, too.
        keys = [f"#{row.pk}#{row.sk}" for row in shop.world.rows()]
        assert [key for key in keys if "#feed" in key] == []
        assert not [name for name in shop.world.objects() if name.startswith("manifests/")]
        assert shop.do("DELETE", path).status == 204

    def test_url_can_be_used_again(self, shop: Shop) -> None:
        feed = shop.feed(ROWS)
        shop.do("DELETE", f"/feeds/{feed['id']}")
        again = shop.feed(ROWS)
        assert again["rank"] == 2
        assert set(shop.products()) == {"a", "b"}

    def test_queued_import_is_not_run(self, shop: Shop) -> None:
        feed = shop.create(shop.server.put("/feed", ROWS))
        shop.do("DELETE", f"/feeds/{feed['id']}")
        shop.world.deliver()
        assert shop.products() == {}
        assert shop.server.requests == []
