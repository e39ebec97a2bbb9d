"""`make examples`: runs the story and writes its exchanges to the file."""

import os

from local import aws
from local.demo.seeded import demo_keys

if __name__ == "__main__":
    os.environ.setdefault("POWERTOOLS_LOG_LEVEL", "WARNING")
    aws.prepare_environment()
    aws.start()
    aws.create_resources(demo_keys())
    # The service reads its environment when it is imported.
    from openapi.story.exchanges import FILE
    from openapi.story.recording import text

    FILE.write_text(text(), "utf-8")
