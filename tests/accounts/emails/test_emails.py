"""Each email whole: its subject, all it says, and that both bodies say the same."""

import re

import pytest

from storepost.accounts.emails.messages import (
    ApiKeyRotated,
    Invitation,
    MemberRemovedKeys,
    Message,
    OptIn,
    Role,
    to_params,
)
from storepost.accounts.emails.rendering import RenderedEmail, render
from tests.accounts.emails.examples import (
    EXAMPLES,
    INVITATION_LINK,
    OVERLAP_ENDS_AT,
    RESET_LINK,
    SIGN_IN_LINK,
    VERIFY_LINK,
    WHEN,
)
from tests.accounts.emails.reading import Page, words

BY_NAME = {example.template: example for example in EXAMPLES}
AT = "28 November 2026, 14:05 UTC"
TEN_MINUTES = "works for 10 minutes"
# The one line that the text part has no use for.
BELOW_THE_BUTTON = "If the button doesn\u2019t work, open this link:"
FIVE_TRIES = "After five wrong tries"


def rendered(message: Message) -> RenderedEmail:
    return render(message.template, to_params(message))


def read(
    email: RenderedEmail, *, facts: list[str], reason: str, greeting: str, link: str | None = None
) -> Page:
    """Asserts what holds for every email; returns its HTML for the assertions about this one."""
    page = Page(email.html)
    _assert_text(email.text, facts=facts, reason=reason, greeting=greeting)
    _assert_html(page, email, facts=facts, link=link)
    for line in filter(None, email.text.splitlines()):
        assert words(line) in words(page.seen), line
    for line in filter(None, page.seen.replace(BELOW_THE_BUTTON, "").splitlines()):
        assert words(line) in words(email.text), line
    assert words(page.preheader)
    return page


def _assert_text(text: str, *, facts: list[str], reason: str, greeting: str) -> None:
    lines = text.splitlines()
    assert lines[0] == greeting
    assert lines[-3:] == ["--", "Storepost", f"You got this email because {reason}"]
    assert text.endswith("\n")
    assert "\n\n\n" not in text
    assert not re.search(r"[{}<\[\]]|%}|\bNone\b|&\w+;", text.replace("Exports <v2>", ""))
    for fact in facts:
        assert fact in text, fact


def _assert_html(page: Page, email: RenderedEmail, *, facts: list[str], link: str | None) -> None:
    assert page.mistakes == []
    assert page.title == email.subject
    assert ("html", "lang", "en") in page.attributes
    assert not re.search(r"[{}\[\]]|\bNone\b", page.seen + page.preheader + page.title)
    for fact in facts:
        assert words(fact) in words(page.seen), fact
    # The button opens what is written out below it, and nothing else opens anything.
    assert page.hrefs == ([link, link] if link else [])
    assert page.link_texts[1:] == ([link] if link else [])
    assert not {"img", "script", "link", "iframe", "form", "object"} & page.tags
    assert not re.search(r"@import|@font-face|url\(", email.html)
    assert len(email.html.encode()) < 100_000


class TestInvitation:
    email = rendered(BY_NAME["invitation"])

    def test_states_inviter_workspace_role_and_expiry(self) -> None:
        assert self.email.subject == "Jane Müller invited you to Nordlicht & Söhne on Storepost"
        page = read(
            self.email,
            greeting="Hello,",
            facts=["Jane Müller", "Nordlicht & Söhne", "as an admin", f"works until {AT}"],
            reason="Jane Müller entered your address in an invitation.",
            link=INVITATION_LINK,
        )
        assert page.link_texts[0] == "Accept the invitation"
        assert page.preheader == f"Join as an admin, until {AT}."
        assert INVITATION_LINK in self.email.text.splitlines()

    @pytest.mark.parametrize(
        ("role", "phrase"), [("owner", "an owner"), ("admin", "an admin"), ("member", "a member")]
    )
    def test_names_the_role_in_english(self, role: Role, phrase: str) -> None:
        email = rendered(Invitation("Nordlicht", "Jane", role, INVITATION_LINK, WHEN))
        assert f"on Storepost, as {phrase}." in email.text
        assert f"on Storepost, as {phrase}." in Page(email.html).seen


