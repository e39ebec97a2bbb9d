"""Each command of the documents can be typed: programs, options and names are those that there are.

`make test-commands` types those that a machine without AWS can run.
"""

import re
from functools import cache

import botocore.session
import pytest
from botocore.model import ServiceModel, Shape
from samcli.commands.delete.command import cli as delete
from samcli.commands.deploy.command import cli as deploy
from samcli.commands.local.invoke.cli import cli as local_invoke

from local.template import QUEUE, ROOT, resources, written
from tests.commands.plan import Typed, typed
from tests.docs.commands import Command, commands

ALL = list(commands())
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
PROGRAMS = {"aws", "cd", "clients", "curl", "export", "git", "make", "npm", "rm", ".venv", ".ci"}
"""What a line may begin with, up to its first slash."""
GLOBAL_OPTIONS = {"query", "output"}
"""Those that every command of the AWS CLI has."""
WITHOUT_MODEL = {
    ("logs", "tail"): {"since", "follow", "filter-pattern"},
    ("dynamodb", "wait"): {"table-name"},
}
"""Commands of the AWS CLI's own, with the options of theirs that we use."""


def those(program: str) -> list[Command]:
    """The commands of a program."""
    return [command for command in ALL if command.words[0] == program]


def option_names(words: list[str]) -> set[str]:
    """The names of the options in a command."""
    return {word.removeprefix("--").partition("=")[0] for word in words if word.startswith("--")}


@cache
def read_variables() -> set[str]:
    """The variables of the environment that a command's code reads."""
    folders = ("local", "tests", "benchmarks", "operating")
    code = [path.read_text("utf-8") for name in folders for path in (ROOT / name).rglob("*.py")]
    return set(re.findall(r'environ(?:\.get\(|\[)"(\w+)"', "".join(code)))


@cache
def service(name: str) -> ServiceModel:
    """What botocore knows of a service; the AWS CLI makes its commands of the same."""
    return botocore.session.get_session().get_service_model(name)


def dashed(name: str) -> str:
    """A name of AWS's as its CLI writes it."""
    return botocore.xform_name(name, "-")


def options_of(shape: Shape | None) -> dict[str, Shape]:
    """What a command takes, by name."""
    found = {} if shape is None else {dashed(n): m for n, m in shape.members.items()}  # type: ignore[attr-defined]
    booleans = [name for name, member in found.items() if member.type_name == "boolean"]
    return found | {f"no-{name}": found[name] for name in booleans}


def test_commands_of_the_pages_are_found() -> None:
    assert {command.page for command in ALL} >= {"README.md", "CONTRIBUTING.md"}
    assert len(those("aws")) > 20
    assert len(ALL) > 60


@pytest.mark.parametrize("command", ALL, ids=lambda command: command.line[:60])
def test_command_begins_with_a_known_program(command: Command) -> None:
    first, *below = command.program.split("/")
    assert first in PROGRAMS
    assert not below or first == "clients" or (ROOT / command.program).exists()


@pytest.mark.parametrize("command", those("aws"), ids=lambda command: " ".join(command.words[1:3]))
def test_aws_cli_has_the_command_and_its_options(command: Command) -> None:
    _, name, operation, *rest = command.words
    used = option_names(rest) - GLOBAL_OPTIONS
    if (name, operation) in WITHOUT_MODEL:
        assert used <= WITHOUT_MODEL[name, operation]
        return
    by_name = {dashed(each): each for each in service(name).operation_names}
    shape = service(name).operation_model(by_name[operation]).input_shape
    known = options_of(shape)
    assert used <= known.keys()
    required = {dashed(each) for each in shape.required_members} if shape else set()
    assert required <= used


@pytest.mark.parametrize("command", those("make"), ids=lambda command: command.line)
def test_make_has_the_targets_and_reads_the_variables(command: Command) -> None:
    for word in command.words[1:]:
        name, is_variable, _ = word.partition("=")
        if is_variable:
            assert f"$({name})" in MAKEFILE or name in read_variables()
        else:
            assert re.search(rf"^{re.escape(word)}:", MAKEFILE, re.MULTILINE), word


@pytest.mark.parametrize("command", those(".venv/bin/sam"), ids=lambda command: command.line[:60])
def test_sam_has_the_options_and_template_has_the_parameters(command: Command) -> None:
    _, name, *rest = command.words
    known = {"deploy": deploy, "delete": delete, "local": local_invoke}[name]
    options = {o.lstrip("-") for p in known.params for o in p.opts + p.secondary_opts}
    assert option_names(rest) <= options
    overrides = [word.partition("=")[0] for word in rest if re.match(r"[A-Z]\w+=", word)]
    assert set(overrides) <= written()["Parameters"].keys()
    assert bool(overrides) is ("--parameter-overrides" in rest)


@pytest.mark.parametrize("command", those(".venv/bin/sam"), ids=lambda command: command.line[:60])
def test_parameter_overrides_include_the_protection_of_the_table(
    command: Command,
) -> None:
    """`--parameter-overrides` replaces all that samconfig.toml has; a new stack needs a sender."""
    parameters = [word.partition("=")[0] for word in command.words if "=" in word]
    if parameters:
        assert {"DeletionProtection", "ExistingTableArn"} & set(parameters)


def test_named_queues_exist_in_the_template() -> None:
    named = {m for c in ALL for m in re.findall(r"\b\w+Queue\b", c.line)}
    assert named <= resources(QUEUE).keys()


@pytest.mark.parametrize("command", ALL, ids=lambda command: command.line[:60])
def test_place_to_type_the_command_is_known(command: Command) -> None:
    assert typed(command) in Typed
