"""A function changes together with its layers and variables: callers reach one version of all."""

import re
from typing import Any

import pytest

from local.template import FUNCTION, resources, written
from tests.template.transformed import of_type, transformed

VERSION, ALIAS = "AWS::Lambda::Version", "AWS::Lambda::Alias"


def versions(resources_: Any) -> set[str]:
    """The logical ids of versions: CloudFormation publishes one for each new id."""
    return set(of_type(resources_, VERSION))


def named(value: Any) -> set[str]:
    """The parameters and resources to which a part of the template refers."""
    if isinstance(value, dict):
        own = {value["Ref"]} if "Ref" in value else set()
        if "Fn::Sub" in value:
            text = value["Fn::Sub"]
            own |= set(re.findall(r"\$\{(\w+)\}", text if isinstance(text, str) else text[0]))
        return own.union(*map(named, value.values()))
    return set[str]().union(*map(named, value)) if isinstance(value, list) else set()


def test_each_function_has_a_version_and_an_alias() -> None:
    functions = resources(FUNCTION)
    aliases = of_type(transformed(), ALIAS)
    assert len(aliases) == len(versions(transformed())) == len(functions)
    assert {each["Properties"]["Name"] for each in aliases.values()} == {"live"}


@pytest.mark.parametrize("layer", ["Core", "Dependencies"])
def test_changed_layer_publishes_every_function(layer: str) -> None:
    after = transformed(frozenset({(layer, "another")}))
    assert versions(after).isdisjoint(versions(transformed()))


def test_changed_function_publishes_only_that_function() -> None:
    after = transformed(frozenset({("OrdersFunction", "another")}))
    [gone] = versions(transformed()) - versions(after)
    assert gone.startswith("OrdersFunctionVersion")


def test_no_change_publishes_nothing() -> None:
    """CloudFormation fails if a version is to be published and nothing has changed."""
    again = transformed(frozenset({("Core", "as it was")}))
    assert versions(again) == versions(transformed())


def test_shared_parameters_are_part_of_the_version_description() -> None:
    """SAM's hash lacks parameters' values: a changed description replaces the version."""
    settings = named(written()["Resources"]["Settings"]["Properties"]["Content"])
    of_all = named(written()["Globals"]["Function"]) & written()["Parameters"].keys()
    assert settings == of_all
    for name, version in of_type(transformed(), VERSION).items():
        assert named(version["Properties"]["Description"]) == {"Settings"}, name


@pytest.mark.parametrize("name", sorted(resources(FUNCTION)))
def test_function_settings_use_only_shared_parameters(name: str) -> None:
    """The other functions' versions would be replaced without a change, which fails."""
    own = written()["Resources"][name]["Properties"]
    parts = [own.get(part, {}) for part in ("Environment", "MemorySize", "Timeout", "Layers")]
    of_all = named(written()["Globals"]["Function"])
    assert named(parts) & written()["Parameters"].keys() <= of_all


def test_callers_invoke_the_alias() -> None:
    names = set(resources(FUNCTION))
    aliases = set(of_type(transformed(), ALIAS))
    callers = {
        "AWS::Lambda::EventSourceMapping": "FunctionName",
        "AWS::Lambda::Permission": "FunctionName",
        "AWS::Scheduler::Schedule": "Target",
    }
    for kind, part in callers.items():
        found = of_type(transformed(), kind)
        for caller, each in found.items():
            called = named(each["Properties"][part])
            assert called & aliases, caller
            assert not called & names, caller
    [api] = of_type(transformed(), "AWS::ApiGatewayV2::Api").values()
    paths = api["Properties"]["Body"]["paths"]
    uris = [m["x-amazon-apigateway-integration"]["uri"] for p in paths.values() for m in p.values()]
    assert uris
    assert all(re.search(r"\$\{\w+FunctionAliaslive\}|\$\{\w+\.Alias\}", str(uri)) for uri in uris)


def test_stack_stays_below_the_resource_limit() -> None:
    """CloudFormation takes 500 resources a stack, and each function is four to six of them."""
    assert len(transformed()) < 480
