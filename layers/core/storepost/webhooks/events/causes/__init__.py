"""The events of a changed row of each kind, by comparing it before and after the write."""
