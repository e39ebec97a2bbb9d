"""Sends the events of a workspace to the addresses that it names."""
