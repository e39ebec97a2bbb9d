"""Resolution against a model written from the rules alone (docs/semantics.md, section 4)."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from storepost.catalog.products.model import MissingField
from storepost.catalog.products.records import Record, SourceValues
from storepost.catalog.products.resolution import Resolution, StoreTerms
from storepost.catalog.products.rules import RankedSource, Rules, SourceKind
from storepost.catalog.products.summaries import summary_of

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
SOURCES = [UUID(int=n) for n in range(1, 5)]
STRANGER = UUID(int=9)
LOCALES = [None, "de-AT", "de-DE", "de", "en", "en-GB", "fr"]
TERMS = StoreTerms("de-AT", "EUR", {"de-AT": "EUR", "en": "USD", "en-GB": "GBP"})
PRODUCT = ["title", "link", "image", "tags", "published", "custom.origin"]
VARIANT = ["title", "price", "compareAtPrice", "inventoryQuantity", "availableForSale"]

moments = st.integers(0, 5).map(lambda days: BEGIN + timedelta(days=days))
prices = st.builds(
    lambda amount, currency: {"amount": amount, "currency": currency},
    st.integers(0, 3),
    st.sampled_from(["EUR", "USD", "GBP"]),
)
values: dict[str, st.SearchStrategy[Any]] = {
    "title": st.sampled_from([None, "", "Tea", "Tee"]),
    "link": st.sampled_from([None, "https://a.example", "https://b.example"]),
    "image": st.sampled_from([None, {"url": "https://a.example/i", "alt": None}]),
    "tags": st.sampled_from([None, [], ["a"], ["b", "c"]]),
    "published": st.sampled_from([None, False, True]),
    "custom.origin": st.sampled_from([None, "", "Uji"]),
    "price": st.none() | prices,
    "compareAtPrice": st.none() | prices,
    "inventoryQuantity": st.sampled_from([None, 0, 3]),
    "availableForSale": st.sampled_from([None, False, True]),
}


def fields_of(names: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    """Some of the fields, with any value."""
    return st.fixed_dictionaries({}, optional={name: values[name] for name in names})


@st.composite
def record(draw: st.DrawFn) -> Record:
    """The values of any source for the product or one of two variants, in any locale or none."""
    variant = draw(st.sampled_from([None, None, "v-1", "v-2"]))
    first = draw(moments)
    values = SourceValues(
        draw(fields_of(VARIANT if variant else PRODUCT)), draw(st.sampled_from(LOCALES)), variant
    )
    removed = draw(st.none() | st.just(first + timedelta(days=1)))
    return Record(draw(st.sampled_from([*SOURCES, STRANGER])), values, first, first, removed)


@st.composite
def records(draw: st.DrawFn) -> list[Record]:
    """Records, one at each place of a source, in any order."""
    drawn = draw(st.lists(record(), min_size=1, max_size=14))
    return list({(each.source, each.place): each for each in drawn}.values())


@st.composite
def rules(draw: st.DrawFn) -> Rules:
    """Some of the sources, some of them in an order, some fields with an order of their own."""
    known = draw(st.lists(st.sampled_from(SOURCES), unique=True, max_size=4))
    sources = tuple(
        RankedSource(each, SourceKind.FEED, each, "", number, draw(moments))
        for number, each in enumerate(known)
    )
    orders = st.lists(st.sampled_from(SOURCES), unique=True, min_size=1).map(tuple)
    named = [f"product.{n}" for n in PRODUCT[:5]] + [f"variant.{n}" for n in VARIANT]
    fields = draw(st.dictionaries(st.sampled_from([*named, "custom.origin"]), orders, max_size=4))
    return Rules(sources, draw(orders), fields)


class Model:
    """The rules of the text, one after the other, as slowly as they read."""

    def __init__(self, records: list[Record], rules: Rules) -> None:
        known = [source.id for source in rules.sources]
        self.rules = rules
        self.live = [r for r in records if r.removed_at is None and r.source in known]

    def sources(self, field: str) -> list[UUID]:
        """Rules 2 and 5: the field's own, the rest of the order, the others, oldest first."""
        oldest = sorted(self.rules.sources, key=lambda source: (source.added_at, source.id))
        result: list[UUID] = []
        for each in [*self.rules.fields.get(field, ()), *self.rules.order, *(s.id for s in oldest)]:
            if each not in result and each in [source.id for source in self.rules.sources]:
                result.append(each)
        return result

    def chain(self, locale: str) -> list[list[str | None]]:
        """Rule 3: exact, same language, none, the store's primary."""
        language = locale.split("-", maxsplit=1)[0]
        same = sorted(x for x in LOCALES if x and x != locale and x.split("-")[0] == language)
        return [[locale], list(same), [None], [TERMS.primary_locale]]

    def winner(self, variant: str | None, name: str, locale: str) -> tuple[Any, Record] | None:
        """The first live record with a word."""
        full = name if name.startswith("custom.") else f"product.{name}"
        if variant:
            full = f"variant.{name}"
        for source in self.sources(full):
            for tried in (each for step in self.chain(locale) for each in step):
                for each in self.live:
                    place = (each.source, each.values.variant, each.values.locale)
                    value = each.values.fields.get(name)
                    if place == (source, variant, tried) and self.is_word(name, value, locale):
                        return value, each
        return None

    def is_word(self, name: str, value: Any, locale: str) -> bool:
        """Rules 2 and 3: not null, "" or [], and no price in another currency."""
        if value is None or value in ("", []):
            return False
        currency = TERMS.currencies.get(locale, TERMS.currency)
        return name not in ("price", "compareAtPrice") or value["currency"] == currency


