"""Writes JSON as a literal of a language: on one line if it fits, else a line for each member."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

_WIDTH = 76
_NAME = re.compile(r"[A-Za-z_$][\w$]*")


@dataclass(frozen=True)
class Style:
    """How a language writes its literals."""

    key: Callable[[str], str]
    atom: Callable[[object], str]
    indent: int
    padding: str
    """The text inside the braces of an object on one line."""


def _python_atom(value: object) -> str:
    return repr(value) if value is None or isinstance(value, bool) else json_text(value)


def json_text(value: object) -> str:
    """Returns the value as JSON, which for text and numbers is valid Python and TypeScript, too."""
    return json.dumps(value, ensure_ascii=False)


def _script_key(key: str) -> str:
    return key if _NAME.fullmatch(key) else json_text(key)


PYTHON = Style(json_text, _python_atom, 4, "")
TYPESCRIPT = Style(_script_key, json_text, 2, " ")


def literal(value: object, style: Style, depth: int = 0) -> str:
    """Returns the literal; `depth` is the indentation of the line that it begins on."""
    line = _on_one_line(value, style)
    if depth + len(line) <= _WIDTH or not isinstance(value, dict | list) or not value:
        return line
    inner = depth + style.indent
    if isinstance(value, dict):
        members = [f"{style.key(k)}: {literal(v, style, inner)}" for k, v in value.items()]
    else:
        members = [literal(each, style, inner) for each in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    lines = "".join(f"{' ' * inner}{each},\n" for each in members)
    return f"{opening}\n{lines}{' ' * depth}{closing}"


def _on_one_line(value: object, style: Style) -> str:
    if isinstance(value, dict):
        members = [f"{style.key(k)}: {_on_one_line(v, style)}" for k, v in value.items()]
        inner = ", ".join(members)
        return f"{{{style.padding}{inner}{style.padding}}}" if inner else "{}"
    if isinstance(value, list):
        return f"[{', '.join(_on_one_line(each, style) for each in value)}]"
    return style.atom(value)
