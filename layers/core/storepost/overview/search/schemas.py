"""Search on the wire."""

from uuid import UUID

from pydantic import Field

from storepost.overview.search.service import Group
from storepost.overview.search.showing import Image, Result
from storepost.platform.postings.entries import SearchKind
from storepost.values.wire import Shape, Uri


class SearchImage(Shape):
    """A result's picture."""

    url: Uri = Field(description="The address of the picture, as the product's source gave it.")
    alt: str | None = Field(
        description="What the image shows, in words, for who can't see it. Null where "
        "the source has no such text."
    )

    @classmethod
    def of(cls, image: Image) -> "SearchImage":
        """Returns the picture in this shape."""
        return cls(url=image.url, alt=image.alt)


class SearchResult(Shape):
    """One result of a search; its kind and id say what to ask for next."""

    kind: SearchKind = Field(
        description="What it is; `GET /profiles/{id}`, `GET /orders/{id}` and so on show it whole."
    )
    id: UUID = Field(
        description="The id of the profile, order, product, coupon, feed, store or suppression."
    )
    title: str = Field(
        description="What it is called: a person's name, else their address; an "
        "order's number; the title or name of all else. Its id where it "
        "has none."
    )
    detail: str | None = Field(
        description="What distinguishes it from results of the same name: a profile's address, an "
        "order's buyer, a product's vendor, a coupon's status, a feed's host, a store's external "
        "id, a suppression's reason or `lifted`. Null where there is no such thing."
    )
    image: SearchImage | None = Field(
        description="A product's main image. Null for all else, and where the product has none."
    )
    platform: str | None = Field(
        description="What the store runs on that it belongs to: `shopify` or `custom`. "
        "Null for a profile, which may be known to several stores."
    )

    @classmethod
    def of(cls, result: Result) -> "SearchResult":
        """Returns the result in this shape."""
        return cls.from_model(result, image=SearchImage.of(result.image) if result.image else None)


class SearchGroup(Shape):
    """What was found of one kind, the best hits first."""

    kind: SearchKind = Field(description="What all results of the group are.")
    total: int = Field(description="How many were found; exact up to 1,000, and 1,000 for more.")
    items: list[SearchResult] = Field(description="The best of them, as many as `limit` allows.")

    @classmethod
    def of(cls, group: Group) -> "SearchGroup":
        """Returns the group in this shape."""
        items = [SearchResult.of(result) for result in group.results]
        return cls(kind=group.kind, total=group.total, items=items)


class SearchResults(Shape):
    """What was found, grouped by kind."""

    groups: list[SearchGroup] = Field(
        description="The groups that have results, the one with the best hit first."
    )
