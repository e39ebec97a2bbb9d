"""Adds the description's examples from the exchanges of the story (`openapi.story`).

The example of a body, a parameter or an answer is that of the operation's first exchange with one.
"""

from collections import defaultdict
from typing import Any

from openapi.story.exchanges import recorded

type Document = dict[str, Any]
type Exchanges = list[dict[str, Any]]

JSON = "application/json"
_TAG = '"5f1d8c0a9a0e4c558e571c9f"'
HEADERS = {
    "IdempotencyKey": "5f1d8c0a-9a0e-4c55-8e57-1c9f3a3c8f10",
    "IfMatch": _TAG,
    "IfNoneMatch": _TAG,
}
"""Examples of the headers that many operations accept."""


def add_examples(document: Document) -> None:
    """Adds examples to every parameter, body and JSON answer that the story has."""
    by_operation: dict[str, Exchanges] = defaultdict(list)
    for exchange in recorded():
        by_operation[exchange["operation"]].append(exchange)
    for operation in (o for methods in document["paths"].values() for o in methods.values()):
        exchanges = by_operation[operation["operationId"]]
        _add_to_parameters(operation.get("parameters", []), exchanges)
        _add_to_body(operation.get("requestBody", {}), exchanges)
        _add_to_answers(operation["responses"], exchanges)
    for name, example in HEADERS.items():
        document["components"]["parameters"][name]["example"] = example


def _add_to_parameters(parameters: list[Document], exchanges: Exchanges) -> None:
    for parameter in parameters:
        sent = _first(exchanges, parameter.get("in", ""), parameter.get("name", ""))
        if sent is not None:
            parameter["example"] = _typed(sent, parameter["schema"].get("type"))


def _add_to_body(body: Document, exchanges: Exchanges) -> None:
    sent = next((each["body"] for each in exchanges if "body" in each), None)
    for content in body.get("content", {}).values():
        if sent is not None:
            content["example"] = sent


def _add_to_answers(answers: Document, exchanges: Exchanges) -> None:
    for exchange in reversed(exchanges):
        answer = answers.get(str(exchange["status"]), {})
        content = answer.get("content", {}).get(JSON)
        if content and "answer" in exchange:
            content["example"] = _without_references(exchange["answer"])


def _without_references(answer: Any) -> Any:  # noqa: ANN401 - JSON
    """Returns the answer without a JSON Schema's `$ref`, which generators would try to resolve."""
    if isinstance(answer, dict):
        remaining = {name: inner for name, inner in answer.items() if name != "$ref"}
        return {name: _without_references(inner) for name, inner in remaining.items()}
    return [_without_references(each) for each in answer] if isinstance(answer, list) else answer


def _first(exchanges: Exchanges, place: str, name: str) -> Any:  # noqa: ANN401 - JSON
    return next((each[place][name] for each in exchanges if name in each.get(place, {})), None)


def _typed(sent: Any, kind: str | None) -> Any:  # noqa: ANN401 - JSON
    """Converts a query's text to the parameter's type."""
    if kind == "array":
        return sent.split(",")
    return sent == "true" if kind == "boolean" else sent
