"""A stack that continues with an earlier one's table, keys, bucket and domain."""

import re
from typing import Any

import pytest

from local.template import resources, template, written

KEPT = {
    "Table": ("MakesTable", "ExistingTableArn"),
    "JobObjects": ("MakesBucket", "ExistingBucket"),
    "DataKey": ("MakesDataKey", "ExistingDataKeyArn"),
    "CodeKey": ("MakesCodeKey", "ExistingCodeKeyArn"),
}


def unguarded(value: Any, name: str, guarded: bool = False) -> int:
    """How often the resource is named where it may not be created."""
    if isinstance(value, list):
        return sum(unguarded(each, name, guarded) for each in value)
    if isinstance(value, str):
        return 0
    if not isinstance(value, dict):
        return 0
    if "Fn::If" in value:
        condition, one, other = value["Fn::If"]
        own = guarded or condition == KEPT[name][0]
        return unguarded(one, name, own) + unguarded(other, name, guarded)
    if value.get("Ref") == name or value.get("Fn::GetAtt", [None])[0] == name:
        return 0 if guarded else 1
    found = sum(unguarded(each, name, guarded) for each in value.values())
    text = value.get("Fn::Sub")
    pattern = text[0] if isinstance(text, list) else text
    named = isinstance(pattern, str) and re.search(rf"\${{{name}[.}}]", pattern)
    return found + (1 if named and not guarded else 0)


@pytest.mark.parametrize("name", KEPT)
def test_references_are_conditional_on_creating_the_resource(name: str) -> None:
    condition, parameter = KEPT[name]
    whole = written()
    assert whole["Conditions"][condition] == {"Fn::Equals": [{"Ref": parameter}, ""]}
    assert whole["Resources"][name]["Condition"] == condition
    assert unguarded(whole["Globals"], name) == 0
    assert unguarded(whole["Outputs"], name) == 0
    demands = {
        other: unguarded(resource, name)
        for other, resource in whole["Resources"].items()
        if resource.get("Condition") != condition
    }
    assert {other for other, count in demands.items() if count} == set()


def test_new_stack_creates_all_resources() -> None:
    assert set(KEPT) <= template()["Resources"].keys()


def test_existing_table_requires_stream_and_key_parameters() -> None:
    rule = written()["Rules"]["ExistingTableIsWhole"]
    [demand] = rule["Assertions"]
    demanded = {each["Fn::Not"][0]["Fn::Equals"][0]["Ref"] for each in demand["Assert"]["Fn::And"]}
    assert demanded == {"ExistingTableStreamArn", "ExistingDataKeyArn", "ExistingCodeKeyArn"}


def test_custom_domain_is_not_part_of_the_stack() -> None:
    assert not resources("AWS::ApiGatewayV2::DomainName")
    mapping = written()["Resources"]["DomainMapping"]
    assert mapping["Condition"] == "HasDomain"
    assert mapping["Properties"]["DomainName"] == {"Ref": "Domain"}
    variables = written()["Globals"]["Function"]["Environment"]["Variables"]
    condition, own, _ = variables["BASE_URL"]["Fn::If"]
    assert (condition, own) == ("HasDomain", {"Fn::Sub": "https://${DomainName}/v1"})
