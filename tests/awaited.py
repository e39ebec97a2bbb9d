"""What template.yaml declares ahead of the slice that fills it.

A name is taken out as soon as its slice is there; `tests/template` fails until it is.
"""

AWAITED = frozenset(
    {
        "OrdersFunction",
    }
)
