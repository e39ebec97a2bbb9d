"""The description's names are clear to a reader who has only the types generated from it."""

import re

import pytest

from storepost.api.http.query_forms import SUFFIX
from storepost.api.reference.documents import interface
from storepost.values.component_names import PUBLIC_NAMES, public_name
from tests.harness.answers import operations

RESOURCES = {
    *("Connection", "Coupon", "Definition", "Feed", "Health", "Me", "Money", "Order", "Problem"),
    *("Product", "Profile", "Reachability", "Store", "Suppression", "User"),
}
"""Components of one word: resources that everybody in e-commerce knows, and what has no kinds."""

VERBS = {"GET": {"get", "list", "preview"}, "PUT": {"put"}, "PATCH": {"update"},
         "DELETE": {"delete"}}  # fmt: skip
"""What the operations of a method begin with; those of POST are as many as there are actions."""

OWN_NAMES = {
    "changeProposals.withdraw": "the proposal stays readable",
    "connections.shopifyCallback": "Shopify's browser redirect, which no client calls",
    "profiles.export": "answers more than the profile",
    "workspaces.availableSlug": "the specification's own name",
}


SPECIFIED = {
    *("me.get", "me.forgetTrustedBrowsers", "me.disableTwoFactorEmail"),
    *("sessions.list", "sessions.delete", "sessions.deleteOthers"),
    *("workspaces.create", "workspaces.update", "workspaces.availableSlug"),
    *("members.list", "members.transferOwnership", "members.updateRole", "members.delete"),
    *("members.leave", "invitations.list", "invitations.create", "invitations.preview"),
    *("invitations.resend", "invitations.delete", "invitations.accept", "invitations.decline"),
}
"""The names that the specification gives to operations."""


def components() -> set[str]:
    """The names of all schemas."""
    return set(interface()["components"]["schemas"])


def test_only_resources_have_one_word_component_names() -> None:
    assert {name for name in components() if re.fullmatch("[A-Z][a-z]+", name)} == RESOURCES


def test_renamed_classes_appear_only_under_their_public_name() -> None:
    assert set(PUBLIC_NAMES.values()) <= components()
    assert set(PUBLIC_NAMES) & components() == set()
    assert len(set(PUBLIC_NAMES.values())) == len(PUBLIC_NAMES)


@pytest.mark.parametrize(
    ("name", "public"),
    [
        ("Page_ImportProblem_", "PageOfStoreImportProblem"),
        ("CouponShape", "Coupon"),
        ("CodeStatus", "CouponCodeStatus"),
    ],
)
def test_internal_class_names_get_public_names(name: str, public: str) -> None:
    assert public_name(name) == public


def test_operation_ids_begin_with_the_verb_of_their_method() -> None:
    unlike = {
        operation["operationId"]
        for _, method, operation in operations()
        if method in VERBS
        and re.findall("^[a-z]+", operation["operationId"].partition(".")[2].removesuffix(SUFFIX))[
            0
        ]
        not in VERBS[method]
    }
    assert unlike == set(OWN_NAMES)


def test_specified_operations_have_the_specifications_names() -> None:
    assert {operation["operationId"] for _, _, operation in operations()} >= SPECIFIED
