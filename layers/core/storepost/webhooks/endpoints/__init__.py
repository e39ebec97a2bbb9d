"""Webhook endpoints: an integrator's addresses, their events, and the secrets that sign these."""
