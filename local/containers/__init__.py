"""The local run with the functions in containers, as SAM CLI runs them."""
