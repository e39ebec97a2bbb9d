"""The service about itself: the interface, the problems, and the pages behind emails' links."""
