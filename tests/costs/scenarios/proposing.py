"""Definitions, and proposals to change them."""

from typing import Any

from tests.costs.scenario import Ask, Town
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


def _proposal(town: Town) -> dict[str, Any]:
    proposal: dict[str, Any] = town.ask("changeProposals.create", Ask(town.key, NEW)).json
    return proposal


def _definition(town: Town) -> dict[str, Any]:
    ask = Ask(town.owner.token, path={"id": _proposal(town)["id"]})
    approved = town.ask("changeProposals.approve", ask).json
    path = {"id": approved["definitionId"]}
    definition: dict[str, Any] = town.ask("definitions.get", Ask(town.key, path=path)).json
    return definition


def _change(town: Town) -> dict[str, Any]:
    definition = _definition(town)
    return {
        "definitionId": definition["id"],
        "baseVersionId": definition["versionId"],
        "summary": "A longer time",
        "patch": [
            {"op": "replace", "path": "/condition/conditions/1/within/lastDays", "value": 180}
        ],
    }


SCENARIOS.plain("definitionSchemas.list", lambda town: Ask(town.key))
SCENARIOS.plain("definitionSchemas.get", lambda town: Ask(town.key, path={"kind": "segment"}))


@SCENARIOS.of("definitions.list", "one")
def definitions(town: Town) -> Ask:
    _definition(town)
    return Ask(town.key)


SCENARIOS.plain("definitions.get", lambda town: Ask(town.key, path={"id": _definition(town)["id"]}))
SCENARIOS.plain(
    "definitions.listVersions", lambda town: Ask(town.key, path={"id": _definition(town)["id"]})
)


@SCENARIOS.of("definitions.getVersion")
def version(town: Town) -> Ask:
    definition = _definition(town)
    return Ask(town.key, path={"id": definition["id"], "versionId": definition["versionId"]})


@SCENARIOS.of("changeProposals.list", "one")
def proposals(town: Town) -> Ask:
    _proposal(town)
    return Ask(town.key)


SCENARIOS.plain("changeProposals.create", lambda town: Ask(town.key, NEW), "a new definition")
SCENARIOS.plain("changeProposals.create", lambda town: Ask(town.key, _change(town)), "a change")
SCENARIOS.plain(
    "changeProposals.get", lambda town: Ask(town.key, path={"id": _proposal(town)["id"]})
)
SCENARIOS.plain(
    "changeProposals.approve",
    lambda town: Ask(town.owner.token, path={"id": _proposal(town)["id"]}),
    "a new definition",
)


@SCENARIOS.of("changeProposals.approve", "a change")
def approved_change(town: Town) -> Ask:
    proposal = town.ask("changeProposals.create", Ask(town.key, _change(town))).json
    return Ask(town.owner.token, path={"id": proposal["id"]})


SCENARIOS.plain(
    "changeProposals.reject", lambda town: Ask(town.key, path={"id": _proposal(town)["id"]})
)
SCENARIOS.plain(
    "changeProposals.withdraw", lambda town: Ask(town.key, path={"id": _proposal(town)["id"]})
)
