"""The results of a query, against a plain reading of the rules (docs/semantics.md, section 7)."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from unittest import mock
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storepost.platform.postings import finding
from storepost.platform.postings.entries import (
    Posting,
    SearchEntry,
    SearchKind,
    code_word,
    postings_of,
)
from storepost.platform.postings.finding import Found, Query, find
from storepost.values.text import fold, matches, search_terms

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


PHONE = re.compile(r"\+[\d\s()./-]*\d")


class Plain:
    """Postings in a sorted list."""

    def __init__(self, entries: list[SearchEntry]) -> None:
        postings = [posting for entry in entries for posting in postings_of(entry)]
        self.rows = sorted(postings, key=lambda posting: (f"{posting.word}\x01", str(posting.id)))
        self.read = 0

    def beginning(self, prefix: str) -> Iterator[Posting]:
        """The same as the repository's method."""
        for row in self.rows:
            if f"{row.word}\x01".startswith(prefix):
                self.read += 1
                yield row

    def of(self, word: str) -> Iterator[Posting]:
        """The same as the repository's method."""
        return self.beginning(f"{word}\x01")


def found(entries: list[SearchEntry], q: str) -> Found:
    """The results among these entries."""
    return find(Plain(entries), Query.of(q))  # type: ignore[arg-type]


def rank(entry: SearchEntry, q: str) -> int | None:
    """How well an entry matches, by the rules alone."""
    terms, folded = search_terms(q), " ".join(fold(q).split())
    if folded in {" ".join(fold(code).split()) for code in entry.codes} and folded:
        return 0
    digits = "".join(c for c in folded if c.isdigit()) if PHONE.fullmatch(folded) else None
    whole = {" ".join(fold(key).split()).lstrip("#+") for key in entry.keys}
    if {folded.lstrip("#+"), digits, *(terms[0] if len(terms) == 1 else ())} & whole:
        return 0
    texts = (entry.title, *entry.texts, *entry.keys, *(k.lstrip("#+") for k in entry.keys))
    if entry.is_hidden or not matches(q, *texts):
        return None
    title = " ".join(fold(entry.title).split())
    if title == folded:
        return 1
    return 2 if title.startswith(folded) else 3


def expected(entries: list[SearchEntry], q: str) -> list[UUID]:
    """The ids in their order."""
    ranked = [(rank(entry, q), entry) for entry in entries]
    hits = [(r, -entry.at.timestamp(), entry.id) for r, entry in ranked if r is not None]
    return [entry_id for *_, entry_id in sorted(hits)]


WORDS = st.sampled_from(
    [
        "ann",
        "Anna",
        "ANNÉ",
        "lee",
        "le",
        "Ångström",
        "straße",
        "李明",
        "Мария",
        "αβγ",
        "x-1",
        "12",
        "1",
        "+49 1",
        "+1-2/4 9",
    ]
)
TITLES = st.lists(WORDS, min_size=0, max_size=3).map(" ".join)
KEYS = st.sampled_from(["#12", "#x-1", "ann@example.com", "le.e@example.com", "+4912", "No 12"])
CODES = st.sampled_from(["AB 1", "ab-1/2", "12", "Straße"])


@st.composite
def entry_lists(draw: st.DrawFn) -> list[SearchEntry]:
    """Some entries, several of them alike."""
    return [
        SearchEntry(
            SearchKind.PROFILE,
            UUID(int=number),
            draw(TITLES),
            EPOCH + timedelta(days=draw(st.integers(0, 3))),
            tuple(draw(st.lists(WORDS, max_size=2))),
            keys=tuple(draw(st.lists(KEYS, max_size=1))),
            codes=tuple(draw(st.lists(CODES, max_size=1))),
            is_hidden=draw(st.booleans()) and draw(st.booleans()),
        )
        for number in range(draw(st.integers(0, 12)))
    ]


QUERIES = st.one_of(
    TITLES,
    KEYS,
    CODES,
    WORDS.map(lambda word: word[:2]),
    st.lists(WORDS, max_size=4).map(" ".join),
    st.sampled_from(["+49 12", "+4 91", "ann +49 1", "+49 12 lee"]),
)


@settings(max_examples=600)
@given(entry_lists(), QUERIES)
def test_results_match_model(entries: list[SearchEntry], q: str) -> None:
    result = found(entries, q)
    assert [hit.id for hit in result.hits] == expected(entries, q)
    assert result.total == len(result.hits)


@given(entry_lists(), st.lists(WORDS, min_size=2, max_size=9).map(" ".join))
def test_results_are_independent_of_rarest_word(entries: list[SearchEntry], q: str) -> None:
    """Postings are read a few at a time, so the words end in different reads."""
    with mock.patch.object(finding, "_STRIDE", 2):
        assert [hit.id for hit in found(entries, q).hits] == expected(entries, q)


def many(count: int, title: str) -> list[SearchEntry]:
    """So many entries of one name, the last the newest."""
    return [
        SearchEntry(SearchKind.PROFILE, UUID(int=n + 1), title, EPOCH + timedelta(seconds=n))
        for n in range(count)
    ]


class TestBounds:
    """How much is read if there is very much."""

    def test_total_is_exact_up_to_1000(self) -> None:
        assert found(many(999, "ann"), "an").total == 999
        assert found(many(1_000, "ann"), "an").total == 1_000

    def test_total_is_capped_at_1000(self) -> None:
        entries = Plain(many(3_000, "ann"))
        result = find(entries, Query.of("an"))  # type: ignore[arg-type]
        assert result.total == 1_000
        assert entries.read <= 1_001

    def test_rarest_word_bounds_the_reads(self) -> None:
        rare = SearchEntry(SearchKind.PROFILE, UUID(int=0), "ann quill", EPOCH)
        entries = Plain([*many(5_000, "ann lee"), rare])
        result = find(entries, Query.of("ann quill"))  # type: ignore[arg-type]
        assert [hit.id for hit in result.hits] == [rare.id]
        assert entries.read < 1_000

    @pytest.mark.parametrize("q", ["ann lee", "ann lee li bo", "a b c d e f g h i j k l m n"])
    def test_reads_of_several_frequent_words_are_bounded(self, q: str) -> None:
        """At 150 bytes a posting, 4,020 of them are 74 units that need not be consistent."""
        entries = Plain(many(10_000, q))
        result = find(entries, Query.of(q))  # type: ignore[arg-type]
        assert result.total == 1_000
        assert entries.read <= 4_020


def test_one_posting_per_word() -> None:
    entry = SearchEntry(
        SearchKind.PROFILE, UUID(int=1), "Ann Lee", EPOCH, keys=("ann@example.com", "+49170")
    )
    words = sorted(posting.word for posting in postings_of(entry))
    assert words == ["49170", "ann", "ann@example.com", "com", "example", "lee"]


def test_long_text_is_truncated() -> None:
    """A posting stays below a write unit, however long a product's name is."""
    entry = SearchEntry(
        SearchKind.PRODUCT, UUID(int=1), " ".join(f"wörd{n}" for n in range(400)), EPOCH
    )
    postings = postings_of(entry)
    assert 50 < len(postings) < 120
    assert all(
        len(posting.text.encode()) + len(posting.word.encode()) < 850 for posting in postings
    )


def test_codes_match_as_a_whole_only() -> None:
    entry = SearchEntry(
        SearchKind.PRODUCT, UUID(int=1), "Cup", EPOCH, codes=("AB  12",), is_hidden=True
    )
    assert [posting.word for posting in postings_of(entry)] == [code_word("ab 12")]
    assert found([entry], " ab 12").total == 1
    assert found([entry], "ab").total == found([entry], "cup").total == 0
