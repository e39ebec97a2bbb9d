"""Every function of the template has its code, and every piece of code its function."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest

from local import gateway
from local.template import ROOT, Function, functions
from openapi.groups import groups

HERE = list(functions())
FOLDERS = {
    "functions/api": "HttpApi",
    "functions/schedules": "ScheduleV2",
    "functions/workers": ("DynamoDB", "SQS"),
}
by_name = pytest.mark.parametrize("function", HERE, ids=lambda function: function.name)


def source(function: Function) -> Path:
    return ROOT / function.folder / "handler.py"


def routes_of(function: Function) -> list[str]:
    return [event["Path"] for event in function.events_of("HttpApi")]


def concrete(path: str) -> str:
    """The path with a value for each of its parameters."""
    return re.sub(r"{\w+}", "0190f0b1-0000-7000-8000-000000000000", path)


@by_name
def test_folder_contains_one_handler(function: Function) -> None:
    files = {p.name for p in source(function).parent.iterdir() if p.name != "__pycache__"}
    pages = {"docs", "assets"} if function.name == "SiteFunction" else set()
    assert {"handler.py"} <= files <= {"handler.py", *pages}


@by_name
def test_handler_imports_only_the_service_and_powertools(function: Function) -> None:
    own, allowed = {"storepost", "aws_lambda_powertools"}, {"collections", "typing", "uuid"}
    allowed |= {"datetime", "dataclasses", "enum"}
    tree = ast.parse(source(function).read_text("utf-8"))
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            imported.add(str(node.module).split(".")[0])
    assert imported & own
    assert imported <= own | allowed


@by_name
def test_handler_module_is_importable_and_documented(function: Function) -> None:
    module = importlib.import_module(function.folder.replace("/", ".") + ".handler")
    assert callable(module.lambda_handler)
    assert inspect.cleandoc(module.__doc__ or "")
    assert "Handler" not in function.properties


@by_name
def test_folder_matches_the_event_type(function: Function) -> None:
    kinds = FOLDERS[str(Path(function.folder).parent)]
    assert function.events
    assert {event["Type"] for event in function.events.values()} <= set(
        [kinds] if isinstance(kinds, str) else kinds
    )


def test_every_handler_is_a_function_of_the_template() -> None:
    handlers = {str(p.parent.relative_to(ROOT)) for p in ROOT.glob("functions/*/*/handler.py")}
    assert handlers == {function.folder for function in HERE}


def test_functions_do_not_share_folders() -> None:
    folders = [function.folder for function in functions()]
    assert sorted(set(folders)) == sorted(folders)


def test_every_operation_is_routed_to_the_function_of_the_group() -> None:
    for group in groups():
        for operation in group.operations:
            function = gateway.function_for(concrete(operation.path))
            assert function.folder == f"functions/api/{group.name}", operation


@pytest.mark.parametrize(
    "function", [f for f in HERE if f.folder.startswith("functions/api/")], ids=lambda f: f.name
)
def test_every_route_serves_an_operation(function: Function) -> None:
    [group] = [g for g in groups() if f"functions/api/{g.name}" == function.folder]
    paths = [concrete(operation.path) for operation in group.operations]
    reached = {path: gateway.function_for(path).folder for path in paths}
    assert set(reached.values()) == {function.folder}
    for route in routes_of(function):
        # `ANY /v1/members` goes with `ANY /v1/members/{proxy+}`: one of the two may have none.
        root = route.removesuffix("/{proxy+}")
        pattern = re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(root)) + "(/.+)?$")
        assert route == "$default" or any(pattern.match(path) for path in paths), route


def test_routes_accept_any_method() -> None:
    """So the function itself answers 405 with `Allow`."""
    for function in functions():
        for event in function.events_of("HttpApi"):
            assert event["Method"] == "ANY"
            assert event["ApiId"] == {"Ref": "Api"}
            assert event["Path"] == "$default" or event["Path"].startswith("/v1/")
