"""Coupons and their codes."""
