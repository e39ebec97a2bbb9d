"""The story's chapters in their order."""

from openapi.story.chapters import (
    catalog,
    consent,
    coupons,
    deliverability,
    external_ids,
    farewell,
    feeds,
    orders,
    people,
    proposals,
    reading_products,
    second_factor,
    shopify,
    start,
    stores,
    team,
    webhooks,
)
from openapi.story.story_run import Chapter

CHAPTERS: list[Chapter] = [
    start.CHAPTER,
    stores.CHAPTER,
    people.CHAPTER,
    catalog.CHAPTER,
    orders.CHAPTER,
    reading_products.CHAPTER,
    feeds.CHAPTER,
    coupons.CHAPTER,
    consent.CHAPTER,
    deliverability.CHAPTER,
    proposals.CHAPTER,
    shopify.CHAPTER,
    second_factor.CHAPTER,
    webhooks.CHAPTER,
    team.CHAPTER,
    external_ids.CHAPTER,
    farewell.CHAPTER,
]
