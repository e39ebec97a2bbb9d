"""The order of the description's operations: by task, in the order of a customer's first steps."""

from openapi.groups import Group
from openapi.operations import Document

STORY: dict[str, dict[str, str]] = {
    "Start": {"docs": "The service", "site": "Documentation"},
    "People": {
        "profiles": "Profiles",
        "events": "Events",
        "profile_exports": "Profile exports",
    },
    "Stores": {
        "stores": "Stores",
        "store_imports": "Store imports",
        "orders": "Orders",
        "locales": "Locales",
        "connections": "Connections",
        "connect_links": "Connect links",
        "webhooks": "Webhooks of platforms",
    },
    "Catalog": {
        "products": "Products",
        "priorities": "Field priority",
        "feeds": "Feeds",
        "search": "Search",
    },
    "Coupons": {"coupons": "Coupons"},
    "Consent": {
        "consent": "Consent",
        "opt_in": "Double opt-in",
        "unsubscribe": "Unsubscribe links",
        "deliverability": "Deliverability",
    },
    "Proposals": {"proposals": "Change proposals"},
    "Webhooks": {"webhook_endpoints": "Webhook endpoints"},
    "Account": {
        "sign_in": "Signing in",
        "me": "The signed-in person",
        "workspaces": "Workspaces",
        "members": "Members",
        "invitations": "Invitations",
        "api_keys": "API keys",
    },
}
"""Each part's groups, with the titles that people see."""


def tags(found: list[Group]) -> list[Document]:
    """Returns the groups in order; raises KeyError for a group that no part has."""
    titles = {name: title for part in STORY.values() for name, title in part.items()}
    about = {group.name: group.description for group in found}
    if unknown := about.keys() - titles.keys():
        raise KeyError(f"openapi/navigation.py has no place for {', '.join(sorted(unknown))}")
    return [
        {"name": name, "x-displayName": title, "description": about[name]}
        for name, title in titles.items()
        if name in about
    ]


def tag_groups(found: list[Group]) -> list[Document]:
    """Returns the parts with their groups, as Redoc and Scalar read `x-tagGroups`."""
    names = {group.name for group in found}
    return [
        {"name": part, "tags": [name for name in groups if name in names]}
        for part, groups in STORY.items()
    ]
