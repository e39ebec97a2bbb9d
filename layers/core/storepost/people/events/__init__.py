"""What happened with people: told by stores' orders, by integrations and by hand."""
