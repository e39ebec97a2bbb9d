"""The pages: what each shows, and what its buttons do."""

import json
import re
import socket
from collections.abc import Iterator
from urllib.parse import urlencode

import boto3
import pytest

from local import aws
from local.aws.queue_contents import messages_in
from local.pages import PAGES
from local.pages.site import POLICY
from local.running import LocalRun
from storepost.accounts.identity.model import KeyScope
from storepost.values import clock
from tests.harness import pages
from tests.harness.world import Answer, World
from tests.local.conftest import Client, soon

EVERY_PAGE = ("/_local/", *(f"{PAGES}/{name}" for name in (
    "emails", "write-backs", "queues", "queues/EmailQueue", "queues/WriteBackQueue", "rows",
    "rows/person", "clock", "requests",
)))  # fmt: skip


MOMENT = r"\d{4}-\d\d-\d\dT[\d:.]+Z"


class Page(pages.Page):
    """A page of the local site."""

    def __init__(self, answer: Answer) -> None:
        """Reads the answer, once it is known to be a page."""
        assert answer.status == 200, answer.body
        assert answer.header("content-type") == "text/html; charset=utf-8"
        super().__init__(answer.body.decode())


def press(client: Client, path: str, **fields: object) -> Answer:
    """Sends a form as a browser does."""
    return client.call(
        "POST",
        path,
        body=urlencode(fields).encode(),
        headers={
            "content-type": "application/x-www-form-urlencoded",
            "origin": f"http://{client.host}",
        },
    )


def add_dead_letters(queue: str, *bodies: str) -> None:
    for body in bodies:
        boto3.client("sqs").send_message(QueueUrl=aws.queue_url(queue), MessageBody=body)


