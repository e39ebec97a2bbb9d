"""Webhook endpoints: an integrator's addresses, which events each is told, and what signs them."""
