"""The corpus: bodies, values within them, queries, headers and forms."""

import base64
import json
from collections.abc import Iterator

JSON = "application/json"
type Body = tuple[str, bytes]
"""A content type and a body."""


def _nested(opening: bytes, closing: bytes, levels: int, inner: bytes = b"") -> bytes:
    return opening * levels + inner + closing * levels


DOCUMENTS: dict[str, bytes] = {
    # depth
    "arrays, 100 levels": _nested(b"[", b"]", 100),
    "arrays, 101 levels": _nested(b"[", b"]", 101),
    "arrays, 20,000 levels": _nested(b"[", b"]", 20_000),
    "arrays that never close": b"[" * 50_000,
    "objects, 100 levels": _nested(b'{"a":', b"}", 100, b"1"),
    "objects, 101 levels": _nested(b'{"a":', b"}", 101, b"1"),
    "objects, 10,000 levels": _nested(b'{"a":', b"}", 10_000, b"1"),
    "objects that never close": b'{"a":' * 10_000,
    "both, 99 levels": _nested(b'[{"a":', b"}]", 49, b"[]"),
    "closing alone": b"]" * 1_000,
    "brackets in a string": b'{"a":"' + b"[{" * 5_000 + b'"}',
    "brackets behind an escape": b'{"a":"\\"' + b"[{" * 5_000 + b'"}',
    # width
    "many fields": b"{" + b",".join(b'"%x":0' % n for n in range(2_000)) + b"}",
    "one field many times": b"{" + b",".join([b'"a":0'] * 2_000) + b"}",
    "an empty name many times": b"{" + b",".join([b'"":0'] * 2_000) + b"}",
    "many elements": b"[" + b",".join([b"0"] * 5_000) + b"]",
    "many objects": b"[" + b",".join([b"{}"] * 2_000) + b"]",
    "a long name": b'{"' + b"k" * 50_000 + b'":1}',
    "a long text": b'"' + b"x" * 50_000 + b'"',
    "a text of escapes": b'"' + b"\\u0041" * 10_000 + b'"',
    "a text of quotes": b'"' + b'\\"' * 20_000 + b'"',
    "spaces": b" " * 50_000,
    "spaces around": b" " * 50_000 + b"{}" + b"\n" * 50_000,
    # syntax
    "nothing but a brace": b"{",
    "a comma too many": b'{"a":1,}',
    "two commas": b"[1,,2]",
    "no colon": b'{"a" 1}',
    "a name that is no text": b"{1:2}",
    "single quotes": b"{'a':1}",
    "a comment": b"/* x */ {}",
    "two documents": b"{} {}",
    "something behind": b"{}x",
    "a text that doesn't end": b'{"a":"',
    "an escape that doesn't end": b'{"a":"\\',
    "an escape of a code that doesn't end": b'{"a":"\\u12"}',
    "an unknown escape": b'{"a":"\\x41"}',
    "a line's end in a text": b'{"a":"\n"}',
    "a tab in a text": b'{"a":"\t"}',
    "zero in a text": b'{"a":"\x00"}',
    "zero instead": b"\x00",
    "zeros around": b"\x00{}\x00",
    "True": b"True",
    "undefined": b"undefined",
    "NaN": b"NaN",
    "Infinity": b'{"a":Infinity}',
    "-Infinity": b'{"a":-Infinity}',
    "nan": b'{"a":nan}',
    "a plus": b'{"a":+1}',
    "a zero before": b'{"a":01}',
    "a point before": b'{"a":.5}',
    "a point behind": b'{"a":5.}',
    "hexadecimal": b'{"a":0x10}',
    "an exponent without digits": b'{"a":1e}',
    "a minus alone": b'{"a":-}',
    # no object
    "null": b"null",
    "true": b"true",
    "a number": b"7",
    "a great number": b"9" * 4_000,
    "a number of too many digits": b"9" * 5_000,
    "many digits behind the point": b"0." + b"1" * 50_000,
    "a great exponent": b"1e999999999",
    "a small exponent": b"1e-999999999",
    "a text": b'"text"',
    "an array": b"[]",
    "an array with an object": b"[{}]",
    "an empty object": b"{}",
    # names
    "an empty name": b'{"":1}',
    "__proto__": b'{"__proto__":{"admin":true},"constructor":{"prototype":{}}}',
    "names of Python": b'{"__class__":{"__init__":1},"model_config":1,"model_fields_set":[]}',
    "a name with a slash": b'{"a/b":1,"~":2,"~1":3}',
    "a name of zero": b'{"\\u0000":1}',
    "half a pair as a name": b'{"\\ud800":1}',
    "half a pair as a text": b'{"a":"\\udfff"}',
    "a name of other letters": '{"ΑΒΓ":1,"\u202ename":2,"\U0001f600":3}'.encode(),
    "names that look alike": '{"n\u0430me":1,"\uff4eame":2,"na\u0301me":3}'.encode(),
    # encodings
    "a mark": b"\xef\xbb\xbf{}",
    "two marks": b"\xef\xbb\xbf\xef\xbb\xbf{}",
    "UTF-16": '{"a":1}'.encode("utf-16"),
    "UTF-16 without a mark": '{"a":1}'.encode("utf-16-be"),
    "UTF-32": '{"a":1}'.encode("utf-32"),
    "Latin-1": b'{"a":"\xe9"}',
    "a byte that never is": b'{"a":"\xff"}',
    "a character that breaks off": b'{"a":"\xe2\x82',
    "a character written too long": b'{"a":"\xc0\xaf"}',
    "half a pair in bytes": b'{"a":"\xed\xa0\x80"}',
    "beyond Unicode": b'{"a":"\xf4\x90\x80\x80"}',
    "gzip": b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xab\xae\x05\x00",
    "all bytes": bytes(range(256)),
    "base64 within": b'"' + base64.b64encode(bytes(range(256))) + b'"',
    # other formats
    "XML": b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
    "YAML": b"!!python/object/apply:os.system ['true']",
    "a form": b"a=1&b=2",
    "a pickle": b"\x80\x04\x95\x0b\x00\x00\x00\x00\x00\x00\x00\x8c\x07builtins.",
}
"""Bodies, sent as JSON."""

