"""Budgets of requests: what a caller spends, and the headers that say what is left.

The headers are those of the IETF's draft-ietf-httpapi-ratelimit-headers, as structured fields (RFC
9651): `RateLimit-Policy: "key";q=100;w=2, "workspace";q=200;w=2` and
`RateLimit: "key";r=99;t=1, "workspace";r=180;t=1`.
"""

from collections.abc import Iterable
from math import ceil
from typing import Any

from storepost.accounts.identity.model import ApiKeyHolder, Caller
from storepost.platform.budgets.model import Budget, Policy, Standing
from storepost.platform.budgets.problems import RateLimited
from storepost.platform.budgets.repository import (
    key_budget_key,
    person_budget_key,
    workspace_budget_key,
)
from storepost.platform.budgets.spending import container
from storepost.values.scope import WorkspaceScope
from storepost.values.settings import settings

_SPENT = "spent"


def spend_of_caller(context: dict[str, Any], caller: Caller) -> None:
    """Counts a request for the key and its workspace, or for the person. Raises RateLimited."""
    rate = settings().caller_requests_per_second
    if isinstance(caller, ApiKeyHolder):
        key = key_budget_key(caller.workspace, caller.key_id)
        own = _budgets(("key", key, rate))
        _spend(context, [*own, *_of_workspace(caller.workspace)])
    else:
        _spend(context, _budgets(("person", person_budget_key(caller.person.scope), rate)))


def spend_of_workspace(context: dict[str, Any], workspace: WorkspaceScope) -> None:
    """Counts a member's request for the workspace. Raises RateLimited."""
    _spend(context, _of_workspace(workspace))


def headers_of(context: dict[str, Any]) -> dict[str, str]:
    """Returns the headers about the budgets for which the request was counted."""
    spent: list[Standing] = context.get(_SPENT, [])
    if not spent:
        return {}
    return {
        "RateLimit-Policy": ", ".join(_policy(each.policy) for each in spent),
        "RateLimit": ", ".join(
            f'"{each.policy.name}";r={each.remaining};t={_seconds(each)}' for each in spent
        ),
    }


def _of_workspace(workspace: WorkspaceScope) -> list[Budget]:
    rate = settings().workspace_requests_per_second
    return _budgets(("workspace", workspace_budget_key(workspace), rate))


def _budgets(*limits: tuple[str, tuple[str, str], int]) -> list[Budget]:
    burst = settings().budget_burst_seconds
    return [Budget(key, Policy(name, rate, burst)) for name, key, rate in limits if rate > 0]


def _spend(context: dict[str, Any], budgets: Iterable[Budget]) -> None:
    spent = container.spend(list(budgets))
    context[_SPENT] = [*context.get(_SPENT, []), *spent]
    waiting = [each for each in spent if each.wait]
    if waiting:
        longest = max(waiting, key=lambda each: each.wait)
        raise RateLimited(_detail(longest.policy), retry_after=_seconds(longest))


def _policy(policy: Policy) -> str:
    return f'"{policy.name}";q={policy.quota};w={policy.burst_seconds}'


def _seconds(standing: Standing) -> int:
    """Returns the time until there is more, in whole seconds for a header."""
    return max(1, ceil(standing.wait / 1000))


def _detail(policy: Policy) -> str:
    subjects = {
        "key": "This API key",
        "person": "You",
        "workspace": "All callers of this workspace",
    }
    return (
        f"{subjects[policy.name]} may make {policy.per_second} requests a second, and"
        f" {policy.quota} at once. Wait for as many seconds as `Retry-After` says."
    )
