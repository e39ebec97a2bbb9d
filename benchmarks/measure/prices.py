"""AWS's list prices in US dollars, in us-east-1, on demand, without the free tiers.

From the pricing pages at https://aws.amazon.com: of DynamoDB on demand, of Lambda, API Gateway,
SQS, S3, KMS, SES, CloudWatch and EventBridge. They are valid since the date below, when DynamoDB's
were halved. Each is the price of the first tier, which is the highest.
"""

from datetime import date
from typing import Final

REGION: Final = "us-east-1"
SINCE: Final = date(2024, 11, 1)

MILLION: Final = 1_000_000

DYNAMODB_READ_UNIT: Final = 0.125 / MILLION
"""4 KB read strongly consistently; half of one for an eventually consistent read."""
DYNAMODB_WRITE_UNIT: Final = 0.625 / MILLION
"""1 KB written; two of them in a transaction."""

LAMBDA_REQUEST: Final = 0.20 / MILLION
LAMBDA_GB_SECOND: Final = {"arm64": 0.0000133334, "x86_64": 0.0000166667}
"""A second of a function with 1,024 MB, by architecture; billed by the millisecond begun."""

HTTP_API_REQUEST: Final = 1.00 / MILLION
HTTP_API_BYTES: Final = 512 * 1024
"""The bytes of a request or an answer that count as one request."""

SQS_REQUEST: Final = 0.40 / MILLION
SQS_FIFO_REQUEST: Final = 0.50 / MILLION
"""A call, of up to 64 KB: one that sends, one that receives, one that deletes."""

S3_PUT: Final = 0.005 / 1000
S3_GET: Final = 0.0004 / 1000

KMS_REQUEST: Final = 0.03 / 10_000
SES_EMAIL: Final = 0.10 / 1000

KMS_KEY: Final = 1.00
"""A month of a customer managed key."""
ALARM: Final = 0.10
"""A month of each metric of an alarm that is evaluated once a minute or less often."""
METRIC: Final = 0.30
"""A month of a custom metric, for the time in which it gets data."""
DASHBOARD: Final = 3.00
LOGS_GB: Final = 0.50
"""A GB of ingested logs."""
LOGS_GB_STORED: Final = 0.03
"""A GB of stored logs, a month."""
SCHEDULER_RUN: Final = 1.00 / MILLION
