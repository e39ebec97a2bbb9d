"""Removes a deleted account's sessions, second factors, codes, counts, further memberships.

It deletes what is still there in bounded transactions, so it may be killed anywhere and its message
delivered twice.
"""

from storepost.accounts.me.messages import AccountErasureMessage
from storepost.accounts.me.repository import delete_some
from storepost.platform.jobs.runs import Run
from storepost.platform.persistence.changes import commit_anew
from storepost.values.scope import PersonScope


def erase(run: Run[AccountErasureMessage]) -> None:
    """Removes all rows in the partition of a person whose account was deleted."""
    person = PersonScope(run.message.person_id)
    while commit_anew(lambda changes: delete_some(changes, person)):
        pass
