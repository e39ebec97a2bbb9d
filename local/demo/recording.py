"""`make events`: writes every sample in `events/` anew."""

import json
import os
import sys

from local import aws
from local.demo.seeded import demo_keys


def main() -> int:
    """Records the samples in a run of its own."""
    os.environ.setdefault("POWERTOOLS_LOG_LEVEL", "WARNING")
    aws.prepare_environment()
    aws.start()
    aws.create_resources(demo_keys())
    # The service reads its environment when it is imported.
    from local.demo.sampling import path_of, samples  # noqa: PLC0415
    from local.template import functions  # noqa: PLC0415

    events = samples()
    for function in functions():
        text = json.dumps(events[function.name], indent=2, ensure_ascii=False)
        path_of(function).write_text(text + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
