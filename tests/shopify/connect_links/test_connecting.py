"""Connect links: connecting the shop, and moving it from another workspace."""

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from storepost.accounts.workspaces.model import Role
from storepost.connections.links import service
from storepost.connections.links.repository import find_link
from storepost.platform.persistence.changes import Changes
from storepost.shopify.claims import find_claim
from storepost.shopify.grants import find_grant
from storepost.shopify.patience import Patience
from storepost.shopify.tokens import renewed_grant
from storepost.stores.locales import service as locales
from storepost.stores.stores.model import ConnectionStatus, Platform, StoreStatus
from storepost.stores.stores.repository import StoreRepository
from storepost.stores.stores.service import disconnect_store
from storepost.values import clock
from storepost.values.scope import WorkspaceScope
from tests.harness.call_interruption import another_container, before_the_commit
from tests.harness.world import CANARY, Someone, World
from tests.shopify.connect_links.links import NEW, first_import, summary
from tests.shopify.shops import SHOP, Shopify, choose_existing


class TestConnect:
    """POST /connect-links/{id}/connect."""

    @pytest.mark.parametrize(
        ("choice", "path"),
        [
            ({}, "/action"),
            ({"action": "take"}, "/action"),
            ({"action": "connect"}, "/workspaceId"),
            ({"action": "connect", "workspaceId": "x"}, "/workspaceId"),
            ({"action": "connect_new"}, "/workspaceName"),
            ({"action": "connect_new", "workspaceName": " "}, "/workspaceName"),
            ({"action": "connect_new", "workspaceName": "x" * 81}, "/workspaceName"),
            ({**NEW, "workspaceId": "0190f0b1-0000-7000-8000-000000000000"}, "/workspaceId"),
        ],
    )
    def test_bad_input(
        self, shopify: Shopify, owner: Someone, link: str, choice: dict[str, Any], path: str
    ) -> None:
        assert shopify.choose(owner, link, choice).error_paths() == [path]

    def test_unknown_link(
        self, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        for choice in (choose_existing(workspace), NEW):
            assert shopify.choose(owner, str(uuid4()), choice).problem() == (404, "not_found")
        assert len(owner.call("GET", "/me").json["workspaces"]) == 1

    def test_store_is_created(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope, link: str
    ) -> None:
        world.advance(minutes=59)
        answer = shopify.choose(owner, link, choose_existing(workspace))
        slug = summary(owner, workspace)["slug"]
        assert answer.status == 200
        assert answer.json == {"workspaceId": str(workspace.id), "slug": slug}
        [summarised] = owner.call("GET", "/stores").json["items"]
        body = owner.call("GET", f"/stores/{summarised['id']}").json
        assert body == {
            "id": body["id"],
            "platform": "shopify",
            "name": f"Shop {CANARY}",
            "externalId": SHOP,
            "currency": "EUR",
            "primaryLocale": "en",
            "status": "active",
            "connectionStatus": "connected",
            "importStatus": "queued",
            "permissions": {"coupons": True, "consent": True},
            "connectedAt": clock.to_text(shopify.store(workspace).connected_at),
            "storefrontUrl": "https://shop.example.com",
            "contactEmail": f"shop.{CANARY}@example.com",
            "localeCount": 1,
            "customerCount": 0,
            "orderCount": 0,
            "productCount": 0,
            "lastOrderAt": None,
            "lastProductSyncAt": None,
            "imports": {
                "customersOrders": first_import(body["imports"], "customersOrders"),
                "products": first_import(body["imports"], "products"),
            },
            "latestCustomer": None,
            "adminUrl": body["adminUrl"],
        }
        assert body["adminUrl"].endswith(f"/{SHOP}/admin")
        locales = owner.call("GET", f"/stores/{body['id']}/locales").json
        assert locales["items"] == [
            {
                "locale": "en",
                "label": "English",
                "isPrimary": True,
                "country": "DE",
                "currency": "EUR",
                "url": "https://shop.example.com",
            }
        ]
        own = owner.call("GET", "/locales").json["items"]
        assert [(row["code"], row["origin"], row["isDefault"]) for row in own] == [
            ("en", "store", True)
        ]
        assert summary(owner, workspace)["storeCount"] == 1
        assert [row["state"] for row in shopify.connections(owner)] == ["importing"]
        claim = find_claim(SHOP)
        assert claim is not None
        assert (claim.workspace, str(claim.store_id)) == (workspace, body["id"])
        world.advance(days=30)
        assert find_grant(SHOP) is not None

    @pytest.mark.parametrize(
        ("more", "permissions"),
        [
            ("", {"coupons": False, "consent": False}),
            (",write_customers", {"coupons": False, "consent": True}),
            (",read_discounts", {"coupons": False, "consent": False}),
            (",write_discounts", {"coupons": True, "consent": False}),
        ],
    )
    def test_permissions_follow_granted_scopes(
        self,
        shopify: Shopify,
        owner: Someone,
        workspace: WorkspaceScope,
        more: str,
        permissions: dict[str, bool],
    ) -> None:
        link = shopify.link(owner, scope=f"read_customers,read_orders,read_products{more}")
        shopify.choose(owner, link, choose_existing(workspace))
        [store] = owner.call("GET", "/stores").json["items"]
        assert store["permissions"] == permissions

    def test_locale_limit_refuses_and_leaves_link_valid(
        self,
        world: World,
        shopify: Shopify,
        owner: Someone,
        workspace: WorkspaceScope,
        link: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """The link stays valid until a user makes room."""
        world.store(owner, primaryLocale="sv")
        known = len(owner.call("GET", "/locales").json["items"])
        monkeypatch.setattr(locales, "MAX_LOCALES", known)
        answer = shopify.choose(owner, link, choose_existing(workspace))
        assert answer.problem() == (409, "locale_limit")
        assert [store.external_id for store in StoreRepository(workspace).all()] != [SHOP]
        monkeypatch.undo()
        assert shopify.choose(owner, link, choose_existing(workspace)).status == 200

    def test_new_workspace_is_created(
        self, shopify: Shopify, owner: Someone, workspace: WorkspaceScope, link: str
    ) -> None:
        body = shopify.choose(owner, link, NEW).json
        made = WorkspaceScope(UUID(body["workspaceId"]))
        assert made != workspace
        assert summary(owner, made) == {
            "id": body["workspaceId"],
            "name": f"New {CANARY}",
            "slug": body["slug"],
            "role": "owner",
            "storeCount": 1,
            "requireTwoFactor": False,
        }
        assert body["slug"] == f"new-{CANARY}"
        assert shopify.store(made).status is StoreStatus.ACTIVE
        assert summary(owner, workspace)["storeCount"] == 0
        listed = owner.call("GET", "/me").json["workspaces"]
        assert len(listed) == 2
        # The active workspace stays active, and still waits for its install.
        assert [row["state"] for row in shopify.connections(owner)] == ["pending"]

    def test_first_workspace_becomes_active(
        self, world: World, shopify: Shopify, link: str
    ) -> None:
        someone = world.person()
        assert shopify.choose(someone, link, NEW).status == 200
        assert [row["state"] for row in shopify.connections(someone)] == ["importing"]

    def test_only_owner_or_admin_may_choose_workspace(
        self, world: World, shopify: Shopify, workspace: WorkspaceScope, link: str
    ) -> None:
        stranger, member = world.person(), world.member(workspace)
        choice = choose_existing(workspace)
        assert shopify.choose(stranger, link, choice).problem() == (422, "validation")
        assert shopify.choose(member, link, choice).problem() == (403, "role")
        assert shopify.choose(stranger, link, choose_existing(uuid4())).problem() == (
            422,
            "validation",
        )
        assert find_claim(SHOP) is None
        admin = world.member(workspace, Role.ADMIN)
        assert shopify.choose(admin, link, choice).status == 200

    def test_workspace_may_require_two_factor(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope, link: str
    ) -> None:
        world.require_two_factor(workspace)
        choice = choose_existing(workspace)
        answer = shopify.choose(owner, link, choice, key="k")
        assert answer.problem() == (403, "two_factor_required")
        member = world.member(workspace)
        assert shopify.choose(member, link, choice).problem() == (403, "two_factor_required")
        assert find_claim(SHOP) is None
        world.turn_two_factor_on(owner)
        assert shopify.choose(owner, link, choice, key="k").status == 200

    def test_link_works_once(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope, link: str
    ) -> None:
        assert shopify.choose(owner, link, choose_existing(workspace)).status == 200
        stranger = world.person()
        theirs = world.workspace(stranger)
        for choice in (choose_existing(theirs), NEW):
            assert shopify.choose(stranger, link, choice).problem() == (409, "link_used")
        assert StoreRepository(theirs).all() == []
        claim = find_claim(SHOP)
        assert claim is not None
        assert claim.workspace == workspace

    def test_link_expires_after_one_hour(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope, link: str
    ) -> None:
        world.advance(hours=1)
        for choice in (choose_existing(workspace), NEW):
            assert shopify.choose(owner, link, choice).problem() == (410, "link_expired")
        assert StoreRepository(workspace).all() == []

    def test_concurrent_requests_use_link_once(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope, link: str
    ) -> None:
        stranger = world.person()
        theirs, others = world.workspace(stranger), []

        def meanwhile() -> None:
            others.append(shopify.choose(stranger, link, choose_existing(theirs)))

        with before_the_commit(meanwhile):
            answer = shopify.choose(owner, link, choose_existing(workspace))
        assert others[0].status == 200
        assert answer.problem() == (409, "link_used")
        assert StoreRepository(workspace).all() == []
        assert summary(owner, workspace)["storeCount"] == 0

    @pytest.mark.parametrize("demoted", [False, True])
    def test_admin_demoted_or_removed_concurrently_is_refused(
        self, world: World, shopify: Shopify, workspace: WorkspaceScope, link: str, *, demoted: bool
    ) -> None:
        admin = world.member(workspace, Role.ADMIN)
        with world.meanwhile(world.unseating(admin, workspace, demoted=demoted)):
            answer = shopify.choose(admin, link, choose_existing(workspace))
        assert answer.problem() == ((403, "role") if demoted else (422, "validation"))
        assert StoreRepository(workspace).all() == []
        assert find_claim(SHOP) is None

    def test_concurrent_disconnection_by_former_workspace_expires_link(
        self,
        world: World,
        shopify: Shopify,
        owner: Someone,
        workspace: WorkspaceScope,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """This happens between two reads of the shop's store: the shop loses the app, too."""
        store = shopify.connect(owner, workspace)
        stranger = world.person()
        theirs, link = world.workspace(stranger), shopify.link(stranger)

        def meanwhile(*args: Any) -> Any:
            monkeypatch.undo()
            with another_container():
                assert owner.call("POST", f"/stores/{store.id}/disconnect").status == 200
            return disconnect_store(*args)

        monkeypatch.setattr(service, "disconnect_store", meanwhile)
        answer = shopify.choose(stranger, link, choose_existing(theirs))
        assert answer.problem() == (410, "link_expired")
        assert [each.status for each in StoreRepository(workspace).all()] == ["disconnected"]
        assert StoreRepository(theirs).all() == []
        assert summary(owner, workspace)["storeCount"] == 0
        assert summary(stranger, theirs)["storeCount"] == 0

    def test_newest_tokens_are_stored_when_approved_twice(
        self, shopify: Shopify, owner: Someone, workspace: WorkspaceScope, link: str
    ) -> None:
        """Both links are for one shop: it has the newest tokens."""
        second = shopify.link(owner)
        assert shopify.choose(owner, link, choose_existing(workspace)).status == 200
        assert shopify.choose(owner, second, choose_existing(workspace)).status == 200
        grant, installation = find_grant(SHOP), shopify.shop().installation
        assert grant is not None
        assert installation is not None
        assert grant.access_token() == installation.access_token

    def test_newest_approval_decides_permissions(
        self, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        """What the newest approval lets the app do counts, whichever link is used."""
        more = "read_customers,write_customers,read_orders,read_products,write_discounts"
        link = shopify.link(owner, scope=more)
        shopify.link(owner, scope="read_customers,read_orders,read_products")
        assert shopify.choose(owner, link, choose_existing(workspace)).status == 200
        store = shopify.store(workspace)
        assert (store.takes_consent, store.makes_coupons) == (False, False)

    def test_later_approval_with_missing_scopes_expires_link(
        self, shopify: Shopify, owner: Someone, workspace: WorkspaceScope, link: str
    ) -> None:
        refused = shopify.callback(
            shopify.approved(shopify.begin(owner), scope="read_customers,read_orders")
        )
        assert refused.problem() == (400, "oauth_invalid")
        answer = shopify.choose(owner, link, choose_existing(workspace))
        assert answer.problem() == (410, "link_expired")
        assert StoreRepository(workspace).all() == []
        assert find_claim(SHOP) is None
        assert summary(owner, workspace)["storeCount"] == 0

    def test_concurrent_token_refresh_is_not_lost(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope, link: str
    ) -> None:
        grant = find_grant(SHOP)
        assert grant is not None
        with before_the_commit(lambda: renewed_grant(grant, Patience(1.0))):
            answer = shopify.choose(owner, link, choose_existing(workspace))
        assert answer.status == 200
        stored, installation = find_grant(SHOP), shopify.shop().installation
        assert stored is not None
        assert installation is not None
        assert stored.access_token() == installation.access_token
        world.advance(hours=2)
        assert find_grant(SHOP) == stored

    def test_store_that_needs_reauth_is_reconnected(
        self, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        store = shopify.connect(owner, workspace)
        stores, changes = StoreRepository(workspace), Changes()
        needing = stores.get(store.id)
        assert needing is not None
        stores.save(changes, replace(needing, connection_status=ConnectionStatus.NEEDS_REAUTH))
        changes.commit()
        shopify.shop().name = f"Renamed {CANARY}"
        again = shopify.connect(owner, workspace)
        assert (again.id, again.connection_status) == (store.id, ConnectionStatus.CONNECTED)
        assert again.name == f"Renamed {CANARY}"
        assert summary(owner, workspace)["storeCount"] == 1

    def test_custom_store_with_same_external_id_is_separate(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        custom = world.store(owner, externalId=SHOP)
        shopify.choose(owner, shopify.link(owner), choose_existing(workspace))
        stores = {s.platform: s for s in StoreRepository(workspace).all()}
        assert str(stores[Platform.CUSTOM].id) == custom
        assert stores[Platform.SHOPIFY].id != stores[Platform.CUSTOM].id
        assert summary(owner, workspace)["storeCount"] == 2

    def test_link_stores_shop_details_of_approval(self, shopify: Shopify, link: str) -> None:
        shopify.shop().name = "Renamed"
        found = find_link(UUID(link))
        assert found is not None
        assert found.details.name == f"Shop {CANARY}"


class TestMove:
    """Connecting a shop that is connected elsewhere."""

    def test_former_store_is_disconnected_and_owner_is_emailed(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        store = shopify.connect(owner, workspace)
        world.member(workspace, Role.ADMIN)
        stranger = world.person()
        theirs = world.workspace(stranger, f"Theirs {CANARY}")
        world.advance(minutes=5)
        after_move = shopify.connect(stranger, theirs)
        assert after_move.id != store.id
        left = shopify.store(workspace)
        assert (left.status, left.connection_status) == (
            StoreStatus.DISCONNECTED,
            ConnectionStatus.DISCONNECTED,
        )
        assert summary(owner, workspace)["storeCount"] == 0
        assert summary(stranger, theirs)["storeCount"] == 1
        locales = owner.call("GET", "/locales").json["items"]
        assert [row["origin"] for row in locales] == ["manual"]
        claim = find_claim(SHOP)
        assert claim is not None
        assert (claim.workspace, claim.store_id) == (theirs, after_move.id)
        assert shopify.shop().installation is not None
        [email] = world.emails()
        assert email.to == owner.email
        assert email.subject == f"Shop {CANARY} moved to another workspace"
        assert f"Mine {CANARY}" in email.text
        assert "Theirs" not in email.text + email.html

    def test_moving_back_reuses_store_id(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        store = shopify.connect(owner, workspace)
        stranger = world.person()
        theirs = world.workspace(stranger)
        shopify.connect(stranger, theirs)
        assert shopify.connect(owner, workspace).id == store.id
        assert shopify.store(theirs).status is StoreStatus.DISCONNECTED
        assert [email.to for email in world.emails()] == [owner.email, stranger.email]

    def test_disconnecting_former_store_does_not_affect_shop(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        shopify.connect(owner, workspace)
        stranger = world.person()
        shopify.connect(stranger, world.workspace(stranger))
        assert owner.call("DELETE", f"/connections/shopify:{SHOP}").status == 204
        assert shopify.shop().installation is not None
        assert find_claim(SHOP) is not None

    def test_move_between_own_workspaces(
        self, world: World, shopify: Shopify, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        shopify.connect(owner, workspace)
        second = world.workspace(owner)
        link = shopify.link(owner)
        body = owner.call("GET", f"/connect-links/{link}").json
        assert body["previousWorkspace"]["id"] == str(workspace.id)
        assert shopify.choose(owner, link, choose_existing(second)).status == 200
        assert shopify.store(workspace).status is StoreStatus.DISCONNECTED
        assert shopify.store(second).status is StoreStatus.ACTIVE
