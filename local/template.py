"""template.yaml as data: its functions, routes, tables and queues."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent
FUNCTION = "AWS::Serverless::Function"
TABLE = "AWS::DynamoDB::Table"
QUEUE = "AWS::SQS::Queue"
KEY = "AWS::KMS::Key"

type Properties = dict[str, Any]


class _Loader(yaml.CSafeLoader):
    """Reads CloudFormation's short tags as the intrinsic functions that they abbreviate.

    libyaml's parser is ten times as fast, which saves a second of each start.
    """


def _intrinsic(loader: yaml.CSafeLoader, suffix: str, node: yaml.Node) -> Properties:
    value: Any
    if isinstance(node, yaml.ScalarNode):
        value = loader.construct_scalar(node)
        if suffix == "GetAtt":
            value = value.split(".")
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    else:
        assert isinstance(node, yaml.MappingNode)  # noqa: S101 - YAML has no fourth kind
        value = loader.construct_mapping(node, deep=True)
    return {"Ref" if suffix == "Ref" else f"Fn::{suffix}": value}


_Loader.add_multi_constructor("!", _intrinsic)


@dataclass(frozen=True)
class Function:
    """A Lambda function of the template."""

    name: str
    folder: str
    events: dict[str, Properties]
    properties: Properties

    @property
    def job(self) -> str:
        """Its folder's own name, such as `outbox_sweep`."""
        return self.folder.rstrip("/").rpartition("/")[2]

    @property
    def timeout_seconds(self) -> int:
        """How long an invocation may take."""
        return int(self.properties.get("Timeout") or globals_()["Timeout"])

    def events_of(self, kind: str) -> list[Properties]:
        """The properties of the function's events of one type, such as `SQS`."""
        return [e.get("Properties", {}) for e in self.events.values() if e["Type"] == kind]


@cache
def template() -> dict[str, Any]:
    """Returns the template with default parameters, with intrinsic functions as mappings.

    It omits resources and outputs whose condition is false, and replaces each `Fn::If` by the side
    that its condition chooses.
    """
    made: dict[str, Any] = _as_chosen(written(), _conditions())
    return made


@cache
def written() -> dict[str, Any]:
    """Returns the template as written, including all parts that depend on a parameter."""
    text = (ROOT / "template.yaml").read_text()
    return dict(yaml.load(text, _Loader))  # noqa: S506 - _Loader is a CSafeLoader


def _conditions() -> dict[str, bool]:
    """Returns the values of the template's conditions with default parameters."""
    parameters = {n: str(p.get("Default", "")) for n, p in written()["Parameters"].items()}
    return {n: _holds(c, parameters) for n, c in written()["Conditions"].items()}


def _holds(condition: Properties, parameters: dict[str, str]) -> bool:
    [(kind, operands)] = condition.items()
    if kind == "Fn::Not":
        return not _holds(operands[0], parameters)
    if kind == "Fn::Equals":
        one, other = (parameters[g["Ref"]] if isinstance(g, dict) else str(g) for g in operands)
        return one == other
    raise ValueError(f"the local run doesn't know the condition {kind}")


def _as_chosen(value: Any, conditions: dict[str, bool]) -> Any:  # noqa: ANN401 - of a template
    if isinstance(value, list):
        return [_as_chosen(each, conditions) for each in value]
    if not isinstance(value, dict):
        return value
    if "Fn::If" in value:
        name, one, other = value["Fn::If"]
        return _as_chosen(one if conditions[name] else other, conditions)
    return {
        name: _as_chosen(each, conditions)
        for name, each in value.items()
        if not _is_left_out(each, conditions)
    }


def _is_left_out(value: Any, conditions: dict[str, bool]) -> bool:  # noqa: ANN401 - of a template
    """Whether it is a resource or output whose condition is false, or `AWS::NoValue`."""
    if not isinstance(value, dict):
        return False
    if "Fn::If" in value:
        name, one, other = value["Fn::If"]
        return bool((one if conditions[name] else other) == {"Ref": "AWS::NoValue"})
    named = value.get("Condition")
    return isinstance(named, str) and not conditions.get(named, True)


def globals_() -> Properties:
    """Returns the properties that all functions share."""
    return dict(template()["Globals"]["Function"])


def resources(kind: str) -> dict[str, Properties]:
    """The properties of all resources of one type, by logical id."""
    found = template()["Resources"].items()
    return {name: r.get("Properties", {}) for name, r in found if r["Type"] == kind}


@cache
def functions() -> tuple[Function, ...]:
    """All functions."""
    return tuple(
        Function(name, properties["CodeUri"], properties.get("Events", {}), properties)
        for name, properties in resources(FUNCTION).items()
    )


def parameter_defaults() -> dict[str, str]:
    """Returns the default of each parameter."""
    return {name: str(p.get("Default", "")) for name, p in template()["Parameters"].items()}


def environment() -> Properties:
    """Returns the variables of all functions, which share one environment in this process."""
    shared = dict(globals_().get("Environment", {}).get("Variables", {}))
    for function in functions():
        shared |= function.properties.get("Environment", {}).get("Variables", {})
    return shared
