"""The output of `make openapi`: the interface and the catalogue of problems, beside the code.

A function of the API loads the problems of its own slices only, so those of all slices are read
from these files.
"""

import json
import re
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path

from storepost.api.reference.schemas import ProblemCodePage, ProblemKind
from storepost.values.problems import NotFound
from storepost.values.wire import Json

_HERE = Path(__file__).parent
_CACHED_ADDRESSES = 8
_CACHED_TEXTS = 128


@cache
def interface() -> Json:
    """Returns the interface in OpenAPI 3.1."""
    document: Json = json.loads((_HERE / "openapi.json").read_text("utf-8"))
    return document


def groups() -> dict[str, Json]:
    """Returns what the interface says of each group of operations, by the group's name."""
    return {tag["name"]: tag for tag in interface()["tags"]}


def service_links(base_url: str) -> dict[str, str]:
    """Returns the addresses of the entry points, by what is there; `base_url` ends in `/v1`."""
    return {
        "name": interface()["info"]["title"],
        "summary": interface()["info"]["summary"],
        "baseUrl": base_url,
        "docs": f"{base_url}/docs",
        "openapi": f"{base_url}/openapi.json",
        "problems": f"{base_url}/problems",
        "health": f"{base_url}/health",
        "llms": f"{base_url}/docs/llms.txt",
    }


_GUIDE = re.compile(r"\]\((guides/[\w-]+)\.md")


@lru_cache(_CACHED_ADDRESSES)
def interface_at(base_url: str) -> str:
    """Returns the interface as JSON with the address under which it was requested."""
    served = {**interface(), "servers": [{"url": base_url}]}
    text = json.dumps(served, ensure_ascii=False, separators=(",", ":"))
    # Read somewhere else, it has nothing from which a link to one of the guides could start.
    return _GUIDE.sub(lambda link: f"]({base_url}/docs/{link[1]}", text)


@lru_cache(_CACHED_TEXTS)
def etag_of(text: str) -> str:
    """Returns the text's entity tag."""
    # Weak: it is the tag of the compressed and the plain bytes (RFC 9110, section 8.8.1).
    return f'W/"{sha256(text.encode()).hexdigest()[:32]}"'


def is_known(etag: str, if_none_match: str | None) -> bool:
    """Returns whether `If-None-Match` has this tag (RFC 9110, section 13.1.2)."""
    known = {tag.strip().removeprefix("W/") for tag in (if_none_match or "").split(",")}
    return "*" in known or etag.removeprefix("W/") in known


@cache
def catalogue() -> list[Json]:
    """Returns each kind of problem with its codes, as `make openapi` wrote them."""
    kinds: list[Json] = json.loads((_HERE / "problems.json").read_text("utf-8"))
    return kinds


def problem_kinds(base_url: str) -> list[ProblemKind]:
    """Returns all kinds, by status."""
    return [
        ProblemKind.model_validate({"type": f"{base_url}/problems/{kind['kind']}", **kind})
        for kind in catalogue()
    ]


def problem_kind(base_url: str, name: str) -> ProblemKind:
    """Returns the kind with that name; raises NotFound."""
    for kind in problem_kinds(base_url):
        if kind.kind == name:
            return kind
    raise NotFound()


def problem_code(base_url: str, kind: str, code: str) -> ProblemCodePage:
    """Returns a code of that kind, with the texts of its kind; raises NotFound."""
    found = problem_kind(base_url, kind)
    for each in found.codes:
        if each.code == code:
            return ProblemCodePage(
                type=found.type, kind=found.kind, status=found.status, **each.model_dump()
            )
    raise NotFound()
