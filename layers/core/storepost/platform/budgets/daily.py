"""Daily budgets, from which each use is taken in the table at once.

Such a use is expensive, as an email to a stranger is: a container takes none on credit. A daily
budget is a token bucket like those of requests (`model.py`): it holds a whole day's uses, and fills
evenly within 24 hours.
"""

from datetime import timedelta

from pynamodb.expressions.update import Action

from storepost.platform.budgets.repository import BudgetItem
from storepost.platform.persistence.item import Key, amend, find
from storepost.values import clock

_DAY = 24 * 60 * 60 * 1000
_KEPT_FOR = timedelta(days=2)


def take_one(key: Key, per_day: int) -> timedelta | None:
    """Takes one use; returns None, or how long to wait if none is left.

    A use whose response was lost may be counted twice.
    """
    now, cost = int(clock.now().timestamp() * 1000), _DAY // per_day
    latest = now + _DAY - cost
    row, lasts = BudgetItem(*key), BudgetItem.expiration.set(clock.now() + _KEPT_FOR)
    # An update creates a missing row, but doesn't set its kind.
    kind = BudgetItem.kind.set(BudgetItem)
    first: list[Action] = [kind, BudgetItem.full_at.set(now + cost), lasts]
    if amend(row, first, BudgetItem.full_at.does_not_exist() | (BudgetItem.full_at < now)):
        return None
    more: list[Action] = [BudgetItem.full_at.set(BudgetItem.full_at + cost), lasts]
    if amend(row, more, BudgetItem.full_at.between(now, latest)):
        return None
    stored = find(BudgetItem, key)
    return timedelta(milliseconds=max(1, stored.full_at - latest if stored else 0))
