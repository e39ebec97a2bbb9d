"""What a hostile or a mistaken value does to an email: nothing."""

from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path

import pytest

from storepost.accounts.emails import rendering
from storepost.accounts.emails.messages import (
    MESSAGES,
    KeyLabel,
    MemberRemovedKeys,
    Message,
    SignInCode,
    to_params,
)
from storepost.accounts.emails.rendering import render
from storepost.accounts.emails.values import FITTED
from tests.accounts.emails.examples import EXAMPLES
from tests.accounts.emails.reading import Page

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "closing tags": "</strong></td></tr></table></body><h1>Owned</h1>",
    "attribute": '" onmouseover="alert(1)" x="',
    "single quotes": "' onmouseover='alert(1)' x='",
    "comment": "--><img src=x onerror=alert(1)><!--",
    "conditional comment": "<![endif]--><b>x</b><!--[if mso]>",
    "header": "Jane\r\nBcc: victim@evil.test\r\n\r\nbody",
    "forged lines": "Jane\n\n--\nYour code is 000000",
    "line separators": "Jane\u2028Owned\u2029Owned\x85Owned\x0bOwned\x0cOwned",
    "controls": "Ja\x00ne\x1b[31m\x7f\x08",
    "override": "Jane \u202etxt.exe\u202c \u2066x\u2069 \u200f\u061c",
    "zero width": "Ja\u200bne\ufeff\u00ad\u2060",
    "tags": "Jane\U000e0041\U000e0042",
    "lone surrogate": "Jane\ud800",
    "jinja": "{{ 7 * 7 }}{% include 'layout.txt' %}{# x #}",
    "layout language": "[[ 7 * 7 ]][% include 'layout.txt' %]",
    "mjml": "<mj-raw><b>x</b></mj-raw><mj-include path='layout.mjml' />",
    "mjml that closes": "</mj-text><mj-image src='https://evil.test/x.png' /><mj-text>",
    "entity": "&lt;b&gt; &#60;i&#62; &amp;",
    "link": "Win at https://evil.test/x or www.evil.test now",
    "long": "x" * 10_000,
    "long in quotes": '"' * 10_000,
    "long in words": "word " * 2_000,
    "nothing to see": "\u200b\n\t",
}
FORBIDDEN = [chr(c) for c in (*range(10), *range(11, 32), *range(127, 160))]
FORBIDDEN += list("\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
FORBIDDEN += list("\u061c\u200b\u200e\u200f\u00ad\u2060\ufeff\U000e0041\ud800")


def with_names(message: Message, value: str) -> dict[str, object]:
    """The message's parameters with the value for each one that a person may have given."""
    params: dict[str, object] = {**to_params(message)}
    for part in fields(message):
        if part.type is str:
            params[part.name] = value
    if isinstance(message, MemberRemovedKeys):
        params["keys"] = [{"name": value, "prefix": value}] * 2
    return params


@pytest.mark.parametrize("message", EXAMPLES, ids=lambda message: message.template)
class TestHostileValues:
    @pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE.keys())
    def test_add_no_markup_links_or_lines(self, message: Message, value: str) -> None:
        harmless = render(message.template, with_names(message, "Jane"))
        email = render(message.template, with_names(message, value))

        page, expected = Page(email.html), Page(harmless.html)
        assert page.mistakes == []
        assert page.tags == expected.tags
        assert [(tag, name) for tag, name, _ in page.attributes] == [
            (tag, name) for tag, name, _ in expected.attributes
        ]
        assert page.hrefs == expected.hrefs
        assert email.text.count("\n") == harmless.text.count("\n")
        for part in (email.subject, email.text, page.seen, page.preheader, page.title):
            assert not [character for character in FORBIDDEN if character in part]
        assert email.text.encode()
        assert len(email.html.encode()) < 100_000

    @pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE.keys())
    def test_leave_the_subject_on_one_short_line(self, message: Message, value: str) -> None:
        subject = render(message.template, with_names(message, value)).subject
        assert subject == " ".join(subject.split())
        assert len(subject) <= 120
        assert Page(render(message.template, with_names(message, value)).html).title == subject

    @pytest.mark.parametrize("value", ["{{ 7 * 7 }}{# x #}", "[[ 7 * 7 ]][# x #]", "&lt;b&gt;"])
    def test_template_syntax_is_shown_literally(self, message: Message, value: str) -> None:
        email = render(message.template, with_names(message, value))
        named = any(part.type is str for part in fields(message))
        assert (value in email.text) == named
        assert (value in Page(email.html).seen) == named

    def test_urls_in_names_do_not_become_links(self, message: Message) -> None:
        email = render(message.template, with_names(message, HOSTILE["link"]))
        for part in (email.subject, email.text, Page(email.html).seen):
            assert "evil.test" not in part
            assert "https://evil" not in part

    def test_are_truncated_to_100_characters(self, message: Message) -> None:
        email = render(message.template, with_names(message, "x" * 10_000))
        assert "x" * 100 not in email.text
        named = any(part.type is str for part in fields(message))
        assert ("x" * 99 + "…" in email.text) == named
        assert ("x" * 99 + "…" in Page(email.html).seen) == named


