"""Storepost: the email platform API for e-commerce."""
