"""Lists of people have no pages: a page keeps deleted entries until it is rewritten."""

from uuid import uuid4

from storepost.people.profiles.lists import ProfileLists
from storepost.values.scope import WorkspaceScope


def test_profile_lists_are_not_packed() -> None:
    """Nor does anything else of profiles: their consents and positions keep changing."""
    lists = ProfileLists(WorkspaceScope(uuid4()))
    trees = (lists.by_name, lists.by_email, lists.by_first_seen, lists.of_store(uuid4()))
    assert [tree.packing for tree in trees] == [None] * 4
