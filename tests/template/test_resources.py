"""What the template promises of its tables, queues, alarms, logs and roles."""

import re
import tomllib
from typing import Any

import pytest

from local.events.pumps import read_queues, reader_of
from local.template import ROOT, Function, functions, resources, template, written
from storepost.api.reference.documents import interface
from storepost.people.consent import write_back_messages
from storepost.platform.messaging.outbox import Queue
from storepost.platform.messaging.tries import RECEIVES, TRIES
from storepost.sync.pulls.exports import DISK_BYTES, MAX_BYTES
from storepost.sync.pulls.spool import DISK_FACTOR
from storepost.webhooks.deliveries import messages
from tests.harness.answers import operations
from tests.harness.least_privilege import ADDED_BY_SAM, OF_STREAMS, SECRET, SENDER, granted

QUEUES = resources("AWS::SQS::Queue")
TABLES = resources("AWS::DynamoDB::Table")
BUCKETS = resources("AWS::S3::Bucket")
NOTED = {
    "WriteBackQueue",
    "StoreImportQueue",
    "ProductJobQueue",
    "FeedImportQueue",
    "CouponCodeQueue",
}
"""Those whose readers note after the last try that the work has failed."""


def dead_letters_of(queue: dict[str, Any]) -> str | None:
    policy = queue.get("RedrivePolicy")
    return policy["deadLetterTargetArn"]["Fn::GetAtt"][0] if policy else None


def failure_destinations() -> set[str]:
    return {
        source["DestinationConfig"]["OnFailure"]["Destination"]["Fn::GetAtt"][0]
        for function in functions()
        for source in function.events_of("DynamoDB")
    }


def last_stops() -> set[str]:
    """The queues in which failed messages end up."""
    return {str(end) for end in map(dead_letters_of, QUEUES.values()) if end}


class TestQueues:
    """Each queue."""

    @pytest.mark.parametrize("name", QUEUES)
    def test_is_encrypted(self, name: str) -> None:
        assert QUEUES[name]["SqsManagedSseEnabled"] is True

    @pytest.mark.parametrize("name", sorted(QUEUES.keys() - last_stops()))
    def test_max_receive_count_and_dead_letter_queue(self, name: str) -> None:
        """It has its tries, and one more to record the end of a killed last one."""
        end = dead_letters_of(QUEUES[name])
        assert end in QUEUES
        assert QUEUES[name]["RedrivePolicy"]["maxReceiveCount"] == (
            RECEIVES if name in NOTED else TRIES
        )
        assert QUEUES[end].get("FifoQueue") == QUEUES[name].get("FifoQueue")

    @pytest.mark.parametrize("name", sorted(QUEUES.keys() - last_stops()))
    def test_visibility_timeout_is_six_timeouts_and_the_window(self, name: str) -> None:
        """AWS advises it, in "Using Lambda with Amazon SQS"."""
        reader = reader_of(name)
        [source] = reader.events_of("SQS")
        window = source.get("MaximumBatchingWindowInSeconds", 0)
        assert QUEUES[name]["VisibilityTimeout"] == 6 * reader.timeout_seconds + window
        assert source["FunctionResponseTypes"] == ["ReportBatchItemFailures"]

    def test_every_queue_has_a_reader(self) -> None:
        assert set(read_queues()) == QUEUES.keys() - last_stops()

    @pytest.mark.parametrize("name", sorted(last_stops()))
    def test_dead_letters_are_retained_two_weeks(self, name: str) -> None:
        assert QUEUES[name]["MessageRetentionPeriod"] == 14 * 24 * 60 * 60

    @pytest.mark.parametrize("name", sorted(last_stops()))
    def test_dead_letters_have_an_alarm(self, name: str) -> None:
        dimension = [{"Name": "QueueName", "Value": {"Fn::GetAtt": [name, "QueueName"]}}]
        [alarm] = [
            a
            for a in resources("AWS::CloudWatch::Alarm").values()
            if a.get("Dimensions") == dimension
        ]
        assert alarm["MetricName"] == "ApproximateNumberOfMessagesVisible"
        assert (alarm["Namespace"], alarm["Threshold"]) == ("AWS/SQS", 0)
        assert alarm["ComparisonOperator"] == "GreaterThanThreshold"


