"""What the pages for shoppers say, in each language: `texts/<language>.json`, by page.

`{address}` and `{sender}` are the address and the workspace's name. The texts address people
formally, or nobody, and say nothing of a person's gender. The Portuguese ones hold in Portugal and
in Brazil.
"""

import json
from functools import cache
from pathlib import Path

from storepost.values.languages import Language

type PageTexts = dict[str, dict[str, str]]
"""The texts of a page by the page's name, each by its own: `{"ask": {"title": ...}}`."""

_TEXTS = Path(__file__).parent / "texts"


@cache
def page_texts(language: Language) -> PageTexts:
    """Returns all texts in a language, read once a container."""
    texts: PageTexts = json.loads((_TEXTS / f"{language}.json").read_text("utf-8"))
    return texts
