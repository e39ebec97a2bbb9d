"""Alarms: an operator learns of each way in which the service can fail unnoticed."""

import json
import re
from typing import Any

import pytest

from local.events.pumps import read_queues
from local.template import ROOT, functions, resources, template

ALARMS = resources("AWS::CloudWatch::Alarm")
STREAM_READERS = [f.name for f in functions() if f.events_of("DynamoDB")]
SCHEDULED = [f.name for f in functions() if f.events_of("ScheduleV2")]


def watching(metric: str, dimension: Any = None) -> dict[str, Any]:
    """The alarm on a metric, for this dimension's value."""
    [found] = [
        alarm
        for alarm in ALARMS.values()
        if alarm["MetricName"] == metric
        and (dimension is None or alarm["Dimensions"][0]["Value"] == dimension)
    ]
    return found


def metrics_of_ours() -> set[str]:
    """The names that the code counts under."""
    code = "".join(path.read_text() for path in (ROOT / "layers/core").rglob("*.py"))
    return set(re.findall(r'count\("(\w+)"', code)) | set(
        re.findall(r'(?:WriteBackStatus|DeliveryStatus)\.\w+: "(\w+)"', code)
    )


@pytest.mark.parametrize("metric", ["5xx", "Latency"])
def test_api_errors_and_latency_have_alarms(metric: str) -> None:
    alarm = watching(metric, {"Ref": "Api"})
    assert alarm["Namespace"] == "AWS/ApiGateway"
    # A percentile is no `Statistic`, and `Latency` is in milliseconds.
    assert ("ExtendedStatistic" in alarm) is (metric == "Latency")


def test_function_errors_and_throttles_have_alarms() -> None:
    [logged] = resources("AWS::Logs::MetricFilter").values()
    [metric] = logged["MetricTransformations"]
    assert logged["LogGroupName"] == {"Ref": "Logs"}
    assert watching("Throttles").get("Dimensions") is None
    [alarm] = [a for a in ALARMS.values() if a["MetricName"] == metric["MetricName"]]
    assert alarm["Namespace"] == metric["MetricNamespace"]


@pytest.mark.parametrize("reader", STREAM_READERS)
def test_stream_iterator_age_has_an_alarm(reader: str) -> None:
    alarm = watching("IteratorAge", {"Ref": reader})
    assert alarm["Statistic"] == "Maximum"
    # A stream keeps its records for a day.
    assert alarm["Threshold"] <= 24 * 60 * 60 * 1000 / 100


@pytest.mark.parametrize("queue", read_queues())
def test_queue_message_age_has_an_alarm(queue: str) -> None:
    dimension = {"Fn::GetAtt": [queue, "QueueName"]}
    alarm = watching("ApproximateAgeOfOldestMessage", dimension)
    retention = resources("AWS::SQS::Queue")[queue].get("MessageRetentionPeriod", 4 * 24 * 60 * 60)
    assert alarm["Threshold"] <= retention / 10
    assert alarm["Statistic"] == "Maximum"


@pytest.mark.parametrize(
    ("metric", "table"),
    [
        ("ReadThrottleEvents", "Table"),
        ("WriteThrottleEvents", "Table"),
        ("WriteThrottleEvents", "IdempotencyTable"),
        ("TransactionConflict", "Table"),
    ],
)
def test_table_throttling_and_conflicts_have_alarms(metric: str, table: str) -> None:
    alarm = watching(metric, {"Ref": table})
    assert (alarm["Namespace"], alarm["Statistic"]) == ("AWS/DynamoDB", "Sum")


@pytest.mark.parametrize("metric", ["Reputation.BounceRate", "Reputation.ComplaintRate"])
def test_bounce_and_complaint_rates_have_alarms(metric: str) -> None:
    alarm = watching(metric)
    assert alarm["Namespace"] == "AWS/SES"
    # SES pauses an account at a tenth and at one in 200.
    assert alarm["Threshold"] < {"Reputation.BounceRate": 0.1}.get(metric, 0.005)


@pytest.mark.parametrize("metric", ["EmailsRefusedBySes", "EmailsRejectedBySes"])
def test_alarm_at_the_first_email_that_ses_refuses(metric: str) -> None:
    alarm = watching(metric, "storepost")
    assert alarm["Namespace"] == {"Ref": "AWS::StackName"}
    assert (alarm["Threshold"], alarm["EvaluationPeriods"], alarm["Period"]) == (0, 1, 60)
    assert metric in metrics_of_ours()


@pytest.mark.parametrize("function", SCHEDULED)
def test_schedule_errors_have_an_alarm(function: str) -> None:
    assert watching("Errors", {"Ref": function})["Namespace"] == "AWS/Lambda"


@pytest.mark.parametrize("function", SCHEDULED)
def test_schedule_that_does_not_run_has_an_alarm(function: str) -> None:
    alarm = watching("Invocations", {"Ref": function})
    assert alarm["ComparisonOperator"] == "LessThanThreshold"
    assert (alarm["Threshold"], alarm["TreatMissingData"]) == (1, "breaching")


def test_custom_metrics_use_the_namespace_of_alarms_and_dashboard() -> None:
    variables = template()["Globals"]["Function"]["Environment"]["Variables"]
    assert variables["POWERTOOLS_METRICS_NAMESPACE"] == {"Ref": "AWS::StackName"}
    [dashboard] = resources("AWS::CloudWatch::Dashboard").values()
    body = re.sub(r"\$\{[^}]+}", "x", dashboard["DashboardBody"]["Fn::Sub"][0])
    widgets = json.loads(body)["widgets"]
    shown = {m[1] for widget in widgets for m in widget["properties"]["metrics"] if m[0] == "x"}
    assert shown <= metrics_of_ours()
    assert {"Requests", "Conflicts", "Retries", "ImportedRows", "WriteBacksDelivered"} <= shown


def test_dashboard_names_only_existing_resources() -> None:
    [dashboard] = resources("AWS::CloudWatch::Dashboard").values()
    text, substitutions = dashboard["DashboardBody"]["Fn::Sub"]
    named = set(re.findall(r"\$\{(\w+)", text))
    assert named - {"AWS"} - substitutions.keys() <= template()["Resources"].keys()
    queues = {name for name in named if name.endswith("Queue.QueueName")}
    assert queues <= set(read_queues())
