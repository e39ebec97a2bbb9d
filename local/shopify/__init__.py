"""A pretend Shopify: shops that answer as Shopify's do, for all that the service says to them.

    web        the addresses under `/_local/shopify/<shop>`, as every shop has them
    app        the app that they know: ours
    shops      what a shop is and holds
    oauth      approving the app, tokens for codes, and tokens that replace tokens
    admin      the Admin GraphQL API: `schema/` executed over a shop, by `resolvers`
    costs      what a request costs; `bucket` is what it is paid from
    checking   our documents and `schema/` against Shopify's own schema (`make check-shopify`)

To teach it more, add types to a file of `schema/`, and to `resolvers` whatever isn't simply a value
of the object above. Time is the service's.
"""
