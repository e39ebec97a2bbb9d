"""An example of each body and answer, made from its schema: the same one for the same schema."""

from typing import Any

type Document = dict[str, Any]

_ID = "01937c1e-7b2a-7c3d-8e4f-5a6b7c8d9e0f"
_FORMATS: Document = {
    "uuid": _ID,
    "date-time": "2026-03-14T09:30:00.000Z",
    "date": "2026-03-14",
    "uri": "https://shop.example.com/",
    "email": "ada@example.com",
    "phone": "+14155550123",
    "bcp47": "de-AT",
    "iso4217": "EUR",
    "password": "correct horse battery staple",
}
_FIELDS: Document = {
    "address": "ada@example.com",
    "amount": 4990,
    "anonymousId": "visitor-7f3b",
    "browser": "Firefox",
    "column": "code",
    "contactEmail": "hello@example.com",
    "content": "code\nWELCOME-1\n",
    "country": "AT",
    "createdBy": "Olive Owner",
    "currency": "EUR",
    "description": "Woven in a small mill.",
    "email": "ada@example.com",
    "externalId": "1001",
    "firstName": "Ada",
    "handle": "linen-cushion",
    "invitedBy": "Olive Owner",
    "ip": "203.0.113.7",
    "ipAddress": "203.0.113.7",
    "language": "de",
    "lastName": "Lovelace",
    "locale": "de-AT",
    "name": "Birch & Loom",
    "number": "#1001",
    "os": "Linux",
    "otpauthUri": "otpauth://totp/Storepost:ada@example.com?secret=JBSWY3DPEHPK3PXP",
    "page": 1,
    "pageSize": 25,
    "phone": "+14155550123",
    "prefix": "stp_7Kq2mX9a",
    "primaryLocale": "de-AT",
    "productExternalId": "2001",
    "quantity": 1,
    "region": "AT",
    "shop": "birch-loom.myshopify.com",
    "sku": "CUSHION-LINEN",
    "slug": "birch-loom",
    "summary": "Only people who are subscribed",
    "title": "Linen cushion",
    "total": 1,
    "userAgent": "Mozilla/5.0",
    "variantExternalId": "3001",
    "vendor": "Birch & Loom",
    "workspaceName": "Birch & Loom",
    "workspaceSlug": "birch-loom",
}


def add_examples(document: Document) -> None:
    """Adds one to every body and every answer in JSON that has a schema."""
    schemas = document["components"]["schemas"]
    for methods in document["paths"].values():
        for operation in methods.values():
            holders = [operation.get("requestBody", {})]
            holders += [r for status, r in operation["responses"].items() if status < "400"]
            for holder in holders:
                for media, content in holder.get("content", {}).items():
                    if media == "application/json":
                        content["example"] = example(content["schema"], schemas)


def example(schema: Document, schemas: Document, name: str = "") -> Any:  # noqa: ANN401 - JSON
    """A value of the schema; `name` is the field's, where it is one's."""
    known = schema.get("examples") or schema.get("enum")
    if known:
        return known[0]
    if "$ref" in schema:
        return example(schemas[schema["$ref"].rsplit("/", 1)[1]], schemas, name)
    for options in ("anyOf", "oneOf"):
        if options in schema:
            choices = [each for each in schema[options] if each != {"type": "null"}]
            return example(choices[0], schemas, name)
    return schema["const"] if "const" in schema else _of_type(schema, schemas, name)


def _of_type(schema: Document, schemas: Document, name: str) -> Any:  # noqa: ANN401 - JSON
    kind = schema.get("type")
    if kind == "object":
        return _object(schema, schemas)
    if kind == "array":
        items = schema.get("items", {})
        return [example(items, schemas, name.removesuffix("s"))] if items else []
    if kind == "string":
        return _text(schema, name)
    if kind in {"integer", "number"}:
        return _number(schema, name)
    return kind == "boolean" or "Linen cushion"


def _object(schema: Document, schemas: Document) -> Document:
    fields = schema.get("properties", {})
    values = {name: example(inner, schemas, name) for name, inner in fields.items()}
    others = schema.get("additionalProperties")
    if not fields and isinstance(others, dict) and others:
        values["color"] = example(others, schemas, "color")
    return values


def _text(schema: Document, name: str) -> str:
    text = _FORMATS.get(schema.get("format", "")) or _FIELDS.get(name) or name or "linen"
    return str(text)[: schema.get("maxLength")]


def _number(schema: Document, name: str) -> int:
    number = int(_FIELDS.get(name, 1))
    return int(min(max(number, schema.get("minimum", number)), schema.get("maximum", number)))
