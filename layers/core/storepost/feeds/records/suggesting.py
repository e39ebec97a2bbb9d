"""Suggests what a column is: by the export it belongs to, by its name, and by its cells."""

from collections.abc import Iterable, Mapping, Sequence

from storepost.feeds.records.export_formats import OPTION, ExportFormat, export_format_of
from storepost.feeds.records.mapping import CUSTOM, CUSTOM_KEY, FeedField
from storepost.feeds.records.names import (
    SYNONYMS,
    compared_name,
    compared_names,
    is_compare_at_price,
    is_recommended_price,
    is_variants_own,
    number_of,
    plain_name,
    without_number,
)
from storepost.feeds.records.options import OPTIONS, names_column
from storepost.feeds.records.samples import (
    Column,
    columns_of,
    is_amount,
    is_article_code,
    is_image,
    is_page,
    looks_like,
)
from storepost.feeds.records.values import MAX_TEXT

_LISTS = frozenset({FeedField.ADDITIONAL_IMAGE_LINK})
"""Targets that several columns may have."""
_MAX_CUSTOM_KEY = 64
_VARIANT_IMAGES = compared_names("variant_image", "variant_image_url")
"""Shopify's variant images: beside them, the column of images has those of the product alone."""
_FURTHER = ("additional_image_link", "additional_image", "additional_images")
_PARAMETERS = ("param", "attrs")
_ALL_SYNONYMS = frozenset(name for names in SYNONYMS.values() for name in names)


def suggested_mapping(
    columns: Sequence[str], rows: Sequence[Mapping[str, str]] = ()
) -> dict[str, str]:
    """Returns a target for each column, judged by these rows; the rest become custom fields.

    No target is suggested twice, except further images, and a variant's own image.
    """
    suggestion = _Suggestion(columns, rows)
    export = export_format_of(suggestion.by_name)
    if export is not None:
        suggestion.add_export_format(export)
    suggestion.add_named(compared_names(*export.never) if export else frozenset())
    suggestion.add_pair()
    suggestion.add_images()
    suggestion.add_structure()
    suggestion.add_images()
    return suggestion.whole()


