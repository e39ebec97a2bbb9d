"""Replaces a run's ids and secrets by made-up ones: the same in each run, and plainly fake.

A replacement is derived from the place where the story's answers first have the value, so that a
new step changes no other step's values.
"""

import re
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any
from uuid import UUID

type Fake = Callable[[int, str], str]
"""Makes a replacement from a number that belongs to the value, and from the value itself."""


def _id(number: int, real: str) -> str:
    """Returns an id of the same version; a version 7 keeps its time."""
    begins = UUID(real).int >> 80 if real[14] == "7" else number >> 80
    made = str(UUID(int=begins << 80 | number & (1 << 80) - 1))
    return f"{made[:14]}{real[14]}{made[15:19]}a{made[20:]}"


def _session(number: int, real: str) -> str:
    return _filled(f"sts_Example_session_{_digits(number)}_", real)


def _trusted_browser(number: int, real: str) -> str:
    return _filled(f"stb_Example_browser_{_digits(number)}_", real)


def _key(number: int, real: str) -> str:
    return _filled(f"stp_Ex{_digits(number)}_ExampleKey", real)


def _write_back_secret(number: int, real: str) -> str:
    return _filled(f"whsec_ExampleSecret{_digits(number)}", real)


def _token(number: int, real: str) -> str:
    return _filled(f"Example_token_{_digits(number)}_", real)


def _app_secret(_number: int, real: str) -> str:
    return ("EXAMPLE" * len(real))[: len(real)]


def _code(number: int, _real: str) -> str:
    return _digits(number)


def _backup_code(number: int, _real: str) -> str:
    return f"EXAMP-{_digits(number)[:5]}"


def _coupon_code(number: int, real: str) -> str:
    prefix, dash, rest = real.rpartition("-")
    return f"{prefix}{dash}{_filled(f'EX{_digits(number)}', rest)}"


_PATTERNS: tuple[tuple[re.Pattern[str], Fake], ...] = (
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), _id),
    (re.compile(r"\bsts_[\w-]{43}"), _session),
    (re.compile(r"\bstb_[\w-]{43}"), _trusted_browser),
    (re.compile(r"\bstp_[0-9A-Za-z]{8}_[0-9A-Za-z]{40}"), _key),
    (re.compile(r"\bwhsec_[A-Za-z0-9+/=]+"), _write_back_secret),
    (re.compile(r"(?<=/unsubscribe/)[\w-]+"), _token),
)
_FIELDS: dict[str, Fake] = {
    "challenge": _token,
    "secret": _app_secret,
    "backupCodes": _backup_code,
}
"""How whole values are replaced, by the name of their field."""
_COUPON_FIELDS: dict[str, Fake] = {"code": _coupon_code}


class Masks:
    """The replacements of the answers' ids and secrets."""

    def __init__(self, known: dict[str, str]) -> None:
        """`known` has the replacements of the run's own addresses."""
        self._parts = dict(known)
        self._shown: dict[str, str] = {}
        self._used: set[str] = set()

    def add_code(self, name: str, code: str) -> None:
        """Adds a replacement of an emailed code, or of an authenticator app's."""
        self._keep(code, f"code {name}", _code)

    def add_token(self, name: str, token: str) -> None:
        """Adds a replacement of the token in an emailed link."""
        self._keep(token, f"token {name}", _token)

    def learn(self, operation: str, content: Any) -> None:  # noqa: ANN401 - JSON
        """Adds replacements of the ids and secrets that appear first in this answer."""
        fields = _FIELDS | (_COUPON_FIELDS if operation.startswith("coupon") else {})
        for pointer, text in _texts(content, ""):
            name = f"{operation} {pointer}"
            for found, fake in _found(text):
                self._keep(found, name, fake)
                if fake is _key:
                    self._shown[found[:12]] = self._shown[found][:12]
            field = next((part for part in reversed(pointer.split("/")) if not part.isdigit()), "")
            if field in fields and not text.startswith(("whsec_", "stp_")):
                self._keep(text, name, fields[field])
                if field == "secret":
                    self._parts[text] = self._shown[text]

    def shown(self, value: Any) -> Any:  # noqa: ANN401 - JSON
        """Returns the value with made-up ids and secrets."""
        if isinstance(value, dict):
            return {name: self.shown(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.shown(inner) for inner in value]
        return self._shown_text(value) if isinstance(value, str) else value

    def _shown_text(self, text: str) -> str:
        if text in self._shown:
            return self._shown[text]
        for real, fake in self._parts.items():
            text = text.replace(real, fake)
        for pattern, _ in _PATTERNS:
            text = pattern.sub(lambda found: self._shown.get(found[0], found[0]), text)
        return text

    def _keep(self, real: str, name: str, fake: Fake) -> None:
        if real in self._shown or real in self._used:
            return
        for again in range(1000):
            number = int.from_bytes(sha256(f"{name} {again}".encode()).digest()[:16])
            made = fake(number, real)
            if made not in self._used:
                break
        self._used.add(made)
        self._shown[real] = made


def _found(text: str) -> Iterator[tuple[str, Fake]]:
    for pattern, fake in _PATTERNS:
        for found in pattern.findall(text):
            yield found, fake


def _texts(content: Any, pointer: str) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - JSON
    if isinstance(content, str):
        yield pointer, content
    elif isinstance(content, dict | list):
        pairs = content.items() if isinstance(content, dict) else enumerate(content)
        for name, inner in pairs:
            yield from _texts(inner, f"{pointer}/{name}")


def _digits(number: int) -> str:
    return f"{number % 10**6:06}"


def _filled(beginning: str, real: str) -> str:
    """Returns the beginning, filled or cut to the length of the real value."""
    return beginning.ljust(len(real), "0")[: len(real)]
