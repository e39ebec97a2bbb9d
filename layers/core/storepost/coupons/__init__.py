"""Coupons of stores, and the codes that people get: each code is assigned once."""
