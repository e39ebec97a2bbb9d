"""Describes entity tags: the operations that accept them, and the answers that have one."""

from typing import Any

from openapi.groups import Group, Operation
from openapi.responses import WITHOUT_BODY
from storepost.api.http.entity_tags import answered_by, is_changing, is_single

type Document = dict[str, Any]

IF_MATCH = {"$ref": "#/components/parameters/IfMatch"}
IF_NONE_MATCH = {"$ref": "#/components/parameters/IfNoneMatch"}
PARAMETERS: Document = {
    "IfMatch": {
        "name": "if-match",
        "in": "header",
        "required": False,
        "description": "Makes the change only if the resource is still the one that you read: send "
        "the `ETag` of that answer. If anything of it changed since, the answer is 412 "
        "`precondition_failed`, and nothing is written.",
        "schema": {"type": "string"},
    },
    "IfNoneMatch": {
        "name": "if-none-match",
        "in": "header",
        "required": False,
        "description": "The `ETag` of an earlier answer. If the resource is still the same, the "
        "answer is 304 without a body.",
        "schema": {"type": "string"},
    },
}
_TAG = {"ETag": {"$ref": "#/components/headers/ETag"}}
_SAME = "304"


def tag_parameters(group: Group, operation: Operation) -> list[Document]:
    """Returns the headers with tags that the operation accepts."""
    if _reader(group, operation) is None:
        return []
    if operation.method == "GET":
        return [IF_NONE_MATCH]
    return [IF_MATCH] if is_changing(operation.method) else []


def tagged(group: Group, operation: Operation, document: Document, successes: Document) -> Document:
    """Returns the successes with their tags, and 304 if a caller may have the current answer."""
    reader = _reader(group, operation)
    if reader is None or answered_by(operation.function) is not answered_by(reader.function):
        return successes
    for status, answer in successes.items():
        if status in {"200", "201"}:
            answer["headers"] = dict(sorted({**answer["headers"], **_TAG}.items()))
    if IF_NONE_MATCH in document["parameters"]:
        headers = successes["200"]["headers"]
        successes[_SAME] = {"description": WITHOUT_BODY[_SAME], "headers": headers}
    return successes


def _reader(group: Group, operation: Operation) -> Operation | None:
    """Returns the GET of the operation's path, if it returns a single resource."""
    same = (each for each in group.operations if each.path == operation.path)
    reader = next((each for each in same if each.method == "GET"), None)
    return reader if reader and is_single(reader.function) else None
