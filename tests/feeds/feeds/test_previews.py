"""A feed before it is created: its preview, and the check of its mapping."""

import json
import time

import pytest

from storepost.feeds.files import bounds
from storepost.feeds.imports import matching
from storepost.values.ids import new_id
from tests.feeds.feeds.failing_feeds import FAILURES, ROWS, broken
from tests.feeds.feeds.feed_store import MAPPING, Json, Shop, counts, csv
from tests.harness.call_interruption import counted


class TestPreview:
    """POST /feeds/preview."""

    def preview(self, shop: Shop, url: str) -> Json:
        answer = shop.do("POST", "/feeds/preview", {"storeId": shop.store_id, "url": url})
        assert answer.status == 200, answer.body
        return dict(answer.json)

    def test_first_500_columns_are_shown(self, shop: Shop) -> None:
        """The first 500 columns are shown: a mapping names no more."""
        rows = [{f"c-{row}-{n}": "x" for n in range(400)} for row in range(3)]
        seen = self.preview(shop, shop.server.put("/feed", json.dumps(rows)))
        names = [name for row in rows for name in row]
        assert [column["name"] for column in seen["columns"]] == names[:500]
        assert {tuple(column["samples"]) for column in seen["columns"]} == {("x",)}
        assert seen["sampled"] == 3

    def test_sample_is_limited_by_number_of_cells(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """All of these rows are in memory at once."""
        monkeypatch.setattr(bounds.Sample, "CELLS", 7)
        url = shop.server.put("/feed", "id,a,b\n" + "1,2,3\n" * 9)
        assert self.preview(shop, url)["sampled"] == 2
        monkeypatch.setattr(bounds.Sample, "CELLS", 1)
        assert self.preview(shop, url)["sampled"] == 1

    def test_store_without_products_needs_no_matching(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Ten thousand rows would need four hundred batch gets."""
        calls = list[object]()
        monkeypatch.setattr(matching, "match", lambda *rows, **_: calls.append(rows))
        url = shop.server.put("/feed", "id,title\na,Cup\nb,Pot\n")
        assert self.preview(shop, url)["matches"] == 0
        assert calls == []

    def test_unmatched_rows_are_not_looked_up_by_key(self, shop: Shop) -> None:
        """The store's names are read at once: they are few compared with the rows."""
        shop.put_product("a")
        rows = [{"id": f"n{number}", "title": "Cup"} for number in range(60)]
        url = shop.server.put("/feed", csv(*rows))
        calls = counted(lambda: self.preview(shop, url))
        assert calls.count("BatchGetItem") == 1  # the caller's rights
        url = shop.server.put("/feed", csv(*rows, {"id": "a-v", "title": "Cup"}))
        assert self.preview(shop, url)["matches"] == 1

    def test_product_of_many_rows_is_read_once(self, shop: Shop) -> None:
        """One batch get reads it, and another its layer, however many variants the rows name."""
        price = {"amount": 1000, "currency": "EUR"}
        variants = [{"externalId": f"v{n}", "title": "One", "price": price} for n in range(130)]
        shop.put_product("a", variants=variants)
        shop.world.deliver()
        url = shop.server.put("/feed", csv(*({"id": f"v{n}", "title": "Cup"} for n in range(130))))
        calls = counted(lambda: self.preview(shop, url))
        assert calls.count("BatchGetItem") == 1 + 2  # the caller's rights
        assert self.preview(shop, url)["matches"] == 130

    def test_few_rows_are_looked_up_by_key(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Reading all names of a store would cost more."""
        shop.put_product("a")
        monkeypatch.setattr(matching, "read_names", lambda *_: pytest.fail("all were read"))
        rows = [{"id": f"n{number}", "title": "Cup"} for number in range(20)]
        url = shop.server.put("/feed", csv(*rows, {"id": "a-v", "title": "Cup"}))
        assert self.preview(shop, url)["matches"] == 1

    def test_rows_for_large_store_are_looked_up_by_key(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        shop.put_product("a")
        shop.put_product("b")
        monkeypatch.setattr(matching, "_NAMES_A_ROW", 0.05)
        monkeypatch.setattr(matching, "read_names", lambda *_: pytest.fail("all were read"))
        rows = [{"id": f"n{number}", "title": "Cup"} for number in range(30)]
        url = shop.server.put("/feed", csv(*rows, {"id": "b-v", "title": "Cup"}))
        assert self.preview(shop, url)["matches"] == 1

    def test_columns_have_suggestions_and_samples(self, shop: Shop) -> None:
        shop.put_product("a")
        url = shop.server.put("/feed", "id;Name;Weight kg;Farbe;Name\na;Cup;1;red;x\nb;Pot;2;;x\n")
        assert self.preview(shop, url) == {
            "format": "csv",
            "columns": [
                {"name": "id", "suggested": "id", "samples": ["a", "b"]},
                {"name": "Name", "suggested": "title", "samples": ["Cup", "Pot"]},
                {"name": "Weight kg", "suggested": {"custom": "weight_kg"}, "samples": ["1", "2"]},
                {"name": "Farbe", "suggested": "color", "samples": ["red"]},
                {"name": "Name (2)", "suggested": {"custom": "name_2"}, "samples": ["x"]},
            ],
            "sampled": 2,
            "matches": 1,
        }

    @pytest.mark.parametrize(
        "label",
        ["\u0327\u0301" * 20_000, f"a{' ' * 20_000}x"],
        ids=["combining marks", "spaces"],
    )
    def test_long_option_name_is_read_in_linear_time(self, shop: Shop, label: str) -> None:
        """Shopify's export has the names of options in cells, which may be of any length."""
        row = {"Handle": "a", "Title": "Cup", "Option1 Name": label, "Option1 Value": "Red"}
        url = shop.server.put("/feed", csv({**row, "Variant SKU": "s", "Variant Price": "5"}))
        before = time.process_time()
        columns = {each["name"]: each["suggested"] for each in self.preview(shop, url)["columns"]}
        assert time.process_time() - before < 1
        assert columns["Option1 Value"] == "color"

    def test_attribute_that_is_only_declared_is_no_column(self, shop: Shop) -> None:
        """A file of 200 KB could give 60,000 characters to each of its 20,000 items."""
        body = '<!DOCTYPE r [<!ATTLIST item x CDATA "a">]><r><item><id>1</id></item></r>'
        columns = self.preview(shop, shop.server.put("/feed", body))["columns"]
        assert [each["name"] for each in columns] == ["id"]

    def test_deeply_nested_cell_does_not_cost_the_other_rows(self, shop: Shop) -> None:
        nested = f'{"[" * 2_000}"https://shop.example/a.png"{"]" * 2_000}'
        other = "https://shop.example/b.png"
        rows = [{"id": "a", "image link": nested}, {"id": "b", "image link": other}]
        seen = self.preview(shop, shop.server.put("/feed", json.dumps(rows)))
        _, images = seen["columns"]
        assert seen["sampled"] == 2
        assert other in images["samples"]

    def test_no_id_column_matches_nothing(self, shop: Shop) -> None:
        shop.put_product("a")
        assert self.preview(shop, shop.server.put("/feed", "what,x\na,b\n"))["matches"] == 0

    @pytest.mark.parametrize("code", FAILURES)
    def test_unusable_feed_is_refused_with_reason(
        self, shop: Shop, code: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        body = {"storeId": shop.store_id, "url": broken(shop, code, monkeypatch)}
        answer = shop.do("POST", "/feeds/preview", body)
        assert answer.problem() == (422, code)
        if code == "unreadable":
            assert answer.json["detail"].startswith("A feed is CSV, TSV, XML")

    def test_too_large_file_is_refused(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        """The server states the size before it sends any of it."""
        monkeypatch.setattr("storepost.feeds.imports.fetching.MAX_BYTES", 10)
        body = {"storeId": shop.store_id, "url": shop.server.put("/feed", ROWS)}
        assert shop.do("POST", "/feeds/preview", body).problem() == (422, "too_large")

    @pytest.mark.parametrize(
        "url", ["http://169.254.169.254/latest/meta-data", "https://localhost/", "http://10.0.0.1/"]
    )
    def test_private_address_is_refused(self, shop: Shop, url: str) -> None:
        refused = shop.do("POST", "/feeds/preview", {"storeId": shop.store_id, "url": url})
        assert refused.problem() == (422, "url_not_allowed")
        assert [error["path"] for error in refused.json["errors"]] == ["/url"]

    def test_redirect_to_private_address_is_refused(self, shop: Shop) -> None:
        url = shop.server.put("/feed", b"", 302, location="http://169.254.169.254/secret")
        body = {"storeId": shop.store_id, "url": url}
        assert shop.do("POST", "/feeds/preview", body).problem() == (422, "url_not_allowed")

    def test_redirect_to_malformed_address_is_refused(self, shop: Shop) -> None:
        url = shop.server.put("/feed", b"", 302, location="http://[")
        body = {"storeId": shop.store_id, "url": url}
        assert shop.do("POST", "/feeds/preview", body).problem() == (422, "url_not_allowed")

    @pytest.mark.parametrize(
        "content_type",
        [
            f"text/csv; charset*{'9' * 5_000}=utf-8",
            "text/csv; charset*=a; charset*1=b",
            f'text/csv; "{";" * 60_000}',
            f"text/csv; charset={' ' * 60_000}",
            "text/csv; charset=",
        ],
        ids=["huge part number", "parts with and without number", "semicolons", "spaces", "empty"],
    )
    def test_malformed_content_type_is_ignored(self, shop: Shop, content_type: str) -> None:
        url = shop.server.put("/feed", ROWS, content_type=content_type)
        before = time.process_time()
        assert self.preview(shop, url)["sampled"] == 2
        assert time.process_time() - before < 1

    def test_unknown_store_is_refused(self, shop: Shop) -> None:
        body = {"storeId": str(new_id()), "url": "https://shop.example/"}
        assert shop.do("POST", "/feeds/preview", body).problem() == (422, "validation")


class TestCheck:
    """POST /feeds/check."""

    def check(self, shop: Shop, url: str, **overrides: object) -> Json:
        answer = shop.do("POST", "/feeds/check", draft(shop, url, **overrides))
        assert answer.status == 200, answer.body
        return dict(answer.json)

    def test_counts_equal_import_and_nothing_is_stored(self, shop: Shop) -> None:
        rows = ("a,g,A,1", "b,g,B,2", ",,C,3", "c,,D,4", "a,g,Again,1", "d,,E,what")
        body = "\n".join(("id,item_group_id,title,price", *rows))
        url = shop.server.put("/feed", body)
        before = len(shop.world.rows())
        assert self.check(shop, url) == {
            "checked": 6,
            "importable": 3,
            "variantOnly": 1,
            "fromFirstRow": 1,
            "unmatched": 0,
            "skipped": 3,
            "skippedRows": [
                {"row": 3, "id": None, "reason": "The row has no id."},
                {"row": 5, "id": "a", "reason": "An earlier row has the same id and locale."},
                {"row": 6, "id": "d", "reason": "The price can't be read."},
            ],
        }
        assert len(shop.world.rows()) == before
        feed = shop.feed(body)
        assert feed["latestImport"]["counts"] == counts(
            rows=6, imported=3, variantOnly=1, fromFirstRow=1, created=2, products=2, skipped=3
        )

    @pytest.mark.parametrize(
        ("mapping", "columns"),
        [
            ({"ID": "id", "title": "title"}, "`ID`"),
            ({"ID": "id", "g:id": "id", "title": "title"}, "`ID` or `g:id`"),
        ],
    )
    def test_rows_without_the_mapped_id_column_name_it(
        self, shop: Shop, mapping: dict[str, str], columns: str
    ) -> None:
        url = shop.server.put("/feed", "id,title\na,A\n")
        checked = self.check(shop, url, mapping=mapping)
        reason = f"The row has no column {columns}, from which the mapping takes the id."
        assert checked["skippedRows"] == [{"row": 1, "id": None, "reason": reason}]

    def test_unmatched_rows_are_counted(self, shop: Shop) -> None:
        shop.put_product("a")
        checked = self.check(shop, shop.server.put("/feed", ROWS), mode="enrich_only")
        assert (checked["importable"], checked["unmatched"]) == (1, 1)

    @pytest.mark.parametrize("code", FAILURES)
    def test_unusable_feed_is_refused_with_reason(
        self, shop: Shop, code: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        body = draft(shop, broken(shop, code, monkeypatch))
        assert shop.do("POST", "/feeds/check", body).problem() == (422, code)

    def test_too_large_file_is_refused(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("storepost.feeds.imports.fetching.MAX_BYTES", 10)
        body = draft(shop, shop.server.put("/feed", ROWS))
        assert shop.do("POST", "/feeds/check", body).problem() == (422, "too_large")

    def test_private_address_is_refused(self, shop: Shop) -> None:
        body = draft(shop, "http://10.0.0.1/")
        assert shop.do("POST", "/feeds/check", body).problem() == (422, "url_not_allowed")

    @pytest.mark.parametrize(
        ("target", "path", "message"),
        [
            ("colour", "", 'Must be a feed field such as `title`, or `{"custom": "<key>"}`'),
            ([], "", 'Must be a feed field such as `title`, or `{"custom": "<key>"}`'),
            ({}, "/custom", "Required"),
            (
                {"custom": "A"},
                "/custom",
                "Must have at most 64 small letters, digits and `_`, a letter first",
            ),
        ],
    )
    def test_invalid_column_target_is_refused(
        self, shop: Shop, target: object, path: str, message: str
    ) -> None:
        """There is one error for a column, for the kind of field that is meant."""
        body = draft(shop, "https://shop.example/", mapping={"id": "id", "a": target})
        refused = shop.do("POST", "/feeds/check", body)
        assert refused.error_paths() == [f"/mapping/a{path}"]
        assert [error["message"] for error in refused.json["errors"]] == [message]

    def test_mapping_without_id_is_refused(self, shop: Shop) -> None:
        body = draft(shop, "https://shop.example/", mapping={"id": "title"})
        refused = shop.do("POST", "/feeds/check", body)
        assert refused.problem() == (422, "mapping_missing_id")
        assert [error["path"] for error in refused.json["errors"]] == ["/mapping"]

    def test_unknown_store_is_refused(self, shop: Shop) -> None:
        body = draft(shop, "https://shop.example/", storeId=str(new_id()))
        assert shop.do("POST", "/feeds/check", body).problem() == (422, "validation")


def draft(shop: Shop, url: str, **overrides: object) -> Json:
    """A feed to check."""
    body = {"storeId": shop.store_id, "url": url, "mode": "add_and_enrich", "mapping": MAPPING}
    return {**body, **overrides}
