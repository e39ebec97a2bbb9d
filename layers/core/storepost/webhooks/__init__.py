"""What Shopify tells by itself: taken and queued at once, then worked through.

receiving   the signature, and the way into the queue
topics      what is listened to, and who does what of it
messages    a webhook as the queue carries it
people      customers, and what they want
selling     orders
shop        the shop itself: its locales, its scopes, the app removed from it
privacy     the three topics that the law asks for
"""
