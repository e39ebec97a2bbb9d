"""Definitions, and proposals to change them."""

from typing import Any

from tests.costs.scenario import Request, Shop
from tests.costs.scenarios.registry import Scenarios

SCENARIOS = Scenarios()

NEW = {
    "kind": "segment",
    "name": "Bought lately",
    "summary": "For the spring letter",
    "definition": {
        "condition": {
            "type": "all",
            "conditions": [
                {"type": "consent", "channel": "email", "states": ["subscribed"]},
                {"type": "order", "within": {"lastDays": 90}},
            ],
        }
    },
}


def _proposal(shop: Shop) -> dict[str, Any]:
    proposal: dict[str, Any] = shop.send("changeProposals.create", Request(shop.key, NEW)).json
    return proposal


def _definition(shop: Shop) -> dict[str, Any]:
    send = Request(shop.owner.token, path={"id": _proposal(shop)["id"]})
    approved = shop.send("changeProposals.approve", send).json
    path = {"id": approved["definitionId"]}
    definition: dict[str, Any] = shop.send("definitions.get", Request(shop.key, path=path)).json
    return definition


def _change(shop: Shop) -> dict[str, Any]:
    definition = _definition(shop)
    return {
        "definitionId": definition["id"],
        "baseVersionId": definition["versionId"],
        "summary": "A longer time",
        "patch": [
            {"op": "replace", "path": "/condition/conditions/1/within/lastDays", "value": 180}
        ],
    }


SCENARIOS.plain("definitionSchemas.list", lambda shop: Request(shop.key))
SCENARIOS.plain("definitionSchemas.get", lambda shop: Request(shop.key, path={"kind": "segment"}))


@SCENARIOS.of("definitions.list", "one")
def definitions(shop: Shop) -> Request:
    _definition(shop)
    return Request(shop.key)


SCENARIOS.plain(
    "definitions.get", lambda shop: Request(shop.key, path={"id": _definition(shop)["id"]})
)
SCENARIOS.plain(
    "definitions.listVersions", lambda shop: Request(shop.key, path={"id": _definition(shop)["id"]})
)


@SCENARIOS.of("definitions.getVersion")
def version(shop: Shop) -> Request:
    definition = _definition(shop)
    return Request(shop.key, path={"id": definition["id"], "versionId": definition["versionId"]})


@SCENARIOS.of("changeProposals.list", "one")
def proposals(shop: Shop) -> Request:
    _proposal(shop)
    return Request(shop.key)


SCENARIOS.plain("changeProposals.create", lambda shop: Request(shop.key, NEW), "a new definition")
SCENARIOS.plain("changeProposals.create", lambda shop: Request(shop.key, _change(shop)), "a change")
SCENARIOS.plain(
    "changeProposals.get", lambda shop: Request(shop.key, path={"id": _proposal(shop)["id"]})
)
SCENARIOS.plain(
    "changeProposals.approve",
    lambda shop: Request(shop.owner.token, path={"id": _proposal(shop)["id"]}),
    "a new definition",
)


@SCENARIOS.of("changeProposals.approve", "a change")
def approved_change(shop: Shop) -> Request:
    proposal = shop.send("changeProposals.create", Request(shop.key, _change(shop))).json
    return Request(shop.owner.token, path={"id": proposal["id"]})


SCENARIOS.plain(
    "changeProposals.reject", lambda shop: Request(shop.key, path={"id": _proposal(shop)["id"]})
)
SCENARIOS.plain(
    "changeProposals.withdraw", lambda shop: Request(shop.key, path={"id": _proposal(shop)["id"]})
)
