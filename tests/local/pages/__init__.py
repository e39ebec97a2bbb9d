"""The pages of `/_local/`."""
