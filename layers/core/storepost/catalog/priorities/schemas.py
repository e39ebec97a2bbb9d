"""Field priority and its changes on the wire."""

from collections.abc import Iterable
from typing import Annotated, Any
from uuid import UUID

from pydantic import AfterValidator, Field

from storepost.catalog.priorities.model import ChangedProduct, ChangeStatus, FieldChange, NewRules
from storepost.catalog.priorities.service import ChangeView, Priority
from storepost.catalog.products.rules import RankedSource, SourceKind
from storepost.catalog.products.schemas import ProductImage
from storepost.values.wire import Id, RequestBody, Shape, Timestamp, few_names

MAX_SOURCES = 100
MAX_FIELDS = 500


def _once_each(ids: list[UUID]) -> list[UUID]:
    if len(set(ids)) < len(ids):
        raise ValueError("Must name each source only once")
    return ids


SourceIds = Annotated[
    list[Id], Field(min_length=1, max_length=MAX_SOURCES), AfterValidator(_once_each)
]


class PriorityRules(RequestBody):
    """Which source a field is taken from, where several have it.

    Sources are named by their `id` in the store's product priority, which is neither the store's id
    nor a feed's.
    """

    order: SourceIds = Field(
        description="The sources for all fields, the first one first. Sources that aren't named "
        "come last, the oldest first."
    )
    fields: Annotated[dict[str, SourceIds], few_names(MAX_FIELDS)] = Field(
        max_length=MAX_FIELDS,
        description="The sources for single fields, by the field's name: `product.<field>`, "
        "`variant.<field>` or `custom.<key>`. Where none of them has the field, the rest of "
        "`order` decides. Send `{}` where no field has an order of its own.",
    )

    def value(self) -> NewRules:
        """Returns the value that the service works with."""
        return NewRules(tuple(self.order), {name: tuple(ids) for name, ids in self.fields.items()})

    @classmethod
    def of(cls, rules: NewRules) -> "PriorityRules":
        """Returns the rules in this shape."""
        fields = {name: list(ids) for name, ids in rules.fields.items()}
        return cls.of_stored(order=list(rules.order), fields=fields)


class PriorityCounts(Shape):
    """How far a change is, in products of the store."""

    products: int = Field(description="How many products the store has.")
    previewed: int = Field(description="How many of them the preview has looked at so far.")
    changed: int = Field(
        description="How many of those would become something else under the new rules."
    )
    applied: int = Field(
        description="How many of these have become that; 0 until the change is applied."
    )


class PriorityChange(Shape):
    """A change of a store's rules."""

    id: UUID = Field(description="The id that paths of priority changes take.")
    store_id: UUID = Field(description="The store whose rules the change replaces.")
    status: ChangeStatus = Field(
        description="How far the change is, from its preview to being applied."
    )
    rules: PriorityRules = Field(description="The rules that the change puts in force.")
    stale: bool = Field(
        description="True once a product, a source or the rules in force changed after the "
        "preview: a `ready` change must then be refreshed before it can be applied."
    )
    counts: PriorityCounts = Field(
        description="How many products were looked at, would change, and have changed."
    )
    error: str | None = Field(
        description="Why the change failed, as a sentence for people; null unless it did."
    )
    created_at: Timestamp = Field(description="When the change was proposed.")
    ready_at: Timestamp | None = Field(
        description="When the latest preview was complete; null until then."
    )
    applied_at: Timestamp | None = Field(
        description="When the rules came in force; null until then. Products follow from then on."
    )
    completed_at: Timestamp | None = Field(
        description="When the change was applied to all products, or failed; null until then."
    )

    @classmethod
    def of(cls, view: ChangeView) -> "PriorityChange":
        """Returns the change in this shape."""
        change, counts = view.change, view.change.counts
        return cls.from_model(
            change,
            rules=PriorityRules.of(change.rules),
            stale=view.stale,
            counts=PriorityCounts.from_model(counts),
        )


