"""Webhooks of Shopify: received and queued at once, then handled by a worker.

receiving   checks the signature, and queues the webhook
topics      the subscribed topics
messages    a webhook as a message
worker      the worker: the function for each topic
people      customers, and their consent
records     orders and products
shop        the shop itself: its locales, its scopes, the app's uninstallation
privacy     the three mandatory privacy topics
redacting   deletes data of a person that only this shop had
"""
