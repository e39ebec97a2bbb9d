"""The text of the page of costs between its tables."""

from textwrap import fill

from benchmarks.measure import prices, reckoning
from tests.costs.scenario import CUSTOMERS, ORDERS, PROFILES


def head(tolerance: float) -> str:
    """The beginning, up to the table of prices."""
    return f"""# Costs

What each operation asks of AWS, and what a million of it costs. `make costs` measures it and writes
this page; `make test-dynoxide` measures it again, and fails where a figure is more than
{tolerance:.0%} off, so that nothing becomes dearer unseen.

## How it is counted

**Units are answered, not computed.** Every operation of the interface's description is asked for in
a workspace of {PROFILES} profiles, {CUSTOMERS} of them customers, {ORDERS} orders, three members
and two stores. The tables are in dynoxide, which answers the units of each call as DynamoDB does
(`tests/costs/test_engine.py` holds it to DynamoDB's rules). Each list has one level of nodes here;
what a second and a third one add is in [access patterns](access-patterns.md).

**What follows counts too**: the relay of the outbox, the emails, the write-backs, an import to its
end. An email goes to one person; a message travels alone, though busy hours carry many at once and
cost less.

**Who asks** is an API key where one may, else a session, without an `idempotency-key`: that adds a
write unit for the claim and two a KB of the answer. Budgets of requests are off here: they add 0.1
write units to a caller's request, in one of twenty (`make bench-budgets`). Once a minute
the use of a key is noted for 1 write unit more, that of a session for 2, and that a store takes
write-backs for 1. What a container does once is left out: its start, its data key from KMS.

**Not counted** by operation: logs, alarms and keys, which the end of the page has; storage, and
data sent to the internet; that the sweep reads each change of consent with stores to tell once, two
hours later, for 1.1 read units; that lists of orders and of suppressions pack what is a month old
as they grow, for 1.1 write units an entry
([ADR 18](adr/0018-cold-leaves-are-packed-as-a-list-grows.md)), or for 2.4 where an order comes
right behind those that a batch brought as pages. Nothing is traced.

## Prices

List prices of {prices.REGION} since {prices.SINCE:%B %Y}, without free tiers
(`benchmarks/measure/prices.py`).
"""


DURATION = "\n" + fill(
    " ".join(
        f"""**Lambda's duration is reckoned**, since none of this ran on AWS
    (`benchmarks/measure/reckoning.py`). Of a CPU a run takes {reckoning.CPU_MS_A_RUN:g} ms, each
    call of AWS {reckoning.CPU_MS_A_CALL:g}, a unit of DynamoDB {reckoning.CPU_MS_A_UNIT:g}, a
    password
    {reckoning.CPU_MS_A_PASSWORD:g}: fitted to warm runs on a 2.1 GHz Xeon. A function has the share
    of a CPU that its memory buys. It waits for answers besides, by assumption:
    {reckoning.WAIT_MS_A_READ} ms for a read of DynamoDB, {reckoning.WAIT_MS_A_WRITE} for a write,
    {reckoning.WAIT_MS_A_TRANSACTION} for a transaction, {reckoning.WAIT_MS_A_SEND} for SQS,
    {reckoning.WAIT_MS_A_MAC} for KMS, {reckoning.WAIT_MS_AN_OBJECT} for S3,
    {reckoning.WAIT_MS_AN_EMAIL} for SES, {reckoning.WAIT_MS_A_STORE} for a store.""".split()
    ),
    100,
)

ORDER_PAGES = """
## A page of a million orders

`GET /orders` by a key, where a page takes all the units and calls that it may. `make bench-lists`
loads a million orders, compares each page with what it must show, and marks a page that takes more.
One read and one call of each are the key's, the others the list's. Of a million that loads packed,
the first page took 3 reads of the list in 2 calls, and any other 8 at most in 4
(`make bench-packed`).
"""


def consent(most: float) -> str:
    """Before the tables of consent."""
    return f"""
## A change of consent

`PUT /profiles/{{id}}/consent/email` by a key, with its write-back to one store that takes it, in
the workspace above. It may cost {most} dollars a million without an idempotency key.
"""


GROWING = """
The list of profiles counts who is subscribed, so each further level of its nodes is a read and two
writes more:
"""

OPERATIONS = """
## Every operation

Units and calls are DynamoDB's. What an operation sets off is counted beside it: the runs of other
functions, and their units and calls together."""

SCHEDULES = """
## What runs by the clock

Whether anybody asks or not; here it finds nothing to do.
"""

NEWCOMERS = """
## A new person

What somebody costs who wasn't known before, with all that follows from it, by the way that they
come. Of those who come together, the cost of each is given.
"""


def idle(metrics: int) -> str:
    """Before the table of costs without requests."""
    return f"""
## An idle stack

What is paid in a month of 30 days where nobody asks for anything, by the same prices, without free
tiers (which cover the first million of SQS's requests, ten alarms, three dashboards and 5 GB of
log). Lambda polls each queue by five long polls of 20 seconds, and they are billed as if they were
yours. That it reads the table's stream is free. Each of the {metrics} metrics of ours costs
{prices.METRIC:.2f} dollars a month at most, by the hours in which it counts something.
"""


BUSY = f"""
A request adds about a KB of log: its line, its metrics, Lambda's own report and the gateway's line.
That is {prices.LOGS_GB:.2f} dollars a million requests, and {prices.LOGS_GB_STORED:.2f} a month
that they are kept.
"""