class TestResolution:
    """Any sources, locales, rules and removals."""

    @given(records(), rules(), st.sampled_from(["de-AT", "de-DE", "en", "en-GB", "fr", "ja"]))
    def test_winners_match_model(self, records: list[Record], rules: Rules, locale: str) -> None:
        model = Model(records, rules)
        found = Resolution(records, rules, TERMS).in_locale(locale)
        shown = {None: (PRODUCT, found.resolved)} | {
            each.key: (VARIANT, each.resolved) for each in found.variants
        }
        for variant, (names, resolved) in shown.items():
            for name in names:
                expected = model.winner(variant, name, locale)
                winner = resolved.winners.get(name)
                assert (expected is None) == (winner is None), (variant, name)
                if expected and winner:
                    assert (resolved.values[name], winner.source, winner.place) == (
                        expected[0],
                        expected[1].source,
                        expected[1].place,
                    )

    @given(records(), rules(), st.sampled_from(["de-AT", "en"]))
    def test_live_variants_and_missing_fields_match_model(
        self, records: list[Record], rules: Rules, locale: str
    ) -> None:
        model = Model(records, rules)
        resolution = Resolution(records, rules, TERMS)
        found = resolution.in_locale(locale)
        live = {each.values.variant for each in model.live}
        assert (found.removed_at is None) == (None in live or not resolution.has_product)
        assert {each.key for each in found.live_variants} == live - {None}
        lacking = {n for n in ("title", "link", "image") if not model.winner(None, n, locale)}
        if not any(model.winner(key, "price", locale) for key in live - {None}):
            lacking.add("price")
        assert set(summary_of(found).missing) == set(map(MissingField, lacking))

    @given(records(), rules())
    def test_result_is_independent_of_record_order(
        self, records: list[Record], rules: Rules
    ) -> None:
        one, other = (Resolution(each, rules, TERMS) for each in (records, records[::-1]))
        assert one.locales == other.locales
        assert one.in_locale("de-AT") == other.in_locale("de-AT")

    @given(records(), rules())
    def test_price_range_covers_resolved_variants(
        self, records: list[Record], rules: Rules
    ) -> None:
        model = Model(records, rules)
        found = Resolution(records, rules, TERMS).in_locale("en")
        keys = {each.values.variant for each in model.live} - {None}
        won = [model.winner(key, "price", "en") for key in keys]
        amounts = [each[0]["amount"] for each in won if each]
        price = summary_of(found).price
        assert (price is None) == (not amounts)
        if price:
            assert [each.amount for each in price] == [min(amounts), max(amounts)]
            assert {each.currency for each in price} == {"USD"}
