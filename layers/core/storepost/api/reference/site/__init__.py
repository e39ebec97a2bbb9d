"""The documentation as a site: guides, the reference by group, and what programs read of it."""
