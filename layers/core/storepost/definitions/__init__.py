"""Definitions of segments, emails and flows, and the changes that are proposed to them."""
