"""What a deployment sets, and what it leaves as it is."""

import re
import tomllib
from typing import Any

import pytest
from samcli.commands.deploy.deploy_context import DeployContext

from local.template import ROOT, environment, resources, written

PARAMETERS = written()["Parameters"]
OF_AN_OPERATOR = ("SenderAddress", "AlarmEmail", "AppUrl", "AllowedOrigins")
"""What must be somebody's own: an example's would be taken for done."""


def configured(environment: str) -> dict[str, str]:
    """The values of samconfig.toml that the command line doesn't override."""
    config = tomllib.loads((ROOT / "samconfig.toml").read_text("utf-8"))
    overrides = config[environment]["deploy"]["parameters"]["parameter_overrides"]
    return dict(each.split("=", 1) for each in overrides)


def takes(parameter: str, value: str) -> bool:
    """Whether CloudFormation accepts the value: its pattern must match the whole (Java's syntax).

    The patterns use only syntax that Python's has too.
    """
    return re.fullmatch(PARAMETERS[parameter]["AllowedPattern"], value) is not None


@pytest.mark.parametrize("environment", ["dev", "prod"])
class TestEnvironments:
    """The environments of samconfig.toml."""

    def test_parameters_exist_and_are_not_the_operators(self, environment: str) -> None:
        assert configured(environment).keys() <= PARAMETERS.keys() - set(OF_AN_OPERATOR)

    @pytest.mark.parametrize("parameter", [*OF_AN_OPERATOR, "EmailsPerSecond"])
    def test_second_deployment_preserves_parameter_values(
        self, environment: str, parameter: str
    ) -> None:
        """SAM CLI's own merge of an existing stack's parameters."""
        merged = DeployContext.merge_parameters(dict(written()), configured(environment))
        [sent] = [each for each in merged if each["ParameterKey"] == parameter]
        assert sent == {"ParameterKey": parameter, "UsePreviousValue": True}


class TestPlaceholders:
    """No example's address can be deployed."""

    def test_sender_address_has_no_default(self) -> None:
        """CloudFormation refuses a new stack without a value for what has no default."""
        assert "Default" not in PARAMETERS["SenderAddress"]

    @pytest.mark.parametrize("host", ["example.com", "a.example.org", "shop.example", "x.test",
                                      "EXAMPLE.COM", "a.invalid"])  # fmt: skip
    def test_example_domain_is_refused(self, host: str) -> None:
        assert not takes("SenderAddress", f"storepost@{host}")
        assert not takes("AlarmEmail", f"operations@{host}")
        for path in ("", "/", ":8443", "/a?b"):
            assert not takes("AppUrl", f"https://{host}{path}")
        for port in ("", ":8443"):
            assert not takes("AllowedOrigins", f"https://{host}{port}")

    @pytest.mark.parametrize(
        "host", ["kolo-shop.com", "mail.myexample.com", "test.shop", "a.co.uk"]
    )
    def test_real_domain_is_accepted(self, host: str) -> None:
        assert takes("SenderAddress", f"hello+storepost@{host}")
        assert takes("AlarmEmail", f"operations@{host}")
        assert takes("AppUrl", f"https://{host}/app")
        assert takes("AllowedOrigins", f"https://{host}")

    @pytest.mark.parametrize("parameter", ["AlarmEmail", "AppUrl"])
    def test_optional_parameter_may_be_empty(self, parameter: str) -> None:
        assert PARAMETERS[parameter]["Default"] == ""
        assert takes(parameter, "")
        assert takes("AllowedOrigins", PARAMETERS["AllowedOrigins"]["Default"])

    @pytest.mark.parametrize(
        ("network", "is_taken"),
        [
            ("203.0.113.0/24", True),
            ("203.0.113.7", True),
            ("2001:db8::/32", True),
            ("::1", True),
            ("proxy.kolo-shop.com", False),
            ("203.0.113.0/24;10.0.0.0/8", False),
            ("10.0.0/8", False),
        ],
    )
    def test_proxies_are_networks(self, network: str, is_taken: bool) -> None:
        """With anything else each request that asks for its caller's address would fail."""
        assert takes("TrustedProxies", network) is is_taken
        assert takes("TrustedProxies", PARAMETERS["TrustedProxies"]["Default"])

    @pytest.mark.parametrize("address", ["hello", "hello@", "@kolo-shop.com", "a b@kolo-shop.com",
                                         "a@kolo-shop"])  # fmt: skip
    def test_malformed_sender_address_is_refused(self, address: str) -> None:
        """Otherwise SES would complain of the sender as it does of a recipient."""
        assert not takes("SenderAddress", address)


def refused_in(values: dict[str, Any]) -> set[str]:
    """The parameters whose default their own pattern refuses."""
    return {
        name
        for name, each in values.items()
        if "Default" in each and "AllowedPattern" in each and not takes(name, each["Default"])
    }


def test_every_default_matches_the_pattern() -> None:
    assert refused_in(PARAMETERS) == set()


LAMBDAS_BYTES = 4096
"""Lambda's quota of a function's variables, all names and values together."""


def deployed(value: object, stack: str) -> str:
    """A variable's value once deployed, as long as AWS makes it; 40 characters of an operator."""
    if not isinstance(value, dict):
        return str(value)
    name = value.get("Ref", "")
    if name in PARAMETERS:
        return str(PARAMETERS[name].get("Default") or "x" * 40)
    if name in resources("AWS::SQS::Queue"):
        fifo = ".fifo" if resources("AWS::SQS::Queue")[name].get("FifoQueue") else ""
        queue = f"{stack}-{name}-{'x' * 12}"[: 80 - len(fifo)] + fifo
        return f"https://sqs.ap-northeast-1.amazonaws.com/123456789012/{queue}"
    if name in resources("AWS::KMS::Key"):  # one that was restored is named by its ARN
        return f"arn:aws:kms:ap-northeast-1:123456789012:key/mrk-{'x' * 32}"
    return stack if name == "AWS::StackName" else f"{stack}-{name}-{'x' * 12}"


def test_variables_of_a_function_fit_into_lambdas_quota() -> None:
    """There is room for a longer name of the stack, and for some hundred bytes of proxies."""
    variables = {name: deployed(v, "storepost-prod") for name, v in environment().items()}
    size = sum(len(name) + len(value) for name, value in variables.items())
    assert size <= LAMBDAS_BYTES - 600
