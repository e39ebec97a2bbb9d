"""Webhook endpoints: an integrator's addresses, which events each is sent, and what signs them."""