class TestAlarms:
    """Each alarm notifies an operator."""

    def test_notify_the_topic_and_have_a_description(self) -> None:
        for alarm in resources("AWS::CloudWatch::Alarm").values():
            assert alarm["AlarmActions"] == alarm["OKActions"] == [{"Ref": "Alarms"}]
            # Missing data is no alarm, except for a schedule that should have run.
            runs = alarm["MetricName"] == "Invocations"
            assert alarm["TreatMissingData"] == ("breaching" if runs else "notBreaching")
            assert alarm["AlarmDescription"]


class TestQueueUrls:
    """How functions know the queues."""

    def test_each_queue_has_one_environment_variable(self) -> None:
        variables = template()["Globals"]["Function"]["Environment"]["Variables"]
        named = {name: v["Ref"] for name, v in variables.items() if name.endswith("_QUEUE_URL")}
        assert named.keys() == {f"{queue.name}_QUEUE_URL" for queue in Queue}
        assert sorted(named.values()) == sorted(read_queues())

    def test_variable_and_queue_names_match(self) -> None:
        """`COUPON_CODES_QUEUE_URL` is the address of `CouponCodeQueue`."""
        variables = template()["Globals"]["Function"]["Environment"]["Variables"]
        for queue in Queue:
            words = [word.removesuffix("s") for word in queue.split("_")]
            resource = variables[f"{queue.name}_QUEUE_URL"]["Ref"].removesuffix("Queue")
            found = [w.lower().removesuffix("s") for w in re.findall("[A-Z][a-z]+", resource)]
            assert found == words


class TestConcurrency:
    """How many containers run at once: those of an account share its concurrency."""

    @pytest.mark.parametrize("name", sorted(QUEUES.keys() - last_stops()))
    def test_every_queue_worker_has_a_concurrency_limit(self, name: str) -> None:
        [source] = reader_of(name).events_of("SQS")
        assert source["ScalingConfig"]["MaximumConcurrency"] in (
            2,
            {"Ref": "QueueConcurrency"},
            {"Ref": "WebhookConcurrency"},
        )
        # Lambda takes no less than 2 and no more than 1,000.
        parameter = template()["Parameters"]["QueueConcurrency"]
        assert (parameter["MinValue"], parameter["MaxValue"]) == (2, 1000)

    @pytest.mark.parametrize("groups", [messages.GROUPS, write_back_messages.GROUPS])
    def test_webhook_concurrency_exceeds_the_groups_of_one_endpoint_or_store(
        self, groups: int
    ) -> None:
        parameter = template()["Parameters"]["WebhookConcurrency"]
        assert parameter["MinValue"] >= 2 * groups
        assert parameter["Default"] >= 6 * groups
        for worker in ("WebhookDeliveryQueue", "WriteBackQueue"):
            [source] = reader_of(worker).events_of("SQS")
            assert source["ScalingConfig"]["MaximumConcurrency"] == {"Ref": "WebhookConcurrency"}

    def test_functions_calling_external_servers_reserve_concurrency(self) -> None:
        reserved = {
            name: r["Properties"]["ReservedConcurrentExecutions"]["Fn::If"]
            for name, r in written()["Resources"].items()
            if "ReservedConcurrentExecutions" in r.get("Properties", {})
        }
        chosen = ["ReservesConcurrency", {"Ref": "ReservedConcurrency"}, {"Ref": "AWS::NoValue"}]
        waiting = ("FeedsFunction", "FeedImportFunction")
        posting = ("ConsentWriteBackFunction", "WebhookDeliveryFunction", "WebhookRetryFunction")
        as_many = [chosen[0], {"Ref": "WebhookConcurrency"}, chosen[2]]
        assert reserved == dict.fromkeys(waiting, chosen) | dict.fromkeys(posting, as_many)
        # Off if an account has too little concurrency to reserve any.
        assert template()["Parameters"]["ReservedConcurrency"]["Default"] == 0


def test_largest_export_fits_on_the_ephemeral_storage() -> None:
    [worker] = [f for f in functions() if f.job == "store_import"]
    disk = worker.properties["EphemeralStorage"]["Size"] * 1024**2
    assert disk == DISK_BYTES
    assert 0.96 * disk >= MAX_BYTES * DISK_FACTOR


class TestSchedules:
    """The schedules."""

    def test_schedule_names_are_not_fixed(self) -> None:
        """SAM names a schedule by function and event: a second stack would meet the first's."""
        sources = [source for f in functions() for source in f.events_of("ScheduleV2")]
        assert sources
        assert all(source["OmitName"] is True for source in sources)


