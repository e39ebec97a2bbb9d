"""Coupons of stores, and the codes that people get: each code is handed out once."""
