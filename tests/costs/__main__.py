"""`make costs`: measures every operation on dynoxide and writes docs/costs.md."""

import logging
import os

from local import aws
from local.console import say


def main() -> None:
    """Starts the engine, measures, writes."""
    os.environ["STORE"] = "dynoxide"
    aws.prepare_environment()
    # The service reads its environment when it is imported, and the engine's address with it.
    from tests.harness.engines import engine  # noqa: PLC0415

    engine()
    aws.start()
    aws.create_resources()
    from storepost.accounts.identity import passwords  # noqa: PLC0415
    from tests.costs.measuring import measure_all  # noqa: PLC0415
    from tests.costs.page import PAGE, dollars_a_consent, page  # noqa: PLC0415
    from tests.costs.scenarios import ALL  # noqa: PLC0415

    logging.disable(logging.INFO)
    passwords.MEMORY_KIB, passwords.PASSES = 8, 1  # the time of a hash isn't measured
    findings = measure_all(ALL)
    PAGE.write_text(page(findings), "utf-8")
    dollars = dollars_a_consent(findings)
    say(f"{len(findings.requests)} requests; a million changes of consent cost {dollars:.2f} $")


main()
