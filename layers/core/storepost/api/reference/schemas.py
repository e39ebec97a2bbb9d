"""What the service says about itself, on the wire."""

from typing import Annotated, Literal

from pydantic import Field, WithJsonSchema

from storepost.values.wire import Shape, Uri

Html = Annotated[
    str,
    WithJsonSchema(
        {
            "type": "string",
            "contentMediaType": "text/html",
            "description": "A page in HTML.",
        }
    ),
]
"""A page; the key of its content in the interface's description is the media type."""

InterfaceDocument = Annotated[
    str, WithJsonSchema({"type": "object", "description": "The description in OpenAPI 3.1."})
]
"""JSON that is text already."""


class Health(Shape):
    """Says that the service answers."""

    status: Literal["ok"] = Field(
        default="ok",
        description="Always `ok`: this answer shows that the service was reached. Nothing behind "
        "it, such as the database, is checked.",
    )


class ProblemCode(Shape):
    """A code that a problem of the kind may have."""

    code: str = Field(description="The `code` of a problem: decide by it in your program.")
    title: str = Field(description="What went wrong in a few words, as in the problem's `title`.")
    meaning: str = Field(description="When this is answered, in a sentence or two.")
    remedy: str = Field(description="What to do about it, in a sentence or two.")


class ProblemKind(Shape):
    """A kind of problem: an HTTP status, and the codes that distinguish its causes."""

    type: Uri = Field(
        description="The address in `type` of such a problem; it leads to this explanation."
    )
    kind: str = Field(description="The last part of that address, such as `conflict`.")
    status: int = Field(
        description="The HTTP status that every problem of the kind is answered with."
    )
    title: str = Field(
        description="What went wrong in a few words, where no code says it more closely."
    )
    meaning: str = Field(description="When problems of this kind are answered.")
    remedy: str = Field(
        description="What to do about a problem of this kind whose code says nothing else."
    )
    codes: list[ProblemCode] = Field(
        description="Each code that such a problem may have; the kind's own, which "
        "says nothing more, comes first."
    )


class ProblemCodePage(ProblemCode):
    """A code with the kind that it belongs to."""

    type: Uri = Field(description="The address of the kind, as such a problem has it.")
    kind: str = Field(description="The kind's name, such as `conflict`.")
    status: int = Field(description="The HTTP status that the kind is answered with.")
