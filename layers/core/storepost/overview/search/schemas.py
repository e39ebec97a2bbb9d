"""Search on the wire."""

from uuid import UUID

from storepost.overview.search.service import Group
from storepost.overview.search.showing import Image, Result
from storepost.platform.postings.entries import SearchKind
from storepost.values.wire import Shape, Uri


class SearchImage(Shape):
    """A result's picture."""

    url: Uri
    alt: str | None

    @classmethod
    def of(cls, image: Image) -> "SearchImage":
        """The picture in this shape."""
        return cls(url=image.url, alt=image.alt)


class SearchResult(Shape):
    """One result; `kind` and `id` say what to ask for next."""

    kind: SearchKind
    id: UUID
    title: str
    detail: str | None
    image: SearchImage | None
    platform: str | None

    @classmethod
    def of(cls, result: Result) -> "SearchResult":
        """The result in this shape."""
        return cls(
            kind=result.kind,
            id=result.id,
            title=result.title,
            detail=result.detail,
            image=SearchImage.of(result.image) if result.image else None,
            platform=result.platform,
        )


class SearchGroup(Shape):
    """What was found of one kind; the total is exact to 1,000, and 1,000 beyond."""

    kind: SearchKind
    total: int
    items: list[SearchResult]

    @classmethod
    def of(cls, group: Group) -> "SearchGroup":
        """The group in this shape."""
        items = [SearchResult.of(result) for result in group.results]
        return cls(kind=group.kind, total=group.total, items=items)


class SearchResults(Shape):
    """What was found, by kind."""

    groups: list[SearchGroup]
