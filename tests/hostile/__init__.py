"""What means harm, or is merely odd, sent to every operation that reads something.

Whatever it is, the answer is one that the interface describes, is never 5xx, and costs little.
`python -m tests.hostile` asks everything of every operation and prints the greatest costs; the test
asks each operation for a part, so that everything is asked of some.
"""
