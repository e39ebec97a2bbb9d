"""POST /workspaces/{id}/delete, and what is left of a workspace: nothing."""

import importlib
import pkgutil
from collections.abc import Iterator
from unittest import mock
from uuid import UUID

import pytest

import storepost
from storepost.accounts.api_keys.model import ApiKey
from storepost.accounts.api_keys.repository import ApiKeyRepository
from storepost.accounts.identity.model import KeyScope
from storepost.accounts.workspaces.model import Role
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.catalog.products.trees import ProductLists
from storepost.coupons.messages import CouponMessage
from storepost.coupons.rows import CodeRow, RemovalRow
from storepost.coupons.worker import resume
from storepost.lifecycle.workspaces import rows, service
from storepost.lifecycle.workspaces.holdings import BESIDE, CONTENTS, ENDS
from storepost.orders.trees import OrderList
from storepost.people.profiles.lists import ProfileLists
from storepost.people.profiles.manual import IncomingPerson, upsert_profile
from storepost.people.profiles.merges import MergeCause
from storepost.people.profiles.rows import ProfileRow
from storepost.platform.attempts import posting
from storepost.platform.jobs.runs import Run
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.counted_tree import EVERYTHING, Tree, writing
from storepost.platform.persistence.counted_tree.items import BEFORE_KEYS, PendingCountItem
from storepost.platform.persistence.counted_tree.keys import LOWEST
from storepost.platform.persistence.counted_tree.pages import generation
from storepost.platform.persistence.item import Item, UnknownItem, VersionedItem
from storepost.platform.persistence.write_marks import MarkedItem
from storepost.stores.stores.signing_secrets import SigningItem
from storepost.values.scope import WorkspaceScope
from tests.accounts.sign_in.accounts import PASSWORD
from tests.harness.call_interruption import Side, around_calls
from tests.harness.crash_points import Shard, crashes, in_shards
from tests.harness.world import CANARY, World
from tests.lifecycle.erasures.scenario import ANN
from tests.lifecycle.workspaces.full_workspace import Home


@pytest.fixture
def home(world: World) -> Home:
    """A workspace with rows of each kind."""
    made = Home(world)
    made.fill()
    return made


