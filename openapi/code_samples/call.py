"""An operation's example as one call, from which each language's sample is written."""

from dataclasses import dataclass
from typing import Any

from openapi.examples import Document

JSON = "application/json"


@dataclass(frozen=True)
class Call:
    """A call with values for all required parts."""

    operation_id: str
    method: str
    """In upper case."""
    path: str
    """With parameters in braces, without `/v1`."""
    in_path: dict[str, Any]
    in_query: dict[str, Any]
    formats: dict[str, str]
    """The `format` of parameters that have one, such as `uuid`."""
    media: str | None
    """The body's media type, or None where there is no body."""
    body: Any
    schema: str | None
    """The component of the body, or of its items; None if it has no name."""
    is_list: bool
    """Whether it returns a page of items."""
    has_caller: bool
    answers: bool
    """Whether a success has a JSON body."""

    @property
    def names(self) -> tuple[str, str]:
        """The group and the operation's name in it, from its id."""
        group, _, name = self.operation_id.partition(".")
        return group, name


def call_of(document: Document, path: str, method: str, operation: Document) -> Call:
    """Returns the call of the operation's example."""
    parameters = [_resolved(document, each) for each in operation.get("parameters", [])]
    demanded = [each for each in parameters if each.get("required")]
    media, content = _body(operation)
    return Call(
        operation_id=operation["operationId"],
        method=method.upper(),
        path=path,
        in_path=_values(demanded, "path"),
        in_query=_values(demanded, "query"),
        formats={p["name"]: p["schema"].get("format", "") for p in parameters},
        media=media,
        body=content.get("example"),
        schema=_component(document, content.get("schema", {})),
        is_list=any(each["name"] == "page" for each in parameters),
        has_caller=bool(operation["security"]),
        answers=any(JSON in answer.get("content", {}) for answer in _successes(operation)),
    )


def _values(parameters: list[Document], place: str) -> Document:
    return {each["name"]: each["example"] for each in parameters if each["in"] == place}


def _body(operation: Document) -> tuple[str | None, Document]:
    content = operation.get("requestBody", {}).get("content", {})
    return next(iter(content.items()), (None, {}))


def _component(document: Document, schema: Document) -> str | None:
    """Returns the component's name, or that of a list's items.

    For a union it is the first option, as the example is one of that.
    """
    options = schema.get("oneOf") or schema.get("anyOf")
    if options:
        return _component(document, options[0])
    if "$ref" not in schema:
        return None
    name = str(schema["$ref"]).rsplit("/", 1)[1]
    inner = document["components"]["schemas"][name]
    if inner.get("type") == "array":
        return _component(document, inner["items"])
    is_union = "oneOf" in inner or "anyOf" in inner
    return _component(document, inner) if is_union else name


def _successes(operation: Document) -> list[Document]:
    return [answer for status, answer in operation["responses"].items() if status < "300"]


def _resolved(document: Document, parameter: Document) -> Document:
    if "$ref" not in parameter:
        return parameter
    _, kind, name = parameter["$ref"].removeprefix("#/").split("/")
    found: Document = document["components"][kind][name]
    return found