_TEXTS = {
    "empty": "",
    "a space": " ",
    "other spaces": "\u00a0\u2003\u3000\ufeff",
    "zero": "\x00",
    "controls": "".join(map(chr, range(1, 32))) + "\x7f\x85\u2028\u2029",
    "directions": "\u202e\u2066abc\u2069\u200f",
    "half a pair": "\ud800",
    "halves the wrong way round": "\udc00\ud800",
    "no characters": "\ufffe\uffff\U0010ffff",
    "accents upon accents": "a" + "\u0301" * 200,
    "a letter that grows": "\ufdfa" * 200,
    "a letter that grows in lower case": "\u0130" * 255,
    "a family": "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 20,
    "255 characters": "x" * 255,
    "256 characters": "x" * 256,
    "20,000 characters": "x" * 20_000,
    "markup": "<script>alert(1)</script>&amp;'\"--",
    "a template": "{{7*7}}${7*7}%s{0}{0.__class__}",
    "a path": "../../etc/passwd",
    "SQL": "'; DROP TABLE x; --",
    "a line of a header": "x\r\nset-cookie: a=b",
    "many brackets": "(" * 500,
    "many ats": "@" * 250,
    "many dots": "." * 250,
    "a formula": "=1+1",
    "a null": "null",
    "a letter of another script": "\u0430dmin@example.com",
    "an address of many parts": "a." * 120 + "@example.com",
    "an address with a comment": "a(" + "b" * 60 + ")@example.com",
    "an address that is quoted": '"a b"@example.com',
    "an address in brackets": "a@[127.0.0.1]",
    "a name in punycode": "a@xn--" + "z" * 58 + ".example",
    "a phone of zeros": "+" + "0" * 30,
    "a phone of other digits": "+" + "\u0661\u0664\u0661" + "\u0665" * 4 + "\u0660" * 4,
    "a locale of many parts": "de-" + "-".join(["abcdefgh"] * 20),
    "a locale with a singleton": "x-a-a-a-u",
    "an address of this machine": "http://127.0.0.1:80/",
    "an address that means elsewhere": "https://a@b@c:99999/#?\\",
    "an address of too many parts": "https://" + "a." * 200 + "example/",
    "an address in IPv6": "https://[::ffff:127.0.0.1%25eth0]/",
    "an address without a host": "https:///x",
    "an address with half a pair": "https://example.com/\udfff",
    "an id in braces": "{01937c1e-7b2a-7c3d-8e4f-5a6b7c8d9e0f}",
    "an id as a name": "urn:uuid:01937c1e-7b2a-7c3d-8e4f-5a6b7c8d9e0f",
    "no id": "01937c1e-7b2a-7c3d-8e4f-5a6b7c8d9e0g",
    "a currency of other letters": "\u212aWD",
    "year 0": "0000-01-01T00:00:00Z",
    "year 1, to the east": "0001-01-01T00:00:00+23:59",
    "year 9999, to the west": "9999-12-31T23:59:59-23:59",
    "a leap second": "2016-12-31T23:59:60Z",
    "a day that isn't": "2026-02-30T00:00:00Z",
    "an offset of a day": "2026-01-01T00:00:00+24:00",
    "an offset without a colon": "2026-01-01T00:00:00+0100",
    "no offset": "2026-01-01T00:00:00",
    "a week": "2026-W01-1T00:00:00Z",
    "many digits of a second": "2026-01-01T00:00:00." + "1" * 300 + "Z",
    "other digits": "\u0662\u0660\u0662\u0666-01-01T00:00:00Z",
    "a moment as a number": "1e400",
    "a moment as many digits": "9" * 400,
    "a number in words": "NaN",
    "infinite": "Infinity",
    "digits with a line": "1_000",
    "a JSON Pointer": "/a~2/~/-/01/" + "x/" * 500,
}

