"""Merges whose function dies at any of its calls to AWS, workers too, and messages out of turn."""

from functools import partial
from typing import Any

import pytest

from tests.harness.crash_points import KEY, Shard, crashes, in_shards, until_answered
from tests.people.matching.scenario import ANN, BOB, CAT, PHONE, Town


@pytest.fixture
def people(town: Town) -> dict[str, str]:
    """Ann and Bob with everything that a profile can have, and Cat, who is a part of Bob."""
    one, two = town.store("A"), town.store("B")
    town.customer(one, "7", 1, email=ANN, emailMarketingConsent="subscribed")
    town.customer(two, "8", 2, email=BOB, phone=PHONE, smsMarketingConsent="unsubscribed")
    town.customer(one, "9", 3, email=CAT)
    for number in range(3):
        town.order(two, f"o-{number}", 4 + number, buyer={"externalId": "8"})
    ann, bob, cat = (town.whose(email=each)["id"] for each in (ANN, BOB, CAT))
    assert town.merge(bob, cat).status == 200
    town.world.deliver()
    return {"ann": ann, "bob": bob, "cat": cat, "one": one, "two": two}


def told(town: Town, *names: str) -> dict[str, Any]:
    """All that the interface tells of a person by each of the ids, but for ids of what is new."""
    found = {}
    for name in names:
        path = f"/profiles/{name}"
        found[name] = {
            "profile": town.get(path),
            "identities": town.get(f"{path}/identities"),
            "customers": town.get(f"{path}/customers"),
            "consent": town.get(f"{path}/consent"),
            "merges": [
                (row["mergedProfileId"], row["cause"])
                for row in town.get(f"{path}/merges")["items"]
            ],
            "orders": town.get("/orders", profileId=name),
        }
    found["listed"] = town.get("/profiles", sort="firstSeenAt")
    return found


class TestRequest:
    """POST /profiles/{id}/merge."""

    def test_killed_anywhere(self, town: Town, people: dict[str, str]) -> None:
        ids = [people[name] for name in ("ann", "bob", "cat")]
        send = partial(town.merge, people["ann"], people["bob"], key=KEY)
        found = crashes(town.world, send)
        assert len(found.places) > 10
        before_the_worker = told(town, *ids)
        town.world.deliver()
        expected = told(town, *ids)
        assert before_the_worker == expected
        assert [row[0] for row in expected[ids[0]]["merges"]] == [people["bob"], people["cat"]]
        for places in found:
            assert until_answered(town.world, send).status == 200
            assert told(town, *ids) == expected, places
            town.world.deliver()
            assert told(town, *ids) == expected, places
            town.check_rows()


class TestArrival:
    """PUT /stores/{id}/customers/{externalId} of somebody who was two."""

    def test_killed_anywhere(self, town: Town, people: dict[str, str]) -> None:
        dan = town.upsert(phone="+14155550199")["id"]
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
        send = partial(town.call, "PUT", path, body, key=KEY)
        found = crashes(town.world, send)
        town.world.deliver()
        expected = self.of(town, *ids)
        assert expected[dan]["profile"]["id"] == people["ann"]
        assert expected[dan]["merges"] == [(dan, {"source": "custom", "reference": "7"})]
        for places in found:
            assert until_answered(town.world, send).status == 200
            town.world.deliver()
            assert self.of(town, *ids) == expected, places
            town.check_rows()

    def of(self, town: Town, *ids: str) -> dict[str, Any]:
        """What is told, but for what a change made anew has of its own."""
        found = told(town, *ids)
        for each in ids:
            rows = found[each]["consent"]["items"]
            found[each]["consent"] = [(row["address"], row["state"]) for row in rows]
        return found


class TestWorker:
    """Whatever becomes of a run, the next one goes on, and nobody sees a difference."""

    @in_shards(2)
    def test_killed_anywhere_and_twice(
        self, town: Town, people: dict[str, str], shard: Shard
    ) -> None:
        ids = [people[name] for name in ("ann", "bob", "cat")]
        assert town.merge(people["ann"], people["bob"]).status == 200
        expected, work = told(town, *ids), partial(town.run_merge, people["ann"])
        found = crashes(town.world, work, deliver=False)
        assert len(found.places) > 30
        for places in found.shard(shard):
            assert told(town, *ids) == expected, places
            work()
            assert told(town, *ids) == expected, places
            town.check_rows()
        held = [row.serialize() for row in town.world.rows(town.workspace.key)]
        work()
        assert [row.serialize() for row in town.world.rows(town.workspace.key)] == held

    @in_shards(4)
    def test_another_merge_on_top(self, town: Town, people: dict[str, str], shard: Shard) -> None:
        """Wherever the first run ends, the survivor becomes a part of somebody else."""
        dan = town.upsert(phone="+14155550199")["id"]
        ids = [dan, *(people[name] for name in ("ann", "bob", "cat"))]
        assert town.merge(people["ann"], people["bob"]).status == 200
        found = crashes(town.world, partial(town.run_merge, people["ann"]), deliver=False)
        undisturbed = found.shard(Shard(0, len(found.found)))
        next(undisturbed)  # before the run's first call
        assert town.merge(dan, people["ann"]).status == 200
        expected = told(town, *ids)
        for places in found.shard(shard):
            assert town.merge(dan, people["ann"]).status == 200
            assert told(town, *ids) == expected, places
            town.run_merge(people["bob"])
            assert told(town, *ids) == expected, places
            town.check_rows()
            for each in ids:
                town.run_merge(each)
            assert told(town, *ids) == expected, places
