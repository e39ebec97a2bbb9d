"""Webhooks of Shopify: received and queued at once, then handled by a worker.

receiving   the signature, and the way into the queue
topics      the topics that are subscribed to
messages    a webhook as the queue carries it
working     the worker: the function for each topic
people      customers, and their consent
records     orders and products
shop        the shop itself: its locales, its scopes, the app removed from it
privacy     the three topics that the law asks for
redacting   deleting what only this shop knew of a person
"""
