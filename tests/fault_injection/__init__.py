"""Many writes at once while DynamoDB throttles, conflicts and loses answers, and processes die.

`python -m tests.fault_injection` repeats each request as a client would, until it is answered, and
then compares what was acknowledged with what the service has.
"""
