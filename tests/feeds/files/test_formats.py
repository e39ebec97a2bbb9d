"""Every format in every encoding, and the values of a row."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storepost.feeds.files.bounds import Sample
from storepost.feeds.files.objects import Number
from tests.feeds.files.making import DELIMITERS, ENCODINGS, FORMATS, as_table, encoded, read

ROWS = [
    {"id": "a", "title": "Grüße, „Tasse“; 5 | 6", "description": 'Said "yes"\nand left\r\nagain'},
    {"id": "b", "title": "日本 <b>&amp;", "description": "\t tab"},
    {"id": "c", "title": "😀"},
]


def stripped(rows: list[dict[str, str] | None]) -> list[dict[str, str]]:
    """The rows without empty values; line ends are unified."""
    return [
        {name: value.replace("\r\n", "\n").strip() for name, value in row.items() if value.strip()}
        for row in rows
        if row is not None
    ]


@pytest.mark.parametrize("zipped", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("name", FORMATS)
def test_every_format_in_every_encoding(name: str, encoding: str, zipped: bool) -> None:
    content = encoded(FORMATS[name](ROWS), encoding, zipped=zipped)
    for size in (65_536, 7):
        found, rows = read(content, size=size)
        assert found == format_name(name)
        assert stripped(rows) == stripped(list(ROWS))


def format_name(name: str) -> str:
    """The format as answers name it."""
    if name in DELIMITERS:
        return "tsv" if name == "tab" else "csv"
    return "xml" if name in {"rss", "atom", "channel"} else "json"


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc", "Co", "Cn"]), min_size=1, max_size=12)
NAMES = st.sampled_from(["id", "title", "price", "g_custom", "size"])


@given(
    rows=st.lists(st.dictionaries(NAMES, TEXT, min_size=1), min_size=1, max_size=8),
    name=st.sampled_from(list(FORMATS)),
    encoding=st.sampled_from(ENCODINGS),
    zipped=st.booleans(),
    size=st.integers(1, 400),
)
def test_random_rows_round_trip(
    rows: list[dict[str, str]], name: str, encoding: str, zipped: bool, size: int
) -> None:
    rows = [{"id": f"i{n}", **row} for n, row in enumerate(rows)]
    _, found = read(encoded(FORMATS[name](rows), encoding, zipped=zipped), size=size)
    assert stripped(found) == stripped(list(rows))


class TestEncodings:
    """The encodings of files."""

    @pytest.mark.parametrize(
        ("declared", "encoding"),
        [("iso-8859-1", "latin-1"), ("windows-1251", "cp1251"), ("Shift_JIS", "shift_jis")],
    )
    def test_encoding_declared_in_xml(self, declared: str, encoding: str) -> None:
        word = {"latin-1": "Grüße", "cp1251": "Привет", "shift_jis": "日本"}[encoding]
        start = f'<?xml version="1.0" encoding="{declared}"?>'
        text = f"{start}<channel><item><id>{word}</id></item></channel>"
        assert read(text.encode(encoding)) == ("xml", [{"id": word}])

    def test_encoding_declared_in_content_type(self) -> None:
        content = "id;name\n1;Größe\n".encode("cp1252")
        found = read(content, "text/csv; charset=windows-1252")
        assert found == ("csv", [{"id": "1", "name": "Größe"}])

    @pytest.mark.parametrize("stated", ["ISO-8859-1", "us-ascii", "windows-1250", "utf-8"])
    def test_utf_8_is_read_whatever_the_content_type_declares(self, stated: str) -> None:
        content = "id;name\n1;Größe für „Žluť“\n".encode()
        found = read(content, f"text/csv; charset={stated}")
        assert found == ("csv", [{"id": "1", "name": "Größe für „Žluť“"}])

    @pytest.mark.parametrize("stated", ["utf-8", "us-ascii"])
    @pytest.mark.parametrize("before", [0, 100_000], ids=["at once", "far behind"])
    def test_wrong_declaration_is_ignored(self, stated: str, before: int) -> None:
        """A server that states UTF-8 for all files must not cost a shop its feed."""
        plain = "1;Cup\n" * (before // 6)
        content = f"id;name\n{plain}2;Größe für Gläser\n".encode("cp1252")
        form, rows = read(content, f"text/csv; charset={stated}")
        assert (form, rows[-1]) == ("csv", {"id": "2", "name": "Größe für Gläser"})
        assert len(rows) == before // 6 + 1

    @pytest.mark.parametrize(
        ("declared", "encoding"),
        [
            ("UTF-8", "cp1252"),
            ("ISO-8859-1", "cp1252"),
            ("us-ascii", "cp1252"),
            ("latin1", "utf-8"),
        ],
    )
    def test_xml_in_other_encoding_than_it_declares(self, declared: str, encoding: str) -> None:
        """Programs write cp1252 with its quotes as ISO 8859-1, and keep a template's line."""
        start = f'<?xml version="1.0" encoding="{declared}"?>'
        text = f"{start}<c><item><id>1</id><title>„Größe“, süß, 5 €</title></item></c>"
        rows = [{"id": "1", "title": "„Größe“, süß, 5 €"}]
        assert read(text.encode(encoding)) == ("xml", rows)

    @pytest.mark.parametrize("stated", ["", "utf-8"])
    @pytest.mark.parametrize("before", [0, 50_000], ids=["at once", "far behind"])
    def test_damaged_text_costs_no_other(self, stated: str, before: int) -> None:
        """Programs cut texts within a character; the rest of the file is whole."""
        whole = "2;Größe für Gläser\n".encode()
        content = b"id;name\n" + whole * (1 + before // len(whole)) + b"1;Gr\xc3\n" + whole
        form, rows = read(content, f"text/csv; charset={stated}" if stated else "")
        assert (form, rows[-2:]) == (
            "csv",
            [{"id": "1", "name": "Gr\ufffd"}, {"id": "2", "name": "Größe für Gläser"}],
        )
        assert rows[0] == {"id": "2", "name": "Größe für Gläser"}

    def test_wrong_utf_16_declaration_is_ignored(self) -> None:
        text = '<?xml version="1.0" encoding="utf-16"?><channel><item><id>ü</id></item></channel>'
        assert read(text.encode()) == ("xml", [{"id": "ü"}])


class TestTables:
    """CSV and its like."""

    def test_delimiter_is_detected_in_header(self) -> None:
        assert read(b"id;title;a,b\n1;2,3;4\n") == (
            "csv",
            [{"id": "1", "title": "2,3", "a,b": "4"}],
        )

    def test_quoted_delimiters_are_ignored(self) -> None:
        assert read(b'"a,b,c";id\n"1,2";3\n') == ("csv", [{"a,b,c": "1,2", "id": "3"}])

    def test_content_type_decides_between_equally_frequent_delimiters(self) -> None:
        assert read(b"a\tb,c\n1\t2,3\n", "text/tab-separated-values")[0] == "tsv"
        assert read(b"a\tb,c\n1\t2,3\n", "text/csv")[0] == "csv"

    def test_rows_with_wrong_column_count(self) -> None:
        assert read(b"a,b\n1\n1,2,3\n1,2\n")[1] == [None, None, {"a": "1", "b": "2"}]

    def test_empty_lines_are_skipped(self) -> None:
        assert read(b"\n\na,b\n\n1,2\n\r\n3,4\r\n")[1] == [
            {"a": "1", "b": "2"},
            {"a": "3", "b": "4"},
        ]

    def test_duplicate_column_names_are_numbered(self) -> None:
        assert read(b"a,a,a\n1,2,3\n")[1] == [{"a": "1", "a (2)": "2", "a (3)": "3"}]

    def test_carriage_return_line_ends(self) -> None:
        assert read(b"a,b\r1,2\r3,4\r")[1] == [{"a": "1", "b": "2"}, {"a": "3", "b": "4"}]


class TestMarkup:
    """RSS, Atom, a bare channel."""

    @pytest.mark.parametrize("before", [0, 200_000], ids=["at once", "far behind"])
    def test_control_characters_are_dropped(self, before: int) -> None:
        """A vertical tab of one text, pasted from a document, must not cost the shop its feed."""
        first = "<item><id>1</id></item>" * (before // 23)
        content = f"<channel>{first}<item><id>2</id><title>Cup\x0b & Pot\x1f\ufffe</title></item>"
        found = read(f"{content}</channel>".replace("&", "&amp;").encode())[1]
        assert found[-1] == {"id": "2", "title": "Cup & Pot"}

    def test_piece_of_control_characters_ends_no_file(self) -> None:
        content = b"<r><item><id>1</id></item>" + b"\x0b" * 200_000 + b"<item><id>2</id></item></r>"
        assert read(content)[1] == [{"id": "1"}, {"id": "2"}]

    def test_google_namespace_takes_precedence(self) -> None:
        for order in (
            "<title>P</title><g:title>M</g:title>",
            "<g:title>M</g:title><title>P</title>",
        ):
            content = f'<rss xmlns:g="http://base.google.com/ns/1.0"><item>{order}</item></rss>'
            assert read(content.encode())[1] == [{"title": "M"}]

    def test_google_namespace_with_any_prefix(self) -> None:
        content = b'<rss xmlns:m="http://base.google.com/ns/1.0"><item><m:id>1</m:id></item></rss>'
        assert read(content)[1] == [{"id": "1"}]

    def test_other_prefixes_are_preserved(self) -> None:
        content = b"<rss><item><media:title>T</media:title><id>1</id></item></rss>"
        assert read(content)[1] == [{"media:title": "T", "id": "1"}]

    def test_repeated_and_nested_elements(self) -> None:
        content = (
            b"<channel><item><g:id>1</g:id><g:img>x</g:img><g:img>y</g:img>"
            b"<g:shipping><g:country>AT</g:country><g:price>3</g:price></g:shipping></item></channel>"
        )
        assert read(content)[1] == [
            {"id": "1", "img": "x,y", "shipping.country": "AT", "shipping.price": "3"}
        ]

    def test_atom_link_without_rel_is_used(self) -> None:
        content = (
            b'<feed><entry><id>1</id><link rel="self" href="https://a/s"/>'
            b'<link href="https://a/1"/></entry></feed>'
        )
        assert read(content)[1] == [{"id": "1", "link": "https://a/1"}]

    def test_cdata_and_references(self) -> None:
        content = b"<r><item><d><![CDATA[<b>1</b>]]> &amp; &#228;</d></item></r>"
        assert read(content)[1] == [{"d": "<b>1</b> & ä"}]


class TestJson:
    """Arrays, products, lines."""

    def test_values_of_every_kind(self) -> None:
        content = (
            b'[{"n": 15.00, "i": 7, "t": true, "f": false, "z": null, "l": ["a", 1],'
            b' "o": {"p": {"q": 1}}, "x": [{"y": 1}]}]'
        )
        [row] = read(content)[1]
        assert row == {
            "n": "15.00",
            "i": "7",
            "t": "true",
            "f": "false",
            "z": "",
            "l": "a,1",
            "o.p.q": "1",
            "x.y": "1",
        }

    @pytest.mark.parametrize("frame", ["[%s]", "%s\n", '{"products": [%s]}'])
    def test_numbers_are_distinguished_from_text(self, frame: str) -> None:
        content = frame % '{"a": 24.375, "b": "24.375", "c": 7, "d": 1.5e2, "e": 1e999999999}'
        [row] = read(content.encode())[1]
        assert row == {"a": "24.375", "b": "24.375", "c": "7", "d": "150", "e": "1E+999999999"}
        assert [name for name, cell in row.items() if isinstance(cell, Number)] == list("acde")

    def test_one_object_per_line_with_empty_lines(self) -> None:
        assert read(b'{"id":"a"}\r\n\r\n{"id":"b"}')[1] == [{"id": "a"}, {"id": "b"}]

    def test_products_in_one_line(self) -> None:
        assert read(b'{"products":[{"id":"a"},{"id":"b"}],"x":1}\n')[1] == [
            {"id": "a"},
            {"id": "b"},
        ]


class TestGzip:
    """Members and the bytes after them."""

    def test_several_members_are_one_file(self) -> None:
        content = gzip.compress(b"a,b\n1,2\n") + gzip.compress(b"3,4\n")
        for size in (1, 65_536):
            assert read(content, size=size)[1] == [{"a": "1", "b": "2"}, {"a": "3", "b": "4"}]

    def test_padding_is_ignored(self) -> None:
        assert read(gzip.compress(b"a,b\n1,2\n") + b"\0" * 100)[1] == [{"a": "1", "b": "2"}]

    def test_highly_compressible_file_is_read_completely(self) -> None:
        line = b"x" * 1000 + b"\n"
        assert len(read(gzip.compress(b"a\n" + line * 5000))[1]) == 5000


class TestSample:
    """The beginning of a file."""

    @pytest.mark.parametrize("name", FORMATS)
    def test_cut_file_gives_complete_rows(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        rows = [{"id": f"i{n}", "title": "ü" * 20} for n in range(100)]
        content = FORMATS[name](rows).encode()
        for length in range(len(content) // 2, len(content) // 2 + 60):
            monkeypatch.setattr(Sample, "BYTES", length)
            _, found = read(content, bound=Sample(), size=97)
            assert found == rows[: len(found)]
            assert len(found) in range(30, 60)

    def test_sample_is_limited_by_rows(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Sample, "ROWS", 3)
        content = as_table([{"id": str(n)} for n in range(9)]).encode()
        assert read(content, bound=Sample())[1] == [{"id": "0"}, {"id": "1"}, {"id": "2"}]

    @pytest.mark.parametrize("bound", ["SECONDS", "CPU_SECONDS"])
    def test_sample_is_limited_by_time(self, bound: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Sample, bound, -1.0)
        content = as_table([{"id": str(n)} for n in range(99)]).encode()
        found = read(content, bound=Sample(), size=20)[1]
        assert found == [{"id": str(n)} for n in range(len(found))]
        assert len(found) < 10
