"""Migrations: rows of a workspace are changed into another form, while it is in use.

model     a migration, its steps, and what a page of a step did
keys      where a workspace's row of a migration stands
rows      that row: how far it has come
messages  the message that starts one, or goes on with it
running   one run of the worker
"""
