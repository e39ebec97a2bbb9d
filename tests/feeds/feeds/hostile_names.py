"""The columns of makers' samples, renamed to the names in six languages."""

import re
from collections.abc import Mapping
from functools import cache

from storepost.feeds.records.mapping import FeedField
from storepost.feeds.records.names import is_compare_at_price, is_variants_own, plain_name
from storepost.feeds.records.options import is_pair
from tests.feeds.feeds.suggested_mapping import mapping_of
from tests.feeds.feeds.test_makers import content_of

type Mapped = Mapping[str, str]

FORMER, GROSS, SHORT = "former price", "price with tax", "short description"
"""Meanings besides the fields."""
_MEANINGS = (
    FeedField.ID, FeedField.TITLE, FeedField.DESCRIPTION, FeedField.LINK, FeedField.IMAGE_LINK,
    FeedField.ADDITIONAL_IMAGE_LINK, FeedField.PRICE, FeedField.SALE_PRICE, FORMER, GROSS,
    FeedField.AVAILABILITY, FeedField.QUANTITY, FeedField.BRAND, FeedField.GTIN, FeedField.MPN,
    FeedField.SKU, FeedField.COLOR, FeedField.SIZE, FeedField.ITEM_GROUP_ID,
    FeedField.PRODUCT_TYPE, SHORT,
)  # fmt: skip
_NAMES = {
    "German": "Artikelnummer;Bezeichnung;Beschreibung;Produkt-URL;Bild;Weitere Bilder;Preis;"
    "Angebotspreis;Streichpreis;Bruttopreis;Verfügbarkeit;Lagerbestand;Marke;EAN;"
    "Herstellernummer;Artikel-SKU;Farbe;Größe;Gruppen-ID;Kategorie;Kurzbeschreibung",
    "French": "Identifiant;Titre;Description;Lien;Lien image;Images supplémentaires;Prix;"
    "Prix soldé;Prix barré;Prix TTC;Disponibilité;Quantité;Marque;Code-barres;"
    "Référence fabricant;Référence;Couleur;Taille;ID groupe;Catégorie;Description courte",
    "Spanish": "Código;Título;Descripción;Enlace;Imagen;Imágenes adicionales;Precio;"
    "Precio de oferta;Precio anterior;Precio con IVA;Disponibilidad;Existencias;Fabricante;"
    "Código de barras;Número de pieza;Referencia;Color;Talla;ID grupo;Categoría;"
    "Descripción corta",
    "Italian": "Codice;Titolo;Descrizione;Link;Immagine;Immagini aggiuntive;Prezzo;"
    "Prezzo scontato;Prezzo precedente;Prezzo IVA inclusa;Disponibilità;Quantità;Marca;"
    "Codice a barre;Codice produttore;SKU;Colore;Taglia;ID gruppo;Categoria;"
    "Descrizione breve",
    "Dutch": "Artikelcode;Titel;Omschrijving;Product-URL;Afbeelding;Extra afbeeldingen;Prijs;"
    "Aanbiedingsprijs;Oude prijs;Prijs incl. btw;Beschikbaarheid;Voorraad;Merk;Streepjescode;"
    "Onderdeelnummer;SKU;Kleur;Maat;Groep-ID;Categorie;Korte omschrijving",
    "Polish": "Kod;Nazwa;Opis;Adres;Zdjęcie;Dodatkowe zdjęcia;Cena;Cena promocyjna;"
    "Stara cena;Cena brutto;Dostępność;Ilość;Producent;Kod kreskowy;Kod producenta;SKU;"
    "Kolor;Rozmiar;ID grupy;Kategoria;Krótki opis",
}
LANGUAGES: Mapping[str, Mapped] = {
    language: dict(zip(_MEANINGS, names.split(";"), strict=True))
    for language, names in _NAMES.items()
}

