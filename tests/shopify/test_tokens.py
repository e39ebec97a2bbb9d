"""A valid token: refreshed early, once, by one run at a time, also if runs are killed."""

import threading
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from werkzeug.wrappers import Request, Response

from storepost.platform.persistence.changes import Changes
from storepost.shopify import patience, tokens
from storepost.shopify.errors import NeedsReauth, ShopUnavailable
from storepost.shopify.grants import Grant, find_grant, keep_grant
from storepost.shopify.oauth import GrantRefused
from storepost.shopify.patience import Patience
from storepost.shopify.problems import ShopifyNotConfigured
from storepost.shopify.tokens import EARLY, LEASE, renewed_grant, usable_grant
from storepost.stores.stores.model import ConnectionStatus
from storepost.values import clock
from storepost.values.scope import WorkspaceScope
from tests.harness.call_interruption import Side, around_calls, killed_at
from tests.harness.crash_points import crashes
from tests.harness.world import Someone, World
from tests.shopify.shops import SHOP, Shopify, entrusted, tokens_of

SOON_SECONDS = 20


@pytest.fixture
def workspace(world: World, owner: Someone) -> WorkspaceScope:
    """The owner's workspace."""
    return world.workspace(owner)


@pytest.fixture
def connected(shopify: Shopify, owner: Someone, workspace: WorkspaceScope) -> Shopify:
    """Shopify with a connected shop; its token was just issued."""
    shopify.connect(owner, workspace)
    shopify.server.requests.clear()
    return shopify


def patient(seconds: float = 20) -> Patience:
    return Patience(seconds)


def works(shopify: Shopify, grant: Grant) -> bool:
    """Whether the shop accepts the grant's token, and would refresh it by its refresh token."""
    installation = shopify.shop().installation
    assert installation is not None
    return installation.takes(grant.access_token()) and installation.refreshes(
        grant.refresh_token()
    )


def status(shopify: Shopify, workspace: WorkspaceScope) -> ConnectionStatus:
    return shopify.store(workspace).connection_status


class TestUsable:
    """A token that is valid for minutes to come."""

    def test_valid_token_is_returned_without_request(self, connected: Shopify) -> None:
        assert works(connected, usable_grant(SHOP, patient()))
        assert connected.server.requests == []

    @pytest.mark.parametrize(("left", "refreshes"), [(1, False), (0, True), (-90, True)])
    def test_refreshed_five_minutes_before_expiry(
        self, world: World, connected: Shopify, left: int, refreshes: bool
    ) -> None:
        grant = find_grant(SHOP)
        assert grant is not None
        until_refresh = grant.access_ends_at - EARLY - clock.now() - timedelta(seconds=left)
        world.advance(seconds=until_refresh.total_seconds())
        usable = usable_grant(SHOP, patient())
        assert (connected.token_requests() == 1) is refreshes
        assert works(connected, usable)
        assert usable == find_grant(SHOP)

    def test_refresh_request_parameters(self, world: World, connected: Shopify) -> None:
        grant = find_grant(SHOP)
        assert grant is not None
        world.advance(hours=1)
        seen: list[dict[str, str]] = []
        connected.server.interruptions.append(lambda request: seen.append(request.form.to_dict()))
        usable_grant(SHOP, patient())
        assert seen == [
            {
                "client_id": "local-app",
                "client_secret": "local-app-secret",
                "grant_type": "refresh_token",
                "refresh_token": grant.refresh_token(),
            }
        ]

    def test_never_connected_shop_needs_reauth(self, shopify: Shopify) -> None:
        with pytest.raises(NeedsReauth):
            usable_grant(SHOP, patient())
        assert shopify.server.requests == []

    def test_tokens_stay_valid_for_years_of_use(self, world: World, connected: Shopify) -> None:
        for _ in range(20):
            world.advance(days=89)
            assert works(connected, usable_grant(SHOP, patient()))

    def test_scopes_follow_last_token_response(self, world: World, connected: Shopify) -> None:
        installation = connected.shop().installation
        assert installation is not None
        installation.scopes = ("read_orders",)
        world.advance(hours=1)
        assert usable_grant(SHOP, patient()).scopes == ("read_orders",)


