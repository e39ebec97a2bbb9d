"""docs/operating.md against the template: every alarm has what to do, every queue its row."""

import re

from local.events.pumps import read_queues
from local.template import QUEUE, ROOT, resources, written
from storepost.platform.messaging.tries import TRIES

PAGE = (ROOT / "docs" / "operating.md").read_text("utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| `")]
WORDS = {7: "seven", 14: "fourteen"}
SECONDS_A_DAY = 24 * 60 * 60


def named_in_rows(pattern: str) -> list[str]:
    """What the first cells of the tables name."""
    return [name for row in ROWS for name in re.findall(pattern, row.split("|")[1])]


def test_each_alarm_is_listed_once() -> None:
    named = named_in_rows(r"`(\w+Alarm)`")
    assert sorted(named) == sorted(resources("AWS::CloudWatch::Alarm"))


def test_each_queue_is_listed_with_its_alarms() -> None:
    assert sorted(named_in_rows(r"`(\w+Queue)`")) == sorted(read_queues())
    alarms = resources("AWS::CloudWatch::Alarm")
    for row in ROWS:
        for queue in re.findall(r"`(\w+Queue)`", row.split("|")[1]):
            target = resources(QUEUE)[queue]["RedrivePolicy"]["deadLetterTargetArn"]["Fn::GetAtt"][
                0
            ]
            watched = {"Fn::GetAtt": [queue, "QueueName"]}, {"Fn::GetAtt": [target, "QueueName"]}
            assert set(re.findall(r"`(\w+Alarm)`", row)) == {
                name for name, alarm in alarms.items()
                if alarm.get("Dimensions", [{}])[0].get("Value") in watched
            }  # fmt: skip


def test_number_of_retries_and_retention_times() -> None:
    assert f"A message that fails is tried {WORDS[TRIES]} times" in PAGE
    dead = {n: p for n, p in resources(QUEUE).items() if n.endswith("DeadLetters")}
    assert {p["MessageRetentionPeriod"] for p in dead.values()} == {14 * SECONDS_A_DAY}
    assert "for fourteen days" in PAGE.replace("\n", " ")
    rules = resources("AWS::S3::Bucket")["JobObjects"]["LifecycleConfiguration"]["Rules"]
    days = {rule["Prefix"]: rule["ExpirationInDays"] for rule in rules if "Prefix" in rule}
    assert {days[p] for p in ("batches/", "webhooks/", "coupons/")} == {7}
    assert PAGE.count("within seven days") == 3


def test_names_are_parameters_resources_or_outputs() -> None:
    whole = written()
    known = {*whole["Parameters"], *whole["Resources"], *whole["Outputs"]}
    named = {w for w in re.findall(r"`([A-Z][a-z]+[A-Z]\w+)`", PAGE)}
    assert named <= known


def test_costs_equal_the_measured_ones() -> None:
    costs = (ROOT / "docs" / "costs.md").read_text("utf-8")
    idle = costs.split("## An idle stack")[1]
    [month] = re.findall(r"\*\*Together\*\* \| \| \*\*([\d.]+)\*\*", idle)[:1]
    assert f"costs about {round(float(month))} dollars" in PAGE
    [page] = re.findall(r"\| any other \| \d+ \| \d+ \| ([\d.]+)", costs)
    assert f"a page of a list about {round(float(page))} dollars" in PAGE
    change = costs.split("## A change of consent")[1]
    [cost] = re.findall(r"\*\*Together\*\* \| \*\*([\d.]+)\*\*", change)[:1]
    assert f"with its write-back to a store about {round(float(cost))}." in " ".join(PAGE.split())
