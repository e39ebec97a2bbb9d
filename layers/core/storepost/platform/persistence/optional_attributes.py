"""Updates and conditions for optional attributes: the value None means that it is absent."""

from pynamodb.attributes import Attribute
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action


def set_or_remove[T](attribute: Attribute[T], value: T | None) -> Action:
    """Returns the update action that sets the attribute, or removes it for None."""
    return attribute.remove() if value is None else attribute.set(value)


def is_as_read[T](attribute: Attribute[T], value: T | None) -> Condition:
    """Returns the condition that the attribute still has the value; for None, that it is absent."""
    same: Condition = attribute.does_not_exist() if value is None else attribute == value
    return same
