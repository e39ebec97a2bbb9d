"""An agent proposes a segment; Olive approves it, and looks at what is proposed next."""

from openapi.story.steps import OLIVE, Step
from openapi.story.story_run import Chapter

AGENT = "{agent.key}"
SEGMENT = {
    "kind": "segment",
    "name": "Bought lately",
    "summary": "For the spring letter",
    "definition": {
        "description": "Subscribed to emails, with an order in the last 90 days",
        "condition": {
            "type": "all",
            "conditions": [
                {"type": "consent", "channel": "email", "states": ["subscribed"]},
                {"type": "order", "within": {"lastDays": 90}},
            ],
        },
    },
}
CHANGE = {
    "definitionId": "{approved.definitionId}",
    "baseVersionId": "{approved.resultVersionId}",
    "summary": "Half a year, as linen is bought twice a year",
    "patch": [
        {"op": "replace", "path": "/condition/conditions/1/within/lastDays", "value": 180},
    ],
}
DEFINITION = {"id": "{approved.definitionId}"}

CHAPTER: Chapter = [
    Step("apiKeys.create", OLIVE, body={"name": "Assistant", "scope": "propose"}, keep="agent"),
    Step("definitionSchemas.list", AGENT, query={"page": 1, "pageSize": 25}),
    Step("definitionSchemas.get", AGENT, path={"kind": "segment"}, query={"schemaVersion": 1}),
    Step("changeProposals.create", AGENT, body=SEGMENT, keep="proposal"),
    Step("changeProposals.get", AGENT, path={"id": "{proposal.id}"}),
    Step(
        "changeProposals.list",
        AGENT,
        query={
            "status": "open",
            "kind": "segment",
            "stale": "false",
            "sort": "-createdAt",
            "page": 1,
            "pageSize": 25,
        },
    ),
    Step(
        "changeProposals.approve",
        OLIVE,
        path={"id": "{proposal.id}"},
        body={"note": "Good for the spring letter"},
        keep="approved",
    ),
    Step(
        "definitions.list",
        AGENT,
        query={"kind": "segment", "q": "bought", "page": 1, "pageSize": 25},
    ),
    Step("definitions.get", AGENT, path=DEFINITION, keep="definition"),
    Step("definitions.listVersions", AGENT, path=DEFINITION, query={"page": 1, "pageSize": 25}),
    Step(
        "definitions.getVersion",
        AGENT,
        path={**DEFINITION, "versionId": "{approved.resultVersionId}"},
    ),
    Step("changeProposals.create", AGENT, body=CHANGE, keep="proposal"),
    Step(
        "changeProposals.reject",
        OLIVE,
        path={"id": "{proposal.id}"},
        body={"note": "Let us see how the first letter does"},
    ),
    Step("changeProposals.create", AGENT, body=CHANGE, keep="proposal"),
    Step(
        "changeProposals.list",
        AGENT,
        query={"definitionId": "{approved.definitionId}", "author": "{agent.apiKey.id}"},
    ),
    Step("changeProposals.withdraw", AGENT, path={"id": "{proposal.id}"}),
]