_KNOWN_BY = "The export is known by it, and another export's id or price is something else."
_IDS = "The export names rows by another column where this one isn't there."
_KIND = "It says whether a row is a product or a variant, which no other format has."
_CODES = "Its numbers are the maker's own, and mean nothing under another name."
_BESIDE = "Another column beside it has a known name for the same, and only names part them."
_COMPOSED = "The title is put together of this element and two others, by their names."
KEPT: Mapping[str, Mapping[str, str]] = {
    "shopify": {
        "handle": _KNOWN_BY,
        "url_handle": _KNOWN_BY,
        "price": _KNOWN_BY,
        "id": _KNOWN_BY,
        "sku": _IDS,
        "continue_selling_when_out_of_stock": _CODES,
        "type": _BESIDE,
    },
    "woocommerce": {"sku": _KNOWN_BY, "regular_price": _KNOWN_BY, "id": _IDS},
    "prestashop": {"product_id": _KNOWN_BY, "reference": _KNOWN_BY, "ean13": _BESIDE},
    "bigcommerce": {
        "item": _KIND,
        "item_type": _KIND,
        "id": _KNOWN_BY,
        "name": _KNOWN_BY,
        "product_name": _KNOWN_BY,
        "product_code_sku": _KNOWN_BY,
        "options": _KNOWN_BY,
        "product_id": _IDS,
        "allow_purchases": _CODES,
    },
    "vendure": {"slug": _KNOWN_BY, "sku": _KNOWN_BY},
    "kelkoo": {"product_url": _CODES, "merchant_category": _CODES, "availability": _CODES},
    "heureka": {"delivery_date": _CODES},
    "zbozi": {"delivery_date": _CODES},
    "skroutz": {"availability": _BESIDE},
    "yml": {"vendor": _COMPOSED},
    "ceneo": {"avail": _CODES, **dict.fromkeys(("id", "url", "price", "cat"), _KNOWN_BY)},
}
"""Columns that can't have another name, and why. The makers that aren't here have none.

What stands inside another element or object (`imgs.main`, `variants.id`) is named by both, and
stays, too, as the columns of pairs (`Option1 Value`) and of variants' own images do.
"""
_LANGUAGE = re.compile(r":[a-z]{2}$")
_NUMBER = re.compile(r"\W*(\d+)$")


@cache
def mapped(name: str) -> Mapped:
    """The suggested mapping of a sample."""
    return mapping_of(content_of(name))


def renamed(name: str, language: str, *, but: str = "") -> dict[str, str]:
    """What each column of a sample that says something of products is called in a language.

    `but` is a column that is renamed even though it is kept.
    """
    unchanged = KEPT.get(name.partition("_")[0], {}).keys() - {but}
    meanings = {
        column: _meaning(column, target, mapped(name))
        for column, target in mapped(name).items()
        if plain_name(column) not in unchanged
    }
    alike = {plain_name(column): meaning for column, meaning in meanings.items() if meaning}
    return {
        column: _name(column, each, LANGUAGES[language])
        for column, meaning in meanings.items()
        if (each := meaning or alike.get(plain_name(column)))
    }


def _name(column: str, meaning: str, names: Mapped) -> str:
    number, language = _NUMBER.search(column), _LANGUAGE.search(column)
    if meaning in {FeedField.IMAGE_LINK, FeedField.ADDITIONAL_IMAGE_LINK} and number:
        return f"{names[FeedField.IMAGE_LINK]} {number[1]}"
    return f"{names[meaning]}{language[0] if language else ''}"


def _meaning(column: str, target: str, mapping: Mapped) -> str | None:
    plain = plain_name(column)
    if plain == "short_description":
        return SHORT
    if target not in _MEANINGS or is_pair(column) or is_variants_own(column):
        return None
    if target == FeedField.ID:
        return _meaning_of_id(plain, mapping)
    return _meaning_of_price(column, target, mapping)


def _meaning_of_price(column: str, target: str, mapping: Mapped) -> str:
    """Beside a former price, the current price is no sale price but the price."""
    has_former = any(t == FeedField.PRICE and is_compare_at_price(c) for c, t in mapping.items())
    if target == FeedField.PRICE and is_compare_at_price(column):
        return FORMER
    if plain_name(column) in {"price_vat", "price_with_vat"}:
        return GROSS
    return FeedField.PRICE if target == FeedField.SALE_PRICE and has_former else target


def _meaning_of_id(plain: str, mapping: Mapped) -> str:
    """Where a code is the id, the column is still the code."""
    if plain.endswith(("sku", "reference")) and FeedField.SKU not in mapping.values():
        return FeedField.SKU
    return FeedField.GTIN if plain == "ean" else FeedField.ID
