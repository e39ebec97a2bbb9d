"""Commands for an operator of a deployed stack, run on their own machine (docs/operating.md)."""
