"""Work across all slices: merges, erasures, exports, and the deletion of workspaces."""
