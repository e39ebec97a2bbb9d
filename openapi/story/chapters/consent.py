"""Consent to marketing is requested, proven, confirmed, written back and withdrawn."""

from openapi.story.steps import OLIVE, Step
from openapi.story.story_run import Chapter, Meanwhile, StoryRun

ADA, BRUNO = {"id": "{people.items.0.id}"}, {"id": "{bruno.id}"}
CHIARA = "chiara.rossi@example.com"
STORE = {"id": "{store.id}"}
PROOF = {
    "reference": "Preference centre",
    "ip": "203.0.113.7",
    "userAgent": "Mozilla/5.0",
}


def _open_email(story: StoryRun) -> None:
    """Chiara opens the link in the email that asks her."""
    [link] = story.email_to(CHIARA).links
    story.values["opt_in"] = link.rsplit("/", 1)[1]
    story.masks.add_token("opt_in", story.values["opt_in"])


def _open_link(story: StoryRun) -> None:
    """Ada opens the link at the end of her email."""
    story.values["token"] = story.values["link"]["url"].rsplit("/", 1)[1]


CHAPTER: Chapter = [
    Step("consent.getSettings"),
    Step("consent.putSettings", OLIVE, body={"evidenceRetentionDays": 1095}),
    Step(
        "consent.putEmail",
        path=BRUNO,
        body={
            "state": "subscribed",
            "occurredAt": "2026-03-14T09:00:00.000Z",
            "proof": PROOF,
            "evidence": {
                "text": "Yes, write to me about new things from the loom.",
                "textVersion": "2026-01",
                "url": "https://shop.example.com/news",
                "optInLevel": "confirmed",
            },
        },
        keep="consent",
    ),
    Step("consent.getEmail", path=BRUNO),
    Step("consent.putSms", path=ADA, body={"state": "subscribed", "proof": PROOF}),
    Step("consent.getSms", path=ADA),
    Step(
        "consent.listChanges",
        path=BRUNO,
        query={
            "channel": "email",
            "state": "subscribed",
            "source": "api",
            "page": 1,
            "pageSize": 25,
        },
        keep="changes",
    ),
    Step("consent.getChange", path={**BRUNO, "changeId": "{changes.items.0.id}"}),
    Step("consent.listEvidence", path=BRUNO, query={"channel": "email", "page": 1, "pageSize": 25}),
    Step(
        "consent.import",
        body={
            "changes": [
                {
                    "email": CHIARA,
                    "state": "subscribed",
                    "occurredAt": "2025-12-01T09:00:00.000Z",
                    "proof": {"reference": "Old newsletter tool, list 7"},
                }
            ]
        },
    ),
    Step(
        "writeBacks.list",
        query={
            "storeId": "{store.id}",
            "channel": "sms",
            "recordedFrom": "2026-03-01T00:00:00.000Z",
            "recordedTo": "2026-04-01T00:00:00.000Z",
            "page": 1,
            "pageSize": 25,
        },
        keep="write_backs",
    ),
    Step("stores.putWriteBack", path=STORE, body={"url": "{new_write_back_url}"}),
    Step("consent.putSms", path=ADA, body={"state": "unsubscribed"}, keep="refused"),
    Step(
        "writeBacks.list",
        query={"status": "failed"},
    ),
    Step(
        "consent.retryWriteBack",
        path={**ADA, "changeId": "{refused.id}", "storeId": "{store.id}"},
    ),
    Step(
        "writeBacks.retry",
        body={
            "storeId": "{store.id}",
            "recordedFrom": "2026-03-01T00:00:00.000Z",
            "recordedTo": "2026-04-01T00:00:00.000Z",
        },
    ),
    Step("stores.putWriteBack", path=STORE, body={"url": "{write_back_url}"}),
    Step("profiles.list", query={"email": CHIARA}, keep="found"),
    Step(
        "optInRequests.create",
        path={"id": "{found.items.0.id}"},
        body={
            "occurredAt": "2026-03-14T09:30:00.000Z",
            "proof": {**PROOF, "reference": "Newsletter form 4711"},
            "evidence": {
                "text": "Yes, write to me about new things from the loom.",
                "textVersion": "2026-01",
                "url": "https://shop.example.com/news",
            },
        },
    ),
    Meanwhile(_open_email),
    Step("optIn.get", None, path={"token": "{opt_in}"}),
    Step("optIn.confirm", None, path={"token": "{opt_in}"}, body={"answer": "subscribe"}),
    Step(
        "optInRequests.list",
        path={"id": "{found.items.0.id}"},
        query={"page": 1, "pageSize": 25},
    ),
    Step(
        "unsubscribeLinks.create",
        path=ADA,
        body={"reference": "newsletter-2026-03"},
        keep="link",
    ),
    Meanwhile(_open_link),
    Step("unsubscribe.get", None, path={"token": "{token}"}),
    Step(
        "unsubscribe.confirm",
        None,
        path={"token": "{token}"},
        body={"List-Unsubscribe": "One-Click"},
    ),
]