class TestEmails:
    """What emails go by."""

    def test_emails_use_a_configuration_set_of_the_stack(self) -> None:
        [name] = resources("AWS::SES::ConfigurationSet")
        variables = template()["Globals"]["Function"]["Environment"]["Variables"]
        assert variables["EMAIL_CONFIGURATION_SET"] == {"Ref": name}
        assert variables["EMAILS_PER_SECOND"] == {"Ref": "EmailsPerSecond"}
        [sender] = [f for f in functions() if f.job == "email_sender"]
        assert ("ses:SendEmail", name) in granted(sender)
        assert ("ses:SendRawEmail", name) in granted(sender)

    def test_sender_role_covers_all_identities_for_one_from_address(self) -> None:
        """In its sandbox SES asks for the recipient's identity, too."""
        [sender] = [f for f in functions() if f.job == "email_sender"]
        statements = [s for policy in sender.properties["Policies"] for s in policy["Statement"]]
        [statement] = [s for s in statements if "ses:SendEmail" in s["Action"]]
        [identities, _] = statement["Resource"]
        assert identities["Fn::Sub"].endswith(":identity/*")
        address = {"ses:FromAddress": {"Ref": "SenderAddress"}}
        assert statement["Condition"] == {"StringEquals": address}

    def test_ses_suppression_list_is_disabled(self) -> None:
        [configuration] = resources("AWS::SES::ConfigurationSet").values()
        assert configuration["SuppressionOptions"] == {"SuppressedReasons": []}

    def test_ses_events_are_sent_to_the_feedback_queue(self) -> None:
        [(name, _)] = resources("AWS::SES::ConfigurationSet").items()
        [destination] = resources("AWS::SES::ConfigurationSetEventDestination").values()
        assert destination["ConfigurationSetName"] == {"Ref": name}
        events = destination["EventDestination"]
        assert events["Enabled"] is True
        assert events["EventBridgeDestination"]["EventBusArn"]["Fn::Sub"].endswith("/default")
        # CloudFormation's names of the events that the worker handles; opens and clicks are not
        # tracked.
        assert sorted(events["MatchingEventTypes"]) == [
            "bounce",
            "complaint",
            "delivery",
            "deliveryDelay",
            "reject",
            "renderingFailure",
        ]
        [(rule, properties)] = resources("AWS::Events::Rule").items()
        [target] = properties["Targets"]
        dead = {"Fn::GetAtt": ["SesFeedbackDeadLetters", "Arn"]}
        assert target["Arn"] == {"Fn::GetAtt": ["SesFeedbackQueue", "Arn"]}
        assert target["DeadLetterConfig"] == {"Arn": dead}
        # The default bus has the events of every stack of the account.
        tags = properties["EventPattern"]["detail"]["mail"]["tags"]
        assert tags == {"ses:configuration-set": [{"Ref": name}]}
        [policy] = resources("AWS::SQS::QueuePolicy").values()
        assert policy["Queues"] == [{"Ref": "SesFeedbackQueue"}, {"Ref": "SesFeedbackDeadLetters"}]
        [statement] = policy["PolicyDocument"]["Statement"]
        assert statement["Principal"] == {"Service": "events.amazonaws.com"}
        source = {"aws:SourceArn": {"Fn::GetAtt": [rule, "Arn"]}}
        assert statement["Condition"] == {"ArnEquals": source}


class TestCors:
    """What pages of other origins may send and read."""

    CORS = resources("AWS::Serverless::HttpApi")["Api"]["CorsConfiguration"]

    def test_every_described_request_header_is_allowed(self) -> None:
        parameters = [
            *interface()["components"]["parameters"].values(),
            *(each for *_, operation in operations() for each in operation.get("parameters", [])),
        ]
        sent = {each["name"].lower() for each in parameters if each.get("in") == "header"}
        assert set(self.CORS["AllowHeaders"]) == sent | {"authorization", "content-type"}

    def test_every_described_response_header_is_exposed(self) -> None:
        """`Deprecation` and `Sunset` are promised, and no operation has them yet."""
        responses = [
            *interface()["components"]["responses"].values(),
            *(each for *_, operation in operations() for each in operation["responses"].values()),
        ]
        read = {name.lower() for each in responses for name in each.get("headers", {})}
        always_the_same = {"www-authenticate"}
        promised = {"deprecation", "sunset"}
        assert set(self.CORS["ExposeHeaders"]) == (read - always_the_same) | promised

    def test_every_method_is_allowed(self) -> None:
        methods = {method for _, method, _ in operations()}
        assert set(self.CORS["AllowMethods"]) == methods | {"HEAD"}


