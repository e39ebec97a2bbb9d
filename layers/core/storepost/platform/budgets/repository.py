"""Rows of budgets: one moment each, moved forward by an update that needs no read."""

from datetime import timedelta
from uuid import UUID

from pynamodb.attributes import NumberAttribute

from storepost.platform.budgets.model import Usage
from storepost.platform.persistence.item import Item, Key, amend
from storepost.values import clock
from storepost.values.ids import short
from storepost.values.scope import PersonScope, WorkspaceScope

_STORED_FOR = timedelta(days=1)


class BudgetItem(Item, discriminator="budget"):
    """When a budget will be full again if no further requests arrive."""

    full_at = NumberAttribute()
    """Milliseconds since 1970."""


def key_budget_key(workspace: WorkspaceScope, key_id: UUID) -> Key:
    """Returns the key of the budget of an API key."""
    return (workspace.key, f"budget#{short(key_id)}")


def workspace_budget_key(workspace: WorkspaceScope) -> Key:
    """Returns the key of the budget of a workspace, for all requests to it."""
    return (workspace.key, "budget")


def opt_in_budget_key(workspace: WorkspaceScope) -> Key:
    """Returns the key of the budget of a workspace for emails that ask for an opt-in."""
    return (workspace.key, "budget#opt_in")


def person_budget_key(person: PersonScope) -> Key:
    """Returns the key of the budget of a person, for all their sessions."""
    return (person.key, "budget")


def count(key: Key, usage: Usage, stored: int) -> tuple[int, int]:
    """Counts requests; returns when the budget will be full again, and how many writes it took.

    `stored` is the row's last known value. If it is before the usage began, the row is set: the
    refill of the time between is lost, as a full bucket takes no more. Otherwise, or if another
    container has moved it forward meanwhile, the usage is added.
    """
    row, lasts = BudgetItem(*key), BudgetItem.expiration.set(clock.now() + _STORED_FOR)
    writes = 0
    if stored < usage.since:
        writes += 1
        full_at = BudgetItem.full_at.set(usage.since + usage.cost)
        # An update creates a missing row, but doesn't set its kind.
        kind = BudgetItem.kind.set(BudgetItem)
        before = BudgetItem.full_at.does_not_exist() | (BudgetItem.full_at < usage.since)
        if amend(row, [kind, full_at, lasts], before):
            return int(row.full_at), writes
    writes += 1
    more = BudgetItem.full_at.set(BudgetItem.full_at + usage.cost)
    exists = amend(row, [more, lasts], BudgetItem.full_at.exists())
    return (int(row.full_at) if exists else 0), writes
