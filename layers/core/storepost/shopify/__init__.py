"""Shopify: the app's way into a shop, and what it says to the shop once it is in.

app        who we are to Shopify: the app's client id, its secrets, the scopes that it asks for
shops      which names are shops', and where a shop answers
oauth      an install's address, its signature, and tokens for a code or a refresh token
installs   installs that were begun in a workspace and wait for the shop's approval
grants     the tokens that a shop gave, sealed, and which store the shop is connected as
tokens     a token that works now: refreshed early, by one at a time
admin      the Admin GraphQL API, for one shop
documents  what is said there, a file an operation
details    what a shop says of itself
"""
