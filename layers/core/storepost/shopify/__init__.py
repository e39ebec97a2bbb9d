"""Shopify: the app's way into a shop, and what it says to the shop once it is in.

app        who we are to Shopify: the app's client id, its secrets, the scopes that it asks for
shops      which names are shops', and where a shop answers
oauth      an install's address, its signature, and tokens for a code or a refresh token
installs   installs that were begun in a workspace and wait for the shop's approval
scopes     what a shop lets the app do
grants     the tokens that a shop gave, sealed
claims     which store a shop is connected as
tokens     a token that works now: refreshed early, by one at a time
upkeep     using the tokens of quiet shops, so that they don't end
departure  taking the app out of a shop that somebody disconnected
signatures what Shopify signs with the app's secret
admin      the Admin GraphQL API, for one shop
answers    what its answers mean
pacing     its limit: points a shop, which refill by the second
patience   how long somebody may be kept waiting by a shop
documents  what is said there, a file an operation
details    what a shop says of itself
"""
