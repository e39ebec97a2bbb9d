"""Records, people, stores and finally the workspace are deleted."""

from openapi.story.chapters.team import ANTON
from openapi.story.people import PASSWORD
from openapi.story.steps import Step
from openapi.story.story_run import Chapter

STORE = {"id": "{store.id}"}
CHAPTER: Chapter = [
    Step("orders.delete", ANTON, path={**STORE, "externalId": "5001"}),
    Step("products.delete", ANTON, path={**STORE, "externalId": "beeswax-candle"}),
    Step("customers.delete", ANTON, path={**STORE, "externalId": "1003"}),
    Step("stores.deleteWriteBack", ANTON, path=STORE),
    Step("profiles.delete", ANTON, path={"id": "{bruno.id}"}),
    Step(
        "consent.openErasedEvidence",
        ANTON,
        body={"channel": "email", "address": "bruno.keller@example.com"},
    ),
    Step("connections.delete", ANTON, path={"key": "shopify:birch-loom.myshopify.com"}),
    Step("stores.disconnect", ANTON, path=STORE),
    Step("workspaces.delete", ANTON, path={"id": "{workspace.id}"}, body={"password": PASSWORD}),
]
