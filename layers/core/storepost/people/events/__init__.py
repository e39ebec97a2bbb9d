"""What happened with people: recorded by stores' orders, by integrations and by hand."""
