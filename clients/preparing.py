"""Prepares the input of the clients' generators from the interface's description.

`python clients/preparing.py <the service's reference folder> <a folder>` writes:

- `openapi.json`: the description with each operation tagged by the group that its `operationId`
  begins with, as generators make a class of each tag; with one media type per body; and with
  successful answers only: both clients raise one error for all problems, and importing thousands of
  unused types of answers would take seconds
- `operations.json`: the id, method, path, parameters and body's media type of each operation, from
  which the command line makes its commands
- `problem_codes.py`, `problem-codes.ts`: the codes of problems as a type
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

METHODS = ("get", "put", "post", "patch", "delete")

type Json = dict[str, Any]


def operations(description: Json) -> Iterator[tuple[str, str, Json]]:
    """Yields every operation with its method and path."""
    for path, item in description["paths"].items():
        for method in METHODS:
            if method in item:
                yield method, path, item[method]


def grouped(description: Json) -> Json:
    """Tags operations by their ids' group, and keeps one media type per body and successes only.

    It changes the description in place, and returns it.
    """
    for _, _, operation in operations(description):
        operation["tags"] = [operation["operationId"].partition(".")[0]]
        operation["responses"] = {
            status: answer for status, answer in operation["responses"].items() if int(status) < 400
        }
        if "requestBody" in operation:
            body = operation["requestBody"]
            body["content"] = dict(list(body["content"].items())[:1])
    return description


def table(description: Json) -> list[Json]:
    """Returns the data about each operation that the command line needs."""
    return [_row(description, *each) for each in operations(description)]


def _row(description: Json, method: str, path: str, operation: Json) -> Json:
    parameters = [_resolved(description, p) for p in operation.get("parameters", [])]
    bodies = operation.get("requestBody", {}).get("content", {})
    return {
        "id": operation["operationId"],
        "method": method.upper(),
        "path": path,
        "summary": operation.get("summary", ""),
        "parameters": [
            {
                "name": parameter["name"],
                "in": parameter["in"],
                "required": parameter.get("required", False),
                "description": parameter.get("description", ""),
            }
            for parameter in parameters
        ],
        "body": next(iter(bodies), None),
        "bodyRequired": operation.get("requestBody", {}).get("required", False),
    }


def _resolved(description: Json, parameter: Json) -> Json:
    if "$ref" not in parameter:
        return parameter
    found: Json = description
    for step in parameter["$ref"].removeprefix("#/").split("/"):
        found = found[step]
    return found


def codes(problems: list[Json]) -> list[str]:
    """Returns the codes of all kinds of problems."""
    return sorted({code["code"] for kind in problems for code in kind["codes"]})


def main(reference: Path, folder: Path) -> None:
    """Writes the files."""
    description = json.loads((reference / "openapi.json").read_text("utf-8"))
    names = codes(json.loads((reference / "problems.json").read_text("utf-8")))
    folder.mkdir(parents=True, exist_ok=True)
    made = {
        "operations.json": json.dumps(table(description), indent=1),
        "openapi.json": json.dumps(grouped(description)),
        "problem_codes.py": _python_type(names),
        "problem-codes.ts": _typescript_type(names),
    }
    for name, text in made.items():
        (folder / name).write_text(text + "\n", "utf-8")


def _python_type(names: list[str]) -> str:
    values = "".join(f'    "{name}",\n' for name in names)
    return (
        '"""The codes of problems, as the service lists them."""\n\n'
        f"from typing import Literal\n\nProblemCode = Literal[\n{values}]"
    )


def _typescript_type(names: list[str]) -> str:
    values = "".join(f'\n  | "{name}"' for name in names)
    comment = "/** The codes of problems, as the service lists them. */"
    return f"{comment}\nexport type ProblemCode ={values};"


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