@pytest.fixture
def idle_client(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    """A client of a local run whose pumps don't run: messages stay in their queues."""
    monkeypatch.setenv("FEED_ALLOW_HOSTS", "")
    monkeypatch.setenv("SHOPIFY_STAND_IN", "")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        run = LocalRun(listening)
        run.serve()
        yield Client(run)
        run.stop()


def test_email_shows_ses_events(idle_client: Client, world: World) -> None:
    """SES's mailbox simulator sends the event at once; the worker reads it from the queue."""
    body = {"name": "Canary", "email": "ooto@simulator.amazonses.com", "password": "long canary pw"}
    assert idle_client.call("POST", "/v1/auth/sign-up", json_body=body).status == 202
    world.deliver()
    page = Page(idle_client.call("GET", f"{PAGES}/emails"))
    assert "SES says: Delivery, then Bounce Transient General" in page.text
    [email] = world.emails()
    assert email.events == ["Delivery", "Bounce Transient General"]
    assert world.queue_depth("SesFeedbackQueue") == 0


@pytest.mark.parametrize("path", EVERY_PAGE)
class TestEveryPage:
    def test_loads_only_local_style_and_script(self, idle_client: Client, path: str) -> None:
        answer = idle_client.call("GET", path)
        page = Page(answer)
        assert answer.header("content-security-policy") == POLICY
        assert answer.header("cache-control") == "no-store"
        for _, attributes in page.tags:
            assert "style" not in attributes
            assert not any(name.startswith("on") for name in attributes)
        fetched = [a["src"] for a in page.all("script")] + [a["href"] for a in page.all("link")]
        assert {str(each) for each in fetched} == {
            "data:,", f"{PAGES}/static/style.css", f"{PAGES}/static/live.js",
        }  # fmt: skip

    def test_is_accessible(self, idle_client: Client, path: str) -> None:
        page = Page(idle_client.call("GET", path))
        assert [a.get("lang") for a in page.all("html")] == ["en"]
        assert len(page.all("h1")) == len(page.all("main")) == 1
        assert page.all("a")[0]["href"] == "#main"
        assert sum("aria-current" in a for a in page.all("a")) == 1
        ids = [a["id"] for _, a in page.tags if "id" in a]
        assert len(ids) == len(set(ids))
        named = {a["for"] for a in page.all("label")}
        assert {a["id"] for a in [*page.all("input"), *page.all("select")]} <= named
        for a in page.tags:
            if a[0] == "div" and a[1].get("class") == "scroll":
                assert a[1]["tabindex"] == "0"
                assert a[1]["aria-label"]

    def test_every_link_works(self, idle_client: Client, path: str) -> None:
        page = Page(idle_client.call("GET", path))
        for a in page.all("a"):
            if str(a["href"]).startswith("/"):
                assert idle_client.call("GET", str(a["href"])).status == 200


class TestStatic:
    @pytest.mark.parametrize(("name", "kind"), [("style.css", "css"), ("live.js", "javascript")])
    def test_style_and_script(self, idle_client: Client, name: str, kind: str) -> None:
        answer = idle_client.call("GET", f"{PAGES}/static/{name}")
        assert answer.status == 200
        assert answer.header("content-type") == f"text/{kind}; charset=utf-8"

    @pytest.mark.parametrize("name", ["base.html", "..%2Fsite.py", "x.js"])
    def test_other_files_are_404(self, idle_client: Client, name: str) -> None:
        assert idle_client.call("GET", f"{PAGES}/static/{name}").status == 404


class TestQueues:
    PATH = f"{PAGES}/queues/EmailQueue"

    def test_dead_letters_are_listed_without_being_received(self, idle_client: Client) -> None:
        add_dead_letters("EmailDeadLetters", '{"id":  "<b>1</b>"}', "no JSON")
        for _ in range(2):
            page = Page(idle_client.call("GET", self.PATH))
            assert "Dead letters: 2" in page.text
            assert '"id": "<b>1</b>"' in page.text
            assert "received 0 times" in page.text
        assert "email_sender" in page.text

    def test_one_dead_letter_is_sent_again(self, idle_client: Client) -> None:
        add_dead_letters("EmailDeadLetters", "first", "second")
        first, second = messages_in("EmailDeadLetters")
        answer = press(idle_client, f"{self.PATH}/dead-letters/{first.id}")
        assert (answer.status, answer.header("location")) == (303, self.PATH)
        assert [m.body for m in messages_in("EmailQueue")] == ["first"]
        assert [m.id for m in messages_in("EmailDeadLetters")] == [second.id]
        # Pressed twice, it sends the message once.
        assert press(idle_client, f"{self.PATH}/dead-letters/{first.id}").status == 303
        assert len(messages_in("EmailQueue")) == 1

    def test_all_dead_letters_are_sent_again(self, idle_client: Client) -> None:
        add_dead_letters("EmailDeadLetters", "first", "second")
        assert press(idle_client, f"{self.PATH}/dead-letters").status == 303
        assert [m.body for m in messages_in("EmailQueue")] == ["first", "second"]
        assert messages_in("EmailDeadLetters") == []

    def test_redriven_message_reaches_the_worker(self, client: Client) -> None:
        """The message fails in its worker, so it is seen in the queue before the next try."""
        empty = {"waiting": 0, "inFlight": 0, "deadLetters": 0}
        add_dead_letters("StreamDeadLetters", "no JSON")
        press(client, f"{PAGES}/queues/SearchRepairQueue/dead-letters")
        soon(lambda: client.get("/_local/queues")["SearchRepairQueue"] != empty)

    @pytest.mark.parametrize("name", ["EmailDeadLetters", "Nothing"])
    def test_unknown_queue_is_404(self, idle_client: Client, name: str) -> None:
        for method, path in (("GET", ""), ("POST", "/dead-letters"), ("POST", "/dead-letters/x")):
            assert idle_client.call(method, f"{PAGES}/queues/{name}{path}").status == 404


class TestRows:
    def test_row_kinds_are_listed_with_counts(self, idle_client: Client, world: World) -> None:
        for _ in range(3):
            world.person()
        text = Page(idle_client.call("GET", f"{PAGES}/rows")).text
        assert re.search(r"\bperson 3\b", text)

    def test_rows_of_a_kind_are_filtered_by_key_prefix(
        self, idle_client: Client, world: World
    ) -> None:
        one, other = world.person(), world.person()
        (row,) = [r for r in world.rows("person#") if one.id == getattr(r, "id", None)]
        both = Page(idle_client.call("GET", f"{PAGES}/rows/person")).text
        assert one.email in both
        assert other.email in both
        page = idle_client.call("GET", f"{PAGES}/rows/person?{urlencode({'pk': row.pk})}")
        assert one.email in Page(page).text
        assert other.email not in Page(page).text


class TestClock:
    def test_moves_forward(self, idle_client: Client) -> None:
        before = clock.offset()
        answer = press(idle_client, f"{PAGES}/clock", amount=2, unit="hours")
        assert (answer.status, answer.header("location")) == (303, f"{PAGES}/clock")
        assert (clock.offset() - before).total_seconds() == 7200
        assert "2:00:00 ahead" in Page(idle_client.call("GET", f"{PAGES}/clock")).text

    @pytest.mark.parametrize(
        "fields",
        [{}, {"amount": 1}, {"amount": 0, "unit": "days"}, {"amount": -1, "unit": "days"},
         {"amount": 3651, "unit": "days"}, {"amount": "1.5", "unit": "days"},
         {"amount": 1, "unit": "years"}],
    )  # fmt: skip
    def test_invalid_amount_or_unit_is_refused(
        self, idle_client: Client, fields: dict[str, object]
    ) -> None:
        before = clock.offset()
        assert press(idle_client, f"{PAGES}/clock", **fields).status == 422
        assert clock.offset() == before

    def test_schedule_is_run_and_its_result_shown(self, idle_client: Client) -> None:
        assert press(idle_client, f"{PAGES}/schedules/outbox_sweep").status == 303
        assert '{"sent": 0} at ' in Page(idle_client.call("GET", f"{PAGES}/clock")).text
        assert press(idle_client, f"{PAGES}/schedules/outbox_relay").status == 404


class TestRequests:
    def test_requests_are_listed_with_status_and_problem(
        self, idle_client: Client, world: World
    ) -> None:
        owner = world.person()
        key = world.api_key(world.workspace(owner), KeyScope.WRITE, owner)
        (error,) = idle_client.call("GET", "/v1/orders?pageSize=7", token=key).json["errors"]
        answer = idle_client.call("GET", "/v1/weather")
        text = Page(idle_client.call("GET", f"{PAGES}/requests")).text
        newest, older = re.findall(r"GET (/v1/\S+) ", text)
        assert (newest, older) == ("/v1/weather", "/v1/orders?pageSize=7")
        assert str(answer.header("request-id")) in text
        assert f"query.pageSize {error['message']}" in text
        assert "422" in text
        assert "not_found" in text
        assert key not in text

    def test_head_request_is_listed_with_the_api_status(self, idle_client: Client) -> None:
        """The answer to `HEAD` is a problem without a body."""
        assert idle_client.call("HEAD", "/v1/weather").status == 404
        text = Page(idle_client.call("GET", f"{PAGES}/requests")).text
        assert re.search(r"HEAD /v1/weather \S+ 404", text)

    def test_requests_to_local_pages_are_not_listed(self, idle_client: Client) -> None:
        idle_client.call("GET", "/_local/emails")
        assert idle_client.run is not None
        assert "None yet." in Page(idle_client.call("GET", f"{PAGES}/requests")).text


class TestWriteBacks:
    """A change of consent that is sent to the pretend store."""

    @pytest.fixture
    def write_back(self, client: Client, world: World) -> dict[str, str]:
        """Writes a change back to a store with the pretend store's address: headers and body."""
        self.change_consent(client, world, client.run.write_back_url)
        (received,) = soon(lambda: client.get("/_local/write-backs"))
        return {**received["headers"], "body": received["body"]}

    def change_consent(self, client: Client, world: World, address: str) -> str:
        """The id of a change that is written back to a store with this address."""
        owner = world.person()
        key = world.api_key(world.workspace(owner), KeyScope.WRITE, owner)
        store = world.store(owner)
        url = {"url": address}
        client.call("PUT", f"/v1/stores/{store}/write-back", token=key, json_body=url)
        moment = {"externalCreatedAt": "2026-01-01T00:00:00Z"}
        customer = {
            **moment, "externalUpdatedAt": moment["externalCreatedAt"],
            "email": "ann.canary@example.com", "emailMarketingConsent": "subscribed",
        }  # fmt: skip
        path = f"/v1/stores/{store}/customers/c-1"
        assert client.call("PUT", path, token=key, json_body=customer).status == 201
        found = client.call("GET", "/v1/profiles", token=key).json["items"][0]["id"]
        answer = client.call(
            "PUT", f"/v1/profiles/{found}/consent/email", token=key,
            json_body={"state": "unsubscribed"},
        )  # fmt: skip
        assert answer.status == 200, answer.body
        return str(answer.json["id"])

    def shown(self, client: Client, row: str) -> bool:
        """Whether the page shows such a row before a timeout."""

        def look() -> str:
            return Page(client.call("GET", f"{PAGES}/write-backs")).text

        return soon(lambda: re.search(row, look()) is not None)

    def test_attempts_and_the_next_one_are_listed(self, client: Client, world: World) -> None:
        change = self.change_consent(client, world, f"{client.run.webhook_url}?answer=503")
        attempt = rf"{MOMENT}: The store answered with status 503\. \(\d+ ms\)"
        row = rf"{change} [0-9a-f-]+ email: unsubscribed pending {attempt} {MOMENT}"
        assert self.shown(client, row)

    def test_delivered_write_back_is_shown_as_written(
        self, client: Client, write_back: dict[str, str]
    ) -> None:
        change = write_back["webhook-id"].partition(".")[0]
        row = rf"{change} [0-9a-f-]+ email: unsubscribed written {MOMENT}: 204 \(\d+ ms\)"
        assert self.shown(client, row)

    def test_body_and_valid_signature_are_shown(
        self, client: Client, write_back: dict[str, str]
    ) -> None:
        text = Page(client.call("GET", f"{PAGES}/write-backs")).text
        assert "The signature is right." in text
        assert json.dumps(json.loads(write_back["body"])["data"]["address"]) in text

    @pytest.mark.parametrize(
        ("change", "verdict"),
        [
            ({"body": '{"state":"subscribed"}'}, "The signature is wrong"),
            ({"webhook-timestamp": "1"}, "The signature is wrong"),
            ({"webhook-signature": "v1,AAAA"}, "The signature is wrong"),
            ({"webhook-signature": ""}, "t signed."),
            ({"webhook-id": "c.00000000-0000-7000-8000-000000000000"}, "No store has this"),
            ({"webhook-id": "nothing"}, "No store has this"),
        ],
    )
    def test_invalid_signature_or_unknown_id_is_flagged(
        self, client: Client, write_back: dict[str, str], change: dict[str, str], verdict: str
    ) -> None:
        sent = {**write_back, **change}
        names = ("webhook-id", "webhook-timestamp", "webhook-signature")
        client.call(
            "POST", "/_local/store/write-backs", body=sent["body"].encode(),
            headers={name: sent[name] for name in names if sent[name]},
        )  # fmt: skip
        newest = Page(client.call("GET", f"{PAGES}/write-backs")).text
        assert verdict in newest.split("The signature is right.")[0]
