"""A write-back as it is sent: of the described shape, and verified by the guide's code."""

import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from local.template import ROOT
from storepost.api.reference.documents import interface
from storepost.platform.attempts.posting import TIMEOUT_SECONDS
from storepost.platform.attempts.waits import WAITS
from tests.docs.conftest import Listener
from tests.docs.guide_requests import Reader

GUIDES = ROOT / "docs" / "guides"
GUIDE = GUIDES / "write-backs.md"
WORDS = {7: "seven", 10: "ten"}

type Receive = Callable[[str, dict[str, str], bytes], int]


@pytest.fixture
def secret(reader: Reader) -> str:
    """The secret of a reader's store, whose customer Ada is subscribed."""
    reader.send_requests(GUIDES / "quick-start.md")
    reader.send_requests(GUIDE)
    rotated = reader.world.call(
        "POST",
        f"/stores/{reader.variables['STORE_ID']}/write-back/rotate",
        token=reader.variables["STOREPOST_KEY"],
    )
    return str(rotated.json["secret"])


@pytest.fixture
def sent(reader: Reader, secret: str, listener: Listener) -> tuple[dict[str, str], bytes]:
    """What the store is sent when Ada presses the button."""
    token = reader.variables["STOREPOST_KEY"]
    links = f"/profiles/{reader.variables['PROFILE_ID']}/unsubscribe-links"
    url = reader.world.call("POST", links, token=token).json["url"]
    answer = reader.world.call(
        "POST",
        url.partition("/v1")[2],
        body=b"List-Unsubscribe=One-Click",
        headers={"content-type": "application/x-www-form-urlencoded"},
    )
    assert answer.status == 200
    reader.world.deliver()
    [one] = listener.received
    return one


@pytest.fixture
def receive() -> Receive:
    """The guide's function in Python."""
    [code] = re.findall(r"^```python\n(.*?)^```$", GUIDE.read_text("utf-8"), re.M | re.S)
    names: dict[str, Any] = {}
    exec(code, names)
    made: Receive = names["receive"]
    return made


def described() -> dict[str, Any]:
    """The description of the write-back."""
    found: dict[str, Any] = interface()["webhooks"]["writeBack"]["post"]
    return found


def errors(body: object) -> list[str]:
    """What of the body isn't of the described shape; formats count."""
    content = described()["requestBody"]["content"]["application/json"]
    schema = {**content["schema"], "components": interface()["components"]}
    checker = Draft202012Validator.FORMAT_CHECKER
    validator = Draft202012Validator(schema, format_checker=checker)
    return [error.message for error in validator.iter_errors(body)]


def test_sent_message_matches_the_schema(sent: tuple[dict[str, str], bytes]) -> None:
    headers, body = sent
    message = json.loads(body)
    assert errors(message) == []
    assert message["data"]["state"] == "unsubscribed"
    assert message["data"]["customers"] == [{"externalId": "1001"}]
    named = {each["name"] for each in described()["parameters"]}
    assert headers.keys() == {*named, "content-type"}


def test_body_that_violates_the_schema_is_detected(sent: tuple[dict[str, str], bytes]) -> None:
    message = json.loads(sent[1])
    message["data"]["customers"] = [{"externalId": 1001}]
    assert errors(message)
    del message["data"]
    assert errors(message)


def test_example_matches_the_schema() -> None:
    assert errors(described()["requestBody"]["content"]["application/json"]["example"]) == []


def test_python_example_accepts_only_valid_signatures(
    receive: Receive,
    sent: tuple[dict[str, str], bytes],
    secret: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    headers, body = sent
    assert receive(secret, headers, body) == 204
    assert capsys.readouterr().out == "1001 email unsubscribed\n"
    for wrong in (
        (secret, headers, body.replace(b"unsubscribed", b"subscribed")),
        ("whsec_" + "a" * 32, headers, body),
        (secret, {**headers, "webhook-timestamp": "1"}, body),
        (secret, {**headers, "webhook-signature": "v1"}, body),
        (secret, {**headers, "webhook-signature": "v1,é"}, body),
        (secret, {}, body),
        (secret, headers, b"\xff"),
    ):
        assert receive(*wrong) == 401
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("text", [GUIDE.read_text("utf-8"), described()["description"]])
def test_timeout_and_attempts_equal_the_constants(text: str) -> None:
    plain = " ".join(text.split())
    assert f"within {TIMEOUT_SECONDS:.0f} seconds" in plain
    attempts = len(WAITS) + 1
    assert f"{attempts} attempts" in plain or f"{WORDS[attempts]} attempts" in plain
    assert re.search(r"within about (3|three) days", plain)
    assert timedelta(days=3) < sum(WAITS, start=timedelta()) < timedelta(days=3.5)
