"""What the service reads when it is imported: whoever imports it for a benchmark imports this."""

import os

from local import aws

aws.prepare_environment()
os.environ["POWERTOOLS_LOG_LEVEL"] = "WARNING"
