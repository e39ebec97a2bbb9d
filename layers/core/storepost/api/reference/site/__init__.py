"""The documentation as a site: guides, the reference by group, and files for programs."""
