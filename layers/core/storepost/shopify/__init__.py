"""Shopify: the app's access to a shop, and its requests to the shop.

app        the app at Shopify: its client id, its secrets, the scopes that it requests
shops      names of shops, and a shop's addresses
oauth      an install's address, its signature, and tokens for a code or a refresh token
installs   pending installs: begun in a workspace, not yet approved by the shop
scopes     what a shop lets the app do
grants     a shop's tokens for the app, sealed
claims     the store that a shop is connected as
tokens     a valid access token: refreshed early, by one run at a time
upkeep     uses the tokens of inactive shops, so that they don't expire
departure  uninstalls the app from a shop that was disconnected
signatures verifies Shopify's signatures by the app's secret
admin      the Admin GraphQL API, for one shop
answers    interprets its answers
pacing     its limit: a bucket of points per shop, which refills every second
patience   how long a caller may be kept waiting by a shop
documents  its operations, one file each
details    a shop's details, from its own API
"""
