"""A large workspace's profiles, determined by their number, as its orders are."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import chain
from random import Random

from benchmarks.data.large_shop import Shop
from benchmarks.data.sales import BEGINNING, SECONDS
from storepost.people.consent.states import ConsentState
from storepost.people.profiles.model import Identity, IdentityType, Profile, Sighting, StoreLink
from storepost.values.ids import derived_id

_LATE = 10
_CHANGED = 30
_FIRST_NAMES = ("Ada", "Bruno", "Chiara", "Dara", "Émile", "Fatou", "Greta", "Hugo", "Ines", "Jan")
_LAST_NAMES = ("Lind", "Keller", "Rossi", "Byrne", "Novák", "Diallo", "Holm", "Marsh", "Öz", "Vos")
_EMAIL_CONSENTS = {
    ConsentState.SUBSCRIBED: 60,
    ConsentState.NOT_SUBSCRIBED: 24,
    ConsentState.UNSUBSCRIBED: 15,
    ConsentState.PENDING: 1,
}


@dataclass(frozen=True, slots=True)
class Somebody:
    """A person with the fields that lists use; `seen` is in seconds from the beginning."""

    number: int
    seen: int
    name: tuple[str, str] | None
    email: str | None
    email_consent: ConsentState
    sms_consent: ConsentState
    is_customer: bool

    @property
    def seen_at(self) -> datetime:
        """The time when they were first and last seen."""
        return BEGINNING + timedelta(seconds=self.seen)

    def profile(self, shop: Shop, version: int | None = None) -> Profile:
        """Returns their profile; `version` is that of the stored row."""
        first_name, last_name = self.name or (None, None)
        seen = Sighting(self.seen_at, self.seen_at)
        known = {Identity(IdentityType.EMAIL, self.email): seen} if self.email else {}
        return Profile(
            id=derived_id(shop.workspace.id, "person", str(self.number)),
            workspace=shop.workspace,
            first_seen_at=self.seen_at,
            last_seen_at=self.seen_at,
            first_name=first_name,
            last_name=last_name,
            email=self.email,
            locale="en-GB",
            email_consent=self.email_consent,
            sms_consent=self.sms_consent,
            sightings=known,
            links={shop.stores[0]: StoreLink(1, 0, self.seen_at)} if self.is_customer else {},
            version=version,
        )


type Step = tuple[Somebody | None, Somebody]
"""A person before and after a change; None if they are new."""


class People:
    """A workspace's people."""

    def __init__(self, people: int) -> None:
        """The same number gives the same people."""
        self._people = people

    def steps(self) -> Iterator[Step]:
        """Returns most people in order, then late ones, then changes of consent."""
        people, random = self._first(), Random(12)
        late = [each for each in people if not each.number % _LATE]
        random.shuffle(late)
        changed = random.sample(people, len(people) // _CHANGED)
        return chain(
            ((None, each) for each in people if each.number % _LATE),
            ((None, each) for each in late),
            ((each, self._changed(each)) for each in changed),
        )

    def final(self) -> list[Somebody]:
        """Returns the people in the end, in no order."""
        return list({after.number: after for _, after in self.steps()}.values())

    def _first(self) -> list[Somebody]:
        random, count = Random(11), self._people
        seen = sorted(random.choices(range(SECONDS), k=count))
        consents = random.choices(list(_EMAIL_CONSENTS), list(_EMAIL_CONSENTS.values()), k=count)
        return [
            Somebody(
                number=number,
                seen=moment,
                name=self._name(random),
                email=f"person-{number}@example.com" if random.random() < 0.95 else None,
                email_consent=consent,
                sms_consent=self._rarely(random),
                is_customer=random.random() < 0.9,
            )
            for number, (moment, consent) in enumerate(zip(seen, consents, strict=True))
        ]

    def _name(self, random: Random) -> tuple[str, str] | None:
        if random.random() < 0.03:
            return None
        last_name = f"{random.choice(_LAST_NAMES)}-{random.choice(_LAST_NAMES)}"
        return random.choice(_FIRST_NAMES), last_name

    def _rarely(self, random: Random) -> ConsentState:
        rare = random.random() < 0.01
        return ConsentState.SUBSCRIBED if rare else ConsentState.NOT_SUBSCRIBED

    def _changed(self, before: Somebody) -> Somebody:
        was = before.email_consent is ConsentState.SUBSCRIBED
        now = ConsentState.UNSUBSCRIBED if was else ConsentState.SUBSCRIBED
        return replace(before, email_consent=now)
