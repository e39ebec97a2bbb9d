"""Webhooks to integrators: what happens in a workspace, posted to the addresses that it names."""
