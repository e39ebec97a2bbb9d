"""Reads what a feed's row says of a product and of a variant, or why it is skipped."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from storepost.feeds.files.objects import Number
from storepost.feeds.records import values
from storepost.feeds.records.amounts import FeedDefaults, Prices, UnreadablePrice
from storepost.feeds.records.groups import GroupMember, Groups, RowIdentity, more_of
from storepost.feeds.records.images import image_addresses, joined
from storepost.feeds.records.mapping import CUSTOM, FeedField, FeedMapping
from storepost.feeds.records.names import SYNONYMS, compared_name, is_variants_own, plain_name
from storepost.feeds.records.options import Option, Options, options_in
from storepost.feeds.records.stock import Stock
from storepost.values.external_ids import is_usable
from storepost.values.placeholders import names_nobody
from storepost.values.spreadsheets import code_in, unframed

NO_ID = "The row has no id."
NO_ID_COLUMN = "The row has no column {}, from which the mapping takes the id."
ID_TOO_LONG = "The id is longer than 255 characters."
UNUSABLE_ID = "The id is `.` or `..`, or has control characters or bytes that aren't text."
SEEN_BEFORE = "An earlier row has the same id and locale."
WRONG_COLUMNS = "The row has more or fewer columns than the header."
NO_LOCALE = "The locale isn't known."
TOO_MANY_VARIANTS = "Its product has 2,000 variants before it."

type Fields = dict[str, Any]

FURTHER = f"{CUSTOM}{FeedField.ADDITIONAL_IMAGE_LINK}"
GALLERY = "gallery"
"""Addresses of images that are added to the product's, whichever of its rows has them."""
MEMBERS = "members"
"""Options of the group's variants, by their ids."""

_AS_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_OF_VARIANTS = frozenset(
    {
        FeedField.PRICE,
        FeedField.SALE_PRICE,
        FeedField.SKU,
        FeedField.GTIN,
        FeedField.MPN,
        FeedField.TITLE,
    }
)


@dataclass(frozen=True)
class ParsedRow:
    """Holds what a row says of a product and of a variant."""

    id: str
    group: str | None
    locale: str | None
    sku: str | None
    gtin: str | None
    content: str = field(repr=False)
    """The product's fields and the variant's, as JSON."""
    is_more: bool = False
    """Whether it only adds to its product, and is no variant."""
    members: tuple[GroupMember, ...] = ()
    """The variants that it lists as its group's."""
    left_out: str | None = None
    """Why one of its prices was left out."""

    @property
    def digest(self) -> bytes:
        """Returns a digest of all that it says."""
        return blake2b(f"{self.group}\0{self.content}".encode(), digest_size=16).digest()


class RowSkipped(Exception):  # noqa: N818 - it is what a row is
    """Says that the row can't be used, and why."""

    def __init__(self, reason: str, row_id: str | None = None) -> None:
        """`row_id` is the id that the row states."""
        super().__init__(reason)
        self.reason = reason
        self.id = row_id


