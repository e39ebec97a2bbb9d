"""Who proposed or reviewed something, as answers show it: a person by their current name."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from storepost.accounts.identity.model import Person
from storepost.accounts.identity.repository import find_people
from storepost.accounts.workspaces.callers import Requester
from storepost.values.stored_enum import StoredEnum


class AuthorType(StoredEnum):
    """Who did something: `user`, a signed-in person, or `api_key`, a program with a key."""

    USER = "user"
    API_KEY = "api_key"


@dataclass(frozen=True)
class Author:
    """The author; a person whose account was deleted has neither id nor name any more."""

    type: AuthorType
    id: UUID | None
    name: str | None


@dataclass(frozen=True)
class Authors:
    """Shows requesters as authors."""

    people: Mapping[UUID, Person]

    @classmethod
    def of(cls, requesters: Iterable[Requester | None]) -> "Authors":
        """Reads the people among these requesters."""
        ids = {each.person_id for each in requesters if each and each.person_id}
        return cls(find_people(ids))

    def author(self, requester: Requester) -> Author:
        """Returns a requester as an author."""
        if requester.person_id is None:
            return Author(AuthorType.API_KEY, requester.key_id, requester.name)
        person = self.people.get(requester.person_id)
        if person is None:
            return Author(AuthorType.USER, None, None)
        return Author(AuthorType.USER, person.id, person.name)
