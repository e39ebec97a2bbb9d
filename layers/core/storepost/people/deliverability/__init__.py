"""Suppresses addresses, lifts suppressions, and answers whether an address may be written to."""
