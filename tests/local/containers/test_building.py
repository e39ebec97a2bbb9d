"""The input of SAM CLI: a template, an image and an environment."""

import os
import re
from pathlib import Path

import pytest

from local import aws
from local.containers import building, variables
from local.shopify.app import APP
from local.template import (
    ROOT,
    Function,
    environment,
    functions,
    globals_,
    parameter_defaults,
    resources,
    template,
)

ENDPOINT = "http://172.18.0.1:5000"
BASE_URL = "http://127.0.0.1:8000/v1"
GUARDED = {"STOREPOST_LOCAL", "FEED_ALLOW_HOSTS", "FEED_ALLOW_LOOPBACK"}
"""What opens addresses to a local run that nobody else may reach."""


def declared(made: dict[str, object]) -> dict[str, object]:
    """The variables that a template declares for all of its functions."""
    shared = made["Globals"]["Function"]["Environment"]["Variables"]  # type: ignore[index]
    return dict(shared)


class TestTemplate:
    def test_declares_the_local_variables(self) -> None:
        made = building.local_template()
        assert declared(made) == declared(template()) | dict.fromkeys(variables.LOCAL_VARIABLES, "")

    def test_deployed_template_declares_no_local_variables(self) -> None:
        assert {*variables.LOCAL_VARIABLES, "FEED_ALLOW_LOOPBACK"} >= GUARDED
        assert GUARDED.isdisjoint(environment())
        template = (ROOT / "template.yaml").read_text()
        assert not [name for name in GUARDED if name in template]

    def test_differs_only_in_layers_timeouts_and_architecture(self) -> None:
        made = building.local_template()
        shared = made["Globals"]["Function"]
        assert "Layers" not in shared
        assert shared["Timeout"] == 60
        shared |= {"Layers": globals_()["Layers"], "Timeout": globals_()["Timeout"]}
        shared["Environment"] = globals_()["Environment"]
        for function in functions():
            properties = made["Resources"][function.name]["Properties"]
            assert properties.get("Timeout", 60) == max(60, function.timeout_seconds)
            made["Resources"][function.name]["Properties"] = function.properties
        made["Parameters"]["Architecture"] = template()["Parameters"]["Architecture"]
        assert made == template()

    @pytest.mark.parametrize(
        ("machine", "expected"),
        [("x86_64", "x86_64"), ("AMD64", "x86_64"), ("arm64", "arm64"), ("aarch64", "arm64")],
    )
    def test_architecture_is_that_of_this_machine(
        self, monkeypatch: pytest.MonkeyPatch, machine: str, expected: str
    ) -> None:
        monkeypatch.setattr("platform.machine", lambda: machine)
        architecture = building.local_template()["Parameters"]["Architecture"]
        assert architecture["Default"] == expected
        assert expected in architecture["AllowedValues"]


