"""Events of people: recorded by stores' orders, by integrations and manually."""
