"""The makers' samples written down in other ways: the products stay the same."""

import csv
import io
import json
import random
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.feeds.feeds.test_makers import SAMPLES, content_of
from tests.feeds.feeds.untouched import brought

TABLES = [name for name in SAMPLES if name.endswith(("csv", "tsv"))]
MARKUP = [name for name in SAMPLES if name.endswith("xml")]
type Rows = list[list[str]]


def table_of(name: str) -> Rows:
    """A sample's cells, the header first."""
    text = content_of(name).decode()
    lines = [line for line in io.StringIO(text, newline="") if not line.startswith("# ")]
    delimiter = max(",;\t", key=lines[0].count)
    return [row for row in csv.reader(lines, delimiter=delimiter) if row]


def written(rows: Rows, **how: Any) -> str:
    """The cells as a table again."""
    text = io.StringIO()
    csv.writer(text, **how).writerows(rows)
    return text.getvalue()


def shuffled(rows: Rows) -> str:
    """With its columns in another order."""
    order = list(range(len(rows[0])))
    random.Random(5).shuffle(order)
    return written([[row[n] if n < len(row) else "" for n in order] for row in rows])


TABLE_FORMS: Mapping[str, Callable[[Rows], bytes]] = {
    "columns in another order": lambda rows: shuffled(rows).encode(),
    "semicolons": lambda rows: written(rows, delimiter=";").encode(),
    "tabs": lambda rows: written(rows, delimiter="\t").encode(),
    "pipes": lambda rows: written(rows, delimiter="|").encode(),
    "everything quoted": lambda rows: written(rows, quoting=csv.QUOTE_ALL).encode(),
    "a spreadsheet's own line": lambda rows: f"sep=;\r\n{written(rows, delimiter=';')}".encode(),
    "a byte order mark": lambda rows: written(rows).encode("utf-8-sig"),
    "UTF-16": lambda rows: written(rows, delimiter="\t").encode("utf-16"),
    "ends of lines of Unix": lambda rows: written(rows, lineterminator="\n").encode(),
    "blank lines": lambda rows: written(rows).replace("\r\n", "\r\n\r\n").encode(),
    "a trailing delimiter": lambda rows: written([[*row, ""] for row in rows]).encode(),
    "the header twice": lambda rows: written([rows[0], *rows]).encode(),
    "columns in capitals": lambda rows: written([[c.upper() for c in rows[0]], *rows[1:]]).encode(),
    "columns in small letters": lambda rows: written(
        [[_small(c) for c in rows[0]], *rows[1:]]
    ).encode(),
    "blanks around the columns": lambda rows: written(
        [[f" {c} " for c in rows[0]], *rows[1:]]
    ).encode(),
}


def _small(column: str) -> str:
    """`optionValues` keeps its inner capital, which is all that parts its words."""
    return column if column[:1].islower() else column.lower()


@pytest.mark.parametrize("form", TABLE_FORMS)
def test_tables(form: str) -> None:
    for name in TABLES:
        rows = table_of(name)
        # Of a name in several languages the first counts: there the order says something.
        if form != "columns in another order" or "name:en" not in rows[0]:
            check(name, TABLE_FORMS[form](rows))


@pytest.mark.parametrize("encoding", ["cp1252", "cp1250"])
def test_german_names_in_an_encoding_that_nothing_declares(encoding: str) -> None:
    name = "woocommerce_skus.csv"
    check(name, written(table_of(name)).encode(encoding))


MARKUP_FORMS: Mapping[str, Callable[[str], bytes]] = {
    "UTF-16": lambda text: text.encode("utf-16"),
    "a byte order mark": lambda text: text.encode("utf-8-sig"),
    "one line": lambda text: text.replace("\n", " ").encode(),
    "comments": lambda text: text.replace("\n", "\n<!-- <item> & -->", 3).encode(),
    "blank lines first": lambda text: text.partition("?>")[2].encode() or text.encode(),
}


@pytest.mark.parametrize("form", MARKUP_FORMS)
def test_markup(form: str) -> None:
    for name in MARKUP:
        check(name, MARKUP_FORMS[form](content_of(name).decode().removeprefix("\ufeff")))


def test_objects() -> None:
    for name in ("shopify_products.json", "google_products.json"):
        found = json.loads(content_of(name))
        rows = found["products"] if isinstance(found, dict) else found
        reverse = [dict(reversed(row.items())) for row in rows]
        check(name, json.dumps(reverse, indent=2).encode())
        check(name, "\n".join(map(json.dumps, rows)).encode())
        check(name, json.dumps({"a": 1, "products": rows}, ensure_ascii=False).encode())


NAMES: tuple[str, ...] = (
    "id",
    "title",
    "description",
    "link",
    "image link",
    "price",
    "sale price",
    "availability",
)
NAMES += ("brand", "gtin", "color", "size", "item group id", "product type")
LANGUAGES = {
    "German": "Artikelnummer;Bezeichnung;Beschreibung;Produkt-URL;Bild;Preis;Angebotspreis;"
    "Verfügbarkeit;Marke;EAN;Farbe;Größe;Gruppen-ID;Kategorie",
    "French": "Identifiant;Titre;Description;Lien;Lien image;Prix;Prix soldé;Disponibilité;"
    "Marque;EAN;Couleur;Taille;ID groupe;Catégorie",
    "Spanish": "Código;Título;Descripción;Enlace;Enlace imagen;Precio;Precio oferta;"
    "Disponibilidad;Marca;EAN;Color;Talla;ID grupo;Categoría",
    "Italian": "Codice;Titolo;Descrizione;Link;Immagine;Prezzo;Prezzo scontato;Disponibilità;"
    "Marca;EAN;Colore;Taglia;ID gruppo;Categoria",
    "Dutch": "Artikelcode;Titel;Omschrijving;Product-URL;Afbeelding;Prijs;Aanbiedingsprijs;"
    "Beschikbaarheid;Merk;EAN;Kleur;Maat;Groep-ID;Categorie",
    "Polish": "Kod;Nazwa;Opis;Adres;Zdjęcie;Cena;Cena promocyjna;Dostępność;Producent;EAN;"
    "Kolor;Rozmiar;ID grupy;Kategoria",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_columns_in_other_languages(language: str) -> None:
    name = "google_feed.tsv"
    header, *rows = table_of(name)
    renamed = dict(zip(NAMES, LANGUAGES[language].split(";"), strict=True))
    check(name, written([[renamed.get(each, each) for each in header], *rows]).encode())


def check(name: str, content: bytes) -> None:
    """That the products are the sample's; the order of options follows the columns."""
    sample = SAMPLES[name]
    found = brought(content, sample.currency)
    expected = {key: each.fields(sample.currency) for key, each in sample.products.items()}
    assert _unordered(found.products) == _unordered(expected), name
    assert [row[2] for row in found.listed] == [row[2] for row in sample.listed], name


def _unordered(products: Mapping[str, Any]) -> dict[str, Any]:
    for product in products.values():
        for variant in product["variants"].values():
            variant.get("options", []).sort(key=lambda each: each["name"])
    return dict(products)
