"""An unknown field of a body is answered with the field that it probably means."""

from typing import Annotated, Any, Literal

import pytest
from pydantic import Discriminator, RootModel, TypeAdapter, ValidationError

from storepost.values.field_errors import errors_of_record
from storepost.values.near_names import names_at
from storepost.values.wire import RequestBody


class Tin(RequestBody):
    """A shape that the field `kind` chooses."""

    kind: Literal["tin"]
    screw_lid: bool = False


class Box(RequestBody):
    """The other one."""

    kind: Literal["box"]
    screw_count: int = 0


class Shelf(RequestBody):
    """Shapes within shapes, and a choice of two without a field that chooses."""

    packs: list[Annotated[Tin | Box, Discriminator("kind")]] | None = None
    by_name: dict[str, Tin] | None = None
    either: Tin | Box | None = None


type Aliased = Shelf | None
Wrapped = RootModel[Shelf]


def told(shape: Any, sent: object) -> list[tuple[str, str]]:
    """The places and messages of the errors."""
    with pytest.raises(ValidationError) as raised:
        TypeAdapter(shape).validate_python(sent)
    found = errors_of_record(raised.value.errors(include_url=False), sent, shape)
    return [(each.path, each.message.removeprefix("There is no such field")) for each in found]


@pytest.mark.parametrize(
    ("sent", "path", "meant"),
    [
        ({"pack": []}, "/pack", "packs"),
        ({"BYNAME": {}}, "/BYNAME", "byName"),
        ({"packs": [{"kind": "tin", "screwed": True}]}, "/packs/0/screwed", "screwLid"),
        ({"packs": [{"kind": "box", "screwCounts": 1}]}, "/packs/0/screwCounts", "screwCount"),
        ({"byName": {"a": {"kind": "tin", "lids": 1}}}, "/byName/a/lids", None),
        ({"byName": {"a": {"kind": "tin", "kinds": 1}}}, "/byName/a/kinds", "kind"),
        ({"colour": "red"}, "/colour", None),
        ({"x" * 100_000: 1}, "/" + "x" * 100_000, None),
    ],
)
@pytest.mark.parametrize("shape", [Shelf, Aliased, Wrapped])
def test_nearest_field_of_the_same_object_is_named(
    shape: Any, sent: dict[str, Any], path: str, meant: str | None
) -> None:
    text = f". Did you mean `{meant}`?" if meant else ""
    assert told(shape, sent) == [(path, text)]


def test_each_shape_of_a_choice_has_its_own_names() -> None:
    assert names_at(Shelf, ["either", "Tin"]) == ["kind", "screwLid"]
    assert names_at(Shelf, ["either", "Box"]) == ["kind", "screwCount"]
    assert names_at(dict, ["a"]) == []
