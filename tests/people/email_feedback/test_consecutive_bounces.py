"""Seven emails in a row that bounce: what counts, against a plain model."""

from datetime import UTC, datetime, timedelta
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from storepost.people.email_feedback.model import BOUNCES_FOR, KEPT_FOR, MAX_EMAILS, AddressEmails
from storepost.platform.messaging.ses_events import EmailEvent, Outcome

START = datetime(2026, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
HALF = timedelta(hours=12)
KINDS = (Outcome.RETURNED, Outcome.DELIVERED, Outcome.BOUNCED, Outcome.COMPLAINED)


def event(number: int, day: float, outcome: Outcome) -> EmailEvent:
    """An event about an email of that day, half a day later."""
    sent_at = START + day * DAY
    return EmailEvent(
        f"email-{number}", sent_at, sent_at + HALF, outcome, "", None, "ann@x.example"
    )


def after(events: list[EmailEvent], now: datetime | None = None) -> AddressEmails:
    """The state after these events, all within a moment."""
    known = AddressEmails()
    for each in events:
        known = known.with_event(each, now or START + 80 * DAY)
    return known


def returned(*days: float) -> list[EmailEvent]:
    """Emails of these days that bounced."""
    return [event(number, day, Outcome.RETURNED) for number, day in enumerate(days)]


def end_of(day: float) -> datetime:
    """The end of a suppression that an email of that day caused."""
    return START + day * DAY + HALF + BOUNCES_FOR


def expected_end(events: list[EmailEvent]) -> datetime | None:
    """Computes it plainly: every email with all of its events, in the order of sending."""
    outcomes: dict[tuple[datetime, str], set[Outcome]] = {}
    for each in events:
        outcomes.setdefault((each.sent_at, each.message_id), set()).add(each.outcome)
    end, run = None, list[datetime]()
    for (sent_at, _), found in sorted(outcomes.items()):
        if found & {Outcome.DELIVERED, Outcome.COMPLAINED}:
            run = []
        elif Outcome.RETURNED in found:
            run.append(sent_at)
            last_seven = run[-7:]
            if len(last_seven) == 7 and last_seven[-1] - last_seven[0] < timedelta(days=60):
                end, run = sent_at + HALF + timedelta(days=180), []
    return end


def test_seven_bounces_suppress_and_six_do_not() -> None:
    assert after(returned(*range(6))).bounces_until is None
    assert after(returned(*range(7))).bounces_until == end_of(6)


def test_seven_bounces_must_be_within_sixty_days() -> None:
    assert after(returned(0, 10, 20, 30, 40, 50, 59.9)).bounces_until == end_of(59.9)
    assert after(returned(0, 10, 20, 30, 40, 50, 60)).bounces_until is None
    assert after(returned(0, 10, 20, 30, 40, 50, 60, 61)).bounces_until == end_of(61)


def test_delivery_resets_count_and_hard_bounce_does_not_affect_it() -> None:
    arrived, refused = event(90, 2.5, Outcome.DELIVERED), event(91, 3.5, Outcome.BOUNCED)
    assert after([*returned(*range(9)), arrived]).bounces_until is None
    assert after([*returned(*range(10)), arrived]).bounces_until == end_of(9)
    assert after([*returned(*range(7)), refused]).bounces_until == end_of(6)
    assert after([*returned(*range(6)), refused]).bounces_until is None


def test_automatic_reply_is_no_bounce_in_either_event_order() -> None:
    answers = [event(n, n, kind) for n in range(8) for kind in KINDS[:2]]
    assert after(answers).bounces_until is None
    assert after(answers[::-1]).bounces_until is None


def test_counted_bounces_do_not_count_again() -> None:
    assert after(returned(*range(13))).bounces_until == end_of(6)
    assert after(returned(*range(14))).bounces_until == end_of(13)


def test_event_order_does_not_change_state() -> None:
    events = [
        *returned(*range(6)),
        event(6, 6, Outcome.RETURNED),
        event(90, 2.5, Outcome.DELIVERED),
    ]
    for some in permutations(events[-3:]):
        assert after([*events[:-3], *some]) == after(events)


@given(
    st.lists(
        st.tuples(st.integers(0, 11), st.sampled_from(KINDS[:1] * 6 + KINDS)), max_size=24
    ).flatmap(lambda drawn: st.tuples(st.just(drawn), st.permutations(drawn + drawn[:3])))
)
def test_random_events_in_random_orders_match_model(
    drawn: tuple[list[tuple[int, Outcome]], list[tuple[int, Outcome]]],
) -> None:
    """An email is sent every nine days, so that seven span less than sixty days, or more."""
    one, other = ([event(n, n * 9, outcome) for n, outcome in some] for some in drawn)
    now = START + 110 * DAY
    assert after(one, now).bounces_until == after(other, now).bounces_until == expected_end(one)
    assert {each.message_id: each.outcomes for each in after(one, now).emails} == {
        each.message_id: each.outcomes for each in after(other, now).emails
    }


def test_stored_emails_are_limited_in_number_and_age() -> None:
    now = START + 80 * DAY
    many = after([event(n, n / 10, Outcome.RETURNED) for n in range(200)], now)
    assert len(many.emails) == MAX_EMAILS
    later = many.with_event(event(999, 100, Outcome.DELIVERED), now + KEPT_FOR)
    assert [each.message_id for each in later.emails] == ["email-999"]
