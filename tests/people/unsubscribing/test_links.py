"""POST /profiles/{id}/unsubscribe-links: making a link."""

from typing import Any

import pytest

from tests.harness.world import BASE_URL, CANARY
from tests.people.matching.scenario import ANN, BOB, PHONE, Scenario
from tests.people.unsubscribing.following import opened, subscriber

LONGEST = f"{'l' * 64}@{'.'.join(['d' * 62] * 3)}.com"
"""An address of 64 + 1 + 192 characters; 254 is the most that there may be."""


class TestCreate:
    """POST /profiles/{id}/unsubscribe-links."""

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({"reference": ""}, ["/reference"]),
            ({"reference": " "}, ["/reference"]),
            ({"reference": "r" * 201}, ["/reference"]),
            ({"reference": "€" * 101}, ["/reference"]),
            ({"reference": 7}, ["/reference"]),
            ({"email": ANN}, ["/email"]),
            ([], [""]),
        ],
    )
    def test_bad_input(self, scenario: Scenario, body: object, paths: list[str]) -> None:
        made = scenario.upsert(email=ANN)
        answer = scenario.call("POST", f"/profiles/{made['id']}/unsubscribe-links", body)
        assert answer.error_paths() == paths

    def test_profile_without_email_is_refused(self, scenario: Scenario) -> None:
        made = scenario.upsert(phone=PHONE)
        answer = scenario.call("POST", f"/profiles/{made['id']}/unsubscribe-links")
        assert answer.problem() == (409, "no_email")

    @pytest.mark.parametrize("body", [None, {}, {"reference": None}, {"reference": "c-1"}])
    def test_link_is_created_without_new_rows(self, scenario: Scenario, body: object) -> None:
        made = scenario.upsert(email=ANN)
        before = {row.pk for row in scenario.world.rows()}
        answer = scenario.call("POST", f"/profiles/{made['id']}/unsubscribe-links", body)
        assert (answer.status, set(answer.json)) == (201, {"url"})
        assert answer.json["url"].startswith(f"{BASE_URL}/unsubscribe/")
        assert opened(scenario, answer.json["url"].removeprefix(BASE_URL)).status == 200
        assert {row.pk for row in scenario.world.rows()} == before

    def test_same_reference_gives_same_link(self, scenario: Scenario) -> None:
        reader = subscriber(scenario)
        first, other = reader.link(reference="c-1"), reader.link(reference="c-2")
        assert first != other
        assert reader.link(reference="c-1") == first
        assert subscriber(Scenario(scenario.world)).link(reference="c-1") != first

    def test_link_contains_no_personal_data(self, scenario: Scenario) -> None:
        path = subscriber(scenario).link(reference=f"{CANARY} news")
        assert CANARY not in path
        assert len(path.removeprefix("/unsubscribe/")) > 100

    def test_replay_with_other_token_cannot_open_sealed_response(self, scenario: Scenario) -> None:
        made = scenario.upsert(email=ANN)
        path = f"/profiles/{made['id']}/unsubscribe-links"
        scenario.call("POST", path, key="k")
        token, _ = scenario.world.sign_in(scenario.owner.id, scenario.workspace)
        answer = scenario.world.call("POST", path, token=token, key="k")
        assert answer.problem() == (409, "idempotency_secret_sealed")

    def test_merged_id_gives_link_of_survivor(self, scenario: Scenario) -> None:
        ann, bob = scenario.upsert(email=ANN), scenario.upsert(email=BOB)
        assert scenario.merge(ann["id"], bob["id"]).status == 200
        urls = [
            scenario.call("POST", f"/profiles/{each['id']}/unsubscribe-links").json["url"]
            for each in (ann, bob)
        ]
        assert urls[0] == urls[1]

    @pytest.mark.parametrize("reference", ["r" * 200, "é" * 150, "😀" * 75])
    def test_longest_link_fits_email_header_line(self, scenario: Scenario, reference: str) -> None:
        """998 bytes at most (RFC 5322, section 2.1.1), under a gateway's own long name."""
        longest = LONGEST[-254:]
        made: dict[str, Any] = scenario.upsert(email=longest)
        path = f"/profiles/{made['id']}/unsubscribe-links"
        url = scenario.call("POST", path, {"reference": reference}).json["url"]
        host = f"https://{'a' * 10}.execute-api.ap-southeast-2.amazonaws.com/v1"
        header = f"List-Unsubscribe: <{url.replace(BASE_URL, host)}>"
        assert len(header.encode()) <= 998
