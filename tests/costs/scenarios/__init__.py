"""What is asked for, an operation a scenario at least, each in a town as it was founded.

A scenario prepares what its operation needs and says what is then asked for. Only that is measured,
with what it sets off; whoever asks has just asked for something else, so no use of theirs is noted.
"""

from tests.costs.scenarios import people, selling, shopping, sign_in
from tests.costs.scenarios.registry import Scenario

ALL: tuple[Scenario, ...] = (
    *sign_in.SCENARIOS,
    *people.SCENARIOS,
    *shopping.SCENARIOS,
    *selling.SCENARIOS,
)