class TestVerifyAddress:
    email = rendered(BY_NAME["verify_address"])

    def test_contains_code_and_link(self) -> None:
        assert self.email.subject == "Your Storepost sign-up code"
        page = read(
            self.email,
            greeting="Hello Jane Müller,",
            facts=["049302", TEN_MINUTES, FIVE_TRIES, "No account is made without the code"],
            reason="someone signed up to Storepost with this address.",
            link=VERIFY_LINK,
        )
        assert page.link_texts[0] == "Enter the code"
        assert {"049302", VERIFY_LINK} <= set(self.email.text.splitlines())


class TestAddressKnown:
    email = rendered(BY_NAME["address_known"])

    def test_contains_sign_in_link(self) -> None:
        assert self.email.subject == "You already have a Storepost account"
        page = read(
            self.email,
            greeting="Hello Jane Müller,",
            facts=["tried to sign up to Storepost with this address", "nothing was changed"],
            reason="this address belongs to your Storepost account.",
            link=SIGN_IN_LINK,
        )
        assert page.link_texts[0] == "Sign in or reset your password"
        assert SIGN_IN_LINK in self.email.text.splitlines()


class TestSignInCode:
    email = rendered(BY_NAME["sign_in_code"])

    def test_contains_the_code(self) -> None:
        assert self.email.subject == "Your Storepost sign-in code"
        read(
            self.email,
            greeting="Hello Jane Müller,",
            facts=["049302", TEN_MINUTES, FIVE_TRIES, "someone else knows your password"],
            reason="your Storepost account takes its second step of signing in by email.",
        )
        assert "049302" in self.email.text.splitlines()


class TestTwoFactorEmailCode:
    email = rendered(BY_NAME["two_factor_email_code"])

    def test_contains_the_code(self) -> None:
        assert self.email.subject == "Your code to turn on two-factor by email"
        read(
            self.email,
            greeting="Hello Jane Müller,",
            facts=["049302", TEN_MINUTES, FIVE_TRIES, "to turn on two-factor by email"],
            reason="someone signed in to your Storepost account asked for two-factor by email.",
        )
        assert "049302" in self.email.text.splitlines()


class TestPasswordReset:
    email = rendered(BY_NAME["password_reset"])

    def test_contains_reset_link_and_consequences(self) -> None:
        assert self.email.subject == "Choose a new Storepost password"
        page = read(
            self.email,
            greeting="Hello Jane Müller,",
            facts=[
                "once, for 30 minutes",
                "every session is signed out",
                "no browser is trusted",
                "Your password stays as it is.",
            ],
            reason=(
                "someone asked for a new password for the Storepost account with this address."
            ),
            link=RESET_LINK,
        )
        assert page.link_texts[0] == "Choose a new password"
        assert RESET_LINK in self.email.text.splitlines()


class TestPasswordChanged:
    email = rendered(BY_NAME["password_changed"])

    def test_states_time_and_ended_sessions(self) -> None:
        assert self.email.subject == "Your Storepost password was changed"
        read(
            self.email,
            greeting="Hello Jane Müller,",
            facts=[
                f"was changed on {AT}.",
                "Every other session was signed out",
                "no browser is trusted",
            ],
            reason="this address belongs to your Storepost account.",
        )


class TestNewAddressCode:
    email = rendered(BY_NAME["new_address_code"])

    def test_contains_the_code(self) -> None:
        assert self.email.subject == "Confirm your new address for Storepost"
        read(
            self.email,
            greeting="Hello Jane Müller,",
            facts=["049302", TEN_MINUTES, FIVE_TRIES, "No account takes your address without"],
            reason="someone asked to use this address for a Storepost account.",
        )
        assert "049302" in self.email.text.splitlines()


class TestAddressChanged:
    email = rendered(BY_NAME["address_changed"])

    def test_states_time_and_masked_new_address(self) -> None:
        assert self.email.subject == "The address of your Storepost account was changed"
        read(
            self.email,
            greeting="Hello Jane Müller,",
            facts=[f"changed to j***@example.com on {AT}.", "No browser is trusted"],
            reason=(
                "this was the address of your Storepost account until now."
                " Later ones go to the new address."
            ),
        )
        assert "jane.mueller" not in self.email.text + self.email.html


class TestAddressTaken:
    email = rendered(BY_NAME["address_taken"])

    def test_states_that_nothing_was_changed(self) -> None:
        assert self.email.subject == "A request to use your address on Storepost"
        read(
            self.email,
            greeting="Hello Jane Müller,",
            facts=["the address of another Storepost account", "nothing was changed"],
            reason="this address belongs to your Storepost account.",
        )


