"""Checks of the query and the path that every operation has, whatever its parameters are."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from itertools import islice
from typing import Any, get_args
from uuid import UUID

from aws_lambda_powertools.event_handler.api_gateway import Route
from aws_lambda_powertools.event_handler.openapi.params import Path, Query
from aws_lambda_powertools.utilities.data_classes.common import BaseProxyEvent
from pydantic.alias_generators import to_camel

from storepost.values.error_texts import BOOLEAN_FORM, NUMBER_FORM, UUID_FORM
from storepost.values.near_names import suggestion
from storepost.values.problems import MAX_ERRORS

type Error = dict[str, Any]
"""An error as pydantic has them."""

_FROM = re.compile("[fF]rom$")


def name_parameters(function: Callable[..., Any]) -> None:
    """Names a route's parameters in camelCase, as shapes name their fields; an alias stays."""
    for name, annotation in function.__annotations__.items():
        for each in get_args(annotation):
            if isinstance(each, Path | Query):
                each.alias = each.alias or to_camel(name)


def unknown_parameters(route: Route, event: BaseProxyEvent) -> list[Error]:
    """Returns errors of parameters that the operation doesn't have, with the probable ones."""
    known = [field.alias for field in route.dependant.query_params]
    sent = event.resolved_query_string_parameters
    unknown = (name for name in sent if name not in known)
    return [
        _error("query", name, f"There is no such parameter{suggestion(name, known)}")
        for name in islice(unknown, MAX_ERRORS)
    ]


def contradictions(
    route: Route, event: BaseProxyEvent, path: Mapping[str, str], values: Mapping[str, Any]
) -> list[Error]:
    """Returns errors of values that answers spell otherwise, and of spans that end too early.

    `path` has the path's parameters as they were sent, `values` all values that were read.
    """
    sent = event.resolved_query_string_parameters
    parameters = {field.alias: values[field.name] for field in route.dependant.query_params}
    found = {field.alias: values[field.name] for field in route.dependant.path_params}
    return [
        *_misspelled("path", found, {name: [text] for name, text in path.items()}),
        *_misspelled("query", parameters, sent),
        *_backwards(parameters),
    ]


def _misspelled(
    where: str, values: Mapping[str, Any], sent: Mapping[str, Iterable[str]]
) -> Iterator[Error]:
    for name, value in values.items():
        for each in _each(value) if name in sent else ():
            spelled, form = _spelling(each)
            if form and spelled not in sent[name]:
                yield _error(where, name, form)
                break


def _spelling(value: object) -> tuple[str, str | None]:
    """Returns a value's spelling in answers, and the message for one that is spelled otherwise.

    pydantic accepts `yes` for true and `1.0` for 1.
    """
    match value:
        case UUID():
            return str(value), UUID_FORM
        case bool():
            return str(value).lower(), BOOLEAN_FORM
        case int():
            return str(value), NUMBER_FORM
    return "", None


def _each(value: object) -> Iterable[object]:
    return value if isinstance(value, list) else [value]


def _backwards(parameters: Mapping[str, Any]) -> Iterator[Error]:
    for name, first in parameters.items():
        other = _FROM.sub(lambda found: "To" if found[0] == "From" else "to", name)
        last = parameters.get(other) if other != name else None
        if isinstance(first, date) and isinstance(last, date) and first > last:
            yield _error("query", other, f"Must not be before `{name}`")


def _error(where: str, name: str, message: str) -> Error:
    return {"type": "value_error", "loc": (where, name), "msg": message, "input": None}
