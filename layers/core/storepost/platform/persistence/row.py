"""The base of all models, of both tables: a row that a transaction can write."""

import json
from collections.abc import Mapping
from typing import Any, Self

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.expressions.condition import Condition
from pynamodb.models import Model

from storepost.platform.persistence.fields import fields_of
from storepost.platform.persistence.records import Record
from storepost.platform.persistence.unknown import (
    Place,
    unknown_attributes,
    unknown_of,
    with_unknown,
)
from storepost.values.settings import settings

_KEYS = {"pk", "sk", "kind"}


class Row(Model):
    """A row of either table, which a transaction can write."""

    def __init__(
        self,
        hash_key: str | None = None,
        range_key: str | None = None,
        _user_instantiated: bool = True,  # noqa: FBT001, FBT002 - PynamoDB's
        **attributes: Any,  # noqa: ANN401 - of each model
    ) -> None:
        """Makes a new row from its key and from attributes by their names in the model."""
        fields = fields_of(type(self))
        if fields is None:
            super().__init__(hash_key, range_key, _user_instantiated, **attributes)
        else:
            fields.make(self, (hash_key, range_key), attributes)

    @property
    def key(self) -> tuple[str, str]:
        """Returns the row's key in its table."""
        raise TypeError(f"{type(self).__name__} belongs to neither table")

    @property
    def place(self) -> Place:
        """Returns the row's table and key."""
        return type(self).Meta.table_name, self.key

    @classmethod
    def from_raw_data(cls, data: dict[str, Any]) -> Self:
        """Returns the row that DynamoDB returned; a save keeps attributes of another release."""
        model = cls.model_of(data)
        fields = fields_of(model)
        if fields is None or not issubclass(model, cls):
            row = super().from_raw_data(data)
            unknown = unknown_of(type(row), data)
        else:
            row = model.__new__(model)
            unknown = fields.read(row, data)
        if data.keys() - _KEYS:  # else only its key was read
            unknown_attributes.note(row.place, type(row), unknown)
        return row

    @classmethod
    def model_of(cls, _raw: Mapping[str, Any]) -> type["Row"]:
        """Returns the model of the stored row."""
        return cls

    def serialize(self, null_check: bool = True) -> dict[str, dict[str, Any]]:  # noqa: FBT001, FBT002 - PynamoDB's
        """Returns what is saved: the row's attributes, and unknown ones that it had when read."""
        fields, saved = fields_of(type(self)), dict[str, dict[str, Any]]()
        if fields is None:
            saved = super().serialize(null_check)
        else:
            saved = fields.serialize(self, null_check=null_check)
        unknown = unknown_attributes.of(self.place, type(self))
        return with_unknown(type(self), saved, unknown) if unknown else saved

    def get_save_kwargs_from_instance(
        self,
        condition: Condition | None = None,
        return_values_on_condition_failure: str | None = None,
    ) -> dict[str, Any]:
        """Returns the put of the row, as part of a transaction."""
        fields = fields_of(type(self))
        if fields is None or return_values_on_condition_failure:
            put: dict[str, Any] = super().get_save_kwargs_from_instance(
                condition, return_values_on_condition_failure
            )
            return put
        return fields.put(self, self.serialize(), condition)

    def with_further(self, attribute: Record, value: object) -> object:
        """Returns a record for an update to set, with the unknown elements that the row had."""
        name = attribute.attr_name
        unknown = unknown_attributes.of(self.place, type(self))
        if name not in unknown:
            return value
        saved = {name: {"S": attribute.serialize(value)}}
        return json.loads(with_unknown(type(self), saved, unknown)[name]["S"])


class IdempotencyRow(Row):
    """A row of the idempotency table, which has no sort key."""

    class Meta:
        """The idempotency table."""

        table_name = settings().idempotency_table

    id = UnicodeAttribute(hash_key=True)
    expiration = NumberAttribute()

    @property
    def key(self) -> tuple[str, str]:
        """Returns the row's id."""
        return (self.id, "")
