"""The service's description: the interface, the problems, and the pages behind emails' links."""
