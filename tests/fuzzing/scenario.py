"""A world with at least one of each resource: the demo's, on AWS in this process."""

import re
import socket
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from local import demo, functions
from local.demo import Credentials
from local.running import LocalRun
from tests.harness.world import World

_PARAMETER = re.compile(r"{(\w+)}")
_FIRST = 4
_ELSEWHERE = {"/coupon-codes": "/coupons/{id}/codes"}
"""Where the ids of a path are listed, unless the path without its last parameter lists them."""


@dataclass
class Target:
    """The demo's world, its callers, and the ids of each resource."""

    world: World
    credentials: Credentials
    restore: Callable[[], None]
    document: dict[str, Any]
    _listed: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def tokens(self, scope: str | None) -> list[str]:
        """The callers' tokens, the owner's session most often; keys if the scope names one."""
        sessions, keys = self.credentials.sessions, self.credentials.api_keys
        owner = [sessions["owner"]]
        people = [sessions["admin"], sessions["member"]]
        return owner * 4 + people + ([keys["write"]] * 3 if scope else []) + [*keys.values()]

    def path_parameters(self, path: str) -> list[dict[str, str]]:
        """Path parameters that lead to something that exists."""
        found: list[dict[str, str]] = [{}]
        for parameter in _PARAMETER.finditer(path):
            before = path[: parameter.start()].removesuffix("/")
            name = parameter[1]
            found = [{**at, name: one} for at in found for one in self._ids(before, at, name)]
        return found

    def ids(self) -> dict[str, list[str]]:
        """Existing ids for a field of a request, by the field's name."""
        named: dict[str, list[str]] = defaultdict(list)
        for path, name in _FIELDS.items():
            named[name] += [place["id"] for place in self.path_parameters(path + "/{id}")]
        return dict(named)

    def _ids(self, collection: str, place: dict[str, str], name: str) -> list[str]:
        if collection in _ELSEWHERE:
            path = _ELSEWHERE[collection]
            lists = [path.format(**at) for at in self.path_parameters(path)]
            return [one for each in lists for one in self._values(each, name)]
        if "get" not in self.document["paths"].get(collection, {}):
            return []
        return self._values(collection.format(**place), name)

    def _values(self, path: str, name: str) -> list[str]:
        """The first ids of a list."""
        ids = [row.get(name) or row.get("id") or row.get("kind") for row in self._rows(path)]
        return [str(value) for value in ids if value][:_FIRST]

    def _rows(self, path: str) -> list[dict[str, Any]]:
        if path not in self._listed:
            answer = self.world.call("GET", path, token=self.credentials.sessions["owner"])
            body = answer.json if answer.status == 200 else {}
            self._listed[path] = body.get("items", []) if isinstance(body, dict) else []
        return self._listed[path]


_FIELDS = {
    "/stores": "storeId",
    "/profiles": "profileId",
    "/definitions": "definitionId",
    "/members": "memberId",
    "/coupons": "couponId",
    "/feeds": "feedId",
}


def build(document: dict[str, Any]) -> Target:
    """Loads the demo and keeps it. AWS has been started."""
    with functions.apart(), socket.create_server(("127.0.0.1", 0)) as listening:
        run = LocalRun(listening)
        run.serve()
        made = demo.load(run)
        run.stop()
    world = World()
    return Target(world, made.credentials, world.checkpoint(), document)
