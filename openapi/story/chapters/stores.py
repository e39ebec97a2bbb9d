"""Olive connects her shop's own system, and sets its URL for consent write-backs."""

from openapi.story.steps import OLIVE, Step
from openapi.story.story_run import Chapter

STORE = {"id": "{store.id}"}
CHAPTER: Chapter = [
    Step(
        "stores.create",
        OLIVE,
        body={
            "platform": "custom",
            "name": "Birch & Loom",
            "externalId": "birch-loom",
            "currency": "EUR",
            "primaryLocale": "en",
            "adminUrl": "https://admin.example.com/",
            "storefrontUrl": "https://shop.example.com/",
            "contactEmail": "hello@shop.example.com",
        },
        keep="store",
    ),
    Step(
        "stores.putLocales",
        path=STORE,
        body=[
            {
                "locale": "en",
                "label": "English",
                "isPrimary": True,
                "country": "IE",
                "currency": "EUR",
                "url": "https://shop.example.com/",
            },
            {
                "locale": "de",
                "label": "German",
                "isPrimary": False,
                "country": "DE",
                "currency": "EUR",
                "url": "https://shop.example.com/de",
            },
        ],
    ),
    Step("stores.listLocales", path=STORE, query={"page": 1, "pageSize": 25}),
    Step("stores.putWriteBack", path=STORE, body={"url": "{write_back_url}"}),
    Step("stores.getWriteBack", path=STORE),
    Step("stores.rotateWriteBack", path=STORE),
    Step("stores.update", OLIVE, path=STORE, body={"contactEmail": "help@shop.example.com"}),
    Step("stores.get", path=STORE),
    Step(
        "stores.list",
        query={
            "q": "birch",
            "platform": "custom",
            "status": "active",
            "connectionStatus": "connected",
            "importStatus": "none",
            "sort": "name",
            "page": 1,
            "pageSize": 25,
        },
    ),
    Step("locales.create", body={"code": "fr", "label": "French"}, keep="french"),
    Step("locales.update", path={"id": "{french.id}"}, body={"label": "French (planned)"}),
    Step("locales.get", path={"id": "{french.id}"}),
    Step("locales.list", query={"q": "fr", "origin": "manual", "page": 1, "pageSize": 25}),
    Step("locales.delete", path={"id": "{french.id}"}),
]
