"""Sets the environment that the service reads on import; benchmarks import this module first."""

import os

from local import aws

aws.prepare_environment()
os.environ["POWERTOOLS_LOG_LEVEL"] = "WARNING"
