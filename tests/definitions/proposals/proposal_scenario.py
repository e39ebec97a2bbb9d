"""A workspace whose people and keys propose and review."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from storepost.accounts.identity.model import KeyScope
from storepost.accounts.workspaces.model import Role
from storepost.values import clock
from storepost.values.scope import WorkspaceScope
from tests.harness.world import CANARY, Answer, Someone, World

type Body = dict[str, Any]

PROPOSE, READ, WRITE = KeyScope.PROPOSE, KeyScope.READ, KeyScope.WRITE

SEGMENT: Body = {
    "description": "Bought lately",
    "condition": {
        "type": "all",
        "conditions": [
            {"type": "consent", "channel": "email", "states": ["subscribed"]},
            {"type": "order", "within": {"lastDays": 90}},
        ],
    },
}
TEMPLATE: Body = {
    "subject": "Hello {{firstName}}",
    "body": {"format": "mjml", "content": "<mjml><mj-body></mj-body></mjml>"},
    "variants": {"de": {"subject": "Hallo {{firstName}}"}},
    "mergeTags": [{"name": "firstName", "fallback": ""}],
}


class JustNow:
    """Equals a moment of the last seconds, as answers write it."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and (
            timedelta(0) <= clock.now() - clock.from_text(other) < timedelta(seconds=30)
        )

    def __hash__(self) -> int:
        return 0


def flow(template_id: str) -> Body:
    """A flow that sends a template a day after an order."""
    return {
        "trigger": {"type": "order_placed"},
        "steps": [
            {"type": "wait", "for": {"amount": 1, "unit": "days"}},
            {
                "type": "branch",
                "if": {"type": "event", "name": "opened"},
                "then": [{"type": "stop"}],
                "else": [{"type": "send_email", "templateId": template_id}],
            },
        ],
    }


class Desk:
    """The workspace, its owner, a plain member, and keys of each scope."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.owner = world.person("Olive Owner")
        self.workspace: WorkspaceScope = world.workspace(self.owner)
        self.admin = world.member(self.workspace, Role.ADMIN)
        self.member = world.member(self.workspace)
        self.keys = {scope: world.api_key(self.workspace, scope, self.member) for scope in KeyScope}

    def send(self, token: str, method: str, path: str, body: object = None, **more: Any) -> Answer:
        """A request."""
        return self.world.call(method, path, token=token, json_body=body, **more)

    def get(self, path: str, **query: object) -> Any:
        """What a reader is answered."""
        answer = self.send(self.keys[READ], "GET", path, query=query)
        assert answer.status == 200, answer.body
        return answer.json

    def propose(self, token: str | None = None, **overrides: object) -> Body:
        """A proposal of a new segment, or of what is given."""
        body = {
            "kind": "segment",
            "name": f"Buyers {CANARY}",
            "summary": "They buy",
            "definition": SEGMENT,
            **overrides,
        }
        return self.proposed(token, body)

    def proposed(self, token: str | None, body: object) -> Body:
        """What a proposal is answered."""
        answer = self.send(token or self.keys[PROPOSE], "POST", "/change-proposals", body)
        assert answer.status == 201, answer.body
        shown: Body = answer.json
        return shown

    def approve(self, proposal: Body, by: Someone | None = None) -> Body:
        """The proposal once it is in force."""
        path = f"/change-proposals/{proposal['id']}/approve"
        answer = self.send((by or self.owner).token, "POST", path)
        assert answer.status == 200, answer.body
        shown: Body = answer.json
        return shown

    def define(self, **overrides: Any) -> Body:
        """A definition in force."""
        approved = self.approve(self.propose(**overrides))
        shown: Body = self.get(f"/definitions/{approved['definitionId']}")
        return shown

    def change(self, definition: Body, *patch: Body, token: str | None = None) -> Body:
        """A proposal to change it."""
        return self.proposed(token, self.change_body(definition, *patch))

    @staticmethod
    def change_body(definition: Body, *patch: Body) -> Body:
        """The body of one."""
        return {
            "definitionId": definition["id"],
            "baseVersionId": definition["versionId"],
            "summary": "Other words",
            "patch": list(patch),
        }


REPLACED: Body = {"op": "replace", "path": "/description", "value": "Buys"}
NOWHERE = str(UUID(int=7))
