"""Parameters of a header's value, such as `charset` in `text/csv; charset=utf-8`.

The standard library's reader takes quadratic time for some values, and raises anything for others.
"""

import re

_PARAMETER = re.compile(
    r';\s*+(?P<name>[^\s;="]++)\s*+=\s*+(?:"(?P<quoted>(?:[^"\\]|\\.)*+)"|(?P<plain>[^;"]*+))',
    re.DOTALL,
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def header_parameter(name: str, value: str) -> str | None:
    """Returns the first parameter of that name; None if there is none, in linear time.

    A parameter in parts or with an encoding of its own (RFC 2231) counts as none.
    """
    for found in _PARAMETER.finditer(value):
        if found["name"].lower() == name:
            quoted = found["quoted"]
            return found["plain"].strip() if quoted is None else _ESCAPED.sub(r"\1", quoted)
    return None
