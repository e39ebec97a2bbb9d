"""Priorities: the worker, with messages twice, kills, changes meanwhile and failures."""

from typing import Any
from uuid import UUID

import pytest

from storepost.catalog.priorities import worker
from storepost.catalog.priorities.repository import ChangedProductItem
from storepost.catalog.products.feeds import delete_source
from storepost.catalog.products.jobs import Job, JobKind
from storepost.catalog.products.writing import ProductSource
from storepost.platform.messaging.outbox import PARTITION
from storepost.platform.messaging.tries import RECEIVES, TRIES, NeverEnded
from storepost.platform.persistence.changes import commit_anew
from tests.catalog.priorities.place import Place
from tests.catalog.products.sample import eur, variant
from tests.catalog.products.source_layers import feed, says, write_layers
from tests.catalog.products.state import check, stored
from tests.harness.crash_points import crashes
from tests.harness.runs import run_worker
from tests.harness.world import World


class TestWorker:
    """Messages twice, kills, changes meanwhile, failures."""

    @pytest.fixture(autouse=True)
    def _small_steps(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(worker, "PREVIEWED_AT_ONCE", 2)
        monkeypatch.setattr(worker, "RESOLVED_AT_ONCE", 2)

    def run(self, place: Place, change: dict[str, Any], tries: int = 1, ms: int = 60_000) -> None:
        workspace, store = place.value.workspace.id, UUID(place.id)
        job = Job(JobKind.PRIORITY_CHANGE, workspace, store, UUID(change["id"]))
        run_worker(worker.run_job, job, tries, ms)

    def outcome(self, place: Place, change: dict[str, Any]) -> dict[str, Any]:
        """The change and its result, without moments and keys made of moments."""
        shown = place.change(change)
        summary = {name: shown[name] for name in ("status", "stale", "counts", "error")}
        path = f"/product-priority-changes/{change['id']}/products"
        listed = place.get(path)["items"] if shown["status"] != "previewing" else None
        check(place.world, place.value)
        rows = [
            {name: value for name, value in row.items() if name != "changedAt"}
            for row in place.get("/products", sort="title")["items"]
        ]
        return {**summary, "changed": listed, "products": rows}

    def test_preview_killed_at_any_call(
        self, world: World, place: Place, product_source: ProductSource
    ) -> None:
        change = place.propose(str(product_source.source))
        self.killed_anywhere(world, place, change)

    def test_apply_killed_at_any_call(
        self, world: World, place: Place, product_source: ProductSource
    ) -> None:
        change = place.ready(str(product_source.source))
        assert place.act(change, "apply").status == 202
        self.killed_anywhere(world, place, change)

    def killed_anywhere(self, world: World, place: Place, change: dict[str, Any]) -> None:
        def work() -> None:
            self.run(place, change)

        found = crashes(world, work, deliver=False)
        assert len(found.positions) > 20
        expected = self.outcome(place, change)
        for positions in found:
            work()
            work()
            assert self.outcome(place, change) == expected, positions

    def test_preview_step_is_limited_by_transaction_size(
        self, place: Place, product_source: ProductSource, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Two of the four products change: a step that stores one compares no product after it."""
        assert worker.MAX_STORED_AT_ONCE + 400 * 1024 < 3.5 * 1024**2
        monkeypatch.setattr(worker, "PREVIEWED_AT_ONCE", 4)
        external_ids = [
            row["externalId"] for row in place.get("/products", sort="changedAt")["items"]
        ]
        change = place.propose(str(product_source.source))
        expected = self.undisturbed(place, change)
        changed = {row["externalId"] for row in expected["changed"]}
        steps = [n + 1 for n, name in enumerate(external_ids) if name in changed]
        steps += [4] * (steps[-1] < 4)
        monkeypatch.setattr(worker, "MAX_STORED_AT_ONCE", 1)
        self.run(place, change, ms=1)
        for previewed in steps:
            self.run(place, change, ms=1)
            assert place.change(change)["counts"]["previewed"] == previewed
        self.run(place, change)
        assert self.outcome(place, change) == expected

    def undisturbed(self, place: Place, change: dict[str, Any]) -> dict[str, Any]:
        """The expected result of the change; afterwards all is as it was."""
        back = place.world.checkpoint(deliver=False)
        self.run(place, change)
        expected = self.outcome(place, change)
        back()
        return expected

    def test_run_out_of_time_is_continued_by_next_message(
        self, place: Place, product_source: ProductSource
    ) -> None:
        change = place.propose(str(product_source.source))
        for row in place.world.rows(PARTITION):
            row.delete()
        place.world.lose_stream()
        self.run(place, change, ms=1)
        assert place.change(change)["counts"]["previewed"] < 4
        assert len(place.world.rows(PARTITION)) == 1
        place.world.deliver()
        assert place.change(change)["status"] == "ready"

    def test_applied_count_follows_previewed_products(
        self, place: Place, product_source: ProductSource, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Two of four: the walk passes p-1, p-2, p-3 and f-1 in some order, one a run."""
        write_layers(product_source, says("p-3", vendor="Feed"))
        change = place.ready(str(product_source.source))
        path = f"/product-priority-changes/{change['id']}/products"
        changed = {row["externalId"] for row in place.get(path)["items"]}
        assert changed == {"p-1", "p-3"}
        external_ids = [
            row["externalId"] for row in place.get("/products", sort="changedAt")["items"]
        ]
        monkeypatch.setattr(worker, "RESOLVED_AT_ONCE", 1)
        assert place.act(change, "apply").status == 202
        counted = []
        for _ in external_ids:
            self.run(place, change, ms=1)
            counted.append(place.change(change)["counts"]["applied"])
        assert counted == [
            len(changed.intersection(external_ids[: n + 1])) for n in range(len(external_ids))
        ]
        self.run(place, change)
        shown = place.change(change)
        assert (shown["status"], shown["counts"]["applied"]) == ("applied", 2)

    def test_products_changed_during_preview_are_compared_again(
        self, place: Place, product_source: ProductSource
    ) -> None:
        change = place.propose(str(product_source.source))
        self.run(place, change, ms=1)
        self.run(place, change, ms=1)
        write_layers(
            product_source,
            says("p-1", None, {"v-1": {"price": eur(1)}}, title="Grüner Tee"),
            says("p-3", vendor="Feed"),
        )
        self.run(place, change)
        shown = place.change(change)
        assert (shown["status"], shown["stale"]) == ("ready", False)
        assert shown["counts"] == {"products": 4, "previewed": 4, "changed": 2, "applied": 0}

    def test_rules_changed_during_preview_restart_it(
        self, place: Place, product_source: ProductSource
    ) -> None:
        change = place.propose(str(product_source.source))
        self.run(place, change, ms=1)
        self.run(place, change, ms=1)
        other = feed(place.value)
        write_layers(other, says("p-2", link="https://other.example.com"))
        self.run(place, change)
        shown = place.change(change)
        assert (shown["status"], shown["stale"], shown["counts"]["changed"]) == ("ready", False, 1)

    def test_source_deleted_during_preview_makes_change_stale(
        self, place: Place, product_source: ProductSource
    ) -> None:
        change = place.propose(place.own, product__title=[str(product_source.source)])
        self.run(place, change, ms=1)
        commit_anew(lambda c: delete_source(c, place.value, product_source.source_id))
        self.run(place, change)
        shown = place.change(change)
        assert (shown["status"], shown["stale"]) == ("ready", True)
        assert place.get(place.path)["openChange"] == shown
        assert place.act(change, "apply").problem() == (409, "change_stale")
        assert place.act(change, "refresh").problem() == (422, "unknown_source")
        assert place.call("DELETE", f"/product-priority-changes/{change['id']}").status == 204

    @pytest.mark.parametrize("tries", [TRIES, RECEIVES])
    def test_fails_after_all_tries(
        self,
        place: Place,
        product_source: ProductSource,
        monkeypatch: pytest.MonkeyPatch,
        tries: int,
    ) -> None:
        """SQS delivers the message once more than its tries only if the last try was killed."""
        change = place.propose(str(product_source.source))

        def broken(*_: object) -> None:
            raise RuntimeError("broken")

        monkeypatch.setattr(worker, "compare", broken)
        with pytest.raises(RuntimeError):
            self.run(place, change, tries=TRIES - 1)
        assert place.change(change)["status"] == "previewing"
        if tries > TRIES:
            monkeypatch.undo()
        self.run(place, change, tries=tries)
        shown = place.change(change)
        assert (shown["status"], bool(shown["error"])) == ("failed", True)
        assert shown["completedAt"] >= shown["createdAt"]
        priority = place.get(place.path)
        assert (priority["openChange"], priority["lastChange"]) == (None, shown)
        monkeypatch.undo()
        before = stored(place.world)
        self.run(place, change)
        assert stored(place.world) == before

    @pytest.mark.parametrize("tries", [TRIES, RECEIVES])
    def test_failed_cleanup_of_discarded_change_goes_to_dead_letters(
        self,
        place: Place,
        product_source: ProductSource,
        monkeypatch: pytest.MonkeyPatch,
        tries: int,
    ) -> None:
        """Nothing would show the failure, so the message goes to the dead-letter queue."""
        change = place.ready(str(product_source.source))
        assert place.call("DELETE", f"/product-priority-changes/{change['id']}").status == 204

        def remaining() -> list[Any]:
            return [r.key for r in place.world.rows() if isinstance(r, ChangedProductItem)]

        stored = remaining()
        assert stored
        with monkeypatch.context() as broken:
            broken.setattr(worker, "CLEARED_AT_ONCE", "broken")
            with pytest.raises(TypeError if tries == TRIES else NeverEnded):
                self.run(place, change, tries=tries)
        assert remaining() == stored
        self.run(place, change)
        assert remaining() == []
        self.run(place, change, tries=RECEIVES)

    def test_names_of_many_variants_are_written_by_worker(self, place: Place) -> None:
        """Names of many variants are the worker's."""
        many = [variant(n, sku=f"s-{n}", barcode=None) for n in range(1, 60)]
        place.put("p-1", variants=many)
        rows = "workspace#"
        named = [row for row in place.world.rows(rows) if "#product_names#" in row.pk]
        assert named == []
        place.world.deliver()
        named = [row for row in place.world.rows(rows) if "#product_names#" in row.pk]
        assert len(named) == 2 * 59