class PrioritySource(Shape):
    """A store or a feed as a source of products."""

    id: UUID = Field(
        description="The source's own id. Rules name sources by it, and not by `sourceId`."
    )
    kind: SourceKind = Field(description="Whether the source is the store itself or a feed.")
    source_id: UUID = Field(description="The id of the store or of the feed.")
    name: str = Field(description="What the store or the feed is called today.")
    platform: str = Field(description="The store's platform, or `feed` for a feed.")
    locales: list[str] = Field(
        description="The locales in which the source has texts of its own; empty where it names "
        "none."
    )
    products: int = Field(description="How many products the source has now.")


class ProductPriority(Shape):
    """What is in force in a store: its sources, the first first, and its changes."""

    store_id: UUID = Field(description="The store whose products these rules are for.")
    sources: list[PrioritySource] = Field(
        description="All sources of the store's products in the order that counts for fields "
        "without one of their own, the first one first."
    )
    fields: dict[str, list[UUID]] = Field(
        description="The fields that have an order of their own, each with the ids of its "
        "sources. The remaining sources follow in the order of `sources`."
    )
    custom_fields: list[str] = Field(
        description="The keys of all custom fields that products of the store have or had, "
        "without `custom.`; at most 500."
    )
    open_change: PriorityChange | None = Field(
        description="The change that is being previewed, is ready or is being applied; null where "
        "there is none. A store has one at a time."
    )
    last_change: PriorityChange | None = Field(
        description="The latest change that was applied or failed; null where there is none."
    )

    @classmethod
    def of(cls, priority: Priority) -> "ProductPriority":
        """Returns the rules in force in this shape."""
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
        yield PrioritySource.from_model(
            source,
            platform=priority.store.platform if is_store else source.kind,
            locales=list(priority.marked.locales.get(source.number, ())),
            products=priority.marked.products.get(source.number, 0),
        )


class PriorityValue(Shape):
    """A field's value, and the source that it is taken from."""

    source_id: UUID | None = Field(
        description="The `id` of the source in the store's product priority; null where no source "
        "has a value."
    )
    value: Any = Field(
        default=None,
        description="The value, of the field's own kind: a text, a list, or money, for example. "
        "It is null where `sourceId` is.",
    )


class PriorityVariant(Shape):
    """Which variant a change is about."""

    id: UUID = Field(description="The variant, by the id that a list of variants shows.")
    title: str = Field(description="The variant's title in the store's primary locale.")


class PriorityFieldChange(Shape):
    """What becomes of one field, in one locale or in all."""

    locale: str | None = Field(
        description="The locale in which the field changes; null where it changes in the same way "
        "in all locales of the product."
    )
    variant: PriorityVariant | None = Field(
        description="The variant whose field it is; null where it is the product's."
    )
    field: str = Field(
        description="The field's name in the rules, such as `product.title`, `variant.price` or "
        "`custom.color`."
    )
    before: Annotated[PriorityValue, Field(alias="from", description="What the field is now.")]
    to: PriorityValue = Field(description="What it becomes under the new rules.")

    @classmethod
    def of(cls, change: FieldChange) -> "PriorityFieldChange":
        """Returns the change in this shape."""
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

    id: UUID = Field(description="The product, as `GET /products/{id}` takes it.")
    external_id: str = Field(
        description="The store's own id of the product, or the feed's where the store doesn't "
        "have it."
    )
    title: str | None = Field(
        description="The product's title in the store's primary locale when the preview looked at "
        "it; null where no source has one."
    )
    image: ProductImage | None = Field(
        description="The product's image when the preview looked at it; null where no source has "
        "one."
    )
    changes: list[PriorityFieldChange] = Field(
        description="The fields that change. At most 500 are listed, and fewer where their values "
        "are long."
    )

    @classmethod
    def of(cls, product: ChangedProduct) -> "PriorityChangeProduct":
        """Returns the product in this shape."""
        return cls.from_model(
            product,
            image=ProductImage.of(product.image),
            changes=[PriorityFieldChange.of(each) for each in product.changes],
        )
