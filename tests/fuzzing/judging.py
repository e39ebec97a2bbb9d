"""Which answers are right though Schemathesis by itself would report them.

All its checks are on. These are the two that need exceptions: for rules that no schema can express,
and for operations whose request has parts that are judged one by one.
"""

import json
import re
from typing import Any

CONFIG: dict[str, Any] = {
    # A caller would never send words of our code in the place of a format's values.
    "analysis": {"constants": {"enabled": False}},
    "checks": {
        # 409 and 410: the state of things is against it, as a link that has ended. 412: the tag in
        # `If-Match` is another one.
        "positive_data_acceptance": {
            "expected-statuses": ["2xx", "3xx", "401", "403", "404", "409", "410", "412", "429"]
        },
        "negative_data_rejection": {"expected-statuses": ["4xx"]},
    },
}

PARTIAL = {"consent.import", "events.createBulk", "stores.createBatch", "suppressions.import"}
"""Each of their records is judged by itself: one that is wrong doesn't refuse the rest."""

RULES = re.compile(
    "|".join(
        [
            # of two fields together
            "Must not be before `",
            "(Required for|Must be left out of) a coupon of kind",
            "Must have either `quantity` or `content`",
            "Must have exactly one of `id`, `email`",
            "Must have `storeId` with `shopifyClientId`",
            "Must have an `email`, a `phone` or an `anonymousId`",
            "Must have either customers and orders, or products",
            "Must have 1 to 500 records in all",
            "Must have each locale once",
            "Must have exactly one locale with `isPrimary`",
            "Must be named only once",
            "Must be another one than those of the variants before it",
            "Must name each source only once",
            "Must be at most 100 percent",
            "(Required for|Must be left out of) `(add|replace|remove)`",
            # of a field and what the request is about or by whom
            "Must be at least 300 where a key rotates itself",
            "Required for a coupon of source",
            "Required where the suppression is of",
            # of a value's meaning
            "Must not say `confirmed`",
            "Must be in the future",
            "Must not be in the future",
            "Must not be negative",
            "Must be the id of one record",
            "Must not be `.` or `..`",
            "Must not have control characters",
            "Must be text in UTF-8",
            "Must name one person",
            # of an address by its channel
            "Must be a phone number (with|that can exist)",
            "Must be an email address",
            "Must be an IPv4 or IPv6 address",
            # of a text that is blank once the space around it is gone
            "Must not be empty",
            # of its size in bytes
            "Must have at most .* bytes",
            "Must be at most 64 KB",
            # of an id in the body that names nothing
            "No .* with this id",
            "You belong to no workspace with this id",
            "The store has no such source",
        ]
    )
)
"""What a request is refused for though it fits its schema, in the words of the refusal."""


def is_of_a_rule(failure: Any, answer: Any) -> bool:
    """Whether an allowed request was refused by a rule of its own code, or one of `RULES`."""
    if type(failure).__name__ != "RejectedPositiveData" or answer.status_code not in {400, 422}:
        return False
    problem = json.loads(answer.content)
    if problem["code"] not in {"validation", "malformed_request"}:
        return True
    return any(RULES.match(error["message"]) for error in problem.get("errors", []))


def is_of_another_path(failure: Any, case: Any, paths: dict[str, Any]) -> bool:
    """Whether a parameterised path has the method that this literal path lacks."""
    if type(failure).__name__ != "UnsupportedMethodResponse" and "`Allow: " not in str(failure):
        return False
    if case.method == "OPTIONS":  # it was asked for its `Allow`, which has the other path's too
        return sum(bool(_pattern(path).fullmatch(case.path)) for path in paths) > 1
    others = [path for path in paths if _pattern(path).fullmatch(case.path)]
    return any(case.method.lower() in paths[path] for path in others)


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub("{.*?}", "[^/]+", path))


def is_of_credentials(failure: Any) -> bool:
    """Whether the removed part was the credentials: the request was sent with some again."""
    return type(failure).__name__ == "AcceptedNegativeData" and "Authorization" in str(failure)


def is_partial(failure: Any, operation: dict[str, Any], answer: Any) -> bool:
    """Whether a part of the request was refused by itself, and the rest accepted."""
    return (
        type(failure).__name__ == "AcceptedNegativeData"
        and operation["operationId"] in PARTIAL
        and answer.status_code < 300
    )
