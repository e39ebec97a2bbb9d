"""Suppressed addresses, which get nothing despite their consent, and reachable ones."""

from openapi.story.steps import OLIVE, Step
from openapi.story.story_run import Chapter

BRUNO, BOUNCED = {"id": "{bruno.id}"}, {"id": "{bounced.id}"}
OLD = "old.address@example.com"

CHAPTER: Chapter = [
    Step(
        "suppressions.create",
        body={
            "channel": "email",
            "address": OLD,
            "reason": "hard_bounce",
            "note": "550 5.1.1 The mailbox doesn't exist",
        },
        keep="bounced",
    ),
    Step(
        "suppressions.import",
        body={
            "suppressions": [
                {"channel": "email", "address": "no.news@example.com", "reason": "complaint"},
                {"channel": "sms", "address": "+436601234599", "reason": "manual"},
            ]
        },
    ),
    Step(
        "suppressions.list",
        query={
            "q": "old.address",
            "channel": "email",
            "reason": "hard_bounce",
            "source": "api",
            "createdFrom": "2026-01-01T00:00:00.000Z",
            "createdTo": "2027-01-01T00:00:00.000Z",
            "lifted": "false",
            "page": 1,
            "pageSize": 25,
        },
    ),
    Step("suppressions.get", path=BOUNCED),
    Step(
        "suppressions.check",
        body={
            "addresses": [
                {"channel": "email", "address": OLD},
                {"channel": "email", "address": "{bruno.email}"},
            ]
        },
    ),
    Step("profiles.getReachability", path=BRUNO),
    Step(
        "reachability.check",
        body={
            "addresses": [
                {"channel": "email", "address": OLD},
                {"channel": "email", "address": "{bruno.email}"},
            ]
        },
    ),
    Step("suppressions.delete", OLIVE, path=BOUNCED, query={"note": "The mailbox is back"}),
]
