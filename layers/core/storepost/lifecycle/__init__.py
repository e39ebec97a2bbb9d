"""What goes across all records: merges, erasures, exports, and the end of a workspace."""
