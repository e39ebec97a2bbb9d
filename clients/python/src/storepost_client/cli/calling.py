"""Calls an operation from a terminal: parameters are arguments, the answer is text or JSON."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

from storepost_client.cli.operations import Operation
from storepost_client.cli.settings import ArgumentError
from storepost_client.client import Storepost
from storepost_client.paging import Pages

_COLUMNS, _WIDTH = 6, 36
"""The most columns of a list that are shown, and the most characters of each."""


def add_arguments(command: argparse.ArgumentParser, operation: Operation) -> None:
    """Adds path parameters as positional arguments, and all others as options."""
    for parameter in operation.parameters:
        description = parameter.description.replace("%", "%%")
        if parameter.place == "path":
            command.add_argument(parameter.name, metavar=parameter.option.upper(), help=description)
        else:
            command.add_argument(
                f"--{parameter.option}", dest=parameter.name, metavar="…", help=description,
                required=parameter.required,
            )  # fmt: skip
    if operation.body:
        command.add_argument(
            "--body", required=operation.body_required, metavar="JSON",
            help="the body: JSON, @ and the name of a file with it, or - for what is typed",
        )  # fmt: skip
    if operation.is_paged:
        command.add_argument("--all", action="store_true", help="every page, from this one on")
    command.add_argument("--json", action="store_true", help="the answer as it came")


def run(client: Storepost, operation: Operation, options: argparse.Namespace) -> int:
    """Calls the operation and shows its answer; raises `ProblemError`."""
    request = _request(operation, options)
    if operation.is_paged:
        _show_pages(client, request, options)
        return 0
    answer = client.transport.send(request, repeatable=operation.is_repeatable)
    if "json" in answer.headers.get("content-type", ""):
        _show_json(answer.json())
    elif answer.text:
        print(answer.text)
    return 0


def _request(operation: Operation, options: argparse.Namespace) -> dict[str, Any]:
    """Returns the arguments of httpx's `request`."""
    values = {p: getattr(options, p.name) for p in operation.parameters}
    path = operation.path
    for parameter, value in values.items():
        if parameter.place == "path":
            path = path.replace(f"{{{parameter.name}}}", quote(value, safe=""))
    request: dict[str, Any] = {"method": operation.method, "url": path}
    for place, argument in (("query", "params"), ("header", "headers")):
        request[argument] = {
            p.name: v for p, v in values.items() if p.place == place and v is not None
        }
    if operation.body and options.body is not None:
        kind = "json" if operation.body == "application/json" else "data"
        request[kind] = _body(options.body)
    return request


def _body(text: str) -> object:
    if text == "-":
        text = sys.stdin.read()
    elif text.startswith("@"):
        text = _content(Path(text[1:]))
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ArgumentError(f"--body is no JSON: {error}") from None


def _content(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it isn't text in UTF-8"
        raise ArgumentError(f"--body: the file {file} can't be read: {reason}") from None


class _JsonPage:
    """A page as parsed JSON."""

    def __init__(self, body: dict[str, Any]) -> None:
        self.body = body
        self.items: list[Any] = body["items"]
        self.total: int = body["total"]
        self.page: int = body["page"]
        self.page_size: int = body["pageSize"]


def _show_pages(client: Storepost, request: dict[str, Any], options: argparse.Namespace) -> None:
    def fetch(number: int) -> _JsonPage:
        numbered = {**request, "params": {**request["params"], "page": number}}
        return _JsonPage(client.transport.send(numbered, repeatable=True).json())

    pages: Pages[_JsonPage, Any] = Pages(fetch, int(request["params"].get("page", 1)))
    if options.json and options.all:
        for item in pages:
            print(json.dumps(item, ensure_ascii=False), flush=True)
    elif options.json:
        _show_json(pages.page().body)
    else:
        _show_table(pages, all_pages=options.all)


def _show_table(pages: Pages[_JsonPage, Any], *, all_pages: bool) -> None:
    """Prints the items' plain values, a line each, below the names of the first page's fields."""
    shown = pages.pages() if all_pages else iter([pages.page()])
    widths: dict[str, int] = {}
    total = 0
    for page in shown:
        total = page.total
        if page.items and not widths:
            widths = _widths(page.items)
            print(_line({name: name for name in widths}, widths))
        for item in page.items:
            print(_line(item, widths))
    print(f"{total} in all", file=sys.stderr)


def _widths(items: list[dict[str, Any]]) -> dict[str, int]:
    """Returns the widths of a table's columns in characters, by the fields' names."""
    names = list(dict.fromkeys(name for item in items for name in item))
    plain = [name for name in names if any(_plain(item.get(name)) for item in items)]
    return {
        name: max(len(name), *(len(_plain(item.get(name))) for item in items))
        for name in plain[:_COLUMNS]
    }


def _line(item: dict[str, Any], widths: dict[str, int]) -> str:
    return "  ".join(_plain(item.get(name)).ljust(widths[name]) for name in widths).rstrip()


def _plain(value: object) -> str:
    """Returns a value as one line; nothing for an object or a list.

    A terminal would carry out control characters: each is shown as a space.
    """
    if not isinstance(value, (str, int)):
        return ""
    return "".join(each if each.isprintable() else " " for each in str(value)[:_WIDTH])


def _show_json(body: object) -> None:
    print(json.dumps(body, indent=2, ensure_ascii=False))
