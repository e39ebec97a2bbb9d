"""Webhooks to integrators."""
