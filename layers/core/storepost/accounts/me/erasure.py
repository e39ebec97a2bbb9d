"""What a deleted account left: sessions, second factors, codes, counts, memberships past the first.

Bounded transactions over what is still there, so it may be killed anywhere and delivered twice.
"""

import json
from uuid import UUID

from storepost.accounts.me.repository import remove_some
from storepost.platform.persistence.changes import commit_anew
from storepost.values.scope import PersonScope


def erase(message: str) -> None:
    """Removes everything that stands under the person whom the message names."""
    person = PersonScope(UUID(json.loads(message)["personId"]))
    while commit_anew(lambda changes: remove_some(changes, person)):
        pass
