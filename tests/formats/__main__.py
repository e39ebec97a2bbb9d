"""`make formats`: records the newest release's stored data, from the story and its frozen names.

It prepares AWS as the tests do, so that keys and ids are the same in each run.
"""

import os

os.environ.setdefault("POWERTOOLS_LOG_LEVEL", "ERROR")

import tests.conftest  # noqa: F401 - the service reads its environment when it is imported
from tests.formats.frozen import frozen
from tests.formats.recorded import NEWEST, write
from tests.formats.writing import answers, messages, recorded_rows, sealed

if __name__ == "__main__":
    standing, passed, objects = recorded_rows()
    write(NEWEST, "rows-standing", standing)
    write(NEWEST, "rows-passed", passed)
    write(NEWEST, "objects", objects)
    write(NEWEST, "answers", answers())
    write(NEWEST, "messages", messages())
    write(NEWEST, "sealed", sealed())
    write(NEWEST, "frozen", frozen())