class TestDelete:
    """The answer, and who can still read the workspace from then on."""

    def test_bad_input(self, home: Home) -> None:
        path = f"/workspaces/{home.workspace.id}/delete"
        assert home.call("POST", path, {}).error_paths() == ["/password"]

    def test_unauthorized_callers_are_refused(self, home: Home) -> None:
        path, body = f"/workspaces/{home.workspace.id}/delete", {"password": PASSWORD}
        for token, code in ((home.admin.token, "role"), (home.key, "sign_in_required")):
            answer = home.world.call("POST", path, token=token, json_body=body)
            assert answer.problem() == (403, code)
        stranger = Home(home.world)
        assert stranger.call("POST", path, body).problem() == (404, "not_found")
        home.world.require_two_factor(home.workspace)
        assert home.delete().problem() == (403, "two_factor_required")

    def test_wrong_password(self, home: Home) -> None:
        path = f"/workspaces/{home.workspace.id}/delete"
        for _ in range(10):
            answer = home.call("POST", path, {"password": "wrong horse battery"})
            assert answer.problem() == (422, "password_wrong")
        assert home.delete().problem() == (429, "sign_in_limit")
        assert home.get("/profiles")["total"] == 2

    def test_workspace_is_gone_immediately(self, home: Home) -> None:
        invitation = home.ids("/invitations")[0]
        [slug] = [each["slug"] for each in home.get("/me")["workspaces"]]
        answer = home.delete()
        assert (answer.status, answer.body) == (202, b"")
        for someone in (home.owner, home.admin):
            me = someone.call("GET", "/me").json
            assert me["workspaces"] == []
            response = someone.call("GET", "/profiles")
            assert response.problem() == (409, "no_active_workspace")
            again = {"workspaceId": str(home.workspace.id)}
            chosen = someone.call("PUT", "/me/workspace", again)
            assert chosen.problem() == (422, "validation")
            renamed = someone.call(
                "PATCH", f"/workspaces/{home.workspace.id}", {"name": "Still here"}
            )
            assert renamed.problem() == (404, "not_found")
        response = home.world.call("GET", "/profiles", token=home.key)
        assert response.problem() == (401, "unauthenticated")
        assert home.world.call("GET", f"/invitations/{invitation}/preview").status == 404
        assert home.delete().problem() == (404, "not_found")
        assert home.call("POST", "/workspaces", {"name": slug}).json["slug"] == slug

    def test_owner_may_delete_account_afterwards(self, home: Home) -> None:
        body = {"password": PASSWORD}
        assert home.call("POST", "/me/delete", body).problem() == (409, "owner_leave")
        home.delete()
        assert home.call("POST", "/me/delete", body).status == 204

    def test_keys_beyond_one_transaction_are_revoked(
        self, home: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(service, "SECRETS_AT_ONCE", 1)
        keys = [home.world.api_key(home.workspace, KeyScope.READ) for _ in range(3)]
        assert home.delete().status == 202
        for key in keys:
            assert home.world.call("GET", "/profiles", token=key).status == 401

    def test_owner_demoted_concurrently_is_refused(self, home: Home) -> None:
        admin = home.world.membership(home.admin, home.workspace)
        assert admin is not None

        def meanwhile(changes: Changes) -> None:
            members = WorkspaceRepository(home.workspace)
            own = members.owner()
            assert own is not None
            members.change_role(changes, own, Role.ADMIN)
            members.change_role(changes, admin, Role.OWNER)

        with home.world.meanwhile(meanwhile):
            assert home.delete().problem() == (403, "role")
        assert WorkspaceRepository(home.workspace).get() is not None

    def test_key_created_concurrently_is_revoked_by_worker(self, home: Home) -> None:
        made, plain = list[str](), ApiKeyRepository.all

        def all_but_one(self: ApiKeyRepository) -> list[ApiKey]:
            found = plain(self)
            if not made:
                made.append(home.world.api_key(home.workspace, KeyScope.WRITE, home.owner))
            return found

        with mock.patch.object(ApiKeyRepository, "all", all_but_one):
            assert home.delete().status == 202
        assert home.world.call("GET", "/profiles", token=made[0]).status == 200
        home.world.deliver()
        answer = home.world.call("GET", "/profiles", token=made[0])
        assert answer.problem() == (401, "unauthenticated")


class TestWorker:
    """What the worker removes."""

    def test_no_row_remains(self, home: Home) -> None:
        other = Home(home.world)
        other.fill()
        home.world.deliver()
        others = {row.key for row in home.world.rows() if other.workspace.key in row.pk}
        assert home.left()
        home.delete()
        home.world.deliver()
        home.is_removed()
        assert {row.key for row in home.world.rows() if other.workspace.key in row.pk} == others
        assert other.find_profile(email=ANN)["orders"] == 2

    def test_merge_and_erasure_in_progress(self, world: World) -> None:
        home = Home(world)
        person = home.somebody()
        home.erase(home.upsert(email=f"gone.{CANARY}@example.com")["id"])
        other = home.upsert(anonymousId="b")["id"]
        assert home.merge(other, person).status == 200
        home.delete()
        home.remove()
        world.deliver()
        home.is_removed()

    def test_pending_counts_of_lists_are_deleted(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """All of their writes found other transactions at the nodes, so they are counted later."""
        monkeypatch.setattr(writing, "is_contended", lambda _partition: True)
        monkeypatch.setattr(writing, "_FOLD_EVERY", 10**12)
        home = Home(world)
        home.fill()
        world.deliver()
        assert any(isinstance(row, PendingCountItem) for row in world.rows())
        home.delete()
        home.is_removed()

    def test_packed_lists_are_deleted(self, home: Home) -> None:
        """The records of a page's entries are deleted with it."""
        home.world.deliver()
        workspace = home.workspace
        trees = (
            ProfileLists(workspace).by_first_seen,
            OrderList(workspace).tree,
            ProductLists(workspace).by_added,
        )
        for tree in trees:
            assert _pack(tree)
        home.delete()
        home.is_removed()

    def test_run_out_of_time_is_continued_by_next_run(
        self, home: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(rows, "ROWS_AT_ONCE", 3)
        monkeypatch.setattr(rows, "FEW", 1)
        monkeypatch.setattr(Run, "is_over", lambda _run: True)
        home.world.deliver()
        home.delete()
        home.remove()
        assert home.left()
        for _ in range(11):
            home.remove()
        monkeypatch.undo()
        home.is_removed()

    def test_write_of_request_in_progress_is_deleted(self, home: Home) -> None:
        """A request that began before the deletion commits after the worker's first pass."""
        home.world.deliver()
        scope = WorkspaceScope(home.workspace.id)
        home.delete()
        assert home.remove()
        changes = Changes()
        upsert_profile(scope, IncomingPerson(email=ANN), MergeCause("api"), changes)
        changes.commit()
        home.is_removed()

    def test_coupon_codes_loaded_concurrently_are_deleted(self, home: Home) -> None:
        """A load writes rows without a transaction that the workspace's end could refuse."""
        home.world.deliver()
        pool = home.pool(90)
        assert home.get(f"/coupons/{pool}")["codes"]["pending"] == 52
        message = CouponMessage(home.workspace.id, UUID(pool))
        home.delete()
        home.world.advance(minutes=11)

        def remove(_number: int, operation: str, side: Side) -> None:
            if operation == "BatchExecuteStatement" and side is Side.BEFORE:
                home.remove()

        with around_calls(remove):
            resume(Run(message, 1, lambda: 10**6))
        home.is_removed()

    @in_shards(3)
    def test_killed_at_any_call(self, world: World, shard: Shard) -> None:
        home = Home(world)
        home.somebody()
        home.order(home.shop, "5")
        home.call("DELETE", f"/stores/{home.shop}/orders/5")
        world.deliver()
        home.delete()
        found = crashes(world, home.remove, deliver=False)
        assert len(found.positions) > 60
        at_its_end = home.left()
        for positions in found.shard(shard):
            assert home.remove()
            assert home.left() == at_its_end, positions
        home.is_removed()

    def test_request_killed_at_any_call(self, world: World) -> None:
        home = Home(world)
        home.upsert(email=ANN)
        for positions in crashes(world, lambda: home.delete(key="k")):
            world.advance(minutes=5)
            assert home.delete(key="k").status == 202, positions
            world.deliver()
            home.is_removed()

    def test_no_write_backs_are_sent(self, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
        posted: list[str] = []
        monkeypatch.setattr(posting, "post", lambda url, **_: posted.append(url))
        monkeypatch.setenv("FEED_ALLOW_HOSTS", "127.0.0.1:9777")
        hook = {"url": "http://127.0.0.1:9777/consent"}
        assert home.call("PUT", f"/stores/{home.shop}/write-back", hook).status == 200
        home.world.deliver()
        person = home.find_profile(email=ANN)["id"]
        assert home.consent(person, "unsubscribed").status == 200
        home.delete()
        home.remove()
        home.world.deliver()
        assert posted == []

    def test_existing_workspace_is_not_deleted(self, home: Home) -> None:
        assert not home.remove()
        assert home.get("/profiles")["total"] == 2


def test_each_kind_of_row_is_deleted_with_workspace() -> None:
    """Each kind of row has a function that removes it with its workspace."""
    for module in pkgutil.walk_packages(storepost.__path__, "storepost."):
        importlib.import_module(module.name)
    shared = {VersionedItem, SigningItem, MarkedItem, UnknownItem, ProfileRow, CodeRow, RemovalRow}
    kinds = set(_kinds(Item)) - shared
    removed = {kind for holding in (*CONTENTS, *ENDS) for kind in holding.kinds} | {*BESIDE}
    assert {kind.__name__ for kind in kinds - removed} == ELSEWHERE


ELSEWHERE = {
    # Rows of a person.
    *("PersonItem", "EmailClaimItem", "SessionItem", "SessionPointerItem", "AttemptsItem"),
    *("EmailedCodeItem", "AuthenticatorItem", "BackupCodesItem", "TrustedBrowserItem"),
    "KnownSourceItem",
    *("AddressChangeItem", "PendingAuthenticatorItem", "InvitationSendsItem"),
    *("RegistrationItem", "VerifiedAddressItem", "ChallengeItem", "ResetItem"),
    # Rows of a shop, which its disconnection releases, and links that expire.
    *("ShopClaimItem", "ShopUpkeepItem", "ShopGrantItem", "ConnectLinkItem"),
    "WebhookDeliveryItem",
    # Needed by a deleted workspace's unsubscribe links.
    "FormerShopItem",
    # Deleted once it is sent.
    "OutboxItem",
}


def _pack(tree: Tree) -> int:
    """Packs a list's entries into a page; how many entries those are."""
    packed = tree.rows.everything()[1]
    page = tree.rows.page_item(LOWEST + BEFORE_KEYS + generation(1), packed)
    changes = Changes()
    changes.create(page)
    tree.rows.widen_span(changes, None, EVERYTHING)
    for entry in packed:
        changes.delete(tree.rows.entry_item(entry))
    changes.commit()
    return len(packed)


def _kinds(kind: type[Item]) -> Iterator[type[Item]]:
    for each in kind.__subclasses__():
        if each.__module__.startswith("storepost."):
            yield each
            yield from _kinds(each)
