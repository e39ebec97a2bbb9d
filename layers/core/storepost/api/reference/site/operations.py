"""The reference as Markdown: a page for each group, one for all shapes, two for messages."""

from collections import Counter
from functools import cache

from storepost.api.reference.documents import catalogue, groups, interface
from storepost.api.reference.site import messages
from storepost.api.reference.site.described import (
    answer_lines,
    codes_of,
    json_block,
    parameter_lines,
    refusal_lines,
    resolved,
    schema_lines,
    type_of,
)
from storepost.values.wire import Json

ALL = "reference"
SHAPES = "shapes"
_LANGUAGES = {"shell": "sh", "python": "python", "typescript": "ts"}


def path_of(group: str) -> str:
    """Returns the path of a group's page."""
    return f"{ALL}/{group}"


def page(path: str) -> str | None:
    """Returns the page's Markdown; None where the path is none of these."""
    made = {ALL: _all, SHAPES: _shapes, **messages.PAGES}
    if path in made:
        return made[path]()
    _, _, name = path.partition(f"{ALL}/")
    return _group(groups()[name]) if name in groups() else None


@cache
def names() -> dict[str, str]:
    """Returns addresses of operations, shapes and problems' codes, by their names in texts."""
    found = {name: f"{SHAPES}#{name}" for name in interface()["components"]["schemas"]}
    # A code of one word, such as `role`, is more often the name of something else.
    found |= {code: path for (_, code), path in _problem_paths().items() if "_" in code}
    for operation in operations_of():
        found[operation["operationId"]] = _address(operation)
    return found | messages.names()


def operations_of(group: str | None = None) -> list[Json]:
    """Returns the operations of a group, or all; each with its `method` and `path`."""
    return [
        {**operation, "method": method.upper(), "path": path}
        for path, methods in interface()["paths"].items()
        for method, operation in methods.items()
        if group in {None, operation["tags"][0]}
    ]


def _address(operation: Json) -> str:
    return f"{path_of(operation['tags'][0])}#{operation['operationId']}"


def _all() -> str:
    lines = ["# Reference", "", interface()["info"]["description"], ""]
    for part in interface()["x-tagGroups"]:
        for name in part["tags"]:
            lines += [
                f"## {groups()[name]['x-displayName']}",
                "",
                *(_heading(o) for o in operations_of(name)),
            ]
    return "\n".join(lines)


def _heading(operation: Json) -> str:
    address = f"reference/{operation['tags'][0]}.md#{operation['operationId']}"
    return f"### [{operation['summary']}]({address}) `{operation['operationId']}`\n"


def _list_of(group: str) -> str:
    return "\n".join(
        f"- [{o['summary']}](#{o['operationId']}): `{o['method']} {o['path']}`"
        for o in operations_of(group)
    )


def _group(tag: Json) -> str:
    parts = [f"# {tag['x-displayName']}", tag["description"], _list_of(tag["name"])]
    parts += [_operation(operation) for operation in operations_of(tag["name"])]
    return "\n\n".join(parts) + "\n"


def _operation(operation: Json) -> str:
    parts = [
        f"## {operation['summary']} `{operation['operationId']}`",
        f"```http\n{operation['method']} /v1{operation['path']}\n```",
        f"{operation['description']} [Try it](../{ALL}.md#{operation['operationId']})",
        *_parameters(operation),
        *_body(operation),
        *_answers(operation),
        *_code(operation),
    ]
    return "\n\n".join(parts)


def _parameters(operation: Json) -> list[str]:
    lines = parameter_lines(operation.get("parameters", []))
    return ["**Parameters**", "\n".join(lines)] if lines else []


def _body(operation: Json) -> list[str]:
    found = operation.get("requestBody", {}).get("content", {})
    parts = []
    for media, content in found.items():
        parts += [f"**Body**, `{media}`: {type_of(content['schema'])}"]
        parts += ["\n".join(schema_lines(content["schema"]))]
        parts += json_block(content)
    return [part for part in parts if part]


def _answers(operation: Json) -> list[str]:
    answers = {status: resolved(answer) for status, answer in operation["responses"].items()}
    parts = ["**Answers**"]
    for status, answer in answers.items():
        if codes_of(answer):
            parts += refusal_lines(status, answer, _common_codes())
        else:
            parts += answer_lines(status, answer)
    common = [
        f"{status} [`{code}`](../{_problem_paths()[status, code]})"
        for status, answer in answers.items()
        for code in codes_of(answer)
        if code in _common_codes()
    ]
    return [*parts, f"As nearly everywhere: {', '.join(common)}."]


@cache
def _problem_paths() -> dict[tuple[str, str], str]:
    """Returns each problem's page below the documentation, by status and code."""
    return {
        (str(kind["status"]), code["code"]): f"../problems/{kind['kind']}/{code['code']}"
        for kind in catalogue()
        for code in kind["codes"]
    }


@cache
def _common_codes() -> frozenset[str]:
    """Returns the codes that over half of the operations may answer: they characterise none."""
    counted = Counter(
        code
        for operation in operations_of()
        for answer in operation["responses"].values()
        for code in codes_of(resolved(answer))
    )
    half = len(operations_of()) / 2
    return frozenset(code for code, count in counted.items() if count > half)


def _code(operation: Json) -> list[str]:
    parts = ["**Code**"]
    for sample in operation["x-codeSamples"]:
        parts += [
            f"{sample['label']}:",
            f"```{_LANGUAGES[sample['lang']]}\n{sample['source']}\n```",
        ]
    return parts


def _beside_their_kinds(schemas: Json) -> list[str]:
    """Returns the shapes' names in their order, with those of a union right after it."""
    found: dict[str, None] = {}

    def add(name: str) -> None:
        if name not in found:
            found[name] = None
            for option in schemas[name].get("discriminator", {}).get("mapping", {}).values():
                add(option.rsplit("/", 1)[1])

    kinds = {
        option.rsplit("/", 1)[1]
        for schema in schemas.values()
        for option in schema.get("discriminator", {}).get("mapping", {}).values()
    }
    for name in [*(each for each in schemas if each not in kinds), *schemas]:
        add(name)
    return list(found)


def _shapes() -> str:
    parts = ["# Shapes", "What bodies and answers are made of, by name."]
    schemas = interface()["components"]["schemas"]
    for name in _beside_their_kinds(schemas):
        schema = schemas[name]
        parts += [f"## `{name}`", schema.get("description", "")]
        parts += ["\n".join(schema_lines(schema, whole=True)) or type_of(schema)]
    return "\n\n".join(part for part in parts if part) + "\n"
