"""Moving what belongs to merged profiles, after the merge itself."""