class _Suggestion:
    """A mapping as far as it is known."""

    def __init__(self, columns: Sequence[str], rows: Sequence[Mapping[str, str]]) -> None:
        self._columns = columns_of(columns, rows)
        self._rows = len(rows)
        self.by_name: dict[str, Column] = {}
        for name, column in self._columns.items():
            self.by_name.setdefault(compared_name(name), column)
        self._taken: dict[str, str] = {}
        self._option_targets = list(OPTIONS)

    def _take(self, column: Column | None, target: str) -> None:
        may_take = target in _LISTS or self._is_free(target)
        if column and column.name not in self._taken and may_take:
            self._taken[column.name] = target

    def _is_free(self, target: str) -> bool:
        return target not in self._taken.values()

    def _column_of(self, target: str) -> str | None:
        return next((name for name, taken in self._taken.items() if taken == target), None)

    def add_export_format(self, export: ExportFormat) -> None:
        """Adds the columns of a known export."""
        found = self._first_whole(export.ids)
        self._take(found, FeedField.ID)
        self._take(self._first_filled(export.groups), FeedField.ITEM_GROUP_ID)
        for before, now in export.compare_at:
            former = self._of(before)
            if former and former.filled:
                self._take(former, FeedField.PRICE)
                self._take(self._of(now), FeedField.SALE_PRICE)
        for is_filled in (True, False):
            for name, target in export.columns.items():
                column = self._of(name)
                if column and bool(column.filled) == is_filled:
                    self._take(column, self._option(column) if target == OPTION else target)

    def _first_whole(self, names: Iterable[str]) -> Column | None:
        """Returns the first column with values that are all different, else the last."""
        found = [column for name in names if (column := self._of(name))]
        whole = (each for each in found if each.is_unique and each.filled)
        return next(whole, found[-1] if found else None)

    def _first_filled(self, names: Iterable[str]) -> Column | None:
        return next((column for name in names if (column := self._of(name))), None)

    def _of(self, name: str) -> Column | None:
        return self.by_name.get(compared_name(name))

    def _option(self, column: Column) -> str:
        """Returns which option it is, by the name beside its values; else the first free one."""
        names = (self._columns.get(each) for each in names_column(column.name))
        label = next((each.values[0] for each in names if each and each.values), "")
        # A cell may have a million characters, and to compare a name takes quadratic time.
        compared = compared_name(label[:MAX_TEXT])
        named = (target for target in OPTIONS if compared in SYNONYMS[target])
        target = next(named, None)
        if target not in self._option_targets:
            target = next(iter(self._option_targets), None)
        if target is None:
            return FeedField.IGNORE
        self._option_targets.remove(target)
        return target

    def add_named(self, never: frozenset[str]) -> None:
        """Adds columns by their names; of several for one target, the surest whose values fit."""
        for target in FeedField:
            if target in SYNONYMS and self._is_free(target):
                found = self._named(target, never)
                self._take(found, target)
        for target in (FeedField.SKU, FeedField.GTIN) if self._is_free(FeedField.ID) else ():
            code = self._column_of(target)
            if code is not None and (target == FeedField.SKU or self._is_whole(code)):
                self._taken[code] = FeedField.ID
                return

    def _is_whole(self, name: str) -> bool:
        column = self._columns[name]
        return column.is_unique and column.filled == self._rows > 1

    def _named(self, target: FeedField, never: frozenset[str]) -> Column | None:
        ranks = {name: rank for rank, name in enumerate(SYNONYMS[target])}
        found = [
            (not column.filled, ranks[_bare(plain)], place, column)
            for place, (plain, column) in enumerate(self.by_name.items())
            if _bare(plain) in ranks and plain not in never and column.name not in self._taken
        ]
        likely = [each for each in sorted(found)[:20] if looks_like(each[-1], target)]
        if target is FeedField.ID:
            whole = [c for *_, c in likely if c.is_unique and c.filled == self._rows]
            return next(iter(whole), likely[0][-1] if likely else None)
        return likely[0][-1] if likely else None

    def add_pair(self) -> None:
        """Maps the price before to the price, and the price now to the sale price."""
        if not self._is_free(FeedField.SALE_PRICE):
            return
        now = self._column_of(FeedField.PRICE)
        former = [c for c in self._free() if c.filled and is_compare_at_price(c.name)]
        before = min(former, key=lambda c: is_recommended_price(c.name), default=None)
        if now and before and not is_compare_at_price(now) and looks_like(before, FeedField.PRICE):
            self._taken[now] = FeedField.SALE_PRICE
            self._taken[before.name] = FeedField.PRICE

    def add_structure(self) -> None:
        """Adds columns by their cells, if no name says what they are."""
        tests = (
            (FeedField.IMAGE_LINK, is_image),
            (FeedField.LINK, is_page),
            (FeedField.GTIN, is_article_code),
            (FeedField.PRICE, is_amount),
        )
        for target, test in tests:
            if self._is_free(target):
                found = [c for c in self._free() if c.values and c.mostly(test)]
                found.sort(key=lambda c: number_of(plain_name(c.name)))
                self._take(next(iter(found), None), target)
        if self._is_free(FeedField.ID):
            may_be = (c for c in self._free() if self._may_be_id(c))
            self._take(next(may_be, None), FeedField.ID)

    def _may_be_id(self, column: Column) -> bool:
        is_whole = self._is_whole(column.name)
        is_known = _bare(compared_name(column.name)) in _ALL_SYNONYMS
        return (
            is_whole
            and not is_known
            and column.mostly(lambda text: len(text) < 40 and " " not in text)
        )

    def _free(self) -> list[Column]:
        return [each for each in self._columns.values() if each.name not in self._taken]

    def add_images(self) -> None:
        """Adds further images: columns that are numbered, or a variant's own."""
        image = self._column_of(FeedField.IMAGE_LINK)
        for column in self._free() if image else ():
            plain = plain_name(column.name)
            if compared_name(column.name) in _VARIANT_IMAGES and not column.values:
                # Then no image in a variant's row is the variant's own.
                self._taken[column.name] = FeedField.IMAGE_LINK
            if not column.values or not looks_like(column, FeedField.IMAGE_LINK):
                continue
            if is_variants_own(column.name):
                self._taken[column.name] = FeedField.IMAGE_LINK
            elif without_number(plain) in {without_number(plain_name(image or "")), *_FURTHER}:
                self._taken[column.name] = FeedField.ADDITIONAL_IMAGE_LINK

    def whole(self) -> dict[str, str]:
        """Returns the mapping, with custom fields for the rest."""
        keys = set(self._taken.values())
        whole: dict[str, str] = {}
        for place, name in enumerate(self._columns, 1):
            whole[name] = self._taken.get(name) or _custom(plain_name(name), place, keys)
            keys.add(whole[name])
        return whole


def _bare(plain: str) -> str:
    """Returns the name without the prefix that parameters of XML have."""
    for prefix in _PARAMETERS:
        plain = plain.removeprefix(prefix)
    return plain


def _custom(plain: str, place: int, keys: set[str]) -> str:
    ascii_name = plain if plain.isascii() else ""
    name = ascii_name if ascii_name[:1].isalpha() else f"column_{ascii_name or place}"
    for key in (name[:_MAX_CUSTOM_KEY], f"{name[:55]}_{place}"):
        if CUSTOM_KEY.fullmatch(key) and f"{CUSTOM}{key}" not in keys:
            return f"{CUSTOM}{key}"
    return FeedField.IGNORE
