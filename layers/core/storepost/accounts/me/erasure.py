"""What a deleted account left: sessions, second factors, codes, counts, memberships past the first.

Bounded transactions over what is still there, so it may be killed anywhere and delivered twice.
"""

from storepost.accounts.me.messages import AccountErasureMessage
from storepost.accounts.me.repository import delete_some
from storepost.platform.jobs.runs import Run
from storepost.platform.persistence.changes import commit_anew
from storepost.values.scope import PersonScope


def erase(run: Run[AccountErasureMessage]) -> None:
    """Removes everything that stands under a person whose account was deleted."""
    person = PersonScope(run.message.person_id)
    while commit_anew(lambda changes: delete_some(changes, person)):
        pass
