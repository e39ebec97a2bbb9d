"""The headers that sign write-backs and events, as Standard Webhooks names them."""

from openapi.operations import Document

_DESCRIPTIONS = {
    "webhook-id": "Names the delivery; each attempt of it has the same. Do its work once.",
    "webhook-timestamp": "When this attempt was signed, in seconds since 1970. Refuse one that is "
    "more than five minutes from your own clock.",
    "webhook-signature": "`v1,` and base64 of HMAC-SHA-256 over "
    "`{webhook-id}.{webhook-timestamp}.{body}`; several are separated by spaces, one for each "
    "secret that is valid.",
}
_EXAMPLES = {
    "webhook-timestamp": "1773480610",
    "webhook-signature": "v1,8UPnqMJYg2ZnPKrIAVm5hBUJd+mKbTgc0gKZ1nZ2QBk=",
}


def signed_headers(message_id: str) -> list[Document]:
    """Returns the headers as parameters; `message_id` is the example of a `webhook-id`."""
    examples = {"webhook-id": message_id, **_EXAMPLES}
    return [
        {
            "name": name,
            "in": "header",
            "required": True,
            "description": description,
            "schema": {"type": "string"},
            "example": examples[name],
        }
        for name, description in _DESCRIPTIONS.items()
    ]
