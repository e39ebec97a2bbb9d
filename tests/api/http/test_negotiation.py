"""Accept-Language: which of our languages a browser ranks highest."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storepost.api.http.negotiation import MAX_RANGES, Representation, preferred, preferred_language
from storepost.values.languages import Language, language_of
from tests.growth import assert_linear

TAGS = ["de", "de-AT", "DE-ch", "fr", "fr-CA", "nl-BE", "pt-BR", "en", "sv", "nds", "*", "x-de"]
QUALITIES = ["0", "0.", "0.0", "0.001", "0.3", "0.30", "0.5", "0.9", "1", "1.0", "1.000"]
BAD_QUALITIES = [
    "",
    "2",
    "1.1",
    "-1",
    "1e0",
    "nan",
    "inf",
    "0_1",
    "½",
    "\u0660",
    "0,",
    "+1",
    " 1",
    ".5",
]


def model(ranges: list[tuple[str, str | None]]) -> Language | None:
    """RFC 4647's lookup as it is written: by falling weight, each tag cut down to its language."""
    weighed = [(float(q) if q is not None else 1.0, tag) for tag, q in ranges]
    for weight, tag in sorted(weighed, key=lambda each: -each[0]):
        cut = tag.lower().split("-")[0]
        if weight > 0 and cut in {str(each) for each in Language}:
            return Language(cut)
    return None


class TestPreferredLanguage:
    """The header's ranges by weight."""

    @given(
        st.lists(
            st.tuples(st.sampled_from(TAGS), st.none() | st.sampled_from(QUALITIES)), max_size=6
        ),
        st.sampled_from([",", ", ", " ,\t"]),
    )
    def test_matches_rfc_4647_lookup(
        self, ranges: list[tuple[str, str | None]], comma: str
    ) -> None:
        header = comma.join(tag if q is None else f"{tag};q={q}" for tag, q in ranges)
        assert preferred_language(header) is model(ranges)

    @pytest.mark.parametrize(
        ("header", "language"),
        [
            ("de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7", "de"),
            ("da, en-GB;q=0.8, pl;q=0.9", "pl"),
            ("pt-br", "pt"),
            ("fr;Q=0.2, it ; q=0.3", "it"),
            ("es,fr", "es"),
            ("de;q=0, nl;q=0.1", "nl"),
        ],
    )
    def test_headers_of_browsers(self, header: str, language: str) -> None:
        assert preferred_language(header) is Language(language)

    @pytest.mark.parametrize("quality", BAD_QUALITIES)
    def test_range_with_malformed_weight_is_ignored(self, quality: str) -> None:
        assert preferred_language(f"de;q={quality}, fr;q=0.1") is Language.FRENCH
        assert preferred(f"text/html;q={quality}") is Representation.JSON

    @given(st.text())
    def test_arbitrary_text_is_accepted(self, header: str) -> None:
        assert preferred_language(header) in {None, *Language}

    @pytest.mark.parametrize(
        "piece", ["xx,", "a;", "de;q=0.1,", "de;q=" + "0" * 99 + ",", ";", "-", "\t"]
    )
    def test_long_header_takes_linear_time(self, piece: str) -> None:
        """The gateway lets 10 KB of headers in; this reads two hundred times that."""
        assert_linear(lambda count: preferred_language(piece * (count // len(piece))), 125_000)

    def test_number_of_ranges_is_limited(self) -> None:
        assert preferred_language("xx," * (MAX_RANGES - 1) + "de") is Language.GERMAN
        assert preferred_language("xx," * MAX_RANGES + "de") is None


class TestLanguageOf:
    """A locale's language."""

    @pytest.mark.parametrize(
        ("locale", "language"),
        [
            ("de", "de"),
            ("de-Latn-AT-1996", "de"),
            ("PT-BR", "pt"),
            ("nds", None),
            ("sv-FI", None),
            ("x-de", None),
            ("", None),
            (None, None),
            ("de_DE", None),
        ],
    )
    def test_language_is_the_first_subtag(self, locale: str | None, language: str | None) -> None:
        assert language_of(locale) == language
