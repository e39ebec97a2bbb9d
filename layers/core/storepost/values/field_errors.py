"""Pydantic's errors in the form in which a problem lists them: the place, and plain words."""

from collections.abc import Iterable, Iterator

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from storepost.values.error_texts import Error, error_text
from storepost.values.near_names import names_at, suggestion
from storepost.values.problems import FieldError

_NAME = "[key]"
"""Follows, in pydantic's places, the name of a field that is itself wrong."""


def field_errors(errors: Iterable[Error], body: object, shape: object) -> Iterator[FieldError]:
    """Returns the errors of a request; places begin with `body`, `query`, `path` or `header`.

    `shape` is the type that the body should have. They are made lazily, and none is listed twice.
    """
    return _distinct((_path(error, body), _text(error, 1, shape), error) for error in errors)


def errors_of_record(
    errors: Iterable[Error], record: object, shape: object
) -> Iterator[FieldError]:
    """Returns the errors of one record: the paths are JSON Pointers within it."""
    return _distinct(
        (_pointer(list(error["loc"]), error, record), _text(error, 0, shape), error)
        for error in errors
    )


def wrong_field(message: str, *path: str | int) -> ValidationError:
    """Returns the error that a validator of several fields raises to report it at one of them.

    `path` has the field names of the request and indexes from 0, relative to the validated value.
    """
    kind = PydanticCustomError("value_error", "{message}", {"message": message})
    error = InitErrorDetails(type=kind, loc=path, input=None)
    return ValidationError.from_exception_data("request", [error])


def _text(error: Error, begin: int, shape: object) -> str:
    """Returns the text of an error; at `begin` its place in the body begins."""
    text, place = error_text(error), error["loc"][begin:]
    if error["type"] != "extra_forbidden":
        return text
    return text + suggestion(str(place[-1]), names_at(shape, place[:-1]))


def _distinct(errors: Iterable[tuple[str, str, Error]]) -> Iterator[FieldError]:
    reported = set[FieldError]()
    for path, text, error in errors:
        of_name = error["loc"][-1:] == (_NAME,) and not path.endswith(f"/{_NAME}")
        found = FieldError(path, f"Its name {text[:1].lower()}{text[1:]}" if of_name else text)
        if found not in reported:
            reported.add(found)
            yield found


def _path(error: Error, body: object) -> str:
    where, *rest = error["loc"]
    if where == "body":
        return _pointer(rest, error, body)
    name = ".".join([where, *(str(part) for part in rest[:1])])
    return name.lower() if where == "header" else name


def _pointer(where: list[str | int], error: Error, body: object) -> str:
    parts = [*_path_parts(where, body), *_discriminator(error)]
    return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in parts)


def _path_parts(parts: list[str | int], body: object) -> Iterator[str]:
    """Returns the names and indexes that lead to a place in the body.

    If a value may have one of several shapes, pydantic adds the shape's name, which is left out. So
    is its mark of a wrong name.
    """
    for number, part in enumerate(parts):
        if _marks_name(part, parts[number + 1 :], body):
            continue
        if isinstance(body, dict) and _names_shape(part, parts[number + 1 :], body):
            continue
        yield str(part)
        body = _within(body, part)


def _marks_name(part: str | int, rest: list[str | int], body: object) -> bool:
    """Returns whether the part before is a wrong name; a field may be called like the mark."""
    return part == _NAME and not rest and not (isinstance(body, dict) and _NAME in body)


def _names_shape(part: str | int, rest: list[str | int], body: dict[str, object]) -> bool:
    """Returns whether the name is that of a shape; a field of the shape may have the same name."""
    if part not in body:
        return bool(rest)
    if part not in body.values() or not rest:
        return False
    return rest[0] in body and _within(body[str(part)], rest[0]) is None


def _within(body: object, part: str | int) -> object:
    if isinstance(body, dict):
        return body.get(part)
    if isinstance(body, list) and isinstance(part, int) and part < len(body):
        return body[part]
    return None


def _discriminator(error: Error) -> list[str]:
    """Returns the name of the field that should have said which shape the value has."""
    if error["type"] in {"union_tag_invalid", "union_tag_not_found"}:
        return [str(error["ctx"]["discriminator"]).strip("'")]
    return []
