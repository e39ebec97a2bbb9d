"""Field priority and its changes on the wire."""

from collections.abc import Iterable
from typing import Annotated, Any
from uuid import UUID

from pydantic import AfterValidator, Field

from storepost.catalog.priorities.model import ChangedProduct, ChangeStatus, FieldChange, NewRules
from storepost.catalog.priorities.service import ChangeView, Priority
from storepost.catalog.products.rules import RankedSource, SourceKind
from storepost.catalog.products.schemas import ProductImage
from storepost.values.wire import Id, RequestBody, Shape, Timestamp

MAX_SOURCES = 100
MAX_FIELDS = 500


def _once_each(ids: list[UUID]) -> list[UUID]:
    if len(set(ids)) < len(ids):
        raise ValueError("Each source stands there once")
    return ids


SourceIds = Annotated[
    list[Id], Field(min_length=1, max_length=MAX_SOURCES), AfterValidator(_once_each)
]


class PriorityRules(RequestBody):
    """Whose word counts first: of all fields, and of single ones."""

    order: SourceIds
    fields: Annotated[dict[str, SourceIds], Field(max_length=MAX_FIELDS)]

    def value(self) -> NewRules:
        """Returns the value that the service works with."""
        return NewRules(tuple(self.order), {name: tuple(ids) for name, ids in self.fields.items()})

    @classmethod
    def of(cls, rules: NewRules) -> "PriorityRules":
        """The rules in this shape."""
        fields = {name: list(ids) for name, ids in rules.fields.items()}
        return cls(order=list(rules.order), fields=fields)


class PriorityCounts(Shape):
    """Of the store's products."""

    products: int
    previewed: int
    changed: int
    applied: int


class PriorityChange(Shape):
    """A change of a store's rules."""

    id: UUID
    store_id: UUID
    status: ChangeStatus
    rules: PriorityRules
    stale: bool
    counts: PriorityCounts
    error: str | None
    created_at: Timestamp
    ready_at: Timestamp | None
    applied_at: Timestamp | None
    completed_at: Timestamp | None

    @classmethod
    def of(cls, view: ChangeView) -> "PriorityChange":
        """The change in this shape."""
        change, counts = view.change, view.change.counts
        return cls(
            id=change.id,
            store_id=change.store_id,
            status=change.status,
            rules=PriorityRules.of(change.rules),
            stale=view.stale,
            counts=PriorityCounts(
                products=counts.products,
                previewed=counts.previewed,
                changed=counts.changed,
                applied=counts.applied,
            ),
            error=change.error,
            created_at=change.created_at,
            ready_at=change.ready_at,
            applied_at=change.applied_at,
            completed_at=change.completed_at,
        )


class PrioritySource(Shape):
    """A store or a feed as a source of products."""

    id: UUID
    kind: SourceKind
    source_id: UUID
    name: str
    platform: str
    locales: list[str]
    products: int


class ProductPriority(Shape):
    """What is in force in a store: its sources, the first first, and its changes."""

    store_id: UUID
    sources: list[PrioritySource]
    fields: dict[str, list[UUID]]
    custom_fields: list[str]
    open_change: PriorityChange | None
    last_change: PriorityChange | None

    @classmethod
    def of(cls, priority: Priority) -> "ProductPriority":
        """What is in force in this shape."""
        rules = priority.in_force.rules
        opened, last = priority.open_change, priority.last_change
        return cls(
            store_id=priority.store.id,
            sources=list(_sources(priority, (rules.by_id[each] for each in rules.ranked))),
            fields={name: list(ids) for name, ids in rules.fields.items()},
            custom_fields=sorted(
                name.removeprefix("custom.") for name in priority.in_force.custom_names
            ),
            open_change=PriorityChange.of(opened) if opened else None,
            last_change=PriorityChange.of(last) if last else None,
        )


def _sources(priority: Priority, sources: Iterable[RankedSource]) -> Iterable[PrioritySource]:
    for source in sources:
        is_store = source.kind is SourceKind.STORE
        yield PrioritySource(
            id=source.id,
            kind=source.kind,
            source_id=source.source_id,
            name=source.name,
            platform=priority.store.platform if is_store else source.kind,
            locales=list(priority.marked.locales.get(source.number, ())),
            products=priority.marked.products.get(source.number, 0),
        )


class PriorityValue(Shape):
    """A value, and the source that it is from."""

    source_id: UUID | None
    value: Any = None


class PriorityVariant(Shape):
    """Which variant a change is about."""

    id: UUID
    title: str


class PriorityFieldChange(Shape):
    """What becomes of one field, in one locale or in all."""

    locale: str | None
    variant: PriorityVariant | None
    field: str
    before: Annotated[PriorityValue, Field(alias="from")]
    to: PriorityValue

    @classmethod
    def of(cls, change: FieldChange) -> "PriorityFieldChange":
        """The change in this shape."""
        variant, (source, value), (new, then) = change.variant, change.before, change.after
        return cls(
            locale=change.locale,
            variant=PriorityVariant(id=variant[0], title=variant[1]) if variant else None,
            field=change.field,
            before=PriorityValue(source_id=source, value=value),
            to=PriorityValue(source_id=new, value=then),
        )


class PriorityChangeProduct(Shape):
    """What a change makes of one product."""

    id: UUID
    external_id: str
    title: str | None
    image: ProductImage | None
    changes: list[PriorityFieldChange]

    @classmethod
    def of(cls, product: ChangedProduct) -> "PriorityChangeProduct":
        """The product in this shape."""
        return cls(
            id=product.id,
            external_id=product.external_id,
            title=product.title,
            image=ProductImage.of(product.image),
            changes=[PriorityFieldChange.of(each) for each in product.changes],
        )
