"""What the service says about itself, on the wire."""

from typing import Annotated, Literal

from pydantic import WithJsonSchema

from storepost.values.wire import Shape, Uri

Html = Annotated[str, WithJsonSchema({"type": "string", "contentMediaType": "text/html"})]
"""A page; the key of its content in the interface's description is the media type."""

InterfaceDocument = Annotated[
    str, WithJsonSchema({"type": "object", "description": "An OpenAPI 3.1 document."})
]
"""JSON that is text already."""


class Health(Shape):
    """That the service answers."""

    status: Literal["ok"] = "ok"


class ProblemCode(Shape):
    """A code that a problem of the kind may have."""

    code: str
    title: str
    meaning: str
    remedy: str


class ProblemKind(Shape):
    """A kind of problem: an HTTP status, and the codes that tell its causes apart."""

    type: Uri
    kind: str
    status: int
    title: str
    meaning: str
    remedy: str
    codes: list[ProblemCode]
