"""Double opt-in: an email asks the person with an address whether they want marketing."""
