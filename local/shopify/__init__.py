"""A pretend Shopify: shops that answer all of the service's requests as Shopify's shops do.

    web        the addresses under `/_local/shopify/<shop>`, as every shop has them
    app        the app that the shops know: ours
    shops      a shop and its data
    oauth      approving the app, exchanging codes for tokens, and refreshing tokens
    admin      the Admin GraphQL API: `schema/` executed over a shop, by `resolvers`
    costs      the cost of a request, which is taken from the shop's `bucket`
    checking   our documents and `schema/` against Shopify's own schema (`make check-shopify`)

To extend it, add types to a file of `schema/`, and to `resolvers` each field that isn't simply a
value of the parent object. It uses the service's clock.
"""
