"""Definitions: the versions of a workspace's segments, email templates and flows."""
