"""The owner of a custom store, who puts customers, and the stored rows."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from storepost.accounts.identity.model import SignedInPerson
from storepost.accounts.identity.repository import SessionItem, as_session, find_person, find_token
from storepost.accounts.identity.tokens import digest
from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.api.http.callers import person_in_workspace
from storepost.people.consent.items import ConsentChangeItem
from storepost.people.consent.model import ConsentChange
from storepost.people.consent.repository import ConsentRepository
from storepost.people.customers.repository import CustomerItem
from storepost.people.profiles.rows import IdentityItem, ProfileItem
from storepost.values import clock
from storepost.values.scope import PersonScope, WorkspaceScope
from tests.harness.world import CANARY, Answer, Someone, World

EMAIL = f"ann.{CANARY}@example.com"
OTHER = f"bob.{CANARY}@example.com"
PHONE = "+14155550123"
CREATED = "2026-01-02T03:04:05.678Z"
ADMIN = "https://admin.example.com/"


def day(number: int, of: str = "2026-02-01T00:00:00.000Z") -> str:
    """A moment so many days later."""
    return clock.to_text(clock.from_text(of) + timedelta(days=number))


def body(updated: int = 0, **more: object) -> dict[str, object]:
    """A customer as a store sends it, updated on a day."""
    return {"externalCreatedAt": CREATED, "externalUpdatedAt": day(updated), **more}


class Shop:
    """The owner of a store, who puts customers."""

    def __init__(self, world: World, by: Someone, store: str) -> None:
        self.world, self.by, self.id = world, by, store

    def put(self, external_id: str, updated: Any = 0, **more: Any) -> Answer:
        """Puts a customer."""
        return self.by.call(
            "PUT", f"/stores/{self.id}/customers/{external_id}", body(updated, **more)
        )

    def delete(self, external_id: str, **more: Any) -> Answer:
        """Deletes a customer."""
        return self.by.call("DELETE", f"/stores/{self.id}/customers/{external_id}", **more)

    def profiles(self, **query: object) -> list[dict[str, Any]]:
        """The profiles that the list finds, whole."""
        params = {"sort": "firstSeenAt", **query}
        found = self.by.call("GET", "/profiles", query=params).json
        assert found["total"] == len(found["items"])
        return [self.by.call("GET", f"/profiles/{row['id']}").json for row in found["items"]]

    def profile(self, **query: object) -> dict[str, Any]:
        """The one profile that the list finds."""
        [found] = self.profiles(**query)
        return found


def stored(world: World) -> list[dict[str, Any]]:
    """All customers, profiles and claims."""
    kinds = CustomerItem | ProfileItem | IdentityItem | ConsentChangeItem
    return [row.serialize() for row in world.rows() if isinstance(row, kinds)]


def workspace_of(world: World) -> WorkspaceScope:
    """The workspace that the world's first person created."""
    [row] = [row for row in world.rows() if row.sk == "workspace"]
    identifier: UUID = row.id  # type: ignore[attr-defined]
    return WorkspaceScope(identifier)


def history(world: World, profile: dict[str, Any]) -> list[ConsentChange]:
    """The profile's consent changes, recorded last first."""
    return list(ConsentRepository(workspace_of(world)).history(UUID(profile["id"])))


def as_caller(someone: Someone) -> WorkspaceCaller:
    """The person, as services identify a caller."""
    person, session = find_person(PersonScope(someone.id)), find_token(digest(someone.token))
    assert person is not None
    assert isinstance(session, SessionItem)
    return person_in_workspace(SignedInPerson(person, as_session(session), someone.token))
