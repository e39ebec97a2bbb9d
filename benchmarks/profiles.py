"""`make bench-profiles`: the reads of a page of 100,000 profiles, by each sort and filter.

They are loaded with ten times as many orders, as for `make bench-lists`.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from random import Random

import benchmarks.measure.environment  # noqa: F401 - before the service, which reads it
from benchmarks.data.large_shop import Shop
from benchmarks.data.loading import large
from benchmarks.data.people import People
from benchmarks.data.sales import BEGINNING, SECONDS
from benchmarks.measure.calling import Api
from benchmarks.measure.metering import Meter
from benchmarks.measure.pages import COLUMNS, NOTES, PAGE, ExpectedList, Report
from benchmarks.measure.reporting import Table
from local.aws.dynoxide import VERSION
from storepost.people.consent.states import ConsentState
from storepost.people.profiles.model import Profile
from storepost.platform.persistence.counted_tree import moment_key, text_key
from storepost.values import clock

ORDERS = int(os.environ.get("ORDERS", "1000000"))

type Keeps = Callable[[Profile], bool]


@dataclass(frozen=True)
class _Range:
    """Profiles first seen from `since` (inclusive) to `until` (exclusive), in seconds."""

    since: int
    until: int

    def query(self) -> dict[str, object]:
        since, until = self._moments
        return {"firstSeenFrom": clock.to_text(since), "firstSeenTo": clock.to_text(until)}

    def holds(self, profile: Profile) -> bool:
        since, until = self._moments
        return since <= profile.first_seen_at < until

    @property
    def _moments(self) -> tuple[datetime, datetime]:
        return BEGINNING + timedelta(seconds=self.since), BEGINNING + timedelta(seconds=self.until)


_THREE_MONTHS = _Range(SECONDS // 2, SECONDS // 2 + 91 * 24 * 60 * 60)
"""A range for queries with several filters, which read rows, at most 20,000."""

SORTS: dict[str, Callable[[Profile], str]] = {
    "firstSeenAt": lambda profile: moment_key(profile.first_seen_at, profile.id),
    "name": lambda profile: text_key(profile.name, profile.id),
    "email": lambda profile: text_key(profile.email, profile.id),
}
FILTERS: tuple[tuple[str, dict[str, object], Keeps], ...] = (
    (
        "emailMarketingConsent, 1 in 100",
        {"emailMarketingConsent": "pending"},
        lambda profile: profile.email_consent is ConsentState.PENDING,
    ),
    (
        "smsMarketingConsent, 1 in 100",
        {"smsMarketingConsent": "subscribed"},
        lambda profile: profile.sms_consent is ConsentState.SUBSCRIBED,
    ),
    ("isCustomer, 1 in 10", {"isCustomer": "false"}, lambda profile: not profile.is_customer),
    (
        "emailMarketingConsent, 6 in 10",
        {"emailMarketingConsent": "subscribed"},
        lambda profile: profile.email_consent is ConsentState.SUBSCRIBED,
    ),
    (
        "two filters in three months",
        {"isCustomer": "false", "emailMarketingConsent": "pending", **_THREE_MONTHS.query()},
        lambda profile: (
            not profile.is_customer
            and profile.email_consent is ConsentState.PENDING
            and _THREE_MONTHS.holds(profile)
        ),
    ),
)


@dataclass(frozen=True)
class ProfileLists:
    """The lists of the shop's profiles: their requests and their expected content."""

    shop: Shop
    api: Api
    people: int

    def expected(
        self, query: Mapping[str, object], keeps: Keeps | None = None, sort: str = "firstSeenAt"
    ) -> ExpectedList:
        """Returns the list with its expected ids."""
        matching = [each for each in self._profiles if keeps is None or keeps(each)]
        ids = [str(each.id) for each in sorted(matching, key=SORTS[sort])]
        return ExpectedList(self.api, "/profiles", query, sort, ids)

    @cached_property
    def _profiles(self) -> list[Profile]:
        return [somebody.profile(self.shop) for somebody in People(self.people).final()]


def report_ranges(report: Report, lists: ProfileLists) -> None:
    """Measures wide and narrow time ranges."""
    random, drawn = Random(5), []
    for _ in range(10):
        within = _Range(*sorted(random.sample(range(SECONDS), 2)))
        drawn.append(lists.expected(within.query(), within.holds))
    report.drawn("by firstSeenAt, ranges", drawn, None)


def main() -> None:
    """Loads, measures, publishes."""
    title = f"A page of {PAGE} profiles, of {ORDERS // 10:,}; a profile itself is a unit of it"
    table = Table("profiles", title, COLUMNS, {"dynoxide": VERSION}, NOTES)
    with large(ORDERS) as loaded:
        lists = ProfileLists(loaded.shop, Api(loaded.key, Meter()), loaded.people)
        report = Report(table)
        lists.expected({}).page(1)  # imports the handler
        for sort in SORTS:
            report.whole(f"by {sort}", lists.expected({}, sort=sort), None, None)
        of_store = {"storeId": str(loaded.shop.stores[0])}
        report.whole(
            "a store's", lists.expected(of_store, lambda each: bool(each.links)), None, None
        )
        report_ranges(report, lists)
        for name, query, keeps in FILTERS:
            report.ends(name, lists.expected(query, keeps), None)
    table.publish()


if __name__ == "__main__":
    main()
