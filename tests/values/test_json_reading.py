"""JSON within bounds: its depth, held to a walk through what the standard library makes of it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storepost.values.json_reading import MAX_DEPTH, DepthGuard, TooDeep, read_json
from tests.growth import assert_linear

PARTS = st.sampled_from(["[", "]", "{", "}", '"', "\\", ",", ":", "x", " ", "\\u005b", "é"])
DOCUMENTS = st.recursive(
    st.none() | st.integers() | st.text(st.sampled_from('[{"\\}]é\n x')),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("[\\"), inner, max_size=3),
    max_leaves=12,
)


def depth_of(value: Any) -> int:
    """How deeply arrays and objects are nested."""
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(map(depth_of, value), default=0) if isinstance(value, list) else 0


def deepened(value: Any, levels: int) -> Any:
    """The value, nested in so many arrays and objects."""
    for level in range(levels):
        value = [value] if level % 2 else {"a]": value}
    return value


def follow_in_pieces(text: str, length: int) -> None:
    """Lets a guard follow the text, so many characters at a time."""
    guard = DepthGuard()
    for start in range(0, len(text), length):
        guard.feed(text[start : start + length])


@given(DOCUMENTS, st.integers(0, 8), st.integers(1, 7))
def test_json_deeper_than_the_limit_is_refused(value: Any, around: int, length: int) -> None:
    document = deepened(value, MAX_DEPTH - 4 + around)
    text = json.dumps(document, ensure_ascii=False)
    if depth_of(document) > MAX_DEPTH:
        with pytest.raises(TooDeep):
            read_json(text)
        with pytest.raises(TooDeep):
            follow_in_pieces(text, length)
    else:
        assert read_json(text) == read_json(text.encode()) == document
        follow_in_pieces(text, length)


@given(st.lists(PARTS, max_size=40), st.integers(0, 3))
def test_parser_never_gets_json_deeper_than_the_limit(parts: list[str], at: int) -> None:
    text = "[" * (MAX_DEPTH - at) + "".join(parts)
    try:
        read_json(text)
    except ValueError:
        return
    assert depth_of(json.loads(text)) <= MAX_DEPTH


def test_brackets_in_strings_do_not_count() -> None:
    text = json.dumps(["[{" * 200, '"[' * 200, "\\[" * 200])
    assert read_json(text) == json.loads(text)


@pytest.mark.parametrize(
    "text", ["[]" * 100_000, '"["' * 100_000, '"' * 300_000, '\\"' * 150_000, "\\" * 300_000]
)
def test_depth_check_takes_linear_time(text: str) -> None:
    assert_linear(lambda times: follow_in_pieces(text * times, 65_536), 1)
