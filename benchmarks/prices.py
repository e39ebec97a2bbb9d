"""What AWS asks for, in US dollars: list prices of us-east-1, on demand, without the free tiers.

From https://aws.amazon.com/dynamodb/pricing/on-demand/, https://aws.amazon.com/lambda/pricing/ and
https://aws.amazon.com/api-gateway/pricing/. They hold since the date below, when DynamoDB's were
halved. Each is the price of the first tier, which is the dearest.
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
"""Up to 512 KB of a request or an answer; each 512 KB more count as another."""
