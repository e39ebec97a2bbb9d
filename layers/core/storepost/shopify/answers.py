"""Interprets answers of the Admin API."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Any

from storepost.platform.fetching import Answer
from storepost.shopify.errors import (
    AccessDenied,
    MutationRefused,
    RequestRefused,
    ShopUnavailable,
    UserError,
)
from storepost.shopify.pacing import Cost, cost_of
from storepost.values.json_reading import read_utf_8_json

type Data = dict[str, Any]

# Frozen for an unpaid bill, taken down, held back as unsafe, locked.
_CLOSED = frozenset({402, 404, 423, 430})
_MAX_WAIT_SECONDS = 60.0
_CODE = re.compile("[A-Za-z][A-Za-z0-9_]{0,63}")


class Meaning(Enum):
    """Says what an answer asks for."""

    DONE = "done"
    THROTTLED = "throttled"
    """Nothing was done: the bucket has to fill first."""
    FAILED = "failed"
    """Something went wrong there, and it may have been done."""
    TOKEN_REFUSED = "token refused"  # noqa: S105 - it says so, and is none


@dataclass(frozen=True)
class CallOutcome:
    """An interpreted answer of the Admin API."""

    meaning: Meaning
    data: Data
    cost: Cost | None = None
    wait_seconds: float | None = None
    """How long the shop asks the client to wait."""
    reason: str = ""


def read(answer: Answer) -> CallOutcome:
    """Returns the interpreted answer. Raises AccessDenied, RequestRefused and ShopUnavailable."""
    status = answer.status
    reason = f"the Admin API: HTTP {status}"
    if status == 200:
        return _read_body(answer)
    if status == 401:
        return CallOutcome(Meaning.TOKEN_REFUSED, {}, reason=reason)
    if status == 429:
        return CallOutcome(Meaning.THROTTLED, {}, wait_seconds=_retry_after(answer), reason=reason)
    if status >= 500:
        return CallOutcome(Meaning.FAILED, {}, wait_seconds=_retry_after(answer), reason=reason)
    if status in _CLOSED:
        raise ShopUnavailable(reason)
    raise AccessDenied(reason) if status == 403 else RequestRefused(reason)


@contextmanager
def whole_answer() -> Iterator[None]:
    """Raises ShopUnavailable where the answer that is read in it lacks what was requested."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ShopUnavailable("the Admin API: an answer without what was requested") from error


def code_of(value: object) -> str:
    """Returns an error's code, which is logged: a value in another form could be anything."""
    is_code = isinstance(value, str) and _CODE.fullmatch(value)
    return str(value) if is_code else "an unreadable code"


def refusals(data: Data) -> tuple[UserError, ...]:
    """Returns the user errors of a mutation's answer."""
    payloads = (payload for payload in data.values() if isinstance(payload, Mapping))
    lists = (
        value
        for payload in payloads
        for name, value in payload.items()
        if name.lower().endswith("usererrors")
    )
    return tuple(_user_error(error) for errors in lists for error in _each(errors))


def raise_refusals(data: Data) -> None:
    """Raises MutationRefused where a mutation's answer has user errors."""
    found = refusals(data)
    if found:
        raise MutationRefused(found)


def _read_body(answer: Answer) -> CallOutcome:
    body, data = _parts_of(answer.body)
    errors, cost = body.get("errors") or [], cost_of(body)
    if not errors:
        return CallOutcome(Meaning.DONE, data, cost)
    reason = f"the Admin API: {', '.join(dict.fromkeys(_messages(errors)))}"
    codes = set(_codes(errors))
    if "THROTTLED" in codes:
        return CallOutcome(Meaning.THROTTLED, {}, cost, reason=reason)
    if codes & {"INTERNAL_SERVER_ERROR", "TIMEOUT"}:
        return CallOutcome(Meaning.FAILED, {}, cost, reason=reason)
    if "SHOP_INACTIVE" in codes:
        raise ShopUnavailable(reason)
    raise AccessDenied(reason) if "ACCESS_DENIED" in codes else RequestRefused(reason)


def _parts_of(text: bytes) -> tuple[Mapping[str, Any], Data]:
    """The body, and its data. Raises ShopUnavailable."""
    try:
        body = read_utf_8_json(text)
        data = body.get("data") or {}
    except (ValueError, AttributeError) as error:
        raise ShopUnavailable("the Admin API: an answer that is no JSON object") from error
    if not isinstance(data, dict):
        raise ShopUnavailable("the Admin API: data that is no JSON object")
    return body, data


def _codes(errors: object) -> Iterator[str]:
    for error in _each(errors):
        extensions = error.get("extensions")
        if isinstance(extensions, Mapping):
            yield code_of(extensions.get("code"))


def _messages(errors: object) -> Iterator[str]:
    """The codes, if there are any: a message may repeat a variable, which may be personal data."""
    found = [*_codes(errors)]
    yield from found or ["errors without a code"]


def _each(errors: object) -> Iterable[Mapping[str, Any]]:
    return [e for e in errors if isinstance(e, Mapping)] if isinstance(errors, list) else []


def _user_error(error: Mapping[str, Any]) -> UserError:
    field, code = error.get("field"), error.get("code")
    return UserError(
        message=str(error.get("message")),
        field=tuple(map(str, field)) if isinstance(field, list) else (),
        code=code_of(code) if code is not None else None,
    )


def _retry_after(answer: Answer) -> float | None:
    try:
        return min(_MAX_WAIT_SECONDS, max(0.0, float(answer.headers.get("retry-after", ""))))
    except ValueError:
        return None
