"""Codes in files: what is read of them, what a check says, and what an import does."""

import csv
import io
from collections.abc import Iterable
from threading import Barrier
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storepost.coupons.files import read_codes
from storepost.coupons.filling import next_lines
from storepost.platform.persistence import item
from storepost.values.ids import new_id
from tests.coupons.coupon_store import Shop, counts


def check(shop: Shop, content: str, **overrides: object) -> Any:
    """What a check of a file answers."""
    body = {"storeId": shop.store_id, "content": content, **overrides}
    return shop.call("POST", "/coupons/import/check", body)


class TestColumn:
    """Which column has the codes."""

    @pytest.mark.parametrize(
        ("content", "column", "codes"),
        [
            ("A1\nB2\n", None, ["A1", "B2"]),
            ("code\nA1\nB2\n", "code", ["A1", "B2"]),
            ("Coupon Code\nA1\n", "Coupon Code", ["A1"]),
            ("\ufeffcode\r\nA1\r\nB2", "code", ["A1", "B2"]),
            ("SUMMER\nWINTER\n", None, ["SUMMER", "WINTER"]),
            ("WELCOME\nSAVE10\nSAVE20\n", None, ["WELCOME", "SAVE10", "SAVE20"]),
            ("Gift\nSAVE10\n", None, ["Gift", "SAVE10"]),
            ("SUMMER-CODE\nSAVE10\n", None, ["SUMMER-CODE", "SAVE10"]),
            ("GIFT_CODE\nSAVE10\n", "GIFT_CODE", ["SAVE10"]),
            ("GiftCode\nSAVE10\n", "GiftCode", ["SAVE10"]),
            ("unique_code\nSAVE10\n", "unique_code", ["SAVE10"]),
            ("DiscountCodes\nSAVE10\n", "DiscountCodes", ["SAVE10"]),
            ("PROMOTIONCODE\nSAVE10\n", "PROMOTIONCODE", ["SAVE10"]),
            ("Coupon-ID\nSAVE10\n", "Coupon-ID", ["SAVE10"]),
            ("Gutscheine\nSAVE10\n", "Gutscheine", ["SAVE10"]),
            ("GUTSCHEIN\nSUMMER\n", None, ["GUTSCHEIN", "SUMMER"]),
            ("SummerCode\nSAVE10\n", None, ["SummerCode", "SAVE10"]),
            ("ID\nSAVE10\n", None, ["ID", "SAVE10"]),
            ("vouchers\nWELCOME\n", "vouchers", ["WELCOME"]),
            ("Gutscheincode\nSAVE10\n", "Gutscheincode", ["SAVE10"]),
            ("For the spring\nSAVE10\nWELCOME\n", "For the spring", ["SAVE10", "WELCOME"]),
            ("Kode\nSUMMER1\nWINTER2\n", "Kode", ["SUMMER1", "WINTER2"]),
            ("email,code\na@x.com,A1\nb@x.com,B2\n", "code", ["A1", "B2"]),
            ("a@x.com;A1\nb@x.com;B2\n", None, ["A1", "B2"]),
            ("id\tvalue\tvoucher\n1\t10\tA1\n2\t10\tB2\n", "voucher", ["A1", "B2"]),
            ("1|A1|2026-01-01\n2|B2|2026-01-02\n", None, ["A1", "B2"]),
            ("name,key\nJo Ann,X1\nBo Lee,X2\nAl Gor,X3\n", "key", ["X1", "X2", "X3"]),
            ('"code","note"\n"A1","with, comma"\n"B2","two\nlines"\n', "code", ["A1", "B2"]),
            ("code,used\nA1,no\nB2,no\nC3,yes\n", "code", ["A1", "B2", "C3"]),
            ("code\n", "code", []),
            ("name;coupon_id\nAnn;SAVE10\nBo;SAVE20\n", "coupon_id", ["SAVE10", "SAVE20"]),
            ("Name,Voucher Number\nAnn,SAVE10\n", "Voucher Number", ["SAVE10"]),
            ("coupon_id,coupon_code\nx1,A1\nx2,B2\n", "coupon_code", ["A1", "B2"]),
            ("SpringCode;10\nAutumnCode;15\n", None, ["SpringCode", "AutumnCode"]),
            ("SpringCode;10\nAUTUMN15;15\n", None, ["SpringCode", "AUTUMN15"]),
            ("Spring-Code,no\nAutumn-Code,yes\n", None, ["Spring-Code", "Autumn-Code"]),
            ("SpringCode,\nAutumnCode,x\n", None, ["SpringCode", "AutumnCode"]),
            ("GiftCode,no\nGIFTS,yes\n", "GiftCode", ["GIFTS"]),
            ("shop_code,value\nsave-a,10\nsave-b,20\n", "shop_code", ["save-a", "save-b"]),
            ("Code for shops,1\nA1,10\n", "Code for shops", ["A1"]),
        ],
    )
    def test_code_column_is_detected_by_values(
        self, content: str, column: str | None, codes: list[str]
    ) -> None:
        file = read_codes(content, None)
        assert (file.column, list(file.codes)) == (column, codes)
        assert (file.duplicates, file.faults) == (0, ())

    @pytest.mark.parametrize(
        "cell",
        [
            '="00123"',
            '"=""00123"""',
            "'00123",
            " 00123 ",
            "\u200b00123\ufeff",
            "00\u00ad123",
            "\u00a000123",
        ],
    )
    def test_spreadsheet_notation_is_removed(self, cell: str) -> None:
        assert read_codes(f"code\n{cell}\nA1\n", None).codes == ("00123", "A1")

    @pytest.mark.parametrize("cell", ["1.23457E+12", '"1,23457E+12"', "1e+10"])
    def test_number_rounded_by_spreadsheet_is_a_fault(self, cell: str) -> None:
        file = read_codes(f"code\n{cell}\nA1\n", None)
        assert file.codes == ("A1",)
        [fault] = file.faults
        assert fault.reason.startswith("A spreadsheet rounded it")

    @pytest.mark.parametrize(
        ("content", "column", "codes"),
        [
            ("code 1,code 2\nA1,B1\nA2,B2\n", "code 1, code 2", ["A1", "B1", "A2", "B2"]),
            ("Code1;email;Code2\nA1;a@x.com;B1\n", "Code1, Code2", ["A1", "B1"]),
            ("name,code 1,code 2\nAnn,A1,B1\nBo,A2,\n", "code 1, code 2", ["A1", "B1", "A2"]),
            ("Name;Voucher 1\nAnn;A1\nBo;A2\n", "Voucher 1", ["A1", "A2"]),
            ("code,code\nA1,B1\nA2,\n", "code", ["A1", "B1", "A2"]),
            ("Voucher\tVoucher (2)\nA1\tB1\nA2\t\n", "Voucher, Voucher (2)", ["A1", "B1", "A2"]),
            (
                "X7KP-22,X8KP-23\nY7KP-24,Z9KP-25\n",
                None,
                ["X7KP-22", "X8KP-23", "Y7KP-24", "Z9KP-25"],
            ),
            ("SAVE10,SAVE20,SAVE30\n", None, ["SAVE10", "SAVE20", "SAVE30"]),
            ("SAVE10, SAVE20\nSAVE30\n", None, ["SAVE10", "SAVE20", "SAVE30"]),
            ("SAVE10,joe1\nSAVE20,annabel2\nSAVE30,li\n", None, ["SAVE10", "SAVE20", "SAVE30"]),
            ("CODE1,CODE2\nCODE3,CODE4\n", None, ["CODE1", "CODE2", "CODE3", "CODE4"]),
            ("CODE1,CODE2\nX3PQ,Y4PQ\n", "CODE1, CODE2", ["X3PQ", "Y4PQ"]),
            ("coupon_id,coupon_code\nx1,A1\nx2,B2\n", "coupon_code", ["A1", "B2"]),
        ],
    )
    def test_several_code_columns_are_read_row_by_row(
        self, content: str, column: str | None, codes: list[str]
    ) -> None:
        file = read_codes(content, None)
        assert (file.column, list(file.codes), file.faults) == (column, codes, ())
        assert file.column is None or read_codes(content, file.column) == file

    def test_one_of_several_columns_can_be_named(self) -> None:
        assert read_codes("code 1,code 2\nA1,B1\nA2,B2\n", "code 2").codes == ("B1", "B2")

    def test_row_without_code_in_any_column_is_one_fault(self) -> None:
        file = read_codes("code 1,code 2\nA1,B1\n,\nA2,b 2\nA1,\n", None)
        assert file.codes == ("A1", "B1", "A2")
        assert [(fault.row, fault.value) for fault in file.faults] == [(3, ""), (4, "b 2")]
        assert (file.rows, file.duplicates) == (4, 1)

    def test_named_column_is_read(self) -> None:
        content = "code,Reference\nA1,R-1\nB2,R-2\n"
        assert read_codes(content, "reference").codes == ("R-1", "R-2")
        assert read_codes(content, " CODE ").codes == ("A1", "B2")

    def test_row_numbers_count_empty_lines(self) -> None:
        file = read_codes("code\nA1\n\nB 2\n\nx\n", None)
        assert [(f.row, f.value) for f in file.faults] == [(4, "B 2")]
        assert file.rows == 3

    codes = st.text("ABCdef123-_", min_size=1, max_size=8)

    @given(st.lists(st.one_of(codes, st.sampled_from(["", "a b", "x" * 256])), max_size=30))
    def test_every_row_is_a_code_a_duplicate_or_a_fault(self, values: list[str]) -> None:
        written = io.StringIO()
        csv.writer(written).writerows([["code", "n"], *([v, n] for n, v in enumerate(values))])
        file = read_codes(written.getvalue(), "code")
        seen: list[str] = []
        duplicates = faults = 0
        for value in values:
            if not value or " " in value or len(value) > 255:
                faults += 1
            elif value.casefold() in (s.casefold() for s in seen):
                duplicates += 1
            else:
                seen.append(value)
        assert list(file.codes) == seen
        assert (file.rows, file.duplicates, len(file.faults)) == (len(values), duplicates, faults)

    @given(st.lists(codes, min_size=1, max_size=40), st.integers(1, 7))
    def test_lines_are_read_in_portions_of_any_size(self, lines: list[str], most: int) -> None:
        content, read, at = "\n".join(lines).encode(), list[str](), 0
        while at < len(content):
            some, at = next_lines(content, at, most)
            assert len(some) <= most
            read += some
        assert read == lines


