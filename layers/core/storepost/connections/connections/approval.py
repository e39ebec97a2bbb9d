"""Accepts Shopify's redirect with a shop's approval, which doesn't connect the shop yet.

It leads to a connect link, shown to the person who approved. So an attacker can't get a stranger's
shop into the attacker's own workspace by the stranger's approval: the person who approves chooses.
"""

from storepost.connections.links.model import VALID_FOR, ConnectLink
from storepost.connections.links.repository import add_link
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.shopify.admin import AdminClient, StoredAccess
from storepost.shopify.app import ShopifyApp, shopify_app
from storepost.shopify.claims import expect_claim, find_claim
from storepost.shopify.details import shop_details
from storepost.shopify.errors import ShopifyError
from storepost.shopify.grants import keep_grant
from storepost.shopify.installs import (
    InstallRepository,
    PendingInstall,
    find_pending_install,
    use_state,
)
from storepost.shopify.oauth import Tokens, tokens_for_code
from storepost.shopify.problems import OAuthInvalid
from storepost.shopify.scopes import lacking
from storepost.shopify.shops import is_shop
from storepost.shopify.signatures import signed_query
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.values.links import page_link
from storepost.values.logs import logger

PATIENCE_SECONDS = 3.0
TIMEOUT_SECONDS = 4.0
"""A person waits for the page, and the function has 27 seconds."""


def accept_approval(raw_query: str, base_url: str) -> str:
    """Accepts a shop's approval; returns the address of the link for choosing a workspace.

    Raises OAuthInvalid for a query that Shopify didn't sign, an install that wasn't begun within
    ten minutes, a repeated query, and what Shopify refuses afterwards.
    """
    app = shopify_app()
    install, code = _read(app, raw_query)
    # Done first: whatever happens next, the same parameters can't be used again.
    commit_anew(lambda changes: use_state(changes, install, OAuthInvalid()))
    try:
        link = _make_link(app, install, code)
    except ShopifyError as error:
        logger.warning("install not completed", extra={"reason": str(error)})
        raise OAuthInvalid("The shop's answer lacks what was requested. Begin again.") from error
    return page_link(base_url, "connect-link", str(link.id))


def _read(app: ShopifyApp, raw_query: str) -> tuple[PendingInstall, str]:
    """The approved install, and the code for its tokens."""
    parameters = signed_query(raw_query, app.secrets())
    if parameters is None or not {"code", "shop", "state"} <= parameters.keys():
        raise OAuthInvalid()
    install = find_pending_install(parameters["state"])
    if install is None or install.shop != parameters["shop"] or not is_shop(install.shop):
        raise OAuthInvalid()
    return install, parameters["code"]


def _make_link(app: ShopifyApp, approved_install: PendingInstall, code: str) -> ConnectLink:
    tokens = tokens_for_code(app, approved_install.shop, code)
    ends_at = clock.now() + VALID_FOR
    # Stored before anything else can fail: these tokens invalidated the previous ones, and a store
    # that is connected to the shop depends on them.
    commit_anew(lambda changes: _keep(changes, approved_install.shop, tokens))
    if lacking(tokens.scopes):
        raise OAuthInvalid(f"The app needs these scopes too: {', '.join(lacking(tokens.scopes))}.")
    with AdminClient(
        approved_install.shop,
        StoredAccess(approved_install.shop),
        patience_seconds=PATIENCE_SECONDS,
        timeout_seconds=TIMEOUT_SECONDS,
    ) as admin:
        details = shop_details(admin, tokens.scopes)
    link = ConnectLink(new_id(), approved_install.shop, details, tokens.scopes, ends_at)

    def write(changes: Changes) -> None:
        add_link(changes, link)
        install = InstallRepository(approved_install.workspace)
        install.await_choice(changes, approved_install, link.ends_at, on_conflict=OAuthInvalid())

    commit_anew(write)
    return link


def _keep(changes: Changes, shop: str, tokens: Tokens) -> None:
    """Stores the tokens: for good if the shop is connected, else as long as a link is valid."""
    claim = find_claim(shop)
    expect_claim(changes, shop, claim)
    keep_grant(changes, shop, tokens, None if claim else clock.now() + VALID_FOR)
