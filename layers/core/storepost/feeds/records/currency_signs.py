"""The currencies that signs and words mean, as the countries write them.

`currency_signs.json` has what Unicode's CLDR says, written by `python -m tests.feeds.records.cldr`.
This module adds what people write besides.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files

from storepost.values.money import checked_currency

_USUAL = "USD EUR GBP JPY CNY INR BRL CAD AUD MXN CHF SEK NOK DKK ISK PLN CZK HUF RON TRY RUB KRW"
"""Of the currencies that share a sign, these come first, in this order."""
_ALSO: Mapping[str, str] = {
    "rs": "INR PKR LKR NPR MUR SCR", "kr": "SEK NOK DKK ISK", "fr": "CHF", "sfr": "CHF",
    "lei": "RON MDL", "leu": "RON MDL", "tl": "TRY", "руб": "RUB BYN", "р": "RUB", "rub": "RUB",  # noqa: RUF001
    "rur": "RUB", "грн": "UAH", "ден": "MKD", "дин": "RSD",
    "din": "RSD", "円": "JPY", "元": "CNY", "圆": "CNY", "원": "KRW", "₩": "KRW",
    "euro": "EUR", "euros": "EUR", "eur": "EUR", "$us": "USD", "us$": "USD", "ca$": "CAD",
    "c$": "CAD", "cdn$": "CAD", "au$": "AUD", "a$": "AUD", "nz$": "NZD", "s$": "SGD",
    "hk$": "HKD", "nt$": "TWD", "mx$": "MXN", "rp": "IDR", "rm": "MYR", "php": "PHP",
    "₱": "PHP", "₫": "VND", "đ": "VND", "฿": "THB", "บาท": "THB", "₪": "ILS", 'ש"ח': "ILS",
    "dh": "AED MAD", "dhs": "AED", "د.إ": "AED", "ر.س": "SAR", "﷼": "SAR IRR YER OMR QAR",
    "sr": "SAR", "kč": "CZK", "kc": "CZK", "kčs": "CZK", "ft": "HUF", "zł": "PLN", "zl": "PLN",
    "r": "ZAR", "r$": "BRL", "₽": "RUB", "£": "GBP EGP GIP FKP SHP SSP", "¥": "JPY CNY",
    "kd": "KWD", "bd": "BHD", "jd": "JOD", "qr": "QAR", "le": "EGP SLE", "rmb": "CNY",
    "₨": "INR PKR LKR NPR MUR SCR", "tk": "BDT", "cfa": "XOF XAF", "fcfa": "XAF XOF",
    "лв": "BGN", "kn": "HRK", "￥": "JPY CNY", "ksh": "KES", "s/": "PEN", "₴": "UAH", "₺": "TRY",
}  # fmt: skip
UNSEEN = (
    "\u00ad\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060"
    "\u2066\u2067\u2068\u2069\ufeff"
)
"""Characters that can't be seen, such as direction marks: they mean no currency."""
_NOISE = str.maketrans("", "", f" \t.\u00a0\u202f\u2009{UNSEEN}")


@cache
def _signs() -> Mapping[str, tuple[str, ...]]:
    written = files(__package__).joinpath("currency_signs.json").read_text(encoding="utf-8")
    signs: dict[str, list[str]] = {}
    for table in (_ALSO, json.loads(written)):
        for sign, codes in table.items():
            if folded := folded_sign(sign):
                signs.setdefault(folded, []).extend(codes.split())
    return {sign: tuple(dict.fromkeys(_usual_first(codes))) for sign, codes in signs.items()}


def folded_sign(sign: str) -> str:
    """Returns the sign for comparison: in lower case, without points, blanks and `UNSEEN`."""
    return sign.translate(_NOISE).lower()


def _usual_first(codes: list[str]) -> list[str]:
    usual = _USUAL.split()
    return sorted(codes, key=lambda code: usual.index(code) if code in usual else len(usual))


def currency_of(named: str, likely: Iterable[str | None]) -> str | None:
    """Returns the currency that a code, a sign or a word means; None if it means none.

    A sign that several share means the first of the `likely` ones that has it, else the usual one.
    Several words, such as a sign and a code, mean the currency that all of them may mean.
    """
    codes = _codes_of(named) or _shared(map(_codes_of, named.split()))
    return next((code for code in likely if code in codes), codes[0]) if codes else None


def _codes_of(word: str) -> Sequence[str]:
    """Returns the currencies that one code, sign or word may mean, the usual ones first."""
    sign = folded_sign(word)
    bare = sign.strip("/-\u2013\u2014")
    if codes := _signs().get(sign) or _signs().get(bare):
        return codes
    try:
        return (checked_currency(bare),)
    except ValueError:
        return ()


def _shared(words: Iterable[Sequence[str]]) -> Sequence[str]:
    first, *others = [*words] or [()]
    return [code for code in first if all(code in each for each in others)]
