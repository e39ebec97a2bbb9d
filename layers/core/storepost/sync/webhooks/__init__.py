"""What Shopify tells by itself: taken and queued at once, then worked through.

receiving   the signature, and the way into the queue
topics      what is listened to
messages    a webhook as the queue carries it
working     the worker: who does what of a topic
stores      which store a webhook is about
people      customers, and what they want
selling     orders
stocking    products
shop        the shop itself: its locales, its scopes, the app removed from it
privacy     the three topics that the law asks for
redacting   taking away what a shop told of a person
"""
