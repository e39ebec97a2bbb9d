"""Double opt-in: an email asks whoever has an address whether they want marketing."""
