"""The stores of a workspace, their imports and their locales."""
