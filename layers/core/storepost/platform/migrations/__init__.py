"""Migrations: rows of a workspace are changed into another form, while it is in use.

model     a migration, its steps, and what a page of a step did
keys      the key of a workspace's row of a migration
rows      that row: the migration's progress
messages  the message that starts one, or continues it
running   one run of the worker
"""
