"""The purpose of an email, as tags that SES returns with each event about it.

A tag has only ASCII letters, digits, `_` and `-` (SES API v2, `MessageTag`), and none of these is
personal data: an id says nothing to a reader without access to its row.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self
from uuid import UUID

from storepost.values.stored_enum import StoredEnum

_KIND, _ID, _WORKSPACE = "kind", "id", "workspace"


class EmailKind(StoredEnum):
    """What the id of an email's tags is of.

    `account`: a person, whom the email is to. `sign_up`: a registration. `invitation` and `opt_in`
    (a request to confirm a subscription): of the workspace that is named beside it.
    """

    ACCOUNT = "account"
    SIGN_UP = "sign_up"
    INVITATION = "invitation"
    OPT_IN = "opt_in"


@dataclass(frozen=True, slots=True)
class EmailTags:
    """What one email is for."""

    kind: EmailKind
    id: UUID
    workspace_id: UUID | None = None

    @classmethod
    def of(cls, tags: Mapping[str, str]) -> Self | None:
        """Returns the tags that `by_name` returned; None for tags that aren't ours."""
        try:
            workspace = tags.get(_WORKSPACE)
            return cls(
                EmailKind(tags[_KIND]), UUID(tags[_ID]), UUID(workspace) if workspace else None
            )
        except (KeyError, ValueError):
            return None

    def by_name(self) -> dict[str, str]:
        """Returns the tags' values by their names."""
        tags = {_KIND: str(self.kind), _ID: str(self.id)}
        return {**tags, _WORKSPACE: str(self.workspace_id)} if self.workspace_id else tags


def account_tags(person_id: UUID) -> EmailTags:
    """Returns the tags of an email to a person's account."""
    return EmailTags(EmailKind.ACCOUNT, person_id)