VALUES: dict[str, str] = {
    **{f"the text {name}": json.dumps(text) for name, text in _TEXTS.items()},
    "null": "null",
    "true": "true",
    "false": "false",
    "0": "0",
    "-0": "-0",
    "-0.0": "-0.0",
    "-1": "-1",
    "half": "0.5",
    "2 to the 31": str(2**31),
    "2 to the 53, and one": str(2**53 + 1),
    "2 to the 63": str(2**63),
    "minus 2 to the 64": str(-(2**64)),
    "39 digits": "9" * 39,
    "128 digits": "9" * 128,
    "309 digits": "9" * 309,
    "400 digits": "9" * 400,
    "4,000 digits": "-" + "9" * 4_000,
    "1e400": "1e400",
    "-1e400": "-1e400",
    "1e308": "1e308",
    "1e-400": "1e-400",
    "1e15, and a bit": "1000000000000000.5",
    "a long fraction": "0." + "3" * 2_000,
    "[]": "[]",
    "[null]": "[null]",
    "[[]]": "[[]]",
    "{}": "{}",
    "[{}]": "[{}]",
    "an array of 5,000": "[" + ",".join(["0"] * 5_000) + "]",
    "an array of the same": "[" + ",".join(['"a"'] * 300) + "]",
    "an object of 1,000": "{" + ",".join(f'"{n:x}":0' for n in range(1_000)) + "}",
    "90 levels": "[" * 90 + "]" * 90,
    "90 levels of objects": '{"a":' * 90 + "1" + "}" * 90,
    "a name of zero": '{"\\u0000":"\\u0000"}',
    "half a pair as a name": '{"\\ud800":1}',
    "an empty name": '{"":{"":""}}',
    "__proto__": '{"__proto__":1,"type":"x","kind":"x","op":"x"}',
}
"""JSON that stands in place of a value that the description allows."""

