"""Merges and workers whose function dies at any of its calls to AWS, and messages out of order."""

from functools import partial
from typing import Any

import pytest

from tests.harness.crash_points import KEY, Shard, crashes, in_shards, until_answered
from tests.people.matching.scenario import ANN, BOB, CAT, PHONE, Scenario


@pytest.fixture
def people(scenario: Scenario) -> dict[str, str]:
    """Ann and Bob with rows of each kind, and Cat, who was merged into Bob."""
    one, two = scenario.store("A"), scenario.store("B")
    scenario.customer(one, "7", 1, email=ANN, emailMarketingConsent="subscribed")
    scenario.customer(two, "8", 2, email=BOB, phone=PHONE, smsMarketingConsent="unsubscribed")
    scenario.customer(one, "9", 3, email=CAT)
    for number in range(3):
        scenario.order(two, f"o-{number}", 4 + number, buyer={"externalId": "8"})
    ann, bob, cat = (scenario.find_profile(email=each)["id"] for each in (ANN, BOB, CAT))
    assert scenario.merge(bob, cat).status == 200
    scenario.world.deliver()
    return {"ann": ann, "bob": bob, "cat": cat, "one": one, "two": two}


def responses(scenario: Scenario, *names: str) -> dict[str, Any]:
    """All that the interface shows for each of the ids, without the ids of new rows."""
    found = {}
    for name in names:
        path = f"/profiles/{name}"
        found[name] = {
            "profile": scenario.get(path),
            "identities": scenario.get(f"{path}/identities"),
            "customers": scenario.get(f"{path}/customers"),
            "consent": scenario.get(f"{path}/consent"),
            "merges": [
                (row["mergedProfileId"], row["cause"])
                for row in scenario.get(f"{path}/merges")["items"]
            ],
            "orders": scenario.get("/orders", profileId=name),
        }
    found["listed"] = scenario.get("/profiles", sort="firstSeenAt")
    return found


class TestRequest:
    """POST /profiles/{id}/merge."""

    def test_killed_at_any_call(self, scenario: Scenario, people: dict[str, str]) -> None:
        ids = [people[name] for name in ("ann", "bob", "cat")]
        send = partial(scenario.merge, people["ann"], people["bob"], key=KEY)
        found = crashes(scenario.world, send)
        assert len(found.positions) > 10
        before_the_worker = responses(scenario, *ids)
        scenario.world.deliver()
        expected = responses(scenario, *ids)
        assert before_the_worker == expected
        assert [row[0] for row in expected[ids[0]]["merges"]] == [people["bob"], people["cat"]]
        for positions in found:
            assert until_answered(scenario.world, send).status == 200
            assert responses(scenario, *ids) == expected, positions
            scenario.world.deliver()
            assert responses(scenario, *ids) == expected, positions
            scenario.check_rows()


class TestArrival:
    """PUT /stores/{id}/customers/{externalId} of a customer who merges two profiles."""

    def test_killed_at_any_call(self, scenario: Scenario, people: dict[str, str]) -> None:
        dan = scenario.upsert(phone="+14155550199")["id"]
        ids = [people["ann"], dan]
        path = f"/stores/{people['one']}/customers/7"
        body = {
            "email": ANN,
            "phone": "+14155550199",
            "firstName": "Ann",
            "emailMarketingConsent": "unsubscribed",
            "externalCreatedAt": "2026-01-02T00:00:00.000Z",
            "externalUpdatedAt": "2026-02-09T00:00:00.000Z",
        }
        send = partial(scenario.call, "PUT", path, body, key=KEY)
        found = crashes(scenario.world, send)
        scenario.world.deliver()
        expected = self.of(scenario, *ids)
        assert expected[dan]["profile"]["id"] == people["ann"]
        assert expected[dan]["merges"] == [(dan, {"source": "custom", "reference": "7"})]
        for positions in found:
            assert until_answered(scenario.world, send).status == 200
            scenario.world.deliver()
            assert self.of(scenario, *ids) == expected, positions
            scenario.check_rows()

    def of(self, scenario: Scenario, *ids: str) -> dict[str, Any]:
        """The answers, without a new change's own id and moments."""
        found = responses(scenario, *ids)
        for each in ids:
            rows = found[each]["consent"]["items"]
            found[each]["consent"] = [(row["address"], row["state"]) for row in rows]
        return found


class TestWorker:
    """However a run ends, the next one continues, and the answers stay the same."""

    @in_shards(2)
    def test_killed_at_any_call_and_repeated(
        self, scenario: Scenario, people: dict[str, str], shard: Shard
    ) -> None:
        ids = [people[name] for name in ("ann", "bob", "cat")]
        assert scenario.merge(people["ann"], people["bob"]).status == 200
        expected, work = responses(scenario, *ids), partial(scenario.run_merge, people["ann"])
        found = crashes(scenario.world, work, deliver=False)
        assert len(found.positions) > 30
        for positions in found.shard(shard):
            assert responses(scenario, *ids) == expected, positions
            work()
            assert responses(scenario, *ids) == expected, positions
            scenario.check_rows()
        stored = [row.serialize() for row in scenario.world.rows(scenario.workspace.key)]
        work()
        assert [row.serialize() for row in scenario.world.rows(scenario.workspace.key)] == stored

    @in_shards(4)
    def test_survivor_is_merged_again_after_killed_run(
        self, scenario: Scenario, people: dict[str, str], shard: Shard
    ) -> None:
        """Wherever the first run ends, the survivor is merged into another profile."""
        dan = scenario.upsert(phone="+14155550199")["id"]
        ids = [dan, *(people[name] for name in ("ann", "bob", "cat"))]
        assert scenario.merge(people["ann"], people["bob"]).status == 200
        found = crashes(scenario.world, partial(scenario.run_merge, people["ann"]), deliver=False)
        undisturbed = found.shard(Shard(0, len(found.found)))
        next(undisturbed)  # before the run's first call
        assert scenario.merge(dan, people["ann"]).status == 200
        expected = responses(scenario, *ids)
        for positions in found.shard(shard):
            assert scenario.merge(dan, people["ann"]).status == 200
            assert responses(scenario, *ids) == expected, positions
            scenario.run_merge(people["bob"])
            assert responses(scenario, *ids) == expected, positions
            scenario.check_rows()
            for each in ids:
                scenario.run_merge(each)
            assert responses(scenario, *ids) == expected, positions