class TestRefused:
    """A shop that issues no more tokens."""

    def test_store_needs_reauth(
        self, world: World, connected: Shopify, workspace: WorkspaceScope, owner: Someone
    ) -> None:
        connected.shop().installation = None  # a user removed the app
        world.advance(hours=1)
        with pytest.raises(NeedsReauth) as refused:
            usable_grant(SHOP, patient())
        assert isinstance(refused.value.__cause__, GrantRefused)
        assert status(connected, workspace) is ConnectionStatus.NEEDS_REAUTH
        [row] = connected.connections(owner)
        assert row["state"] == "needs_attention"

    def test_refresh_token_expires_after_ninety_unused_days(
        self, world: World, connected: Shopify, workspace: WorkspaceScope
    ) -> None:
        world.advance(days=90, seconds=1)
        with pytest.raises(NeedsReauth):
            usable_grant(SHOP, patient())
        assert status(connected, workspace) is ConnectionStatus.NEEDS_REAUTH

    def test_repeated_refusals_do_not_wait(
        self, world: World, connected: Shopify, workspace: WorkspaceScope
    ) -> None:
        connected.shop().installation = None
        world.advance(hours=1)
        for _ in range(3):
            with pytest.raises(NeedsReauth):
                usable_grant(SHOP, patient())
        assert connected.token_requests() == 3
        assert connected.naps == []

    @pytest.mark.parametrize(
        "answer",
        [
            Response(status=500),
            Response(status=429),
            Response(status=404),
            Response("<html>maintenance</html>", status=403),
            Response('{"error": "invalid_client"}', status=401),
            Response('{"error": "application_cannot_be_found"}', status=400),
            Response('{"access_token": "shpat_only", "scope": "read_orders"}'),
        ],
    )
    def test_temporary_or_own_failure_does_not_need_reauth(
        self, world: World, connected: Shopify, workspace: WorkspaceScope, answer: Response
    ) -> None:
        world.advance(hours=1)
        connected.answering(answer)
        with pytest.raises(ShopUnavailable):
            usable_grant(SHOP, patient())
        assert status(connected, workspace) is ConnectionStatus.CONNECTED
        assert works(connected, usable_grant(SHOP, patient()))
        assert connected.naps == []  # no run holds the lease any more

    def test_missing_app_configuration_does_not_need_reauth(
        self, world: World, connected: Shopify, workspace: WorkspaceScope, monkeypatch: Any
    ) -> None:
        def gone() -> None:
            raise ShopifyNotConfigured()

        monkeypatch.setattr(tokens, "shopify_app", gone)
        world.advance(hours=1)
        with pytest.raises(ShopifyNotConfigured):
            usable_grant(SHOP, patient())
        assert status(connected, workspace) is ConnectionStatus.CONNECTED

    def test_concurrent_approval_wins_over_refusal(
        self, world: World, connected: Shopify, workspace: WorkspaceScope
    ) -> None:
        """The callback's tokens are stored when the refusal of the old ones arrives."""
        world.advance(hours=1)

        def approve_again(_request: Request) -> None:
            approve_in_place(connected)

        connected.server.interruptions.append(approve_again)
        assert works(connected, usable_grant(SHOP, patient()))
        assert status(connected, workspace) is ConnectionStatus.CONNECTED

    def test_refusal_of_old_tokens_does_not_affect_new_ones(
        self, world: World, connected: Shopify, workspace: WorkspaceScope
    ) -> None:
        old = find_grant(SHOP)
        assert old is not None
        approve_in_place(connected)
        assert works(connected, renewed_grant(old, patient()))
        assert connected.token_requests() == 0
        assert status(connected, workspace) is ConnectionStatus.CONNECTED


def approve_in_place(shopify: Shopify) -> None:
    """The app is approved again: Shopify ends the old tokens, the callback stores the new ones."""
    installation = shopify.shop().installation
    if installation is None:
        return  # an app that was removed is installed again
    installation.give_tokens(instead_of=None)
    changes = Changes()
    keep_grant(changes, SHOP, tokens_of(shopify.shop()), None)
    changes.commit()