class TestNames:
    @pytest.mark.parametrize(
        ("name", "shown"),
        [
            ("  Jane \t van  der\nBerg ", "Jane van der Berg"),
            ("J.R.R. O\u2019Neil-Łuczak", "J.R.R. O\u2019Neil-Łuczak"),
            (
                "\u0639\u0644\u06cc\u200c\u0631\u0636\u0627",
                "\u0639\u0644\u06cc\u200c\u0631\u0636\u0627",
            ),
            ("👩\u200d💻 Zoë", "👩\u200d💻 Zoë"),
            ("v1.2 & <Co>", "v1.2 & <Co>"),
            ("x" * 100, "x" * 100),
            ("x" * 101, "x" * 99 + "…"),
            ("Acme.com", "Acme.\u200ccom"),
            ("\u200b\n", "(no name)"),
            ("", "(no name)"),
        ],
    )
    def test_displayed_form(self, name: str, shown: str) -> None:
        email = render("address_taken", {"name": name})
        assert email.text.splitlines()[0] == f"Hello {shown},"
        assert f"Hello {shown}," in Page(email.html).seen


class TestInvalidParameters:
    def test_unknown_template_is_refused(self) -> None:
        for name in ("", "welcome", "../layout", "layout"):
            with pytest.raises(LookupError, match="no email is named"):
                render(name, {"name": "Jane"})

    @pytest.mark.parametrize("message", EXAMPLES, ids=lambda message: message.template)
    def test_missing_parameter_is_refused(self, message: Message) -> None:
        params = to_params(message)
        for missing in params:
            rest = {name: value for name, value in params.items() if name != missing}
            with pytest.raises(LookupError, match=rf"^{message.template} lacks {missing}$"):
                render(message.template, rest)

    def test_unknown_parameter_is_ignored(self) -> None:
        params = to_params(SignInCode("Jane", "049302"))
        assert render("sign_in_code", {**params, "device": "Firefox"}) == render(
            "sign_in_code", params
        )

    @pytest.mark.parametrize("message", EXAMPLES, ids=lambda message: message.template)
    def test_none_is_refused(self, message: Message) -> None:
        params = to_params(message)
        may_be_none = {"overlap_ends_at"} | ({"role"} if "act" in params else set())
        for name in params.keys() - may_be_none:
            with pytest.raises(ValueError, match=r" must "):
                render(message.template, {**params, name: None})

    @pytest.mark.parametrize(
        "link",
        [
            "javascript:alert(1)",
            "//evil.test",
            "ftp://example.com/x",
            'https://example.com/"onclick="x',
            "https://example.com/<b>",
            "https://example.com/a b",
            "https://example.com/\nx",
            "https://example.com/ü",
            "https://",
            "",
        ],
    )
    def test_malformed_link_is_refused(self, link: str) -> None:
        with pytest.raises(ValueError, match="a link must be"):
            render("password_reset", {"name": "Jane", "link": link})

    @pytest.mark.parametrize(
        "code",
        ["", "12345", "1234567", "12345a", "\uff11\uff12\uff13\uff14\uff15\uff16", "12345\n"],
    )
    def test_malformed_code_is_refused(self, code: str) -> None:
        with pytest.raises(ValueError, match="a code must be"):
            render("sign_in_code", {"name": "Jane", "code": code})

    @pytest.mark.parametrize("when", ["2026-11-28T14:05:00", "28 November 2026", "", 5])
    def test_malformed_time_is_refused(self, when: object) -> None:
        with pytest.raises(ValueError, match=r"Invalid isoformat|a time must be"):
            render("password_changed", {"name": "Jane", "when": when})

    @pytest.mark.parametrize("keys", ["", "stp_", ["stp_"], [{"name": "Sync"}], {}])
    def test_malformed_keys_are_refused(self, keys: object) -> None:
        with pytest.raises(ValueError, match=r"keys? must "):
            render("member_removed_keys", {"workspace": "N", "member": "Sam", "keys": keys})

    def test_datetime_object_is_accepted(self) -> None:
        when = datetime(2026, 3, 5, 7, 9, tzinfo=UTC)
        email = render("password_changed", {"name": "Jane", "when": when})
        assert "was changed on 5 March 2026, 07:09 UTC." in email.text


class TestSize:
    def test_100_keys_with_longest_names_are_not_clipped(self) -> None:
        # 100 active keys a workspace, 100 characters a name (docs/interface.md, section 4); a quote
        # is the character that grows most when escaped.
        keys = tuple(KeyLabel('"' * 100, f"stp_{n:08d}") for n in range(100))
        email = render(
            "member_removed_keys", to_params(MemberRemovedKeys('"' * 100, '"' * 100, keys))
        )
        assert all(key.prefix in email.html and key.prefix in email.text for key in keys)
        assert len(email.html.encode()) < 100_000


class TestTemplates:
    folder = Path(rendering.__file__).parent / "templates"

    def test_every_email_has_exactly_three_files(self) -> None:
        found = {str(path.relative_to(self.folder)) for path in self.folder.rglob("*.*")}
        parts = {f"{name}/{part}" for name in MESSAGES for part in ("subject.txt", "body.txt")}
        assert found == parts | {f"{name}/body.mjml" for name in MESSAGES} | {
            "layout.mjml",
            "layout.txt",
            "parts.mjml",
        }

    def test_every_parameter_type_has_a_converter(self) -> None:
        kinds = {part.type for cls in MESSAGES.values() for part in fields(cls)}
        assert kinds == set(FITTED)

    def test_mjml_is_compiled_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        render("address_taken", {"name": "Jane"})

        def refuse(*arguments: object) -> None:
            raise AssertionError("compiled again")

        monkeypatch.setattr("mrml.to_html", refuse)
        assert "Hello Sam," in render("address_taken", {"name": "Sam"}).text

    def test_repr_of_rendered_email_hides_the_body(self) -> None:
        email = render("sign_in_code", {"name": "Jane", "code": "049302"})
        assert repr(email) == "RenderedEmail(subject='Your Storepost sign-in code')"