QUERIES: dict[str, str] = {
    "an unknown name": "nobody=1",
    "an empty name": "=1",
    "a name alone": "page",
    "no value": "page=",
    "ampersands": "&" * 500,
    "equals signs": "=" * 500,
    "a name many times": "&".join(["page=1"] * 400),
    "many names": "&".join(f"n{number}=1" for number in range(800)),
    "a long name": "n" * 5_000 + "=1",
    "a long value": "q=" + "x" * 5_000,
    "brackets": "page[]=1&page[0]=1&page[$gt]=1",
    "page 0": "page=0",
    "page -1": "page=-1",
    "a great page": "page=1000001",
    "a page of 400 digits": "page=" + "9" * 400,
    "a page of 5,000 digits": "page=" + "9" * 5_000,
    "page 1.5": "page=1.5",
    "page 1e3": "page=1e3",
    "a page with a line": "page=1_0",
    "a page in other digits": "page=%D9%A1",
    "a page with spaces": "page=%201%20",
    "a page that isn't finite": "page=inf&pageSize=nan",
    "a size that isn't": "pageSize=11",
    "a size of 400 digits": "pageSize=" + "1" * 400,
    "bytes that are no UTF-8": "q=%FF%FE&%FF=1",
    "half a pair": "q=%ED%A0%80",
    "half a percent": "q=%&%zz=%1",
    "zero": "q=%00&sort=%00",
    "a plus": "q=+++",
    "words": "q=" + "%20".join(["a"] * 100),
    "letters that grow": "q=" + "%EF%B7%BA" * 60,
    "accents": "q=a" + "%CC%81" * 199,
    "no word": "q=%21%3F",
    "a phone": "q=%2B" + "1" * 150,
    "brackets of a phone": "q=%2B1" + "(" * 150,
    "many ats": "q=" + "%40" * 150,
    "a sort that isn't": "sort=--createdAt",
    "a sort by Python": "sort=__class__",
    "commas": "status=,,,&source=,&type=,",
    "many of an enumeration": "status=" + ",".join(["active"] * 500),
    "an id that isn't": "storeId=x&profileId=%00&sourceId=",
    "an id in upper case": "storeId=01937C1E-7B2A-7C3D-8E4F-5A6B7C8D9E0F",
    "a moment of 400 digits": "placedFrom=" + "9" * 400 + "&occurredFrom=" + "9" * 400,
    "year 9999, to the west": "placedTo=9999-12-31T23:59:59-23:59&changedTo=9999-12-31T23:59:59-01",
    "a span that ends before": "placedFrom=2026-01-02T00:00:00Z&placedTo=2026-01-01T00:00:00Z",
    "days": "from=0001-01-01&to=9999-12-31",
    "days that aren't": "from=2026-02-30&to=1e400",
    "a truth that isn't": "isTest=2&published=maybe&removed=%00",
    "a locale that isn't": "locale=" + "x-" * 100,
    "a semicolon": "page=1;pageSize=10",
    "markup": "q=%3Cscript%3E&locale=%22%3E",
}
"""Queries as they are sent."""

