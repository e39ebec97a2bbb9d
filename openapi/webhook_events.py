"""Describes the events sent to webhook endpoints, from the service's registry of event types."""

from pydantic import TypeAdapter

from openapi.operations import Document
from openapi.signed_headers import signed_headers
from storepost.values.component_names import public_name
from storepost.webhooks.events.registry import EVENT_TYPES, EventType

TAG = "webhook_endpoints"
_REFERENCE = "#/components/schemas/{model}"
_ABOUT = """\
Sent to each enabled webhook endpoint of the workspace that asks for it.

**Verify it** before you trust it: it is signed as \
[Standard Webhooks](https://www.standardwebhooks.com/) says. The guide \
[Webhook events](guides/webhook-events.md) has code that verifies one. `data` is \
the resource as it is when the message is made, so a later message can come first and say the \
same."""
_TIMESTAMP = "When it happened: when the change was committed, to the second."
_EXAMPLE_ID = "0198c5a1-7e6b-7a52-9d58-3a4f6f0b1c2d"
_ANSWERS = {
    "2XX": "You accepted it.",
    "410": "You want no more messages: the endpoint is disabled.",
    "default": "You didn't accept it: it is sent again, ten attempts within about three days.",
}


def event_webhooks() -> Document:
    """Returns the description of each type of event, by its name."""
    return {each.type: {"post": _message(each)} for each in EVENT_TYPES}


def event_schemas() -> Document:
    """Returns the components of the types of events, as pydantic describes them."""
    shapes = {shape for each in EVENT_TYPES for shape in (each.schema, each.gone) if shape}
    _, described = TypeAdapter.json_schemas(
        [(shape.__name__, "serialization", TypeAdapter(shape)) for shape in shapes],
        ref_template=_REFERENCE,
    )
    schemas: Document = described["$defs"]
    return schemas


def operation_id(name: str) -> str:
    """Returns a type's name for code generators, such as `orderCreated`."""
    first, *more = name.replace(".", "_").split("_")
    return first + "".join(word.capitalize() for word in more)


def _message(each: EventType) -> Document:
    return {
        "operationId": operation_id(each.type),
        "tags": [TAG],
        "summary": each.type,
        "description": f"{each.description}\n\n{_ABOUT}",
        "security": [],
        "parameters": signed_headers(_EXAMPLE_ID),
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": _schema(each), "example": each.sample}},
        },
        "responses": {status: {"description": about} for status, about in _ANSWERS.items()},
    }


def _schema(each: EventType) -> Document:
    names = [public_name(shape.__name__) for shape in (each.schema, each.gone) if shape]
    shapes = [{"$ref": _REFERENCE.format(model=name)} for name in names]
    data: Document = shapes[0] if len(shapes) == 1 else {"anyOf": shapes}
    return {
        "type": "object",
        "required": ["type", "timestamp", "data"],
        "properties": {
            "type": {"type": "string", "const": each.type, "description": "What happened."},
            "timestamp": {
                "type": "string",
                "format": "date-time",
                "description": _TIMESTAMP,
            },
            "data": {**data, "description": "What it is about; ids alone once that is gone."},
        },
    }
