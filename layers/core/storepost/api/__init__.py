"""Receives and answers requests: the resolver, and the service's description of itself."""
