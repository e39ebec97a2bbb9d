"""The largest bodies that an operation accepts, made of the values that cost most to read."""

import json
from collections.abc import Iterator

from tests.hostile.corpus import JSON
from tests.hostile.hostile_requests import Operation, Sent, Target

BYTES = 990_000
LARGE_BYTES = 4_990_000
TAKE_LARGE = frozenset(
    {
        "consent.import",
        "coupons.checkImport",
        "coupons.createCodes",
        "coupons.import",
        "events.createBulk",
        "stores.createBatch",
        "webhooks.shopify",
    }
)
"""Operations that take 5 MB; a test holds this to them."""

_ELEMENTS = {
    "empty arrays": "[]",
    "empty objects": "{}",
    "objects with a field": '{"a":0}',
    "arrays in arrays": "[[[[[[[[]]]]]]]]",
    "zeros": "0",
    "fractions": "0.1",
    "great numbers": "9" * 300,
    "nulls": "null",
    "empty texts": '""',
    "escapes": '"\\u0100\\n"',
}


def large_requests(operation: Operation, target: Target) -> Iterator[Sent]:
    """Bodies as large as the operation accepts."""
    size = LARGE_BYTES if operation.id in TAKE_LARGE else BYTES
    path, headers = target.path(operation), {"content-type": JSON}
    for name, body in _bodies(operation.example, size):
        yield Sent(f"large: {name}", operation.method, path, headers=headers, body=body)


def _bodies(example: object, size: int) -> Iterator[tuple[str, bytes]]:
    yield "many names", _filled("{", (f'"{n:x}":0' for n in range(size)), "}", size)
    yield "one name many times", _filled("{", ('"a":0' for _ in range(size)), "}", size)
    yield "a text", b'"' + b"x" * (size - 2) + b'"'
    yield "a text of two bytes", b'"' + "\u0100".encode() * (size // 2 - 2) + b'"'
    yield "a text of escapes", b'"' + b"\\u0100" * (size // 6 - 1) + b'"'
    for name, element in _ELEMENTS.items():
        yield name, _array("[", element, "]", size)
    fields: dict[str, object] = example if isinstance(example, dict) else {}
    for field, value in fields.items():
        opening = json.dumps({**fields, field: "\0"}, separators=(",", ":"))
        before, _, after = opening.partition('"\\u0000"')
        if isinstance(value, list):
            for name, element in _ELEMENTS.items():
                yield f"/{field}: {name}", _array(f"{before}[", element, f"]{after}", size)
        if isinstance(value, str):
            text = "x," * ((size - len(opening)) // 2)
            yield f"/{field}: a text", f'{before}"{text}"{after}'.encode()


def _array(opening: str, element: str, closing: str, size: int) -> bytes:
    room = size - len(opening) - len(closing)
    return (opening + ",".join([element] * (room // (len(element) + 1))) + closing).encode()


def _filled(opening: str, parts: Iterator[str], closing: str, size: int) -> bytes:
    parts_taken, length = list[str](), len(opening) + len(closing)
    for part in parts:
        length += len(part) + 1
        if length > size:
            break
        parts_taken.append(part)
    return (opening + ",".join(parts_taken) + closing).encode()
