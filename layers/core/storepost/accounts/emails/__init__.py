"""The emails that the service itself sends to people."""
