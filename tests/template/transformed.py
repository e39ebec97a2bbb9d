"""The template after SAM's transform to CloudFormation: by the very library that AWS runs."""

from functools import cache
from typing import Any

from local import aws
from local.template import ROOT

FUNCTION, LAYER = "AWS::Serverless::Function", "AWS::Serverless::LayerVersion"


class _NoPolicies:
    """No function has a managed policy by its name."""

    def load(self) -> dict[str, str]:
        """The policies' ARNs by name."""
        return {}


@cache
def transformed(changed: frozenset[tuple[str, str]] = frozenset(), **parameters: str) -> Any:
    """The resources once functions and layers are packaged.

    `changed` has other code for some of them: pairs of a logical id and the name of its code.
    """
    # This takes a second, which no other test should pay.
    from samtranslator.translator.transform import transform  # noqa: PLC0415
    from samtranslator.yaml_helper import yaml_parse  # noqa: PLC0415

    made: Any = yaml_parse((ROOT / "template.yaml").read_text("utf-8"))
    code = dict(changed)
    for name, resource in made["Resources"].items():
        packaged = f"s3://packages/{name}-{code.get(name, 'as it was')}"
        if resource["Type"] == FUNCTION:
            resource["Properties"]["CodeUri"] = packaged
        elif resource["Type"] == LAYER:
            resource["Properties"]["ContentUri"] = packaged
    values = {name: str(each.get("Default", "")) for name, each in made["Parameters"].items()}
    values |= {"SenderAddress": "hello@kolo-shop.com", "AWS::Region": aws.REGION, **parameters}
    return transform(made, values, _NoPolicies())["Resources"]


def of_type(resources: Any, kind: str) -> dict[str, Any]:
    """The resources of a type, by logical id."""
    return {name: each for name, each in resources.items() if each["Type"] == kind}