class TestConcurrent:
    """Several runs that need a token at the same time."""

    def test_concurrent_runs_refresh_once(
        self, world: World, connected: Shopify, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        world.advance(hours=1)
        asleep, resume = threading.Event(), threading.Event()
        found: list[Grant] = []

        def nap(seconds: float) -> None:
            asleep.set()
            assert resume.wait(SOON_SECONDS)

        monkeypatch.setattr(patience, "sleep", nap)
        second = threading.Thread(target=lambda: found.append(usable_grant(SHOP, patient())))

        def while_the_first_asks(_request: Request) -> None:
            second.start()
            assert asleep.wait(SOON_SECONDS)

        connected.server.interruptions.append(while_the_first_asks)
        first = usable_grant(SHOP, patient())
        resume.set()
        second.join(SOON_SECONDS)
        assert connected.token_requests() == 1
        assert found == [first]
        assert works(connected, first)

    def test_waiting_run_gives_up_after_patience(self, world: World, connected: Shopify) -> None:
        world.advance(hours=1)
        refused: list[BaseException] = []

        def impatient(_request: Request) -> None:
            with pytest.raises(ShopUnavailable) as waited:
                usable_grant(SHOP, patient(4.9))
            refused.append(waited.value)

        connected.server.interruptions.append(impatient)
        first = usable_grant(SHOP, patient())
        assert len(refused) == 1
        assert connected.naps == [0.5] * 9
        assert connected.token_requests() == 1
        assert works(connected, first)

    def test_response_after_lease_expiry_is_discarded(
        self, world: World, connected: Shopify
    ) -> None:
        """Its lease ended before its answer arrived: another run has refreshed since."""
        world.advance(hours=1)
        found: list[Grant] = []

        def another_after_the_lease(_request: Request) -> None:
            world.advance(seconds=LEASE.total_seconds() + 1)
            found.append(usable_grant(SHOP, patient()))

        connected.server.interruptions.append(another_after_the_lease)
        late = usable_grant(SHOP, patient())
        assert found == [late]
        assert late == find_grant(SHOP)
        assert connected.token_requests() == 2

    def test_disconnection_during_refresh_stores_no_tokens(
        self, world: World, connected: Shopify, owner: Someone
    ) -> None:
        world.advance(hours=1)

        def disconnect(_request: Request) -> None:
            for row in world.rows(f"shop#{SHOP}"):
                row.delete()

        connected.server.interruptions.append(disconnect)
        with pytest.raises(NeedsReauth):
            usable_grant(SHOP, patient())
        assert entrusted(world) == []


class TestKilled:
    """After a run that dies, the shop's tokens still work."""

    def test_killed_at_any_call(
        self, world: World, connected: Shopify, workspace: WorkspaceScope
    ) -> None:
        world.deliver()  # the first import asks the shop too
        world.advance(hours=1)
        outside = [connected.server.pretend.shops]
        found = crashes(world, lambda: usable_grant(SHOP, patient()), outside=outside)
        assert (
            len(found.positions) >= 6
        )  # reads the grant, takes the lease, opens the token, writes
        for positions in found:
            world.advance(seconds=LEASE.total_seconds() + 1)
            usable = usable_grant(SHOP, patient(0))
            assert works(connected, usable), positions
            assert status(connected, workspace) is ConnectionStatus.CONNECTED

    def test_killed_between_response_and_write(
        self, world: World, connected: Shopify, workspace: WorkspaceScope
    ) -> None:
        """Three in a row: each used the same refresh token, and none has stored its answer."""
        world.advance(hours=1)
        for _ in range(3):
            writes: list[str] = []

            def die(_number: int, operation: str, moment: Side, seen: Any = writes) -> None:
                if operation == "TransactWriteItems" and moment is Side.BEFORE:
                    seen.append(operation)
                    if len(seen) == 2:  # the lease was the first
                        raise SystemExit

            with pytest.raises(SystemExit), around_calls(die):
                usable_grant(SHOP, patient())
            world.advance(seconds=LEASE.total_seconds() + 1)
        assert connected.token_requests() == 3
        assert works(connected, usable_grant(SHOP, patient(0)))
        assert status(connected, workspace) is ConnectionStatus.CONNECTED

    def test_next_run_waits_for_lease_of_killed_run(self, world: World, connected: Shopify) -> None:
        world.advance(hours=1)

        def die(_number: int, operation: str, moment: Side) -> None:
            if operation == "TransactWriteItems" and moment is Side.AFTER:
                raise SystemExit  # with the lease, before the request to Shopify

        with pytest.raises(SystemExit), around_calls(die):
            usable_grant(SHOP, patient())
        assert connected.token_requests() == 0
        assert works(connected, usable_grant(SHOP, patient(31)))
        # The time of the test's own steps is part of the lease too.
        assert 20 < sum(connected.naps) <= LEASE.total_seconds() + 0.5


def put_back(shopify: Shopify, before: Any) -> None:
    """Restores Shopify to when these tokens were the newest."""
    installation = shopify.shop().installation
    assert installation is not None
    installation.access_token, installation.access_ends_at = (
        before.access_token,
        before.access_ends_at,
    )
    installation.refresh_token, installation.refresh_ends_at = (
        before.refresh_token,
        before.refresh_ends_at,
    )
    installation.previous_refresh_token = None


class TestHistories:
    """In every order of events a caller gets a token that works.

    Only if a user removed the app there is none, and then the store says so.
    """

    @settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        st.lists(
            st.one_of(
                st.tuples(st.just("pass"), st.sampled_from([1, 20, 54, 56, 61, 24 * 60 * 7])),
                st.tuples(st.just("use"), st.just(0)),
                st.tuples(st.just("kill before"), st.integers(1, 6)),
                st.tuples(st.just("kill after"), st.integers(1, 6)),
                st.tuples(st.just("lose the answer"), st.just(0)),
                st.tuples(st.just("approve"), st.just(0)),
                st.tuples(st.just("remove"), st.just(0)),
            ),
            max_size=12,
        )
    )
    def test_token_works_after_any_history(
        self,
        connected: Shopify,
        workspace: WorkspaceScope,
        beginning: Callable[[], None],
        steps: list[tuple[str, int]],
    ) -> None:
        beginning()
        for step, number in steps:
            self.try_spend(connected, step, number)
        connected.world.advance(seconds=LEASE.total_seconds() + 1)
        if connected.shop().installation is None:
            connected.world.advance(hours=1)
            with pytest.raises(NeedsReauth):
                usable_grant(SHOP, patient(0))
            assert status(connected, workspace) is ConnectionStatus.NEEDS_REAUTH
        else:
            assert works(connected, usable_grant(SHOP, patient(0)))
            assert status(connected, workspace) is ConnectionStatus.CONNECTED

    @pytest.fixture
    def beginning(self, world: World, connected: Shopify) -> Callable[[], None]:
        """Restores the state in which each history begins."""
        usable_grant(SHOP, patient()).access_token()
        restore, shop = world.checkpoint(), deepcopy(connected.shop())

        def begin() -> None:
            restore()
            connected.server.pretend.shops[SHOP] = deepcopy(shop)
            connected.server.interruptions.clear()

        return begin

    def try_spend(self, shopify: Shopify, step: str, number: int) -> None:
        steps: dict[str, Callable[[], object]] = {
            "pass": lambda: shopify.world.advance(minutes=number),
            "remove": lambda: setattr(shopify.shop(), "installation", None),
            "approve": lambda: approve_in_place(shopify),
            "lose the answer": lambda: self.use_and_lose(shopify),
            "use": lambda: self.use(shopify),
            "kill before": lambda: killed_at(number, Side.BEFORE, lambda: self.use(shopify)),
            "kill after": lambda: killed_at(number, Side.AFTER, lambda: self.use(shopify)),
        }
        steps[step]()

    def use_and_lose(self, shopify: Shopify) -> None:
        shopify.server.interruptions.append(lambda request: lost(shopify, request))
        self.use(shopify)
        shopify.server.interruptions.clear()

    def use(self, shopify: Shopify) -> None:
        with suppress(ShopUnavailable, NeedsReauth):
            usable_grant(SHOP, patient())


def lost(shopify: Shopify, request: Request) -> Response:
    """The shop's answer, which never arrives."""
    shopify.server.pretend.answer(request, SHOP, "admin/oauth/access_token")
    return Response(status=502)
