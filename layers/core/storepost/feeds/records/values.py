"""What a feed's words mean: availability, quantities, addresses, locales, texts."""

import re
import unicodedata
from functools import lru_cache
from html import unescape
from html.entities import html5

from storepost.feeds.files.objects import Number
from storepost.feeds.records.numbers import BLANKS, read_number
from storepost.values.locale_codes import canonical
from storepost.values.spreadsheets import is_rounded
from storepost.values.text import visible

MAX_TEXT = 255
MAX_DESCRIPTION = 65_536
MAX_CUSTOM = 5_000
_MAX_URL = 2_048
_MAX_QUANTITY = 10**9
_URL = re.compile(r"https?://[^\s/]+\S*", re.IGNORECASE)
_QUANTITY = re.compile(
    rf"(?P<sign>[+-]?)(?P<number>\d{{1,3}}(?:[{BLANKS}]\d{{3}})+|\d[\d.,]{{0,39}})"
)
_CODES = re.compile(r"(\d{8,14})(?:\s*[;,|]\s*\d{8,14})+")
_AS_NUMBER = re.compile(r"(\d{8,14})\.0")
_REFERENCE = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_MAX_WORD = 255
"""Characters of a word; longer ones are refused, so that the caches stay small."""
_OTHER = re.compile(r"[\W_]+")
_SCHEMA = re.compile(r".*/|schema(?:\.org)?[:#]", re.IGNORECASE)
"""What precedes a word of schema.org: its address, or the vocabulary's prefix."""

_WORDS = {
    (True, True): "preorder backorder backordered availablefororder onorder onbackorder continue"
    " uponorder onrequest presale madetoorder aufbestellung aufanfrage vorbestellbar precommande"
    " surcommande reservierbar подзаказ предзаказ"
    " preordine preventa ordenpendiente prenotabile przedsprzedaz naobjednavku notify",
    (True, False): "instock available yes true 1 limitedavailability y limited lowstock onlineonly"
    " instoreonly auflager lagernd lieferbar verfuegbar sofortlieferbar enstock disponible oui si"
    " enexistencias disponibile da dostepny wmagazynie tak skladem nasklade opvoorraad"
    " voorradig ja leverbaar palager ilager varastossa вналичии есть да"
    " disponivel sim emestoque forsale forrent",
    (False, False): "outofstock oos soldout unavailable notavailable discontinued no false 0 n"
    " reserved pending markassold notinstock temporarilyoutofstock temporarilyunavailable"
    " currentlyunavailable nichtlieferbar ikkepalager udsolgt utsolgt ejilager slutilager"
    " eivarastossa нетвналичии нет"
    " nichtverfuegbar nichtauflager ausverkauft vergriffen enrupturedestock rupturedestock"
    " indisponible epuise non agotado sinexistencias esaurito nondisponibile brak niedostepny nie"
    " nietopvoorraad uitverkocht nein nee niet nej nei vyprodano neni esgotado nao disabled",
}
_AVAILABLE = {word: meaning for meaning, words in _WORDS.items() for word in words.split()}
_FOLDED = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ł": "l"})


def shown(text: str) -> str:
    """Returns a name as its shop shows it: characters for HTML's references, such as `&amp;`."""
    return visible(_REFERENCE.sub(_referenced, text) if "&" in text else text)


def _referenced(found: re.Match[str]) -> str:
    reference = found[0]
    return unescape(reference) if reference[1] == "#" else html5.get(reference[1:], reference)


def first_code(text: str) -> str:
    """Returns the first of several article codes; any other text as it is."""
    several = _CODES.fullmatch(text) if len(text) <= MAX_CUSTOM else None
    return several[1] if several else text


def article_code(text: str) -> str:
    """Returns the first article code, without the decimals of a number; empty if it is rounded."""
    code = first_code(text)
    if is_rounded(code[:MAX_TEXT]):
        return ""
    decimal = _AS_NUMBER.fullmatch(code[:MAX_TEXT])
    return decimal[1] if decimal else code


def availability(text: str) -> tuple[bool, bool] | None:
    """Returns whether it can be bought, and whether without stock; None for an unknown word."""
    return _availability(text) if len(text) <= _MAX_WORD else None


@lru_cache(maxsize=1_000)
def _availability(text: str) -> tuple[bool, bool] | None:
    bare = _SCHEMA.sub("", text.strip(" /#"))
    lower = unicodedata.normalize("NFKD", bare.lower().translate(_FOLDED))
    word = _OTHER.sub("", lower)
    found = _AVAILABLE.get(word)
    return (True, False) if found is None and word.startswith("availablefrom") else found


def quantity(text: str, point: str | None = None) -> int | None:
    """Returns a whole number; None for anything else. `point` is the column's decimal separator.

    `1,000` and `1.000` are a thousand, unless the column's other cells show decimals.
    """
    found = _QUANTITY.fullmatch(text.strip())
    if found is None:
        return None
    number = read_number(found["number"], 0, "." if isinstance(text, Number) else point)
    if number is None or number > _MAX_QUANTITY or number % 1:
        return None
    return -int(number) if found["sign"] == "-" else int(number)


def address(text: str) -> str | None:
    """Returns a web address; None for anything else."""
    url = text.strip().replace(" ", "%20")
    return url if len(url) <= _MAX_URL and _URL.fullmatch(url) else None


def locale(text: str) -> str | None:
    """Returns a locale in its canonical form; None for what BCP 47 doesn't know."""
    return _locale(text) if len(text) <= _MAX_WORD else None


@lru_cache(maxsize=1_000)
def _locale(text: str) -> str | None:
    try:
        return canonical(text.strip().replace("_", "-"))
    except ValueError:
        return None
