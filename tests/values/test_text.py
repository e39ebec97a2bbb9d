"""Folding, words and search, by the rule of docs/interface.md, section 2 ("Search")."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storepost.values.text import SORT_KEY_BYTES, fold, matches, sort_key, words

LETTERS = st.text(st.characters(categories=["Ll", "Lu", "Nd"]), min_size=1, max_size=12)


class TestFold:
    """Case and accents."""

    @pytest.mark.parametrize(
        ("text", "folded"),
        [
            ("Ann", "ann"),
            ("ÉMILE Zoë", "emile zoe"),
            ("Emile\u0301", "emile"),
            ("Straße", "strasse"),
            ("Łódź Smørrebrød Þór Œuvre", "lodz smorrebrod thor oeuvre"),
            ("İstanbul", "istanbul"),
            ("ﬁne ℡", "fine tel"),
            ("  Ann\x00\n ", "ann"),
            ("東京", "東京"),
        ],
    )
    def test_folds(self, text: str, folded: str) -> None:
        assert fold(text) == folded

    @given(st.text(st.characters(max_codepoint=127)))
    def test_ascii_fast_path_has_the_same_result(self, text: str) -> None:
        """The faster way for most texts has the same result."""
        assert fold(text) == fold(f"{text}\u0301x").removesuffix("x").strip()

    @given(st.text())
    def test_fold_is_idempotent(self, text: str) -> None:
        assert fold(fold(text)) == fold(text)

    @given(st.text())
    def test_case_is_ignored(self, text: str) -> None:
        assert fold(text.casefold()) == fold(text)

    @given(st.text())
    def test_unicode_composition_is_ignored(self, text: str) -> None:
        assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text))


class TestSortKey:
    """Text in sort keys."""

    @given(st.text(min_size=0, max_size=400))
    def test_is_a_prefix_of_the_folded_text(self, text: str) -> None:
        key = sort_key(text)
        assert fold(text).startswith(key)
        assert len(key.encode()) <= SORT_KEY_BYTES
        assert key == fold(text) or len(key.encode()) > SORT_KEY_BYTES - 4


class TestWords:
    """Where words are cut."""

    def test_split_at_anything_but_letters_and_digits(self) -> None:
        assert words("Jean-Luc O'Brien_jr, 4th@x.io") == [
            "jean", "luc", "o", "brien", "jr", "4th", "x", "io",
        ]  # fmt: skip

    def test_line_break_separates_words(self) -> None:
        assert words("Grüner\nTee\tlose\x85100\u2028g\x00x") == [
            "gruner", "tee", "lose", "100", "g", "x",
        ]  # fmt: skip


class TestMatches:
    """`q` and a row."""

    @pytest.mark.parametrize(
        "q",
        [
            "ann", "LEE", "a l", "lee ann", "Ánn", "ann.lee@example.com", "ANN.LEE@EXAMPLE.COM",
            "ann.lee@exam", "exam", "lee@", "ann lee ann.lee@example.com", "ann.lee@example.co",
            "com",
        ],
    )  # fmt: skip
    def test_finds(self, q: str) -> None:
        assert matches(q, "Ann Lee", "ann.lee@example.com")

    @pytest.mark.parametrize(
        "q",
        [
            "nn", "ann x", "annl", "lee@example.com", "ann@example.com", "ann.lee@example.org",
            "ann.lee@example.comx", "@", "- .", "",
        ],
    )  # fmt: skip
    def test_doesnt_find(self, q: str) -> None:
        assert not matches(q, "Ann Lee", "ann.lee@example.com")

    @pytest.mark.parametrize(
        "q",
        [
            "Ann Lee <ann.lee@example.com>", "<ANN.LEE@example.com>", '"Lee, Ann" <ann.lee@exam',
            "(ann.lee@example.com)", "ann.lee@example.com,", "ann.lee@example.com; Lee",
            "[ann.lee@example.com]",
        ],
    )  # fmt: skip
    def test_address_in_mailbox_notation(self, q: str) -> None:
        assert matches(q, "Ann Lee", "ann.lee@example.com")

    @pytest.mark.parametrize(
        "q", ["<lee@example.com>", "Bob <ann.lee@example.com>", "ann.lee@example.com, bob@x.org"]
    )
    def test_other_address_in_mailbox_notation(self, q: str) -> None:
        assert not matches(q, "Ann Lee", "ann.lee@example.com")

    @pytest.mark.parametrize(
        "q", ["+4915112345678", "4915112345678", "+49 151 1234", "+49 (151) 123-45678", "49151"]
    )
    def test_phones(self, q: str) -> None:
        assert matches(q, None, "+4915112345678")

    @pytest.mark.parametrize(
        "q", ["Ann +49 151 1234-5678", "+49 (151) 123-45678 ann", "+49 151 1234 lee", "ann +49"]
    )
    def test_phones_among_other_words(self, q: str) -> None:
        assert matches(q, "Ann Lee", "+4915112345678")

    @pytest.mark.parametrize("q", ["Bob +49 151 1234-5678", "ann +49 152 1234-5678"])
    def test_other_word_or_phone_does_not_match(self, q: str) -> None:
        assert not matches(q, "Ann Lee", "+4915112345678")

    @pytest.mark.parametrize(
        "text",
        [
            "Adapter +100-240 50/60 V",
            "Cable +12 3456 789",
            "Ann +49 151 12345678",
            "+49 151 12345678",
            "+1 1 +1 2345678",
        ],
    )
    def test_phone_like_text_matches_itself(self, text: str) -> None:
        assert matches(text, text)
        assert matches(text[:-1], "Something else", text)
        assert not matches(f"{text} 0", text)

    @pytest.mark.parametrize("q", ["15112345678", "+49 152", "+49151123456789"])
    def test_other_phone_does_not_match(self, q: str) -> None:
        assert not matches(q, None, "+4915112345678")

    @pytest.mark.parametrize("q", ["1001", "#1001", "100", "#100", "eu", "EU-#1001", "eu-#10"])
    def test_order_numbers(self, q: str) -> None:
        assert matches(q, "EU-#1001")

    @pytest.mark.parametrize("q", ["001", "1002", "us-1001"])
    def test_other_order_number_does_not_match(self, q: str) -> None:
        assert not matches(q, "EU-#1001")

    def test_row_without_text_does_not_match(self) -> None:
        assert not matches("a", None, "", None)

    @given(st.lists(LETTERS, min_size=1, max_size=5), st.data())
    def test_prefixes_in_any_order_match(self, parts: list[str], data: st.DataObject) -> None:
        present = words(" ".join(parts))
        permuted = data.draw(st.permutations(present))
        cut = [w[: data.draw(st.integers(1, len(w)))] for w in permuted]
        assert matches(" ".join(cut), " ".join(parts))

    @given(st.lists(LETTERS, min_size=1, max_size=5), LETTERS)
    def test_matches_if_each_word_is_a_prefix(self, parts: list[str], q: str) -> None:
        row = [word for part in parts for word in words(part)]
        expected = all(any(word.startswith(a) for word in row) for a in words(q))
        assert matches(q, *parts) == (bool(words(q)) and expected)
