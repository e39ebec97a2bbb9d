"""The throw's product is read after it was sold."""

from openapi.story.steps import Step
from openapi.story.story_run import Chapter

THROW = {"id": "{products.items.0.id}"}
CHAPTER: Chapter = [
    Step("products.get", path=THROW, query={"locale": "en"}),
    Step(
        "products.listVariants",
        path=THROW,
        query={"locale": "en", "stock": "in_stock", "removed": "false", "page": 1, "pageSize": 25},
        keep="variants",
    ),
    Step(
        "products.getSources",
        path=THROW,
        query={"locale": "en", "variantId": "{variants.items.0.id}"},
    ),
    Step("products.getSales", path=THROW, query={"from": "2026-03-01", "to": "2026-03-14"}),
]
