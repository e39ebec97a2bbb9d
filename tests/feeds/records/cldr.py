"""Writes down which currencies signs mean, from Unicode's CLDR as Babel has it.

Run as `python -m tests.feeds.records.cldr` where Babel is installed; the service itself reads the
file alone, since Babel with all its locales is 33 MB.
"""

import json
from collections import defaultdict
from pathlib import Path

from storepost.feeds.records import currency_signs
from storepost.values import money

FILE = Path(currency_signs.__file__).with_name("currency_signs.json")
TABLE = Path(money.__file__).with_name("currencies.json")


def signs() -> str:
    """The file's text: each sign with its currencies, most used first."""
    from babel import localedata  # noqa: PLC0415 - only who writes the file needs it

    current = _current()
    found: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for name in localedata.locale_identifiers():
        stored = localedata.load(name, merge_inherited=False)
        for code, sign in stored.get("currency_symbols", {}).items():
            if sign != code and code in current:
                found[sign][code] += 1
    table = {sign: " ".join(sorted(of, key=lambda c: (-of[c], c))) for sign, of in found.items()}
    return json.dumps(dict(sorted(table.items())), ensure_ascii=False, indent=0) + "\n"


def _current() -> frozenset[str]:
    """Signs of currencies that ended mean others by now; feeds name the last ones by hand."""
    return frozenset(json.loads(TABLE.read_text(encoding="utf-8"))["current"])


if __name__ == "__main__":
    FILE.write_text(signs(), encoding="utf-8")
