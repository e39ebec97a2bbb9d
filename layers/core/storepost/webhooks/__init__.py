"""What happens in a workspace, sent to the addresses that it names."""
