"""The watches that run with every test: logs, and answers against their description."""

import logging
from collections.abc import Iterator
from typing import ClassVar

import pytest
from aws_lambda_powertools import Logger

from storepost.values.logs import log_unexpected, logger
from tests import conftest
from tests.harness.coverage import ResumePoint, unreached
from tests.harness.described import DescribedAnswers
from tests.harness.log_watch import LogWatch
from tests.harness.world import CANARY

TOKEN = "sts_" + "a1" * 20
BROWSER = "stb_" + "a-" * 20


@pytest.fixture
def findings() -> Iterator[list[str]]:
    """The findings of the suite's own watch, removed before they fail the test."""
    yield conftest.log_watch.findings
    conftest.log_watch.findings.clear()


class TestLogWatch:
    """No canary, no token."""

    @pytest.mark.parametrize(
        "secret", [f"ann.{CANARY}@example.com", CANARY.upper(), TOKEN, BROWSER]
    )
    def test_personal_data_or_token_is_found_in_any_part_of_a_log_line(
        self, findings: list[str], secret: str
    ) -> None:
        plain = logging.getLogger("botocore.something")
        logger.error(secret)
        logger.error("it", extra={"who": {"name": secret}})
        plain.error("it: %s", secret)
        try:
            raise ValueError(secret)
        except ValueError:
            plain.exception("it")
        assert len(findings) == 4
        assert not any(secret in finding for finding in findings if secret in {TOKEN, BROWSER})

    def test_appended_logger_keys_are_checked(self, findings: list[str]) -> None:
        keyed = Logger(service="keyed")
        keyed.append_keys(caller=TOKEN)
        keyed.info("it")
        assert len(findings) == 1

    def test_clean_log_lines_pass(self) -> None:
        logger.info("request", extra={"operation": "members.list", "status": 200})
        try:
            raise ValueError(TOKEN)
        except ValueError as error:
            log_unexpected(error)
        assert conftest.log_watch.findings == []

    def test_disabled_log_level_is_not_checked(self) -> None:
        quiet = logging.getLogger("quiet")
        quiet.setLevel(logging.WARNING)
        quiet.debug(TOKEN)
        assert conftest.log_watch.findings == []

    def test_starts_without_findings(self) -> None:
        assert LogWatch().findings == []


class TestDescribedAnswers:
    """An answer that the description lacks is found."""

    @pytest.mark.parametrize(
        ("status", "code", "undescribed"),
        [
            (200, None, []),
            (204, None, ["invitations.preview: 204"]),
            (404, "not_found", []),
            (404, "gone", ["invitations.preview: 404 gone"]),
            (409, "already_member", ["invitations.preview: 409 already_member"]),
            (405, "method_not_allowed", []),
        ],
    )
    def test_undescribed_status_or_code_is_found(
        self, status: int, code: str | None, undescribed: list[str]
    ) -> None:
        watch = DescribedAnswers()
        event = {
            "rawPath": "/v1/invitations/7/preview",
            "requestContext": {"http": {"method": "GET"}},
        }
        kind = "application/problem+json" if code else "application/json"
        body = f'{{"code": "{code}"}}' if code else ""
        watch.look_at(
            event, {"statusCode": status, "headers": {"Content-Type": kind}, "body": body}
        )
        assert watch.undescribed == undescribed


class TestUnreachedAnswers:
    """What no test reached is reported, once all tests ran."""

    PROBLEM: ClassVar[dict[str, str]] = {"Content-Type": "application/problem+json"}

    def keep(self, watch: ResumePoint, method: str, path: str, status: int, code: str = "") -> None:
        event = {"rawPath": path, "requestContext": {"http": {"method": method}}}
        body = {"headers": self.PROBLEM, "body": f'{{"code": "{code}"}}'} if code else {}
        watch.keep(event, {"statusCode": status, **body})

    def test_no_answers_report_every_described_one(self) -> None:
        lacking = unreached(set())
        assert {
            "404 not_found: by no operation",
            "405 method_not_allowed: by no operation",
            "401 credentials_invalid: by no operation",
            "422 password_wrong: by no operation",
            "me.get: 200",
            "me.get: 401",
            "openapi.get: 304",
            "locales.create: 201",
            "locales.create: 422",
            "locales.delete: 204",
            "members.leave: 422",
        } <= set(lacking)
        assert len(lacking) == len(set(lacking))
        # Nobody signs in for it; nothing of it can be wrong; no operation says just that.
        never = {
            "auth.signIn: 401",
            "me.get: 422",
            "docs.get: 422",
            "403 forbidden: by no operation",
        }
        assert not never & set(lacking)

    def test_each_answer_is_removed_from_the_report(self) -> None:
        watch, before = ResumePoint(), set(unreached(set()))
        self.keep(watch, "DELETE", "/v1/locales/7", 204)
        assert before - set(unreached(watch.answers)) == {"locales.delete: 204"}
        self.keep(watch, "GET", "/v1/workspaces/available-slug", 401, "unauthenticated")
        self.keep(watch, "GET", "/v1/nowhere", 404, "not_found")
        assert before - set(unreached(watch.answers)) == {
            "locales.delete: 204",
            "workspaces.availableSlug: 401",
            "401 unauthenticated: by no operation",
            "404 not_found: by no operation",
        }
