"""Reads a shop's customers, orders and products into the values of their own slices.

reading      single values, read leniently
amounts      money in the shop's own currency
consents     a shop's consent data for a channel
rest         records in the format of webhooks
nodes        records in the Admin GraphQL API's format
building     the parts of orders that both formats share
products     products in the format of webhooks
product_nodes  products in files of bulk operations

An unreadable value is left out, and one that is too long is cut: nobody could fix it, and a
customer without a readable phone number is still a customer. Only a record without its id or its
times is rejected.
"""