class RowReader:
    """Reads the rows of a file, in their order, under one mapping."""

    def __init__(
        self, mapping: FeedMapping, defaults: FeedDefaults, points: Mapping[str, str] | None = None
    ) -> None:
        """Of several columns with one target, the first with a value counts, in mapping order.

        `points` are the decimal separators of columns with prices and quantities, if they show
        them.
        """
        self._defaults = defaults
        self._columns: dict[str, list[str]] = {}
        for column, target in mapping.items():
            if target != FeedField.IGNORE:
                self._columns.setdefault(target, []).append(column)
        self._custom = [target for target in self._columns if target.startswith(CUSTOM)]
        self._own_images = [
            each for each in self._columns.get(FeedField.IMAGE_LINK, ()) if is_variants_own(each)
        ]
        if len(self._own_images) < len(self._columns.get(FeedField.IMAGE_LINK, ())):
            self._columns[FeedField.IMAGE_LINK] = [
                each for each in self._columns[FeedField.IMAGE_LINK] if each not in self._own_images
            ]
        else:
            self._own_images = []
        self._id_is_sku = FeedField.SKU not in self._columns and any(
            plain_name(column).endswith(("sku", "reference", "referencia"))
            for column in self._columns.get(FeedField.ID, ())
        )
        id_is_gtin = FeedField.GTIN not in self._columns and any(
            compared_name(column) in SYNONYMS[FeedField.GTIN]
            for column in self._columns.get(FeedField.ID, ())
        )
        self._gtin = FeedField.ID if id_is_gtin else FeedField.GTIN
        self._options = Options(mapping)
        self._groups = Groups(self._columns)
        points = points or {}
        self._prices = Prices(self._columns, list(mapping), defaults, points)
        quantities = self._columns.get(FeedField.QUANTITY, ())
        point = next((points[each] for each in quantities if each in points), None)
        self._stock = Stock(mapping, self._columns.get(FeedField.AVAILABILITY, ()), point)

    def read(self, cells: Mapping[str, str] | None) -> ParsedRow:
        """Returns what the row says. Raises RowSkipped."""
        if cells is None:
            raise RowSkipped(WRONG_COLUMNS)
        mapped = self._mapped_texts(cells)
        name, options = self._name(cells, mapped)
        if name is None:
            raise RowSkipped(self._why_no_id(cells))
        if len(name.id) > values.MAX_TEXT:
            raise RowSkipped(ID_TOO_LONG, name.id[: values.MAX_TEXT])
        self._check_ids(mapped, name)
        return self._parsed(cells, mapped, name, options)

    def _check_ids(self, mapped: Mapping[str, str], name: RowIdentity) -> None:
        """Raises RowSkipped if no request could name the product.

        A placeholder as its group counts as no group.
        """
        has_group = bool(name.group) and not names_nobody(name.group or "")
        if name.is_more and not has_group:
            raise RowSkipped(NO_ID)
        own = (mapped.get(FeedField.ID), mapped.get(FeedField.ITEM_GROUP_ID) if has_group else None)
        if not all(is_usable(each) for each in own if each):
            raise RowSkipped(UNUSABLE_ID, name.id)

    def _why_no_id(self, cells: Mapping[str, str]) -> str:
        """Returns why a row can't be named: most often the mapping misspells the column."""
        columns = self._columns.get(FeedField.ID, [])
        if not columns or any(column in cells for column in columns):
            return NO_ID
        return NO_ID_COLUMN.format(" or ".join(f"`{column}`" for column in columns))

    def note_row(self, cells: Mapping[str, str] | None) -> None:
        """Notes a row that was read before, for the rows after it."""
        if cells is not None:
            self._name(cells, self._mapped_texts(cells))

    def _mapped_texts(self, cells: Mapping[str, str]) -> dict[str, str]:
        return {t: text for t in self._columns if (text := self._mapped_text(cells, t))}

    def _name(
        self, cells: Mapping[str, str], mapped: dict[str, str]
    ) -> tuple[RowIdentity | None, list[Option]]:
        own_names = self._options.names(cells)
        names = self._groups.known_names(mapped, own_names)
        options = self._options.read(cells, names, in_group=FeedField.ITEM_GROUP_ID in mapped)
        if titled := options_in(mapped.get(FeedField.TITLE, "")):
            options, _ = titled, mapped.pop(FeedField.TITLE)
        is_variant = bool(options) or bool(mapped.keys() & _OF_VARIANTS)
        name = self._groups.name(mapped, options, is_variant=is_variant)
        self._groups.note_row(name, own_names, begins=FeedField.TITLE in mapped)
        if name is not None and name.is_more and not mapped.keys() & _IMAGES:
            return None, options
        return name, options

    def _parsed(
        self,
        cells: Mapping[str, str],
        mapped: Mapping[str, str],
        name: RowIdentity,
        options: list[Option],
    ) -> ParsedRow:
        locale = self._locale(mapped, name.id)
        product = self._product(cells, mapped, name)
        variant, left_out = self._variant(cells, mapped, options, locale, name)
        content = _AS_JSON([product, variant])
        identifier = more_of(name.group or "", content) if name.is_more else name.id
        group = name.group[: values.MAX_TEXT] if name.group else None
        group = None if group and names_nobody(group) else group
        sku, gtin = variant.get("sku"), variant.get("barcode")
        return ParsedRow(
            identifier, group, locale, sku, gtin, content, name.is_more, name.members, left_out
        )

    def _mapped_text(self, cells: Mapping[str, str], target: str) -> str:
        """Returns the first text of the target's columns. A placeholder as a code (`0`) is none."""
        read = code_in if target in _CODES else unframed
        for column in self._columns[target]:
            cell = cells.get(column, "")
            if (text := read(cell.strip())) and not (target in _OWN_CODES and names_nobody(text)):
                return cell if isinstance(cell, Number) else text
        return ""

    def _locale(self, mapped: Mapping[str, str], identifier: str) -> str | None:
        text = mapped.get(FeedField.LOCALE)
        if text is None:
            return self._defaults.locale
        found = values.locale(text)
        if found is None:
            raise RowSkipped(NO_LOCALE, identifier)
        return found

    def _product(
        self, cells: Mapping[str, str], mapped: Mapping[str, str], name: RowIdentity
    ) -> Fields:
        images = image_addresses(mapped.get(FeedField.IMAGE_LINK, ""))
        fields: Fields = {
            field: read(text)
            for target, field, read in _OF_PRODUCTS
            if (text := mapped.get(target))
        }
        if images:
            fields["image"] = _image(images)
        if further := self._further_images(cells, images):
            fields[FURTHER] = joined_within(further) or None
        if images and (name.is_more or self._own_images):
            fields[GALLERY] = images
        if name.members:
            fields[MEMBERS] = {each.id: each.options for each in name.members}
        custom = (each for each in self._custom if each in mapped)
        fields |= {each: mapped[each][: values.MAX_CUSTOM] for each in custom}
        return _without_nothing(fields)

    def _further_images(self, cells: Mapping[str, str], images: list[str]) -> list[str]:
        columns = self._columns.get(FeedField.ADDITIONAL_IMAGE_LINK, ())
        more = [url for each in columns for url in image_addresses(cells.get(each, ""))]
        return [url for url in dict.fromkeys((*images[1:], *more)) if url not in images[:1]]

    def _variant(
        self,
        cells: Mapping[str, str],
        mapped: Mapping[str, str],
        options: list[Option],
        locale: str | None,
        name: RowIdentity,
    ) -> tuple[Fields, str | None]:
        """Returns the variant's fields, and why a price was left out."""
        try:
            prices = self._prices.read(cells, mapped, locale)
        except UnreadablePrice as error:
            raise RowSkipped(str(error), name.id) from error
        sku = name.id if self._id_is_sku and mapped.get(FeedField.ID) == name.id else None
        fields = {
            "title": _cut(values.shown(mapped.get(FeedField.TITLE, ""))),
            "options": _shown_options(options) or None,
            "sku": _cut(mapped.get(FeedField.SKU)) or sku,
            "barcode": _cut(values.article_code(mapped.get(self._gtin, ""))),
            "image": self._variant_image(cells, mapped),
            **self._stock.read(mapped, cells),
        }
        return {**_without_nothing(fields), **prices.fields}, prices.left_out

    def _variant_image(self, cells: Mapping[str, str], mapped: Mapping[str, str]) -> Fields | None:
        own = (cells.get(column, "") for column in self._own_images)
        found = next((images for text in own if (images := image_addresses(text))), None)
        if found or self._own_images:
            return _image(found or [])
        return _image(image_addresses(mapped.get(FeedField.IMAGE_LINK, "")))


