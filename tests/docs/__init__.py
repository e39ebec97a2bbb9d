"""The service about itself."""
