"""The little markup that descriptions use, as HTML: paragraphs, lists, bold words and code."""

import re
from html import escape

_CODE = re.compile(r"`([^`]+)`")
_BOLD = re.compile(r"\*\*([^*]+)\*\*")


def to_html(text: str) -> str:
    """The text as HTML; what looks like HTML in it is shown as it is written."""
    return "".join(_block(block) for block in text.strip().split("\n\n") if block)


def _block(block: str) -> str:
    lines = block.splitlines()
    if all(row.startswith("- ") for row in lines):
        return "<ul>" + "".join(f"<li>{line(row[2:])}</li>" for row in lines) + "</ul>"
    return f"<p>{line(' '.join(lines))}</p>"


def line(text: str) -> str:
    """One line's marks as HTML."""
    marked = _CODE.sub(r"<code>\1</code>", escape(text))
    return _BOLD.sub(r"<strong>\1</strong>", marked)