def _shown_options(options: list[Option]) -> list[Fields]:
    pairs = ((values.shown(name), values.shown(value)) for name, value in options)
    return [{"name": name, "value": value} for name, value in pairs if name and value]


def _name(text: str) -> str | None:
    return _cut(values.shown(text))


_OF_PRODUCTS: tuple[tuple[FeedField, str, Callable[[str], str | None]], ...] = (
    (FeedField.TITLE, "title", _name),
    (FeedField.DESCRIPTION, "description", lambda text: text[: values.MAX_DESCRIPTION]),
    (FeedField.LINK, "link", values.address),
    (FeedField.BRAND, "vendor", _name),
    (FeedField.PRODUCT_TYPE, "productType", _name),
    (FeedField.MPN, f"{CUSTOM}{FeedField.MPN}", lambda text: text[: values.MAX_CUSTOM]),
)
"""Targets that are fields of a product, and the function that reads a cell of each."""
_CODES = frozenset(
    {FeedField.ID, FeedField.ITEM_GROUP_ID, FeedField.SKU, FeedField.GTIN, FeedField.MPN}
)
_OWN_CODES = _CODES - {FeedField.ITEM_GROUP_ID}
"""Codes of which a placeholder counts as none; one of a group says that the row has no group."""
_IMAGES = frozenset({FeedField.IMAGE_LINK, FeedField.ADDITIONAL_IMAGE_LINK})


def joined_within(images: list[str]) -> str:
    """Returns the addresses as one text, as many as fit into a custom field."""
    fitting, length = list[str](), 0
    for each in images:
        length += len(joined([each])) + 1
        if length > values.MAX_CUSTOM:
            break
        fitting.append(each)
    return joined(fitting)


def _cut(text: str | None) -> str | None:
    return text[: values.MAX_TEXT] if text else None


def _image(images: list[str]) -> Fields | None:
    return {"url": images[0], "alt": None} if images else None


def _without_nothing(fields: Fields) -> Fields:
    return {name: value for name, value in fields.items() if value is not None}
