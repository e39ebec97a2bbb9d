"""What reading a request may cost: linear time, little memory, and a problem in any case."""

import json
import tracemalloc
from collections.abc import Iterator

import pytest

from storepost.api.http import app
from storepost.values.json_reading import MAX_DEPTH
from storepost.values.problems import MAX_ERRORS, FieldError, ValidationFailed
from tests.growth import assert_linear
from tests.harness.world import Answer, Someone, World

pytestmark = pytest.mark.usefixtures("workspace")


def wide(count: int) -> bytes:
    """An object of so many unknown fields."""
    return b"{" + b",".join(b'"%x":0' % number for number in range(count)) + b"}"


def deep(levels: int) -> bytes:
    """A locale with so many levels, the body's own among them."""
    return b'{"code":"de","label":' + b"[" * (levels - 1) + b"]" * (levels - 1) + b"}"


class TestErrors:
    """At most 50 errors are named, in linear time."""

    def test_first_fifty_errors_are_reported(self, world: World) -> None:
        answer = world.call("POST", "/auth/sign-in", body=wide(98))
        assert answer.error_paths() == ["/email", "/password", *(f"/{n:x}" for n in range(48))]

    def test_object_with_more_than_100_fields_is_refused(self, world: World) -> None:
        answer = world.call("POST", "/auth/sign-in", body=wide(101))
        assert answer.error_paths() == [""]
        assert "100 fields" in answer.json["errors"][0]["message"]

    def test_validation_problem_has_at_most_fifty_errors(self) -> None:
        def errors() -> Iterator[FieldError]:
            for number in range(MAX_ERRORS + 1):
                assert number < MAX_ERRORS, "nobody asks for more"
                yield FieldError(f"/{number}", "No")

        assert len(ValidationFailed(errors=errors()).errors) == MAX_ERRORS

    @pytest.mark.parametrize("path", ["/auth/sign-in", "/events/bulk"])
    def test_unknown_fields_take_linear_time_and_little_memory(
        self, owner: Someone, path: str
    ) -> None:
        def refuse(count: int) -> None:
            assert owner.call("POST", path, body=wide(count)).status == 422

        assert_linear(refuse, 6_250)
        tracemalloc.start()
        try:
            refuse(100_000)
            assert tracemalloc.get_traced_memory()[1] < 64 * 1024**2
        finally:
            tracemalloc.stop()


WIDE = [
    ("PUT", "/stores/{store}/orders/1", "total"),
    ("PUT", "/stores/{store}/products/1", "customFields"),
    ("POST", "/stores/{store}/product-priority/changes", "fields"),
    ("POST", "/feeds", "mapping"),
]


@pytest.mark.parametrize(("method", "path", "field"), WIDE, ids=[field for *_, field in WIDE])
def test_wide_object_in_a_field_is_a_single_error(
    owner: Someone, method: str, path: str, field: str
) -> None:
    """No error is made for each of its names: that would take sixty times their size."""
    path = path.format(store="0198c5c0-0000-7000-8000-000000000000")
    body = b'{"%s":%s}' % (field.encode(), wide(60_000))
    tracemalloc.start()
    try:
        answer = owner.call(method, path, body=body)
        assert tracemalloc.get_traced_memory()[1] < 32 * 1024**2
    finally:
        tracemalloc.stop()
    assert answer.status == 422
    assert [each for each in answer.error_paths() if f"{each}/".startswith(f"/{field}/")] == [
        f"/{field}"
    ]


class TestDepth:
    """At most 100 levels, in a body of any operation."""

    def test_100_levels_are_parsed(self, owner: Someone) -> None:
        assert owner.call("POST", "/locales", body=deep(MAX_DEPTH)).error_paths() == ["/label"]

    def test_more_than_100_levels_are_refused(self, owner: Someone) -> None:
        answer = owner.call("POST", "/locales", body=deep(MAX_DEPTH + 1))
        assert answer.problem() == (400, "malformed_request")
        assert answer.json["detail"] == "Send JSON of at most 100 levels."


class TestParsers:
    """Any error of a parser or a validator becomes a problem of the request."""

    @pytest.mark.parametrize("digits", [20, 309, 400, 4299, 5000])
    @pytest.mark.parametrize("sign", ["", "-"])
    def test_number_instead_of_a_time(self, owner: Someone, digits: int, sign: str) -> None:
        body = (
            f'{{"name":"x","profile":{{"email":"ann@example.com"}},"properties":{{}},'
            f'"occurredAt":{sign}{"9" * digits}}}'
        )
        answer = owner.call("POST", "/events", body=body.encode())
        if digits > 4300:
            assert answer.problem() == (400, "malformed_request")
        else:
            assert answer.error_paths() == ["/occurredAt"]

    @pytest.mark.parametrize(
        "name", ["(" * 500, '"' + "(" * 500 + '"', "x" * 100_000, '"' * 501, "\\" * 500]
    )
    def test_hostile_form_field_names(self, world: World, name: str) -> None:
        body = f"--b\r\nContent-Disposition: form-data; name={name}\r\n\r\nx\r\n--b--\r\n"
        answer = world.call(
            "POST",
            "/unsubscribe/nobody",
            body=body.encode(),
            headers={"content-type": "multipart/form-data; boundary=b"},
        )
        assert answer.status < 500
        assert answer.problem()

    @pytest.mark.parametrize(
        "content_type",
        [
            "multipart/form-data; boundary*=b; boundary*1=c",
            f"multipart/form-data; boundary*{'9' * 5_000}=b",
            "multipart/form-data; boundary=b",
        ],
    )
    def test_hostile_form_parameters_are_no_unexpected_error(
        self, world: World, content_type: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Strangers can send any form: an error in the log would alert the operator."""
        body = b"--b\r\nContent-Disposition: form-data; name*=x; name*1=y\r\n\r\nz\r\n--b--\r\n"
        answer = world.call(
            "POST", "/unsubscribe/nobody", body=body, headers={"content-type": content_type}
        )
        assert answer.problem() == (422, "validation")
        assert [r.message for r in caplog.records if r.levelname == "ERROR"] == []

    @pytest.mark.parametrize("error", [OverflowError, RecursionError, LookupError, TypeError])
    def test_unexpected_parser_error_is_a_malformed_request(
        self,
        world: World,
        owner: Someone,
        error: type[Exception],
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        """The answer blames the request; the log says that the error is unexpected."""

        def fail(*_arguments: object, **_more: object) -> None:
            raise error

        monkeypatch.setattr(app, "read_json", fail)
        assert self._locale(world, owner).problem() == (400, "malformed_request")
        assert [r.message for r in caplog.records if r.levelname == "ERROR"] == ["unexpected error"]

    def test_error_in_service_code_is_an_internal_error(
        self, world: World, owner: Someone, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_arguments: object) -> None:
            raise OverflowError

        monkeypatch.setattr("storepost.stores.locales.service.add_locale", fail)
        assert self._locale(world, owner).problem() == (500, "internal")

    @staticmethod
    def _locale(world: World, owner: Someone) -> Answer:
        body = json.dumps({"code": "de"}).encode()
        return owner.call("POST", "/locales", body=body)