HEADERS: dict[str, dict[str, str]] = {
    "an empty type": {"content-type": ""},
    "a type of spaces": {"content-type": "   "},
    "a type in capitals": {"content-type": "APPLICATION/JSON; CHARSET=UTF-8"},
    "another charset": {"content-type": "application/json; charset=utf-7"},
    "a charset that isn't": {"content-type": 'application/json; charset="'},
    "many parameters": {"content-type": "application/json" + ";a=b" * 1_000},
    "another type": {"content-type": "text/plain"},
    "a type that begins like it": {"content-type": "application/jsonp"},
    "a form": {"content-type": "application/x-www-form-urlencoded"},
    "parts": {"content-type": "multipart/form-data; boundary=x"},
    "a type of odd characters": {"content-type": "application/json\u00e9\u0000"},
    "a key that is empty": {"idempotency-key": ""},
    "a key that is too long": {"idempotency-key": "k" * 256},
    "a key of odd characters": {"idempotency-key": "\u00ff\u0000\ud800"},
    "two keys": {"idempotency-key": "a,b"},
    "accept nothing": {"accept": ""},
    "accept many": {"accept": ",".join(["text/html;q=nan"] * 500)},
    "accept what isn't": {"accept": "text/html;q=1e999,*/*;q=-1,;;;,=,"},
    "a browser that isn't": {"user-agent": "Mozilla/" + "(" * 2_000},
    "a browser of odd characters": {"user-agent": "\u0000\u00ff\ud800"},
    "somebody else's address": {"x-forwarded-for": "::1, x" * 200, "x-forwarded-proto": "gopher"},
    "another host": {"host": "evil.example", "x-forwarded-host": "evil.example"},
    "an encoding that isn't": {"content-encoding": "gzip", "accept-encoding": "gzip;q=x,*"},
    "a length that isn't": {"content-length": "-1", "transfer-encoding": "chunked"},
    "a cookie": {"cookie": "a=" + "b" * 4_000},
    "a condition that isn't": {"if-match": '"' * 500, "if-none-match": "*," * 500},
    "another method": {"x-http-method-override": "DELETE"},
}

SEGMENTS: dict[str, str] = {
    "an id in capitals": "01937C1E-7B2A-7C3D-8E4F-5A6B7C8D9E0F",
    "an id in braces": "%7B01937c1e-7b2a-7c3d-8e4f-5a6b7c8d9e0f%7D",
    "zero": "%00",
    "no UTF-8": "%FF%FE",
    "half a pair": "%ED%A0%80",
    "half a percent": "%",
    "a slash": "%2F",
    "two dots": "%2E%2E",
    "a backslash": "..%5C..",
    "a line's end": "a%0D%0Ab",
    "a space": "%20",
    "a semicolon": "a;b=c",
    "a colon": "a:b",
    "an at": "@",
    "markup": "%3Cscript%3E",
    "other letters": "%F0%9F%98%80",
    "letters that grow": "%EF%B7%BA" * 100,
    "255 characters": "x" * 255,
    "256 characters": "x" * 256,
    "6,000 characters": "x" * 6_000,
    "many digits": "9" * 5_000,
    "null": "null",
    "__proto__": "__proto__",
    "a token's beginning": "stu_" + "A" * 2_000,
    "a token with dots": ".".join(["a"] * 500),
}
"""Parts of a path, as they are sent."""


def _part(head: str, value: bytes = b"x", boundary: bytes = b"b") -> bytes:
    return b"--" + boundary + b"\r\n" + head.encode() + b"\r\n\r\n" + value + b"\r\n"


