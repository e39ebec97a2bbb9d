"""A shop's customers, orders and products, read into what their own slices take.

reading      single values, as leniently as a shop is kept
amounts      money in the shop's own currency
consents     what a shop says of a channel
rest         records as webhooks carry them
nodes        records as the Admin GraphQL API gives them
building     what the two have in common
products     products as webhooks carry them
product_nodes  products as bulk operations do

What can't be read of a value is left out, and what is too long is cut: nobody is there who could
fix it, and a customer without a readable phone number is still a customer. Only a record without
its id or its times is none.
"""