class TestTwoFactorLimit:
    email = rendered(BY_NAME["two_factor_limit"])

    def test_states_time_ip_address_and_lock_duration(self) -> None:
        assert self.email.subject == "The second step of signing in is locked for an hour"
        read(
            self.email,
            greeting="Hello Jane Müller,",
            facts=[
                "10 wrong codes",
                "No code is accepted there for the next hour.",
                AT,
                "2001:db8:85a3::8a2e:370:7334",
            ],
            reason="this address belongs to your Storepost account.",
        )


class TestApiKeyRotated:
    email = rendered(BY_NAME["api_key_rotated"])
    facts = ("Nordlicht & Söhne", "Warehouse sync", "stp_Ab12Cd34", "Sam O'Hara", AT)
    reason = "you own the workspace Nordlicht & Söhne or made this key."

    def test_states_key_author_time_and_end_of_overlap(self) -> None:
        assert self.email.subject == "The API key Warehouse sync was rotated"
        read(
            self.email,
            greeting="Hello,",
            facts=[*self.facts, "The old secret works until 1 December 2026, 00:00 UTC."],
            reason=self.reason,
        )
        assert "stopped working" not in self.email.text + self.email.html

    def test_without_overlap_states_that_old_secret_ended(self) -> None:
        email = rendered(
            ApiKeyRotated(
                "Nordlicht & Söhne", "Warehouse sync", "stp_Ab12Cd34", "Sam O'Hara", WHEN, None
            )
        )
        page = read(
            email,
            greeting="Hello,",
            facts=[*self.facts, "The old secret stopped working at once."],
            reason=self.reason,
        )
        assert page.preheader == "The old secret stopped working at once."
        assert "works until" not in email.text + email.html
        assert OVERLAP_ENDS_AT.strftime("%B") not in email.text


class TestMemberRemovedKeys:
    email = rendered(BY_NAME["member_removed_keys"])

    def test_lists_the_keys_that_still_work(self) -> None:
        assert self.email.subject == "API keys made by Sam O'Hara"
        page = read(
            self.email,
            greeting="Hello,",
            facts=["Sam O'Hara was removed from your workspace Nordlicht & Söhne."],
            reason="you own the workspace Nordlicht & Söhne.",
        )
        bullets = [line for line in self.email.text.splitlines() if line.startswith("- ")]
        assert bullets == ["- Warehouse sync (stp_Ab12Cd34)", "- Exports <v2> (stp_Zz98Yx76)"]
        listed = [line.strip() for line in page.seen.splitlines() if "stp_" in line]
        assert listed == [bullet.removeprefix("- ") for bullet in bullets]

    def test_states_that_no_keys_still_work(self) -> None:
        email = rendered(MemberRemovedKeys("Nordlicht", "Sam", ()))
        read(
            email,
            greeting="Hello,",
            facts=["Sam made no API keys that still work."],
            reason="you own the workspace Nordlicht.",
        )
        assert "go on working" not in email.text + email.html


class TestLayout:
    """What all of them share."""

    @pytest.mark.parametrize("message", EXAMPLES, ids=lambda message: message.template)
    def test_supports_dark_mode_and_disables_phone_number_links(self, message: Message) -> None:
        html = rendered(message).html
        page = Page(html)
        assert ("meta", "content", "light dark") in page.attributes
        assert "@media (prefers-color-scheme: dark)" in html
        assert any(value.startswith("telephone=no") for _, name, value in page.attributes if name)
        brand = message.workspace if isinstance(message, OptIn) else "Storepost"
        assert page.seen.strip().startswith(brand)

    @pytest.mark.parametrize(
        "message",
        [example for example in EXAMPLES if hasattr(example, "code")],
        ids=lambda message: message.template,
    )
    def test_code_is_large_and_only_in_the_body(self, message: Message) -> None:
        email = rendered(message)
        page = Page(email.html)
        styles = [value for _, name, value in page.attributes if name == "style"]
        assert sum("font-variant-numeric:tabular-nums" in style for style in styles) == 1
        # A locked screen shows subjects and preheaders to anybody who looks at it.
        assert "049302" not in email.subject + page.preheader + page.title
        assert email.html.count("049302") == 1
