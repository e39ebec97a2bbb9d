"""Makes values fit for emails, by the type that a message gives them.

Names come from people, and some of them write to a stranger: anyone can sign up with anyone's
address. So a name stays one line, hides nothing, turns no text around and becomes no link. HTML is
not escaped here; the HTML template does that.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from storepost.accounts.emails.messages import (
    Code,
    EndpointEnd,
    KeyAct,
    KeyLabel,
    Link,
    MaskedAddress,
    Role,
)
from storepost.values.languages import Language

# A workspace's and a key's name have at most 100 characters (docs/interface.md, section 4).
LINE_LENGTH = 100
# RFC 5321 §4.5.3.1.3: a path has 256 octets, two of them its brackets.
ADDRESS_LENGTH = 254
# Two names and a sentence still fit what an inbox shows of a subject.
SUBJECT_VALUE_LENGTH = 40

_NON_JOINER = "\u200c"
# Persian, Indic scripts and emoji need the two; all other format characters only hide or turn.
_JOINERS = frozenset({_NON_JOINER, "\u200d"})
_SPACES = frozenset({"Cc", "Zs", "Zl", "Zp"})
_DROPPED = frozenset({"Cf", "Cs"})
_LINK_LIKE = re.compile(r"(?<=\w)(?:[.\u3002\uff0e\uff61](?=[^\W\d_]{2})|:(?=//))")
_LINK = re.compile(r"https?://[!#-;=?-~]+")
_CODE = re.compile(r"[0-9]{6}")


def line(value: object) -> str:
    """Returns a person's value as one line of at most 100 characters.

    Mail clients turn text that looks like a link into one, so an invisible joiner is put between:
    ``Win.example`` still reads the same, but opens nothing.
    """
    return _LINK_LIKE.sub(rf"\g<0>{_NON_JOINER}", _one_line(value, LINE_LENGTH))


def brief(value: str) -> str:
    """Returns the beginning of a line, for a subject: at most 40 characters."""
    return _shortened(value, SUBJECT_VALUE_LENGTH)


def address(value: object) -> str:
    """Returns an email address as one line of at most 254 characters."""
    return _one_line(value, ADDRESS_LENGTH)


def link(value: object) -> str:
    """Returns an address that a button may open: http or https, in ASCII, else ValueError."""
    if not isinstance(value, str) or not _LINK.fullmatch(value):
        raise ValueError("a link must be an absolute http or https address")
    return value


def code(value: object) -> str:
    """Returns six digits, else ValueError."""
    if not isinstance(value, str) or not _CODE.fullmatch(value):
        raise ValueError("a code must be six digits")
    return value


def moment(value: object) -> str:
    """Returns an ISO 8601 time as ``28 November 2026, 14:05 UTC``, else ValueError."""
    parsed = datetime.fromisoformat(value) if isinstance(value, str) else value
    if not isinstance(parsed, datetime) or parsed.tzinfo is None:
        raise ValueError("a time must be ISO 8601 with an offset")
    utc = parsed.astimezone(UTC)
    return f"{utc.day} {utc:%B %Y, %H:%M} UTC"


def language(value: object) -> Language:
    """Returns one of the languages that shoppers are written to in, else ValueError."""
    if not isinstance(value, str) or value not in Language:
        raise ValueError("a language must be one of those that shoppers are written to in")
    return Language(value)


def line_or_none(value: object) -> str | None:
    """Returns the same as `line`; None stays None."""
    return None if value is None else line(value)


def moment_or_none(value: object) -> str | None:
    """Returns the same as `moment`; None stays None."""
    return None if value is None else moment(value)


def key_labels(value: object) -> list[dict[str, str]]:
    """Returns API keys, each ``{name, prefix}``, as lines; else ValueError."""
    if not isinstance(value, list | tuple):
        raise ValueError("keys must be a list")
    return [_key_label(label) for label in value]


def _key_label(value: object) -> dict[str, str]:
    if not isinstance(value, Mapping) or not {"name", "prefix"} <= value.keys():
        raise ValueError("a key must have a name and a prefix")
    return {"name": line(value["name"]), "prefix": line(value["prefix"])}


def _one_line(value: object, length: int) -> str:
    if not isinstance(value, str):
        raise ValueError("a line must be text")
    words = "".join(map(_seen, value)).split()
    return _shortened(" ".join(words), length) or "(no name)"


def _seen(character: str) -> str:
    category = unicodedata.category(character)
    if category in _SPACES:
        return " "
    return "" if category in _DROPPED and character not in _JOINERS else character


def _shortened(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


FITTED: Mapping[object, Callable[[object], object]] = {
    str: line,
    Role: line,
    Role | None: line_or_none,
    KeyAct: line,
    EndpointEnd: line,
    MaskedAddress: address,
    Link: link,
    Code: code,
    Language: language,
    datetime: moment,
    datetime | None: moment_or_none,
    tuple[KeyLabel, ...]: key_labels,
}
