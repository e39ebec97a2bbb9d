"""How scenarios are written down."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.costs.scenario import Request, Shop

type Preparing = Callable[[Shop], Request]


@dataclass(frozen=True)
class Scenario:
    """One request of an operation; `case` tells it from others of the same."""

    operation: str
    case: str
    prepare: Preparing


class Scenarios(list[Scenario]):
    """The scenarios of a group, in the order of the page."""

    def of(self, operation: str, case: str = "") -> Callable[[Preparing], Preparing]:
        """Takes the function as the scenario of an operation."""

        def take(prepare: Preparing) -> Preparing:
            self.append(Scenario(operation, case, prepare))
            return prepare

        return take

    def plain(self, operation: str, prepare: Preparing, case: str = "") -> None:
        """A scenario that needs no more than one line."""
        self.append(Scenario(operation, case, prepare))