class TestImage:
    def test_is_the_lambda_runtime_with_each_layer(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("platform.machine", lambda: "x86_64")
        base, *steps = building.dockerfile().splitlines()
        assert re.fullmatch(r"FROM \S+/lambda/python:3\.13-x86_64", base)
        assert steps == [
            "COPY Dependencies/ /opt/",
            "RUN python3.13 -m compileall -q /opt/python",
            "COPY Core/ /opt/",
            "RUN python3.13 -m compileall -q /opt/python",
        ]

    def test_copies_only_layers(self) -> None:
        copied = re.findall(r"COPY (\w+)/", building.dockerfile())
        assert set(copied) == resources("AWS::Serverless::LayerVersion").keys()

    @pytest.mark.parametrize("function", functions(), ids=lambda function: function.job)
    def test_no_function_has_separate_layers(self, function: Function) -> None:
        assert "Layers" not in function.properties


BUDGETS = (
    "BUDGET_BURST_SECONDS",
    "CALLER_REQUESTS_PER_SECOND",
    "OPT_IN_EMAILS_PER_DAY",
    "WORKSPACE_REQUESTS_PER_SECOND",
)


class TestEnvironment:
    def test_has_a_value_for_each_declared_variable(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("FEED_ALLOW_HOSTS", "172.18.0.1:8001")
        # Left out: on a container's loopback its runtime listens, and no developer's shop.
        monkeypatch.setenv("FEED_ALLOW_LOOPBACK", "1")
        monkeypatch.setenv("POWERTOOLS_LOG_LEVEL", "WARNING")
        monkeypatch.setenv("SHOPIFY_STAND_IN", "http://172.18.0.1:8002")
        function_variables = variables.function_environment(ENDPOINT, BASE_URL)
        assert function_variables.keys() == {"Parameters"}
        values = function_variables["Parameters"]
        assert values == {
            "TABLE_NAME": "Table",
            "IDEMPOTENCY_TABLE": "IdempotencyTable",
            "EMAILS_QUEUE_URL": aws.queue_url("EmailQueue"),
            "WRITE_BACKS_QUEUE_URL": aws.queue_url("WriteBackQueue"),
            "ACCOUNT_ERASURES_QUEUE_URL": aws.queue_url("AccountErasureQueue"),
            "STORE_IMPORTS_QUEUE_URL": aws.queue_url("StoreImportQueue"),
            "WEBHOOKS_QUEUE_URL": aws.queue_url("WebhookQueue"),
            "PROFILE_MERGES_QUEUE_URL": aws.queue_url("ProfileMergeQueue"),
            "PROFILE_ERASURES_QUEUE_URL": aws.queue_url("ProfileErasureQueue"),
            "WORKSPACE_DELETIONS_QUEUE_URL": aws.queue_url("WorkspaceDeletionQueue"),
            "FEED_IMPORTS_QUEUE_URL": aws.queue_url("FeedImportQueue"),
            "PRODUCT_JOBS_QUEUE_URL": aws.queue_url("ProductJobQueue"),
            "PRODUCT_SALES_QUEUE_URL": aws.queue_url("ProductSalesQueue"),
            "COUPON_CODES_QUEUE_URL": aws.queue_url("CouponCodeQueue"),
            "WEBHOOK_DELIVERY_QUEUE_URL": aws.queue_url("WebhookDeliveryQueue"),
            "SES_FEEDBACK_QUEUE_URL": aws.queue_url("SesFeedbackQueue"),
            "WEBHOOK_RETRY_QUEUE_URL": aws.queue_url("WebhookRetryQueue"),
            "SEARCH_REPAIRS_QUEUE_URL": aws.queue_url("SearchRepairQueue"),
            "MIGRATIONS_QUEUE_URL": aws.queue_url("MigrationQueue"),
            "JOB_OBJECTS": "JobObjects",
            "SHOPIFY_CLIENT_ID": APP.client_id,
            "SHOPIFY_SECRET_NAME": parameter_defaults()["ShopifySecretName"],
            "SHOPIFY_SCOPES": parameter_defaults()["ShopifyScopes"],
            "SHOPIFY_STAND_IN": "http://172.18.0.1:8002",
            "DATA_KEY_ID": os.environ["DATA_KEY_ID"],
            "CODE_KEY_ID": os.environ["CODE_KEY_ID"],
            "APP_URL": f"{BASE_URL}/pages",
            "BASE_URL": "",
            "TRUSTED_PROXIES": "",
            "SENDER_ADDRESS": "storepost@example.com",
            "EMAILS_PER_SECOND": "0",
            "EMAIL_CONFIGURATION_SET": "EmailConfiguration",
            **{name: os.environ[name] for name in BUDGETS},
            "POWERTOOLS_METRICS_NAMESPACE": "",
            "POWERTOOLS_SERVICE_NAME": "storepost",
            "AWS_ENDPOINT_URL": ENDPOINT,
            "STOREPOST_LOCAL": "1",
            "FEED_ALLOW_HOSTS": "172.18.0.1:8001",
            "POWERTOOLS_LOG_LEVEL": "WARNING",
            "POWERTOOLS_METRICS_DISABLED": "true",
        }
        assert values.keys() == declared(building.local_template()).keys()
        keys = {key["KeyId"] for key in aws.client("kms").list_keys()["Keys"]}
        assert {values["DATA_KEY_ID"], values["CODE_KEY_ID"]} <= keys

    def test_app_url_of_the_developer_is_preserved(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("APP_URL", "http://127.0.0.1:3000")
        function_variables = variables.function_environment(ENDPOINT, BASE_URL)
        assert function_variables["Parameters"]["APP_URL"] == "http://127.0.0.1:3000"

    def test_aws_credentials_of_the_developer_are_removed(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("AWS_PROFILE", "production")
        monkeypatch.setenv("AWS_SESSION_TOKEN", "canary")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "canary")
        monkeypatch.setenv("PATH", "/usr/bin")
        made = building.sam_environment()
        assert {name: value for name, value in made.items() if name.startswith("AWS_")} == {
            "AWS_ACCESS_KEY_ID": "local",
            "AWS_SECRET_ACCESS_KEY": "local",
            "AWS_DEFAULT_REGION": aws.REGION,
            "AWS_REGION": aws.REGION,
        }
        assert made["SAM_CLI_TELEMETRY"] == "0"
        own, rest = made["PATH"].split(os.pathsep)
        assert Path(own, "python3.13").exists()
        assert rest == "/usr/bin"
