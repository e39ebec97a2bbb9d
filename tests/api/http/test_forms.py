"""Forms as requests send them, in both encodings."""

from typing import Any
from urllib.parse import parse_qsl

from aws_lambda_powertools.utilities.data_classes import APIGatewayProxyEventV2
from hypothesis import example, given
from hypothesis import strategies as st

from local import gateway
from storepost.api.http.forms import FORM, read_form

NAMES = st.text("abcdefghijklmnopqrstuvwxyzABC-_0123456789", min_size=1, max_size=20)
VALUES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=50)


def read(body: bytes, kind: str) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """The event after its form was read, and the fields that it says now."""
    event = gateway.http_event("POST", "/v1/x", headers={"content-type": kind}, body=body)
    read_form(APIGatewayProxyEventV2(event))
    return event, parse_qsl(event.get("body") or "", keep_blank_values=True)


class TestMultipart:
    """multipart/form-data."""

    @given(st.lists(st.tuples(NAMES, VALUES), max_size=5), st.booleans())
    def test_fields_are_read_in_order(self, fields: list[tuple[str, str]], preamble: bool) -> None:
        body = b"ignore me\r\n" if preamble else b""
        for name, value in fields:
            head = f'--bound\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'
            body += head.encode() + value.encode() + b"\r\n"
        event, parts = read(body + b"--bound--\r\n", 'multipart/form-data; boundary="bound"')
        assert parts == fields
        assert (event["headers"]["content-type"], event["isBase64Encoded"]) == (FORM, False)

    @given(
        st.binary(max_size=200),
        st.sampled_from(["", "; boundary=b", "; boundary=", '; boundary="', "; charset=x"]),
    )
    @example(
        b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\xff\r\n--b--', "; boundary=b"
    )
    @example(
        b"--b\r\nContent-Type: multipart/mixed; boundary=c\r\n"
        b'Content-Disposition: form-data; name="a"\r\n\r\n--c\r\n\r\nx\r\n--c--\r\n--b--',
        "; boundary=b",
    )
    @example(
        b"--b\r\nContent-Disposition: form-data; name*=utf-8''a\r\n\r\nx\r\n--b--", "; boundary=b"
    )
    @example(b'--b\r\nContent-Disposition: form-data; name="' + b"(" * 500, "; boundary=b")
    @example(b"--b\r\nContent-Disposition: form-data; name=" + b"(" * 500, "; boundary=b")
    @example(b"--b\r\nContent-Disposition: form-data; name*99999999*=x\r\n\r\n", "; boundary=b")
    @example(b"--b\r\nContent-Disposition: form-data; name*=x; name*1=y\r\n\r\n", "; boundary=b")
    @example(b"--b\r\n", "; boundary*=b; boundary*1=c")
    @example(b"--b\r\n" + b"\r\n".join([b"a:b"] * 500), "; boundary=b")
    @example(b"--b" * 500, "; boundary=b")
    @example(b"--b\r\nContent-Disposition: form-data; name=\xff\r\n\r\nx", "; boundary=b")
    def test_arbitrary_bytes_are_read_or_refused(self, body: bytes, parameter: str) -> None:
        try:
            event, _ = read(body, f"multipart/form-data{parameter}")
        except ValueError:
            return
        assert isinstance(event["body"], str)


class TestUrlencoded:
    """application/x-www-form-urlencoded."""

    @given(st.binary(max_size=100))
    def test_utf_8_is_unchanged_and_other_bytes_are_refused(self, body: bytes) -> None:
        try:
            expected: str | None = body.decode()
        except UnicodeDecodeError:
            expected = None
        try:
            event, _ = read(body, f"{FORM}; charset=utf-8")
        except ValueError:
            assert expected is None
        else:
            assert event["body"] == expected
