"""Handlers of messages, stream records and schedules."""