class TestCheck:
    """POST /coupons/import/check."""

    def test_result_equals_that_of_import(self, shop: Shop) -> None:
        shop.import_codes("OLD1\nOLD2\n")
        shop.world.deliver()
        rows = ["code,mail", "A1,1", "A2,2", "a1,3", "old1,4", ",5", "B 1,6", f"{'x' * 256},7"]
        answer = check(shop, "\n".join(rows))
        assert answer.status == 200
        assert answer.json == {
            "column": "code",
            "rows": 7,
            "valid": 2,
            "samples": ["A1", "A2"],
            "duplicates": 1,
            "existing": 1,
            "existingSamples": ["old1"],
            "invalid": 3,
            "problems": [
                {"row": 6, "value": "", "reason": "It is blank."},
                {"row": 7, "value": "B 1", "reason": "It has white space."},
                {"row": 8, "value": "x" * 256, "reason": "It has more than 255 characters."},
            ],
        }
        made = shop.import_codes("\n".join(rows)).json["id"]
        shop.world.deliver()
        after = shop.get(f"/coupons/{made}")
        assert (after["codes"], after["importSkipped"]) == (counts(available=2), 1 + 1 + 3)

    def test_codes_of_other_stores_or_orders_do_not_exist_yet(self, shop: Shop) -> None:
        outlet = shop.store("Outlet")
        shop.import_codes("A1", storeId=outlet)
        shop.world.deliver()
        shop.use("A2")
        assert (check(shop, "A1\nA2").json["valid"], check(shop, "A1").json["existing"]) == (2, 0)

    def test_rows_and_codes_of_several_columns_are_counted(self, shop: Shop) -> None:
        preview = check(shop, "code 1,code 2\nA1,B2\na1,C3\nD 4,\n").json
        numbers = [preview[name] for name in ("rows", "valid", "duplicates", "existing", "invalid")]
        assert numbers == [3, 3, 1, 0, 1]

    def test_first_samples_and_problems_are_shown(self, shop: Shop) -> None:
        rows = [f"C{n}" for n in range(300)] + [f"x {n}" for n in range(150)]
        preview = check(shop, "code\n" + "\n".join(rows)).json
        assert (preview["valid"], preview["invalid"], preview["rows"]) == (300, 150, 450)
        assert preview["samples"] == ["C0", "C1", "C2", "C3", "C4"]
        assert [p["row"] for p in preview["problems"]] == list(range(302, 402))

    @pytest.mark.parametrize(
        ("content", "column", "code"),
        [
            ("", None, "unreadable"),
            ("\n\n", None, "unreadable"),
            ("A1\x00", None, "unreadable"),
            ('code\n"A1', None, "unreadable"),
            ("A1\nA2\n", "code", "column_not_found"),
            ("a,b\nx y,?\nx z,!\n", None, "column_not_found"),
        ],
    )
    def test_unusable_content_is_refused_with_reason(
        self, shop: Shop, content: str, column: str | None, code: str
    ) -> None:
        answer = check(shop, content, **({"column": column} if column else {}))
        assert answer.problem() == (422, code)
        assert answer.json["errors"]
        if code == "unreadable":
            assert answer.json["detail"].startswith("Send the codes as CSV")

    def test_unreadable_row_is_named(self, shop: Shop) -> None:
        [error] = check(shop, 'code\nA1\n"A2\nA3').json["errors"]
        detail = "Row 3 can't be read: a quote (\") isn't closed, or has text behind it"
        assert (error["path"], error["message"]) == ("/content", detail)

    def test_file_above_three_megabytes_is_refused(self, shop: Shop) -> None:
        assert check(shop, "x" * 3_000_001).error_paths() == ["/content"]
        large = check(shop, "A1\n", column="x" * 5_000_000)
        assert large.problem() == (413, "payload_too_large")

    def test_nothing_is_stored(self, shop: Shop) -> None:
        check(shop, "A1\nA2\n")
        assert shop.get("/coupons")["total"] == 0
        assert shop.code_rows() == []
        assert shop.world.objects() == {}


