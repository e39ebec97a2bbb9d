"""Shopify's signature of a redirect."""

import hmac
from hashlib import sha256
from urllib.parse import quote, urlencode

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from storepost.shopify.signatures import signed_query, signed_text

# The example of Shopify's own documentation.
DOCUMENTED = (
    "code=0907a61c0c8d55e99db179b68161bc00"
    "&hmac=700e2dadb827fcc8609e9d5ce208b2e9cdaab9df07390d2cbca10d7c328fc4bf"
    "&shop=some-shop.myshopify.com&state=0.6784241404160823&timestamp=1337178173"
)
PARAMETERS = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6).filter(
        lambda name: name != "hmac"
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    max_size=6,
)


def sign(parameters: dict[str, str], secret: str) -> str:
    """The query as Shopify sends it, its signature computed here."""

    def plain(text: str, more: str = "") -> str:
        return "".join(quote(c, safe="") if c in "%&" + more else c for c in text)

    lines = sorted(f"{plain(n, '=')}={plain(v)}" for n, v in parameters.items())
    signature = hmac.new(secret.encode(), "&".join(lines).encode(), sha256).hexdigest()
    return urlencode({**parameters, "hmac": signature})


def test_documented_example() -> None:
    assert signed_query(DOCUMENTED, ["hush"]) == {
        "code": "0907a61c0c8d55e99db179b68161bc00",
        "shop": "some-shop.myshopify.com",
        "state": "0.6784241404160823",
        "timestamp": "1337178173",
    }
    for other in (["Hush"], ["hush "], [""], []):
        assert signed_query(DOCUMENTED, other) is None


@pytest.mark.parametrize("secrets", [["hush"], ["new", "hush"], ["hush", "old"]])
def test_any_configured_secret_verifies(secrets: list[str]) -> None:
    assert signed_query(DOCUMENTED, secrets) is not None


@given(PARAMETERS, st.text(min_size=1, max_size=20).filter(str.isprintable))
def test_signed_parameters_are_returned(parameters: dict[str, str], secret: str) -> None:
    assert signed_query(sign(parameters, secret), ["other", secret]) == parameters


@given(PARAMETERS, PARAMETERS)
def test_other_parameters_have_another_signature(
    parameters: dict[str, str], others: dict[str, str]
) -> None:
    assume(parameters != others)
    assert signed_text(list(parameters.items())) != signed_text(list(others.items()))
    signature = sign(parameters, "hush").rpartition("hmac=")[2]
    assert signed_query(urlencode({**others, "hmac": signature}), ["hush"]) is None


@pytest.mark.parametrize(
    "one",
    [
        {"a": "1&b=2"},
        {"a": "1", "b": "2"},
        {"a=1&b": "2"},
        {"a": "1%26b=2"},
        {"a%3D1&b": "2"},
    ],
)
def test_ambiguous_parameters_are_signed_differently(one: dict[str, str]) -> None:
    texts = {
        signed_text(list(p.items()))
        for p in (
            {"a": "1&b=2"},
            {"a": "1", "b": "2"},
            {"a=1&b": "2"},
            {"a": "1%26b=2"},
            {"a%3D1&b": "2"},
        )
    }
    assert len(texts) == 5
    assert signed_text(list(one.items())) in texts


@pytest.mark.parametrize(
    "query",
    [
        "",
        "hmac=",
        "hmac",
        DOCUMENTED.replace("&hmac=", "&HMAC="),
        DOCUMENTED + "&hmac=0",
        DOCUMENTED + "&",
        DOCUMENTED + "&shop=some-shop.myshopify.com",
        DOCUMENTED.upper(),
        DOCUMENTED + "&a=%ff",
        DOCUMENTED.replace("hmac=7", "hmac=%C3%A9"),
        "a=b;" + DOCUMENTED,
    ],
)
def test_malformed_query_is_refused(query: str) -> None:
    assert signed_query(query, ["hush"]) is None