class TestStreams:
    """The readers of the table's stream."""

    def test_failing_records_do_not_block_a_shard(self) -> None:
        sources = [source for f in functions() for source in f.events_of("DynamoDB")]
        assert 1 <= len(sources) <= 2  # DynamoDB Streams: at most two readers of a shard
        for source in sources:
            assert source["Stream"] == {"Fn::GetAtt": ["Table", "StreamArn"]}
            assert source["BisectBatchOnFunctionError"] is True
            # At most as long as an hour takes: a shard waits behind a record that always fails.
            assert source["MaximumRetryAttempts"] >= 50
            assert source["MaximumRecordAgeInSeconds"] == 3600
            assert source["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
            assert source["DestinationConfig"]["OnFailure"]["Type"] == "SQS"
            assert source["FilterCriteria"]["Filters"]
        assert failure_destinations() <= set(read_queues())


class TestTables:
    """The tables."""

    def test_table_has_protection_recovery_and_stream(self) -> None:
        table = TABLES["Table"]
        assert table["DeletionProtectionEnabled"] == {"Ref": "DeletionProtection"}
        assert template()["Parameters"]["DeletionProtection"]["Default"] == "true"
        assert table["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
        assert table["StreamSpecification"] == {"StreamViewType": "NEW_AND_OLD_IMAGES"}

    @pytest.mark.parametrize("name", ["Table", "JobObjects", "DataKey", "CodeKey"])
    def test_resources_with_irreplaceable_data_are_retained(self, name: str) -> None:
        """A first deployment that failed may delete them: what it created is empty."""
        assert template()["Resources"][name]["DeletionPolicy"] == "RetainExceptOnCreate"
        assert template()["Resources"][name]["UpdateReplacePolicy"] == "Retain"

    @pytest.mark.parametrize("name", TABLES)
    def test_each_is_encrypted_on_demand_and_has_ttl(self, name: str) -> None:
        assert TABLES[name]["SSESpecification"] == {"SSEEnabled": True, "SSEType": "KMS"}
        assert TABLES[name]["BillingMode"] == "PAY_PER_REQUEST"
        assert TABLES[name]["TimeToLiveSpecification"] == {
            "AttributeName": "expiration",
            "Enabled": True,
        }


class TestBuckets:
    """The buckets."""

    @pytest.mark.parametrize("name", BUCKETS)
    def test_each_is_encrypted_and_private(self, name: str) -> None:
        bucket = BUCKETS[name]
        [rule] = bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]
        assert rule["ServerSideEncryptionByDefault"] == {"SSEAlgorithm": "aws:kms"}
        assert bucket["PublicAccessBlockConfiguration"] == {
            "BlockPublicAcls": True,
            "BlockPublicPolicy": True,
            "IgnorePublicAcls": True,
            "RestrictPublicBuckets": True,
        }
        assert bucket["OwnershipControls"]["Rules"] == [{"ObjectOwnership": "BucketOwnerEnforced"}]

    @pytest.mark.parametrize("name", BUCKETS)
    def test_each_refuses_unencrypted_transport(self, name: str) -> None:
        [policy] = [
            policy
            for policy in resources("AWS::S3::BucketPolicy").values()
            if policy["Bucket"] == {"Ref": name}
        ]
        [statement] = policy["PolicyDocument"]["Statement"]
        assert (statement["Effect"], statement["Principal"]) == ("Deny", "*")
        assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
        assert statement["Resource"] == [
            {"Fn::GetAtt": [name, "Arn"]},
            {"Fn::Sub": f"${{{name}.Arn}}/*"},
        ]

    @pytest.mark.parametrize("name", BUCKETS)
    def test_objects_expire_and_are_not_versioned(self, name: str) -> None:
        rules = BUCKETS[name]["LifecycleConfiguration"]["Rules"]
        assert {rule["Status"] for rule in rules} == {"Enabled"}
        assert "VersioningConfiguration" not in BUCKETS[name]
        days = {rule["Prefix"]: rule["ExpirationInDays"] for rule in rules if "Prefix" in rule}
        assert days == {
            "batches/": 7,
            "webhooks/": 7,
            "feeds/": 7,
            "coupons/": 7,
            "manifests/": 365,
        }
        # Every object of our code there has one of these prefixes.
        code = "".join(path.read_text() for path in (ROOT / "layers/core").rglob("*.py"))
        named = set(re.findall(r'return f"(\w+/)\{|name = f"(\w+/)\{', code))
        assert {one or other for one, other in named} == set(days)

    def test_message_retention_equals_the_objects_expiry(self) -> None:
        rules = BUCKETS["JobObjects"]["LifecycleConfiguration"]["Rules"]
        days_by_prefix = {
            rule["Prefix"]: rule["ExpirationInDays"] for rule in rules if "Prefix" in rule
        }
        for queue, prefix in (
            ("StoreImportQueue", "batches/"),
            ("FeedImportQueue", "feeds/"),
            ("CouponCodeQueue", "coupons/"),
        ):
            days = QUEUES[queue]["MessageRetentionPeriod"] / (24 * 60 * 60)
            assert days == days_by_prefix[prefix]


class TestLogs:
    """The logs."""

    def test_have_a_retention_period(self) -> None:
        for group in resources("AWS::Logs::LogGroup").values():
            assert group["RetentionInDays"] == {"Ref": "LogRetentionDays"}

    def test_every_function_logs_to_the_shared_group(self) -> None:
        logging = template()["Globals"]["Function"]["LoggingConfig"]
        assert logging["LogGroup"] == {"Ref": "Logs"}
        assert not [f.name for f in functions() if "LoggingConfig" in f.properties]

    def test_access_log_contains_no_path_or_query(self) -> None:
        format_of_log = resources("AWS::Serverless::HttpApi")["Api"]["AccessLogSettings"]["Format"]
        assert set(re.findall(r"\$context\.([\w.]+)", format_of_log)) == {
            "routeKey",
            "status",
            "responseLatency",
            "requestId",
            "error.message",
            "integrationErrorMessage",
        }


def test_x_ray_tracing_is_off() -> None:
    """X-Ray shows a function's calls only with its SDK in the function, and none has that."""
    assert "Tracing" not in template()["Globals"]["Function"]
    assert not [f.name for f in functions() if "Tracing" in f.properties]


class TestRoles:
    """Each function's own role."""

    @pytest.mark.parametrize("function", functions(), ids=lambda function: function.name)
    def test_statements_have_no_wildcards(self, function: Function) -> None:
        assert "Role" not in function.properties  # SAM makes one a function
        for policy in function.properties.get("Policies", []):
            for statement in policy["Statement"]:
                assert statement.keys() <= {"Effect", "Action", "Resource", "Condition"}
                assert statement["Effect"] == "Allow"
                for action in statement["Action"]:
                    assert re.fullmatch(r"[a-z0-9]+:[A-Za-z]+", action)
                for resource in statement["Resource"]:
                    [(kind, value)] = resource.items()
                    text = value[0] if kind == "Fn::Sub" and isinstance(value, list) else value
                    # Neither names of a bucket's objects nor recipients are known before.
                    plain = text if kind == "Fn::GetAtt" else text.removesuffix(".Arn}/*")
                    if "Condition" in statement:
                        plain = plain.removesuffix(":identity/*")
                    assert "*" not in plain

    @pytest.mark.parametrize("function", functions(), ids=lambda function: function.name)
    def test_resources_exist_in_the_template(self, function: Function) -> None:
        for action, resource in granted(function):
            beside = {SENDER, SECRET}
            assert resource in beside or resource in template()["Resources"], (action, resource)

    def test_permissions_added_by_sam_are_not_repeated(self) -> None:
        for function in functions():
            # A stream's, only to functions that are its readers.
            added = ADDED_BY_SAM if function.events_of("DynamoDB") else ADDED_BY_SAM - OF_STREAMS
            assert not {action for action, _ in granted(function)} & added


class TestDeployment:
    """samconfig.toml."""

    @pytest.mark.parametrize("stage", ["dev", "prod"])
    def test_samconfig_sets_existing_parameters(self, stage: str) -> None:
        settings = tomllib.loads((ROOT / "samconfig.toml").read_text("utf-8"))[stage]
        deploy = settings["deploy"]["parameters"]
        assert deploy["stack_name"] == settings["global"]["parameters"]["stack_name"]
        assert deploy["stack_name"] == f"storepost-{stage}"
        assert deploy["confirm_changeset"] is (stage == "prod")
        names = {override.partition("=")[0] for override in deploy["parameter_overrides"]}
        assert names <= template()["Parameters"].keys()