_NAMED = 'Content-Disposition: form-data; name="List-Unsubscribe"'
_END = b"--b--\r\n"
_PARTS = "multipart/form-data; boundary=b"
_FIELDS = "application/x-www-form-urlencoded"
FORMS: dict[str, Body] = {
    "nothing": (_FIELDS, b""),
    "no field": (_FIELDS, b"&&&==="),
    "another field": (_FIELDS, b"a=1"),
    "a field twice": (_FIELDS, b"List-Unsubscribe=One-Click&List-Unsubscribe=One-Click"),
    "a value that isn't": (_FIELDS, b"List-Unsubscribe=Two-Clicks"),
    "many fields": (_FIELDS, b"&".join(b"f%d=1" % number for number in range(5_000))),
    "half a percent": (_FIELDS, b"%=%&%zz=%1"),
    "no UTF-8": (_FIELDS, b"a=\xff"),
    "no UTF-8 in percents": (_FIELDS, b"List-Unsubscribe=%FF%ED%A0%80"),
    "zero": (_FIELDS, b"a=%00&%00=a"),
    "JSON": (JSON, b'{"List-Unsubscribe":"One-Click"}'),
    "another charset": (_FIELDS + "; charset=utf-16", "a=1".encode("utf-16")),
    "no boundary": ("multipart/form-data", _part(_NAMED) + _END),
    "an empty boundary": ("multipart/form-data; boundary=", _part(_NAMED) + _END),
    "a quote as boundary": ('multipart/form-data; boundary="', _part(_NAMED) + _END),
    "a boundary of odd characters": ("multipart/form-data; boundary=\u00e9(", b"--\xc3\xa9(\r\n"),
    "two boundaries": (_PARTS + "; boundary=c", _part(_NAMED) + _END),
    "a long boundary": ("multipart/form-data; boundary=" + "b" * 5_000, b"--" + b"b" * 5_000),
    "another kind of parts": ("multipart/mixed; boundary=b", _part(_NAMED) + _END),
    "no parts": (_PARTS, _END),
    "nothing at all": (_PARTS, b"x"),
    "no end": (_PARTS, _part(_NAMED)),
    "line ends of Unix": (_PARTS, _part(_NAMED).replace(b"\r", b"")),
    "boundaries alone": (_PARTS, b"--b" * 20_000),
    "boundaries in lines": (_PARTS, b"--b\r\n" * 10_000 + _END),
    "many parts": (_PARTS, _part('Content-Disposition: form-data; name="a"') * 1_000 + _END),
    "no headers": (_PARTS, b"--b\r\n\r\n\r\nx\r\n" + _END),
    "many headers": (_PARTS, _part("\r\n".join([_NAMED] * 2_000)) + _END),
    "a long header": (_PARTS, _part(_NAMED + "; a=" + "x" * 50_000) + _END),
    "many parameters": (_PARTS, _part(_NAMED + ";a=b" * 20_000) + _END),
    "a name of brackets": (_PARTS, _part("Content-Disposition: form-data; name=" + "(" * 500)),
    "a name of quotes": (_PARTS, _part("Content-Disposition: form-data; name=" + '"' * 501)),
    "a name of backslashes": (_PARTS, _part('Content-Disposition: f; name="' + "\\" * 501)),
    "a name in pieces": (_PARTS, _part("Content-Disposition: form-data; name*0*=a; name*1*=b")),
    "a name of a great piece": (_PARTS, _part(f"Content-Disposition: f; name*{'9' * 500}*=a")),
    "a name in a charset": (_PARTS, _part("Content-Disposition: f; name*=klingon''%ff")),
    "a name in words": (_PARTS, _part("Content-Disposition: f; name==?utf-7?q?=ff?=")),
    "a file": (_PARTS, _part(_NAMED + '; filename="a.txt"') + _END),
    "parts within parts": (
        _PARTS,
        _part("Content-Type: multipart/mixed; boundary=c\r\n" + _NAMED, b"--c\r\n" * 2_000) + _END,
    ),
    "base64 within": (
        _PARTS,
        _part(_NAMED + "\r\nContent-Transfer-Encoding: base64", b"=" * 500) + _END,
    ),
    "a value that is no UTF-8": (_PARTS, _part(_NAMED, b"\xff") + _END),
}


def replaced(example: object) -> Iterator[tuple[str, str]]:
    """The example as JSON with `\\0` in place of each of its values: where, and what."""
    yield "", "\0"
    for path in _paths(example):
        yield "/" + "/".join(map(str, path)), _without(example, path)


def _paths(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    inside = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for name, inner in inside:
        yield (*path, name)
        yield from _paths(inner, (*path, name))


def _without(value: object, path: tuple[str | int, ...]) -> str:
    if not path:
        return "\0"
    if isinstance(value, dict):
        fields = (json.dumps(n) + ":" + _member_without(n, e, path) for n, e in value.items())
        return "{" + ",".join(fields) + "}"
    assert isinstance(value, list)
    return (
        "["
        + ",".join(_member_without(number, each, path) for number, each in enumerate(value))
        + "]"
    )


def _member_without(name: str | int, inner: object, path: tuple[str | int, ...]) -> str:
    return _without(inner, path[1:]) if name == path[0] else json.dumps(inner)


def size() -> int:
    """How many inputs there are."""
    return len(DOCUMENTS) + len(VALUES) + len(QUERIES) + len(HEADERS) + len(SEGMENTS) + len(FORMS)
