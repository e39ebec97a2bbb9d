"""Many concurrent writes while DynamoDB throttles, conflicts and loses answers, and processes die.

`python -m tests.fault_injection` retries each request as a client would, until it is answered, and
then compares the acknowledged writes with the service's state.
"""
