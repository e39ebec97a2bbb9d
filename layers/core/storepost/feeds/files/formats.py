"""Finds a file's format by its beginning, or else by its content type."""

import codecs
import re
from dataclasses import dataclass, field

from storepost.feeds.files.encodings import can_be
from storepost.feeds.files.failures import FeedFailure, FeedUnusable
from storepost.feeds.files.tables import Table, table_of
from storepost.values.header_parameters import header_parameter
from storepost.values.stored_enum import StoredEnum


class FeedFormat(StoredEnum):
    """What a feed's file is: `csv`, `tsv`, `xml` or `json`, each plain or gzipped."""

    CSV = "csv"
    TSV = "tsv"
    XML = "xml"
    JSON = "json"


@dataclass(frozen=True)
class Shape:
    """Says what a file is: its format, its encoding, and of tables the delimiter."""

    format: FeedFormat
    encoding: str | None
    """None if it is UTF-8, or what a detector finds: nothing declares another that fits."""
    table: Table = field(default_factory=Table)


_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_XML_ENCODING = re.compile(rb"""\A\s*<\?xml[^>]*?\bencoding\s*=\s*["']([A-Za-z0-9._:-]+)["']""")
_ENCODINGS = re.compile(
    r"utf-?(8|16)(-?[lb]e)?|(us-)?ascii|latin-?\d+|iso-?8859-?\d+|windows-?\d+|cp\d+|koi8-\w"
    r"|shift_?jis|euc-?\w+|gb\w+|big5\w*|mac-?\w+",
    re.IGNORECASE,
)
_SUPERSETS = {"iso8859-1": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932"}
"""Encodings that are often declared as one that is a part of them, as browsers know."""
_HTML = re.compile(r"<(?:!doctype\s+html|html|head|body|script)\b", re.IGNORECASE)


def shape_of(head: bytes, content_type: str) -> Shape:
    """Returns the format of a file that begins like this. Raises FeedUnusable if it is no feed."""
    encoding = _encoding(head, content_type)
    decoder = codecs.getincrementaldecoder(encoding or "utf-8")("replace")
    text = decoder.decode(head).lstrip("\ufeff \t\r\n")
    if "\0" in text or _HTML.match(text):
        raise FeedUnusable(FeedFailure.UNREADABLE)
    if text.startswith("<"):
        return Shape(FeedFormat.XML, encoding)
    if text.startswith(("[", "{")):
        return Shape(FeedFormat.JSON, encoding)
    table = table_of(text, content_type)
    is_tabs = table.delimiter == "\t"
    return Shape(FeedFormat.TSV if is_tabs else FeedFormat.CSV, encoding, table)


def _encoding(head: bytes, content_type: str) -> str | None:
    for mark, marked in _BOMS:
        if head.startswith(mark):
            return marked
    sixteen = _sixteen_bits(head[:64])
    if sixteen:
        return sixteen
    declared = _XML_ENCODING.match(head)
    charset = (header_parameter("charset", content_type) or "").strip("' ")
    stated = declared[1].decode() if declared else charset
    encoding = _known(stated) if stated else None
    # Many servers and programs state one encoding for all files, whatever is in them. UTF-8 is
    # hardly ever mistaken for another.
    is_other = not head.isascii() and can_be(head, "utf-8")
    return None if is_other or not encoding or not can_be(head, encoding) else encoding


def _sixteen_bits(head: bytes) -> str | None:
    """Returns the kind of UTF-16 without a mark: in ASCII text, every other byte is zero."""
    pairs = len(head) // 2
    for name, ascii_side, zero_side in (("utf-16-le", 0, 1), ("utf-16-be", 1, 0)):
        zeros, others = head[zero_side::2][:pairs], head[ascii_side::2][:pairs]
        if pairs >= 2 and zeros.count(0) * 2 > pairs and not others.count(0):
            return name
    return None


def _known(name: str) -> str | None:
    """Returns the encoding as Python calls it; None for UTF-8 and what is part of it.

    The declaration was read byte by byte, so the file isn't UTF-16 either.
    """
    if not _ENCODINGS.fullmatch(name):
        raise FeedUnusable(FeedFailure.UNREADABLE)
    try:
        found = codecs.lookup(name).name
    except LookupError as error:
        raise FeedUnusable(FeedFailure.UNREADABLE) from error
    if found.startswith(("utf-", "ascii")):
        return None
    return _SUPERSETS.get(found, found)
