"""The shop's web site has a product feed too: it is checked, added, imported, and ranked."""

from openapi.story.steps import Step
from openapi.story.story_run import Chapter

SOURCE = {"storeId": "{store.id}", "url": "{feed_url}"}
MAPPING = {
    "id": "id",
    "item_group_id": "item_group_id",
    "title": "title",
    "description": "description",
    "link": "link",
    "image_link": "image_link",
    "price": "price",
    "brand": "brand",
}
DRAFT = {**SOURCE, "locale": "en", "mode": "add_and_enrich", "mapping": MAPPING}
FEED = {"id": "{feed.id}"}
IMPORT = {"id": "{feed.id}", "importId": "{feed_imports.items.0.id}"}
CHANGE = {"id": "{change.id}"}
RULES = {
    "order": ["{priority.sources.1.id}", "{priority.sources.0.id}"],
    "fields": {"product.title": ["{priority.sources.0.id}"]},
}

CHAPTER: Chapter = [
    Step("feeds.preview", body=SOURCE, keep="preview"),
    Step("feeds.check", body=DRAFT),
    Step("feeds.create", body={**DRAFT, "name": "Web site"}, keep="feed"),
    Step(
        "feeds.list",
        query={
            "storeId": "{store.id}",
            "q": "web",
            "mode": "add_and_enrich",
            "sort": "name",
            "page": 1,
            "pageSize": 25,
        },
    ),
    Step("feeds.get", path=FEED),
    Step("feeds.createImport", path=FEED),
    Step("feeds.listImports", path=FEED, query={"page": 1, "pageSize": 25}, keep="feed_imports"),
    Step("feeds.getImport", path=IMPORT),
    Step("feeds.list", query={"importStatus": "completed"}),
    Step("feeds.listImports", path=FEED, query={"status": "completed"}),
    Step("feeds.listSkippedRows", path=IMPORT, query={"page": 1, "pageSize": 25}),
    Step("productPriority.get", path={"id": "{store.id}"}, keep="priority"),
    Step(
        "products.list",
        query={"sourceId": "{priority.sources.1.id}", "missing": "image"},
    ),
    Step("productPriorityChanges.create", path={"id": "{store.id}"}, body=RULES, keep="change"),
    Step("productPriorityChanges.get", path=CHANGE),
    Step(
        "productPriorityChanges.listProducts",
        path=CHANGE,
        query={"page": 1, "pageSize": 25},
    ),
    Step(
        "productPriorityChanges.list",
        path={"id": "{store.id}"},
        query={"page": 1, "pageSize": 25},
    ),
    Step(
        "productPriorityChanges.listProducts",
        path=CHANGE,
        query={"q": "throw", "field": "product.description"},
    ),
    Step("productPriorityChanges.refresh", path=CHANGE),
    Step("productPriorityChanges.apply", path=CHANGE),
    Step(
        "productPriorityChanges.create",
        path={"id": "{store.id}"},
        body={"order": ["{priority.sources.0.id}", "{priority.sources.1.id}"], "fields": {}},
        keep="change",
    ),
    Step("productPriorityChanges.delete", path=CHANGE),
    Step("feeds.update", path=FEED, body={"name": "Web site's catalogue"}),
    Step("feeds.delete", path=FEED),
]
