"""What `make openapi` wrote: the interface and the catalogue of problems, shipped beside the code.

A function of the API loads the problems of its own slices only; so what all of them say comes from
these files.
"""

import json
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path

from storepost.api.reference.schemas import ProblemKind
from storepost.values.problems import NotFound
from storepost.values.wire import Json

_HERE = Path(__file__).parent
_ADDRESSES = 8


@cache
def interface() -> Json:
    """The interface in OpenAPI 3.1."""
    document: Json = json.loads((_HERE / "openapi.json").read_text("utf-8"))
    return document


@lru_cache(_ADDRESSES)
def interface_at(base_url: str) -> tuple[str, str]:
    """The interface as JSON with the address that it was asked under, and its entity tag."""
    served = {**interface(), "servers": [{"url": base_url}]}
    text = json.dumps(served, ensure_ascii=False, separators=(",", ":"))
    # Weak: it stands for the compressed and the plain bytes alike (RFC 9110, section 8.8.1).
    return text, f'W/"{sha256(text.encode()).hexdigest()[:32]}"'


def is_known(etag: str, if_none_match: str | None) -> bool:
    """Whether the caller's copy, of the tags in `If-None-Match`, is this one (RFC 9110, 13.1.2)."""
    known = {tag.strip().removeprefix("W/") for tag in (if_none_match or "").split(",")}
    return "*" in known or etag.removeprefix("W/") in known


@cache
def _catalogue() -> list[Json]:
    kinds: list[Json] = json.loads((_HERE / "problems.json").read_text("utf-8"))
    return kinds


def problem_kinds(base_url: str) -> list[ProblemKind]:
    """All kinds, by status."""
    return [
        ProblemKind.model_validate({"type": f"{base_url}/problems/{kind['kind']}", **kind})
        for kind in _catalogue()
    ]


def problem_kind(base_url: str, name: str) -> ProblemKind:
    """The kind of that name; raises NotFound."""
    for kind in problem_kinds(base_url):
        if kind.kind == name:
            return kind
    raise NotFound()
