"""A call with the client for Python."""

import keyword
import re

from openapi.code_samples.call import Call
from openapi.code_samples.literals import PYTHON, json_text, literal

_LENGTH = 88
_DEPTH = 8
"""Spaces before an argument on a line of its own."""


def code(call: Call) -> str:
    """Returns the whole program."""
    group, name = (spelled(each) for each in call.names)
    arguments = _arguments(call)
    uuid = "from uuid import UUID\n" if any("UUID(" in each for each in arguments) else ""
    models = ", models" if any("models." in each for each in arguments) else ""
    key = ', os.environ["STOREPOST_KEY"]' if call.has_caller else ""
    return (
        f"import os\n{uuid}\nfrom storepost_client import Storepost{models}\n\n"
        f'with Storepost(os.environ["STOREPOST_URL"]{key}) as storepost:\n'
        f"{_statement(call, f'storepost.{group}.{name}', arguments)}"
    )


def spelled(name: str) -> str:
    """Returns the client's name: `putWriteBack` is `put_write_back`, `import` is `import_`."""
    found = re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()
    return f"{found}_" if keyword.iskeyword(found) else found


def _statement(call: Call, function: str, arguments: list[str]) -> str:
    if call.is_list:
        return f"    for item in {_called(function, arguments)}:\n        print(item)"
    made = _called(function, arguments)
    return f"    answer = {made}\n    print(answer)" if call.answers else f"    {made}"


def _called(function: str, arguments: list[str]) -> str:
    line = f"{function}({', '.join(arguments)})"
    if len(line) < _LENGTH and "\n" not in line:
        return line
    lines = "".join(f"{' ' * _DEPTH}{each},\n" for each in arguments)
    return f"{function}(\n{lines}    )"


def _arguments(call: Call) -> list[str]:
    found = [_value(value, call.formats[name]) for name, value in call.in_path.items()]
    for name, value in call.in_query.items():
        found.append(f"{spelled(name)}={_value(value, call.formats[name])}")
    return found + ([f"body={_body(call)}"] if call.media else [])


def _value(value: object, form: str) -> str:
    return f"UUID({json_text(value)})" if form == "uuid" else literal(value, PYTHON, _DEPTH)


def _body(call: Call) -> str:
    text = literal(call.body, PYTHON, _DEPTH)
    if call.schema is None:
        return text
    if isinstance(call.body, list):
        return f"[models.{call.schema}.from_dict(each) for each in {text}]"
    return f"models.{call.schema}.from_dict({text})"
