"""Who is one person, word by word as docs/semantics.md, section 1.4 says it: by trying everything.

`people` are sets of identities, `deleted` the customer ids whose customers their stores deleted.
"""

from collections.abc import Collection, Iterable, Mapping
from itertools import combinations

from storepost.people.profiles.model import Identity, IdentityType

CUSTOMER, EMAIL, PHONE, CLIENT, ANONYMOUS = IdentityType
STRENGTH = {CUSTOMER: 0, EMAIL: 1, PHONE: 2, CLIENT: 3, ANONYMOUS: 3}
"""The strongest first; the last two are equal."""
WEAK = {CLIENT, ANONYMOUS}

type People[K] = Mapping[K, Collection[Identity]]


def people_of[K](
    people: People[K], deleted: Collection[Identity], arrival: Iterable[Identity]
) -> set[K]:
    """Drops the weakest identity until the rest has no contradiction, or matches nobody."""
    remaining = sorted(arrival, key=lambda i: (STRENGTH[i.type], i.type, i.value))
    while remaining and not is_one(people, deleted, remaining):
        remaining.pop()
    return owners(people, remaining)


def owners[K](people: People[K], identities: Iterable[Identity]) -> set[K]:
    """The people who have any of the identities."""
    return {each for each, own in people.items() if set(own) & set(identities)}


def is_one[K](
    people: People[K], deleted: Collection[Identity], remaining: Collection[Identity]
) -> bool:
    """Whether these identities can all be one person's."""
    persons = [set(people[each]) for each in owners(people, remaining)]
    if any(_is_contradicted(own, deleted, remaining) for own in persons):
        return False
    return not any(
        _are_two(one, other, deleted, remaining) for one, other in combinations(persons, 2)
    )


def _are_two(
    one: set[Identity],
    other: set[Identity],
    deleted: Collection[Identity],
    remaining: Collection[Identity],
) -> bool:
    """Two emails or two customers of a store; or a weak id between two who are known."""
    if _strong(one, deleted).keys() & _strong(other, deleted).keys():
        return True
    known = [any(i.type not in WEAK for i in own) for own in (one, other)]
    ties = [any(i.type not in WEAK for i in own & set(remaining)) for own in (one, other)]
    return all(known) and not all(ties)


def _is_contradicted(
    own: set[Identity], deleted: Collection[Identity], remaining: Collection[Identity]
) -> bool:
    """Something stronger than every identity that ties the arrival to the person contradicts it."""
    tie = min(STRENGTH[i.type] for i in own & set(remaining))
    has = _strong(own, deleted)
    return any(
        STRENGTH[i.type] < tie and i not in has.get((i.type, i.store_id), {i}) for i in remaining
    )


def _strong(
    identities: set[Identity], deleted: Collection[Identity]
) -> dict[object, set[Identity]]:
    """The strong identities, by what a person has one of: an email, a customer of a store."""
    found: dict[object, set[Identity]] = {}
    for each in identities - set(deleted):
        if each.type in (EMAIL, CUSTOMER):
            found.setdefault((each.type, each.store_id), set()).add(each)
    return found
