"""Hostile or merely odd input, sent to every operation that reads any.

Every answer is one that the interface describes, is never 5xx, and costs little. `python -m
tests.hostile` sends everything to every operation and prints the greatest costs; the test sends
each operation a part, so that everything is sent to some.
"""
