"""The bucket against a plain model: what passes in any window, with several containers."""

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from storepost.platform.budgets.model import LEASE, Bucket, Policy, Usage

POLICY = Policy("key", 50, 2)
MAX_UNREPORTED = 2 * LEASE
"""A report that took two writes pays for two leases."""

pauses = st.one_of(st.integers(0, 5), st.integers(0, 200), st.integers(0, 5000))
"""Milliseconds between two requests."""


@dataclass
class Row:
    """The row as DynamoDB has it: one moment, and the number of writes."""

    full_at: int | None = None
    writes: int = 0

    def count(self, usage: Usage, stored: int) -> tuple[int, int]:
        """The same as `repository.count`, as `test_rows.py` proves."""
        before = self.writes
        if stored < usage.since:
            self.writes += 1
            if self.full_at is None or self.full_at < usage.since:
                self.full_at = usage.since + usage.cost
                return self.full_at, self.writes - before
        self.writes += 1
        assert self.full_at is not None
        self.full_at += usage.cost
        return self.full_at, self.writes - before


@dataclass
class Containers:
    """Some containers that answer the requests of one caller, and the results."""

    number: int
    policy: Policy = POLICY
    row: Row = field(default_factory=Row)
    passed: list[int] = field(default_factory=list)
    """The moments of requests that ran."""
    requests: int = 0
    buckets: list[Bucket] = field(default_factory=list)

    def __post_init__(self) -> None:
        """All of them are new."""
        self.buckets = [Bucket(self.policy) for _ in range(self.number)]

    def ask(self, container: int, now: int) -> bool:
        """Whether a request passes."""
        bucket = self.buckets[container]
        self.requests += 1
        wait = bucket.required_wait(now)
        if not wait:
            bucket.take(now)
            self.passed.append(now)
        usage = bucket.unreported()
        if usage:
            bucket.reported(*self.row.count(usage, bucket.stored))
        return not wait

    def replace(self, container: int) -> None:
        """A container is killed: its unreported usage is lost, and a new one starts."""
        self.buckets[container] = Bucket(self.policy)


def max_excess(moments: list[int], policy: Policy = POLICY) -> float:
    """By how many requests the budget was exceeded at most, over all windows.

    A budget lets `quota + per_second * seconds` through in any window.
    """
    over, level = 0.0, 0.0
    last = moments[0] if moments else 0
    for moment in moments:  # a leaking bucket's level: never below empty, without a top
        level = max(0.0, level - (moment - last) * policy.per_second / 1000) + 1
        over, last = max(over, level - policy.quota), moment
    return over


requests = st.lists(st.tuples(st.integers(0, 9), pauses), max_size=600)


class TestOneContainer:
    """It knows of every request itself."""

    @given(st.lists(pauses, max_size=600))
    def test_requests_never_exceed_the_budget(self, waits: list[int]) -> None:
        containers, now = Containers(1), 1_000_000
        for wait in waits:
            now += wait
            containers.ask(0, now)
        assert max_excess(containers.passed) <= 1e-6

    @given(st.lists(pauses, max_size=600))
    def test_request_within_the_budget_is_not_refused(self, waits: list[int]) -> None:
        """Against the plain bucket, except for a lease: late usage is charged at once."""
        containers, now = Containers(1), 1_000_000
        level, last = 0.0, now
        for wait in waits:
            now += wait
            level = max(0.0, level - (now - last) * POLICY.per_second / 1000)
            last = now
            if containers.ask(0, now):
                level += 1
            else:
                assert level + 1 > POLICY.quota - MAX_UNREPORTED

    def test_slow_caller_is_never_throttled(self) -> None:
        """A tenth of the budget, for an hour and a half."""
        containers = Containers(1)
        assert all(containers.ask(0, 1_000_000 + n * 200) for n in range(27_000))

    def test_retry_after_a_refusal_is_exact(self) -> None:
        bucket, now = Bucket(POLICY), 1_000_000.0
        while not (wait := bucket.required_wait(now)):
            bucket.take(now)
        assert bucket.required_wait(now + wait - 1) > 0
        assert bucket.required_wait(now + wait) == 0


class TestContainers:
    """Each container knows its own requests, and through its reports the others'."""

    @given(requests, st.integers(1, 10))
    def test_excess_is_at_most_three_leases_per_container(
        self, arrivals: list[tuple[int, int]], number: int
    ) -> None:
        containers, now = Containers(number), 1_000_000
        for container, wait in arrivals:
            now += wait // number
            containers.ask(container % number, now)
        assert max_excess(containers.passed) <= 3 * number * MAX_UNREPORTED

    @given(requests, st.integers(1, 10))
    def test_writes_at_most_once_per_twenty_requests(
        self, arrivals: list[tuple[int, int]], number: int
    ) -> None:
        """Refused requests included, whatever the other containers report."""
        containers, now = Containers(number), 1_000_000
        for container, wait in arrivals:
            now += wait
            containers.ask(container % number, now)
            # A report that met another one's has used its second write already.
            assert containers.row.writes <= containers.requests / LEASE + number

    @given(requests, st.integers(1, 10), st.lists(st.integers(0, 9), max_size=60))
    def test_killed_containers_lose_only_unreported_requests(
        self, arrivals: list[tuple[int, int]], number: int, killed: list[int]
    ) -> None:
        """A killed one counts as one more container."""
        containers, now = Containers(number), 1_000_000
        for place, (container, wait) in enumerate(arrivals):
            now += wait // number
            if place % 10 == 0 and killed:
                containers.replace(killed.pop() % number)
            containers.ask(container % number, now)
        assert max_excess(containers.passed) <= 3 * (number + 60) * MAX_UNREPORTED

    def test_caller_over_the_budget_gets_the_budgeted_rate(self) -> None:
        """Ten times as much as may be, on 20 containers, for two minutes."""
        containers, seconds = Containers(20), 120
        for n in range(500 * seconds):
            containers.ask(n % 20, 1_000_000 + n * 2)
        rate = len(containers.passed) / seconds
        assert 0.9 * POLICY.per_second <= rate <= 1.1 * POLICY.per_second + POLICY.quota / seconds

    def test_caller_at_a_tenth_of_the_budget_is_never_throttled(self) -> None:
        """Usage seen long ago is charged to the time when it was seen, so it doesn't count now."""
        containers, now = Containers(1000), 1_000_000
        for n in range(60_000):
            now += 200
            assert containers.ask(n * 7919 % 1000, now)
        # All containers report again at once, each with a lease that is nearly used up.
        assert all(containers.ask(n, now) for n in range(60))

    def test_clock_skew_of_a_second_delays_by_at_most_a_second(self) -> None:
        """One container's clock is a second ahead: to the others the bucket is emptier."""
        containers, now = Containers(2), 1_000_000
        for n in range(2 * LEASE):
            containers.ask(0, now + 1000 + n * 10)
        stored = containers.row.full_at
        assert stored is not None
        bucket = containers.buckets[1]
        bucket.reported(stored, 1)
        assert bucket.required_wait(now + 200) == 0, "the burst has room for a second"