class TestImport:
    """POST /coupons/import."""

    def test_unknown_store_is_refused(self, shop: Shop) -> None:
        answer = shop.import_codes("code\nA1\n", storeId=str(new_id()))
        assert answer.problem() == (422, "validation")
        assert shop.world.objects() == {}

    def test_coupon_with_all_fields_and_pending_codes(self, shop: Shop) -> None:
        answer = shop.import_codes("code\nA1\nB2\nb2\n", validity={"type": "days", "days": 3})
        assert answer.status == 202
        made = answer.json
        store = shop.get(f"/stores/{shop.store_id}")
        assert made == {
            "id": made["id"],
            "store": {
                "id": shop.store_id,
                "name": store["name"],
                "platform": "custom",
                "currency": "EUR",
            },
            "name": "Brought",
            "source": "import",
            "kind": "bulk",
            "quantity": None,
            "prefix": None,
            "valueType": None,
            "value": None,
            "minimumSubtotal": None,
            "validity": {"type": "days", "days": 3},
            "combinesWith": None,
            "reissue": "every_email",
            "status": "active",
            "externalId": None,
            "adminUrl": None,
            "importSkipped": 1,
            "codes": counts(pending=2),
            "createdAt": made["createdAt"],
            "archivedAt": None,
        }
        assert shop.get(f"/coupons/{made['id']}") == made
        shop.world.deliver()
        after = shop.get(f"/coupons/{made['id']}")
        assert after == {**made, "codes": counts(available=2)}
        assert set(shop.texts(made["id"])) == {"A1", "B2"}
        shop.check()

    def test_many_codes_are_stored_and_can_be_assigned(self, shop: Shop) -> None:
        rows = [f"GIFT-{n:04}" for n in range(130)]
        made = shop.import_codes("\n".join(rows)).json["id"]
        shop.world.deliver()
        assert shop.get(f"/coupons/{made}")["codes"] == counts(available=130)
        assert {row.text for row in shop.code_rows()} == set(rows)
        assert shop.assigned(made, shop.person(), "mail")["code"] in rows
        shop.check()

    def test_code_belongs_to_first_coupon(self, shop: Shop) -> None:
        first = shop.import_codes("A1\nA2\n").json["id"]
        second = shop.import_codes("a2\na3\n").json["id"]
        shop.world.deliver()
        assert (set(shop.texts(first)), set(shop.texts(second))) == ({"A1", "A2"}, {"a3"})
        assert shop.get(f"/coupons/{second}")["importSkipped"] == 1
        outlet = shop.import_codes("A1", storeId=shop.store("Outlet")).json["id"]
        shop.world.deliver()
        assert shop.texts(outlet) == ["A1"]
        shop.check()

    def test_file_without_new_code_is_refused(self, shop: Shop) -> None:
        shop.import_codes("A1\nA2\n")
        shop.world.deliver()
        for content in ("a1\na2\n", "code\n", "code\nx y\n"):
            assert shop.import_codes(content).problem() == (422, "no_valid_codes")
        assert shop.import_codes("A1", column="voucher").problem() == (422, "column_not_found")
        assert shop.import_codes("").problem() == (422, "unreadable")
        assert shop.get("/coupons")["total"] == 1

    def test_existing_codes_are_looked_up_in_parallel(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        known = [f"C{n}" for n in range(17)]
        shop.import_codes("\n".join(known))
        shop.world.deliver()
        find, queries, together = item.find_raw, list[str](), Barrier(8, timeout=20)

        def find_one(keys: Iterable[item.Key]) -> dict[item.Key, Any]:
            listed_keys = list(keys)
            if len(listed_keys) == 1 and "#coupon_codes#" in listed_keys[0][0]:
                queries.append(listed_keys[0][1])
                if len(queries) > 1:
                    together.wait()
            return find(listed_keys)

        monkeypatch.setattr(item, "BATCH_GET_KEYS", 1)
        monkeypatch.setattr(item, "find_raw", find_one)
        assert shop.import_codes("\n".join(known)).problem() == (422, "no_valid_codes")
        assert len(queries) == len(set(queries)) == 17
        queries.clear()
        with_new = [*known[:5], "NEW", *known[5:]]
        assert shop.import_codes("\n".join(with_new)).status == 202
        assert len(queries) == 9

    def test_disconnected_store_is_refused(self, shop: Shop) -> None:
        shop.call("POST", f"/stores/{shop.store_id}/disconnect")
        assert shop.import_codes("A1").problem() == (409, "store_disconnected")

    @pytest.mark.parametrize(
        ("change", "path"),
        [
            ({"name": ""}, "/name"),
            ({"validity": {"type": "until", "endsAt": "2020-01-01T00:00:00Z"}}, "/validity/endsAt"),
            ({"kind": "bulk"}, "/kind"),
            ({"storeId": "x"}, "/storeId"),
        ],
    )
    def test_validation_errors(self, shop: Shop, change: dict[str, object], path: str) -> None:
        assert shop.import_codes("A1", **change).error_paths() == [path]

    def test_lost_file_leaves_no_pending_codes(self, shop: Shop) -> None:
        made = shop.import_codes("A1\nA2\n").json["id"]
        shop.world.delete_objects()
        shop.world.deliver()
        assert shop.get(f"/coupons/{made}")["codes"] == counts()
