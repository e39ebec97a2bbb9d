"""Attributes of several packages' rows about a workspace's callers."""

import json
from uuid import UUID

from pynamodb.attributes import Attribute
from pynamodb.constants import STRING

from storepost.accounts.workspaces.callers import Requester


class RequestedBy(Attribute[Requester]):
    """Who requested what the row holds."""

    attr_type = STRING

    def serialize(self, value: Requester) -> str:
        """Returns the name at that moment, and the id of a person or of a key."""
        ids = (value.person_id, value.key_id)
        row = [value.name, *(str(each) if each else None for each in ids)]
        return json.dumps(row, ensure_ascii=False, separators=(",", ":"))

    def deserialize(self, value: str) -> Requester:
        """Returns what `serialize` wrote."""
        name, person_id, key_id, *_ = json.loads(value)
        person, key = (UUID(each) if each else None for each in (person_id, key_id))
        return Requester(name, person, key)
