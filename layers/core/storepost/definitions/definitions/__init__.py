"""Definitions: what a workspace's segments, email templates and flows say, version by version."""
